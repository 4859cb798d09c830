"""The composition root, the only reader of settings: Settings -> Assistant. Nothing else is wired anywhere."""

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.agents.base import Agent
from assistant.errors import UserError
from assistant.facade import Assistant
from assistant.llm.endpoint import EndpointClient
from assistant.llm.metering import MeteredEndpoint
from assistant.models import Models, meter_of, models_of, table_of_rules
from assistant.models import endpoints_in_use as endpoints_in_use
from assistant.reasoning.base import Reasoner
from assistant.running.calls import Calls
from assistant.running.history import History
from assistant.running.lease import Presence, Slot
from assistant.running.queue import Consumer, FlowQueue
from assistant.running.runner import finished
from assistant.running.sweeping import Sweeping
from assistant.running.worker import Worker, named
from assistant.values import AgentName
from assistant.wiring import Clock, Wired, wire
from assistant.wiring import keeping_terms as keeping_terms
from config.settings import BadSetting, Settings, load, risk_matrix
from integrations.common.addresses import parse_address
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import Value
from risk.matrix import Matrix
from storage import accounts as stored_accounts
from storage import calls
from storage.database import Database
from storage.restored import check_whole, identity
from storage.sealing import KEY_FILE, Seal
from storage.secrets import Vault
from storage.tables import OWNER, StoredCall

AT_ONCE = 20
"""Flows that a worker runs side by side, most of which wait for a model."""
PYTHONS_THRESHOLD, THRESHOLD = (700, 10, 10), (10_000, 20, 20)
"""Of the garbage collector."""
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


def open_database(settings: Settings) -> Database:
    check_whole(settings.home)
    if url := settings.database_url.get_secret_value():
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Database.open(url)
    return Database.open(settings.home / "assistant.sqlite")


def seal_of(settings: Settings) -> Seal:
    return Seal(settings.home / KEY_FILE, settings.secret_key.get_secret_value())


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
    database = open_database(settings)
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
    resident: bool = False,
) -> AsyncIterator[Assistant]:
    """`clock` returns an aware datetime. Without `accounts` the configured ones are used, else the sample.
    `reasoner` and `agents` take the place of the usual ones. With `on_progress` all mail is indexed before this is entered; it
    hears, in another thread, how many mails of how many are done. Whoever only looks opens with `recover` False and leaves what a
    crash left as it is. One that is `resident` stays open: a mail that leaves is held for the setting undo_window, what is held
    goes out when it is due, and tasks that a crash cut short are gone on with.

    Raises UserError for settings that can't be used, StorageError for a database that can't.
    """
    settings = settings or settings_for(home)
    given = _Given(settings, clock or _now, zone, accounts, reasoner, agents, on_progress)
    async with AsyncExitStack() as closing:
        handing = settings.runner == "cluster"
        wired = await _opened(given, closing, handing=handing, recover=recover, resident=resident)
        if resident and recover and not handing:
            sweeping = asyncio.create_task(Sweeping(wired.recovery, tell=wired.assistant.outgoing.tell_of).run())
            closing.push_async_callback(_ended, sweeping)
        yield wired.assistant


@asynccontextmanager
async def open_worker(
    home: Path | str | None = None,
    *,
    at_once: int = AT_ONCE,
    clock: Clock | None = None,
    zone: str = "",
    accounts: Sequence[LocalAccount | AccountConfig] = (),
    settings: Settings | None = None,
    reasoner: Reasoner | None = None,
    agents: Mapping[AgentName, Agent] | None = None,
) -> AsyncIterator[tuple[Worker, Assistant]]:
    """As `open_assistant`, for flows that others hand over; `at_once` of them are run side by side."""
    settings = settings or settings_for(home)
    if not settings.database_url.get_secret_value():
        raise UserError("Workers need a database that all machines reach: set database_url, or ASSISTANT_DATABASE_URL.")
    given = _Given(settings, clock or _now, zone, accounts, reasoner, agents)
    async with AsyncExitStack() as closing:
        wired = await _opened(given, closing, handing=False, recover=True, resident=True)
        queue = await _queue(settings, closing)
        slot = Slot(settings.home)
        closing.callback(slot.leave)
        worker = Worker(named(slot), wired.recovery, wired.runner, wired.journal, queue, at_once)
        worker.consumer = Consumer(settings.database_url.get_secret_value(), worker.name, at_once, worker.run)
        yield worker, wired.assistant


async def _queue(settings: Settings, closing: AsyncExitStack) -> FlowQueue:
    queue = await asyncio.to_thread(FlowQueue, settings.database_url.get_secret_value())
    closing.push_async_callback(queue.close)
    return queue


async def _ended(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class _Given:
    """What an assistant is opened with."""

    settings: Settings
    clock: Clock
    zone: str
    accounts: Sequence[LocalAccount | AccountConfig]
    reasoner: Reasoner | None
    agents: Mapping[AgentName, Agent] | None
    on_progress: Progress | None = None


async def _opened(given: _Given, closing: AsyncExitStack, *, handing: bool, recover: bool, resident: bool) -> Wired:
    """What `closing` closes in the end. With `handing` flows are handed to workers, who recover, and send what is due."""
    settings = given.settings
    _collect_seldom()
    if given.clock().tzinfo is None:
        raise UserError("The clock must give aware times, such as datetime.now(UTC).")
    zone = zone_of(given.zone or settings.zone)
    matrix = matrix_of(settings)
    presence = Presence(settings.home)
    closing.callback(presence.leave)
    database = open_database(settings)
    closing.push_async_callback(database.close)
    file = identity(database.path)

    def clock() -> datetime:
        """The same on all machines, since leases go by it."""
        return given.clock() + database.ahead

    queue = await _queue(settings, closing) if handing else None
    opened = await _open_accounts(given, closing, database, zone)
    alone = presence.enter() and not database.shared
    ledger = Calls(database)
    models = Models(given.reasoner, table_of_rules(settings)) if given.reasoner else models_of(settings, ledger, clock, zone)
    closing.push_async_callback(models.close)
    undo_window = timedelta(seconds=settings.undo_window if resident else 0)
    wired = wire(settings, matrix, database, opened, clock, zone, models, given.agents, undo_window, queue)
    assistant = wired.assistant
    closing.push_async_callback(finished, assistant.dispatch.close)
    closing.push_async_callback(finished, wired.runner.close)
    closing.push_async_callback(finished, assistant.outgoing.close)
    if not alone:
        await presence.settle()
    if identity(database.path) != file:
        raise UserError(f"{settings.home} was put back from a backup at this moment; start once more.")
    if recover and not handing:
        found = await wired.recovery.run(alone=alone, go_on=resident)
        told = {one.key for one in found.outcomes}
        released = tuple(news.outcome for news in await assistant.outgoing.overdue() if news.outcome.key not in told)
        assistant = replace(assistant, recovered=found.outcomes, going_on=found.going_on, released=released)
    if alone:
        await presence.settle()
    if resident and not handing:
        assistant.outgoing.start()
    return wired._replace(assistant=assistant)


def _collect_seldom() -> None:
    """To look for cycles as often as Python does by itself takes a fifth of the time where many flows run side by side. What the
    program has set itself is left."""
    if gc.get_threshold() == PYTHONS_THRESHOLD:
        gc.set_threshold(*THRESHOLD)


async def _open_accounts(given: _Given, closing: AsyncExitStack, database: Database, zone: ZoneInfo) -> list[Account]:
    settings, clock = given.settings, given.clock
    configs = _told_apart(tuple(a.config() if isinstance(a, LocalAccount) else a for a in given.accounts))
    configs = configs or await _accounts(settings, database, clock(), zone)
    secrets = Vault(database, seal_of(settings), clock)
    index = settings.home / "index"
    opened = [open_account(config, zone=zone, index=index, clock=clock, secrets=secrets) for config in configs]
    for account in opened:
        closing.push_async_callback(account.close)
        if given.on_progress:
            await account.prepare(given.on_progress)
    return opened


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
    database = open_database(settings_for(home))
    try:
        return await database.read(lambda s: calls.list(s, since))
    finally:
        await database.close()


@asynccontextmanager
async def history_of(home: Path | str | None) -> AsyncIterator[History]:
    """Read without any account being opened."""
    settings = settings_for(home)
    database = open_database(settings)
    try:
        yield History(database, OWNER, lambda: datetime.now(UTC), zone_of(settings.zone))
    finally:
        await database.close()


@asynccontextmanager
async def metered_endpoints(home: Path | str | None) -> AsyncIterator[tuple[MeteredEndpoint, ...]]:
    """Each endpoint in use, to be tried out; the calls are recorded under the role probe."""
    settings = settings_for(home)
    database = open_database(settings)
    clients = [EndpointClient(endpoint) for endpoint in endpoints_in_use(settings)]
    try:
        meter = meter_of(settings, Calls(database), lambda: datetime.now(UTC), zone_of(settings.zone))
        yield tuple(MeteredEndpoint(client, "probe", meter) for client in clients)
    finally:
        for client in clients:
            await client.close()
        await database.close()
