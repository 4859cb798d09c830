"""A home opened: what all its users share, and the parts of an assistant for each of them."""

import asyncio
import gc
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.house import Given, House, LocalAccount, zone_of
from assistant.models import Models, models_of, table_of_rules
from assistant.running.calls import Calls
from assistant.running.lease import Presence
from assistant.running.queue import FlowQueue
from assistant.running.runner import finished
from assistant.running.stream import Stream
from assistant.running.sweeping import ended
from assistant.scheduling.alarm import Alarm
from assistant.wiring import Tenant, Wired, wire
from config.settings import BadSetting, Settings, load, risk_matrix
from integrations.registry import Account, AccountConfig, open_account
from risk.matrix import Matrix
from storage import accounts as stored_accounts
from storage.database import Database
from storage.restored import check_whole, identity
from storage.secrets import Vault
from storage.tables import OWNER

PYTHONS_THRESHOLD, THRESHOLD = (700, 10, 10), (10_000, 20, 20)
"""Of the garbage collector."""


def settings_for(home: Path | str | None) -> Settings:
    if home is not None and not str(home):
        raise UserError("The home is empty; give the folder in which the assistant is to keep its data.")
    try:
        return load(Path(home) if home is not None else None)
    except BadSetting as bad:
        raise UserError(str(bad)) from bad


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


async def configured_accounts(database: Database, user: str = OWNER) -> tuple[AccountConfig, ...]:
    rows = await database.read(lambda s: stored_accounts.list(s, user_id=user))
    return tuple(
        AccountConfig(name=r.name, kind=r.kind, address=r.address, owner=r.owner, settings=r.settings, sample=r.sample)
        for r in rows
    )


async def connected(
    settings: Settings, database: Database, now: datetime, zone: ZoneInfo, user: str = OWNER
) -> tuple[AccountConfig, ...]:
    """The configured ones, else the sample below the home that these settings name."""
    configured = await configured_accounts(database, user)
    return configured or (await asyncio.to_thread(sample_account, settings.home, now, zone),)


def sample_account(home: Path, now: datetime, zone: ZoneInfo) -> AccountConfig:
    """Made on first use; afterwards it is whatever the user has made of it."""
    from integrations.local.sample import make_sample

    return make_sample(home / "sample", now=now.astimezone(zone), zone=zone)


async def open_house(given: Given, closing: AsyncExitStack, *, handing: bool) -> House:
    """What `closing` closes in the end. With `handing` flows are handed to workers."""
    settings = given.settings
    collect_seldom()
    if given.clock().tzinfo is None:
        raise UserError("The clock must give aware times, such as datetime.now(UTC).")
    zone, matrix = zone_of(given.zone or settings.zone), matrix_of(settings)
    presence = Presence(settings.home)
    closing.callback(presence.leave)
    database = open_database(settings)
    closing.push_async_callback(database.close)
    file = identity(database.path)
    queue = await open_queue(settings, closing) if handing else None
    return House(given, database, lambda: given.clock() + database.ahead, zone, matrix, queue, presence, file)


async def open_queue(settings: Settings, closing: AsyncExitStack) -> FlowQueue:
    queue = await asyncio.to_thread(FlowQueue, settings.database_url.get_secret_value())
    closing.push_async_callback(queue.close)
    return queue


def _make_private(folder: Path) -> None:
    """With its parents, which Path.mkdir would leave open to others."""
    if not folder.exists():
        _make_private(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)


async def wire_for(house: House, user: str, closing: AsyncExitStack, *, resident: bool, stream: Stream | None = None) -> Wired:
    """Everything of one user, which does nothing by itself yet. For one that is `resident` a mail that leaves is held for the
    setting undo_window. `stream` has listeners already."""
    given, settings = house.given, await house.settings_of(user)
    await asyncio.to_thread(_make_private, settings.home)
    zone = await house.zone_of(user)
    opened = await _open_accounts(house, settings, zone, user, closing)
    ledger = Calls(house.database, user)
    models = Models(given.reasoner, table_of_rules(settings)) if given.reasoner else models_of(settings, ledger, house.clock, zone)
    closing.push_async_callback(models.close)
    undo_window = timedelta(seconds=settings.undo_window if resident else 0)
    wired = wire(house, Tenant(user, settings, zone, opened, models, undo_window, stream or Stream()))
    closing.push_async_callback(finished, wired.assistant.dispatch.close)
    closing.push_async_callback(finished, wired.runner.close)
    closing.push_async_callback(finished, wired.assistant.outgoing.close)
    closing.push_async_callback(finished, wired.assistant.schedules.tending.close)
    closing.callback(wired.assistant.following.close)
    return wired


async def recovered(house: House, wired: Wired, *, go_on: bool) -> Wired:
    """What was left over of this user is taken care of, and what is due is sent; the assistant tells what came of it."""
    found = await wired.recovery.run(alone=house.alone, go_on=go_on)
    told = {one.key for one in found.outcomes}
    released = tuple(news.outcome for news in await wired.assistant.outgoing.overdue() if news.outcome.key not in told)
    assistant = replace(wired.assistant, recovered=found.outcomes, going_on=found.going_on, released=released)
    return wired._replace(assistant=assistant)


def set_alarm(
    house: House, tend: Callable[[], Awaitable[None]], earliest: Callable[[], Awaitable[datetime | None]], closing: AsyncExitStack
) -> None:
    """Wakes `tend` for what is due, until `closing` ends that."""
    alarm = Alarm(tend, earliest, house.clock)
    house.stir = alarm.stir
    closing.push_async_callback(ended, asyncio.create_task(alarm.run()))


def collect_seldom() -> None:
    """To look for cycles as often as Python does by itself takes a fifth of the time where many flows run side by side. What the
    program has set itself is left."""
    if gc.get_threshold() == PYTHONS_THRESHOLD:
        gc.set_threshold(*THRESHOLD)


async def _open_accounts(house: House, settings: Settings, zone: ZoneInfo, user: str, closing: AsyncExitStack) -> list[Account]:
    given, clock = house.given, house.given.clock
    named = given.accounts if user == OWNER else ()
    configs = _told_apart(tuple(a.config() if isinstance(a, LocalAccount) else a for a in named))
    configs = configs or await connected(settings, house.database, clock(), zone, user)
    secrets = Vault(house.database, house.seal, clock, user)
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
