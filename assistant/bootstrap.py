"""The composition root, the only reader of settings: Settings -> Assistant. Nothing else is wired anywhere."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.agents.base import Agent, Desk, Template
from assistant.agents.calendar import CalendarAgent
from assistant.agents.contacts import ContactsAgent
from assistant.agents.email import EmailAgent
from assistant.errors import UserError
from assistant.facade import Assistant
from assistant.pipeline.evidence import Directory
from assistant.pipeline.execute import Executor
from assistant.pipeline.master import Master
from assistant.pipeline.propose import Proposer
from assistant.pipeline.state import FlowState
from assistant.reasoning.base import Reasoner
from assistant.reasoning.offline.grammar import read
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.running.dispatch import Dispatch
from assistant.running.journal import FlowJournal, Stream
from assistant.running.lease import Presence, owner_name
from assistant.running.recall import Recall
from assistant.running.recovery import recover
from assistant.values import AgentName, OwnCommand
from config.settings import BadSetting, Settings, load, risk_matrix
from integrations.combined import CombinedReaders
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import Address, Value
from risk.matrix import Matrix
from storage import accounts as stored_accounts
from storage import templates
from storage.database import Database
from storage.tables import OWNER

Clock = Callable[[], datetime]


class LocalAccount(Value):
    """Plain folders: `mail` a Maildir++, `calendars` and `contacts` folders of .ics and .vcf; each may be left out."""

    mail: Path | None = None
    calendars: Path | None = None
    contacts: Path | None = None
    address: str
    name: str = "local"

    def config(self) -> AccountConfig:
        folders = {"mail": self.mail, "calendars": self.calendars, "contacts": self.contacts}
        settings = {kind: str(Path(path).expanduser().absolute()) for kind, path in folders.items() if path is not None}
        return AccountConfig(name=self.name, kind="local", address=self.address, settings=settings)


def settings_for(home: Path | str | None) -> Settings:
    try:
        return load(Path(home) if home is not None else None)
    except BadSetting as bad:
        raise UserError(str(bad)) from bad


def zone_of(name: str) -> ZoneInfo:
    """The named zone, or this machine's."""
    if not name:
        import tzlocal

        return ZoneInfo(tzlocal.get_localzone_name() or "UTC")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as unknown:
        raise UserError(f"There is no time zone {name!r}; use a name such as Europe/Berlin.") from unknown


def open_database(home: Path) -> Database:
    return Database.open(home / "assistant.sqlite")


async def configured_accounts(database: Database) -> tuple[AccountConfig, ...]:
    rows = await database.read(lambda s: stored_accounts.list(s))
    return tuple(AccountConfig(name=r.name, kind=r.kind, address=r.address, settings=r.settings, sample=r.sample) for r in rows)


def sample_account(home: Path, now: datetime, zone: ZoneInfo) -> AccountConfig:
    """Made on first use; afterwards it is whatever the user has made of it."""
    from integrations.local.sample import make_sample

    return make_sample(home / "sample", now=now.astimezone(zone), zone=zone)


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
) -> AsyncIterator[Assistant]:
    """`clock` returns an aware datetime. Without `accounts` the configured ones are used, else the sample.
    `reasoner` and `agents` take the place of the usual ones.

    Raises UserError for settings that can't be used, StorageError for a database that can't.
    """
    settings = settings or settings_for(home)
    clock = clock or (lambda: datetime.now(UTC))
    where = zone_of(zone or settings.zone)
    database = open_database(settings.home)
    presence = Presence(settings.home)
    opened: list[Account] = []
    try:
        configs = tuple(a.config() if isinstance(a, LocalAccount) else a for a in accounts)
        configs = configs or await configured_accounts(database)
        configs = configs or (await asyncio.to_thread(sample_account, settings.home, clock(), where),)
        opened = [open_account(config, zone=where, index=settings.home / "index", clock=clock) for config in configs]
        alone = presence.enter()
        assistant, executor = _wire(settings, database, opened, clock, where, reasoner, agents)
        await recover(database, assistant.dispatch.journal, executor, clock, alone=alone)
        presence.settle()
        try:
            yield assistant
        finally:
            await assistant.dispatch.close()
    finally:
        for account in opened:
            await account.close()
        await database.close()
        presence.leave()


def _wire(
    settings: Settings,
    database: Database,
    opened: Sequence[Account],
    clock: Clock,
    zone: ZoneInfo,
    reasoner: Reasoner | None,
    agents: Mapping[AgentName, Agent] | None,
) -> tuple[Assistant, Executor]:
    readers = CombinedReaders([account.readers for account in opened])
    me = tuple(Address(email=account.config.address.lower()) for account in opened)
    directory = Directory(readers, me, zone, clock)
    reasoner = reasoner or OfflineReasoner()
    proposer = Proposer(directory, Matrix.parse(risk_matrix(settings)), database, clock)
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

    def is_request(text: str, desk: Desk) -> bool:
        reading = read(text, desk.setting)
        return reading.call is not None and reading.certain

    async def own_command(command: OwnCommand, state: FlowState) -> FlowState:
        return await dispatch.own_command(command, state)

    master = Master(
        reasoner=reasoner,
        agents=agents or {"email": EmailAgent(), "calendar": CalendarAgent(), "contacts": ContactsAgent()},
        proposer=proposer,
        executor=executor,
        own_commands=own_command,
    )
    dispatch = Dispatch(
        user=OWNER, master=master, journal=journal, recall=recall, database=database, clock=clock, desk=desk, is_request=is_request
    )
    configs = tuple(account.config for account in opened)
    return Assistant(dispatch, database, readers, OWNER, reasoner.name, configs, settings.home, clock), executor
