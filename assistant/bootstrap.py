"""The composition root, the only reader of settings: Settings -> Assistant. Nothing else is wired anywhere."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from assistant.agents.base import Agent
from assistant.facade import Assistant
from assistant.house import Clock, Given, Progress, now
from assistant.house import LocalAccount as LocalAccount
from assistant.house import seal_of as seal_of
from assistant.house import zone_of as zone_of
from assistant.llm.endpoint import EndpointClient
from assistant.llm.metering import MeteredEndpoint
from assistant.models import endpoints_in_use as endpoints_in_use
from assistant.models import meter_of
from assistant.opening import PYTHONS_THRESHOLD as PYTHONS_THRESHOLD
from assistant.opening import THRESHOLD as THRESHOLD
from assistant.opening import configured_accounts as configured_accounts
from assistant.opening import connected, open_house, recovered, set_alarm, wire_for
from assistant.opening import matrix_of as matrix_of
from assistant.opening import open_database as open_database
from assistant.opening import settings_for as settings_for
from assistant.reasoning.base import Reasoner
from assistant.running.calls import Calls
from assistant.running.history import History
from assistant.running.sweeping import Look, Sweeping, ended
from assistant.values import AgentName
from assistant.wiring import Wired
from assistant.wiring import keeping_terms as keeping_terms
from config.settings import Settings
from integrations.registry import AccountConfig
from storage import calls, schedules
from storage.session import Session
from storage.tables import OWNER, StoredCall


async def accounts_in_use(home: Path | str | None) -> tuple[AccountConfig, ...]:
    """The connected ones, else the sample."""
    settings = settings_for(home)
    database = open_database(settings)
    try:
        return await connected(settings, database, datetime.now(UTC), zone_of(settings.zone))
    finally:
        await database.close()


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
    """The owner's. `clock` returns an aware datetime. Without `accounts` the configured ones are used, else the sample.
    `reasoner` and `agents` take the place of the usual ones. With `on_progress` all mail is indexed before this is entered; it
    hears, in another thread, how many mails of how many are done. Whoever only looks opens with `recover` False and leaves what a
    crash left as it is. One that is `resident` stays open: a mail that leaves is held for the setting undo_window, what is held
    goes out when it is due, and tasks that a crash cut short are gone on with.

    Raises UserError for settings that can't be used, StorageError for a database that can't.
    """
    settings = settings or settings_for(home)
    given = Given(settings, clock or now, zone, accounts, reasoner, agents, on_progress)
    async with AsyncExitStack() as closing:
        handing = settings.runner == "cluster"
        house = await open_house(given, closing, handing=handing)
        wired = await wire_for(house, OWNER, closing, resident=resident)
        await house.enter()
        if recover and not handing:
            wired = await recovered(house, wired, go_on=resident)
        await house.let_in()
        if resident and not handing:
            wired.assistant.outgoing.start()
        if resident and recover and not handing:
            sweeping = asyncio.create_task(Sweeping(_look(wired)).run())
            closing.push_async_callback(ended, sweeping)
            await wired.assistant.schedules.claiming.refresh()
            set_alarm(house, wired.assistant.schedules.tend, lambda: house.database.read(_owners_next), closing)
        yield wired.assistant
        if not resident:  # nobody else would go on with it soon
            await wired.assistant.schedules.tending.idle()


def _look(wired: Wired) -> Look:
    async def look(most: int | None, rows: bool) -> None:
        found = await wired.recovery.run(alone=False, go_on=True, most=most, rows=rows)
        await wired.assistant.outgoing.tell_of(found.outcomes)

    return look


def _owners_next(s: Session) -> datetime | None:
    return schedules.earliest(s, user_id=OWNER)


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
