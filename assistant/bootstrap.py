"""The composition root, the only reader of settings: Settings -> Assistant. Nothing else is wired anywhere."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.agents.base import Agent, Desk, Template
from assistant.agents.calendar import CalendarAgent
from assistant.agents.contacts import ContactsAgent
from assistant.agents.email import EmailAgent
from assistant.drafting.free import Free
from assistant.errors import UserError
from assistant.facade import Assistant
from assistant.llm.endpoint import EndpointClient
from assistant.llm.metering import MeteredEndpoint
from assistant.models import Models, meter_of, models_of, table_of_rules
from assistant.models import endpoints_in_use as endpoints_in_use
from assistant.pipeline.evidence import Directory
from assistant.pipeline.execute import Executor
from assistant.pipeline.master import Master
from assistant.pipeline.propose import Proposer
from assistant.pipeline.state import FlowState
from assistant.reasoning.base import Reasoner, Request, Setting
from assistant.reasoning.offline.planning import commands
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.running.calls import Calls
from assistant.running.dispatch import Dispatch
from assistant.running.journal import FlowJournal, Stream
from assistant.running.lease import Presence, owner_name
from assistant.running.recall import Recall
from assistant.running.recovery import Recovery
from assistant.running.runner import InProcessRunner
from assistant.values import AgentName, OwnCommand, Paused
from config.settings import BadSetting, Settings, load, risk_matrix
from integrations.combined import CombinedReaders
from integrations.common.addresses import parse_address
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import Address, Value
from risk.matrix import Matrix
from storage import accounts as stored_accounts
from storage import calls, templates
from storage.database import Database
from storage.tables import OWNER, StoredCall

Clock = Callable[[], datetime]
Progress = Callable[[int, int], None]


class LocalAccount(Value):
    """Plain folders: `mail` a Maildir++, `calendars` and `contacts` folders of .ics and .vcf; each may be left out. `address` may
    carry the owner's name: "Eva Klein <eva@example.org>"."""

    mail: Path | None = None
    calendars: Path | None = None
    contacts: Path | None = None
    address: str
    name: str = "local"

    def config(self) -> AccountConfig:
        folders = {"mail": self.mail, "calendars": self.calendars, "contacts": self.contacts}
        settings = {kind: str(Path(path).expanduser().absolute()) for kind, path in folders.items() if path is not None}
        owner = parse_address(self.address)
        if owner is None:
            raise UserError(f"{self.address!r} is not a mail address.")
        return AccountConfig(name=self.name, kind="local", address=owner.email, owner=owner.name, settings=settings)


def settings_for(home: Path | str | None) -> Settings:
    if home is not None and not str(home):
        raise UserError("The home is empty; give the folder in which the assistant is to keep its data.")
    try:
        return load(Path(home) if home is not None else None)
    except BadSetting as bad:
        raise UserError(str(bad)) from bad


def zone_of(name: str) -> ZoneInfo:
    """The named zone, or this machine's."""
    if not name:
        import tzlocal

        try:
            return ZoneInfo(tzlocal.get_localzone_name() or "UTC")
        except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
            raise UserError("This machine's time zone is not known; set zone, such as Europe/Berlin.") from unknown
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        words = f"The setting zone is not usable: there is no time zone {name!r}; use a name such as Europe/Berlin."
        raise UserError(words) from unknown


def matrix_of(settings: Settings) -> Matrix:
    try:
        return Matrix.parse(risk_matrix(settings))
    except BadSetting as bad:
        raise UserError(str(bad)) from bad
    except ValueError as wrong:
        raise UserError(f"The setting risk_matrix is not usable, in {settings.risk_matrix}: {wrong}") from wrong


def open_database(home: Path) -> Database:
    return Database.open(home / "assistant.sqlite")


async def configured_accounts(database: Database) -> tuple[AccountConfig, ...]:
    rows = await database.read(lambda s: stored_accounts.list(s))
    return tuple(
        AccountConfig(name=r.name, kind=r.kind, address=r.address, owner=r.owner, settings=r.settings, sample=r.sample)
        for r in rows
    )


def sample_account(home: Path, now: datetime, zone: ZoneInfo) -> AccountConfig:
    """Made on first use; afterwards it is whatever the user has made of it."""
    from integrations.local.sample import make_sample

    return make_sample(home / "sample", now=now.astimezone(zone), zone=zone)


async def accounts_in_use(home: Path | str | None) -> tuple[AccountConfig, ...]:
    """The connected ones, else the sample."""
    settings = settings_for(home)
    database = open_database(settings.home)
    try:
        return await _accounts(settings, database, datetime.now(UTC), zone_of(settings.zone))
    finally:
        await database.close()


async def _accounts(settings: Settings, database: Database, now: datetime, zone: ZoneInfo) -> tuple[AccountConfig, ...]:
    configured = await configured_accounts(database)
    return configured or (await asyncio.to_thread(sample_account, settings.home, now, zone),)


@asynccontextmanager
async def open_assistant(
    home: Path | str | None = None,
    *,
    clock: Clock | None = None,
    zone: str = "",
    accounts: Sequence[LocalAccount | AccountConfig] = (),
    settings: Settings | None = None,
    reasoner: Reasoner | None = None,
    agents: Mapping[AgentName, Agent] | None = None,
    on_progress: Progress | None = None,
    recover: bool = True,
) -> AsyncIterator[Assistant]:
    """`clock` returns an aware datetime. Without `accounts` the configured ones are used, else the sample.
    `reasoner` and `agents` take the place of the usual ones. With `on_progress` all mail is indexed before this is entered; it
    hears, in another thread, how many mails of how many are done. Whoever only looks opens with `recover` False and leaves what a
    crash left as it is.

    Raises UserError for settings that can't be used, StorageError for a database that can't.
    """
    settings = settings or settings_for(home)
    clock = clock or (lambda: datetime.now(UTC))
    if clock().tzinfo is None:
        raise UserError("The clock must give aware times, such as datetime.now(UTC).")
    where = zone_of(zone or settings.zone)
    matrix = matrix_of(settings)
    database = open_database(settings.home)
    presence = Presence(settings.home)
    opened: list[Account] = []
    try:
        configs = _told_apart(tuple(a.config() if isinstance(a, LocalAccount) else a for a in accounts))
        configs = configs or await _accounts(settings, database, clock(), where)
        opened = [open_account(config, zone=where, index=settings.home / "index", clock=clock) for config in configs]
        if on_progress:
            for account in opened:
                await account.prepare(on_progress)
        alone = presence.enter()
        models = Models(reasoner, table_of_rules(settings)) if reasoner else models_of(settings, Calls(database), clock, where)
        assistant, recovery = _wire(settings, matrix, database, opened, clock, where, models, agents)
        if not alone:
            await presence.settle()
        if recover:
            assistant = replace(assistant, recovered=await recovery.run(alone=alone))
        if alone:
            await presence.settle()
        try:
            yield assistant
        finally:
            await assistant.dispatch.close()
            await models.close()
    finally:
        for account in opened:
            await account.close()
        await database.close()
        presence.leave()


def _told_apart(configs: tuple[AccountConfig, ...]) -> tuple[AccountConfig, ...]:
    """Each account under a name of its own: a second "local" becomes "local-2"."""
    seen: Counter[str] = Counter()
    named = []
    for config in configs:
        seen[config.name] += 1
        number = seen[config.name]
        named.append(config if number == 1 else config.model_copy(update={"name": f"{config.name}-{number}"}))
    return tuple(named)


async def model_calls(home: Path | str | None, since: datetime) -> tuple[StoredCall, ...]:
    database = open_database(settings_for(home).home)
    try:
        return await database.read(lambda s: calls.list(s, since))
    finally:
        await database.close()


@asynccontextmanager
async def metered_endpoints(home: Path | str | None) -> AsyncIterator[tuple[MeteredEndpoint, ...]]:
    """Each endpoint in use, to be tried out; the calls are recorded under the role probe."""
    settings = settings_for(home)
    database = open_database(settings.home)
    clients = [EndpointClient(endpoint) for endpoint in endpoints_in_use(settings)]
    try:
        meter = meter_of(settings, Calls(database), lambda: datetime.now(UTC), zone_of(settings.zone))
        yield tuple(MeteredEndpoint(client, "probe", meter) for client in clients)
    finally:
        for client in clients:
            await client.close()
        await database.close()


def _wire(
    settings: Settings,
    matrix: Matrix,
    database: Database,
    opened: Sequence[Account],
    clock: Clock,
    zone: ZoneInfo,
    models: Models,
    agents: Mapping[AgentName, Agent] | None,
) -> tuple[Assistant, Recovery]:
    readers = CombinedReaders([account.readers for account in opened])
    me = tuple(Address(email=account.config.address.lower(), name=account.config.owner) for account in opened)
    directory = Directory(readers, me, zone, clock)
    offline = OfflineReasoner()
    reasoner = models.reasoner or offline
    samples = frozenset(account.config.name for account in opened if account.config.sample)
    proposer = Proposer(directory, matrix, database, clock, samples)
    executor = Executor({account.config.name: account for account in opened}, database, clock, OWNER)
    journal = FlowJournal(database, Stream(), clock, owner_name())
    recall = Recall(database, OWNER)

    async def desk() -> Desk:
        saved = await database.read(lambda s: templates.list(s))
        directory.templates = {t.name: t.body for t in saved}
        return Desk(
            readers=readers,
            reasoner=reasoner,
            setting=await directory.setting(),
            addresses={account.config.name: account.config.address for account in opened},
            templates=tuple(Template(name=t.name, subject=t.subject, body=t.body) for t in saved),
            day_starts=settings.day_starts,
            day_ends=settings.day_ends,
        )

    def is_request(text: str, desk: Desk, paused: tuple[Paused, ...]) -> bool:
        """By grammar alone, whoever else may be thinking."""
        reading = read(text, desk.setting)
        command, answer = commands.command(Request(text=text, setting=desk.setting, paused=paused))
        return (reading.call is not None and reading.certain) or command is not None or bool(answer)

    async def own_command(command: OwnCommand, state: FlowState) -> FlowState:
        return await dispatch.own_command(command, state)

    master = Master(
        table=models.table,
        offline=offline,
        agents=agents or {"email": EmailAgent(), "calendar": CalendarAgent(), "contacts": ContactsAgent()},
        proposer=proposer,
        executor=executor,
        own_commands=own_command,
    )
    recovery = Recovery(database, journal, master, executor, desk, clock)
    dispatch = Dispatch(
        user=OWNER,
        master=master,
        journal=journal,
        recall=recall,
        database=database,
        clock=clock,
        desk=desk,
        is_request=is_request,
        runner=InProcessRunner(recovery),
    )
    free = Free(models.table, lambda: Setting(now=clock().astimezone(zone), zone=zone, me=me))
    configs = tuple(account.config for account in opened)
    return Assistant(dispatch, database, readers, OWNER, reasoner.name, configs, settings.home, clock, free), recovery
