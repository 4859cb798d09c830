"""Everybody's assistants opened at once: the household of a service, and that of a worker."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from assistant.agents.base import Agent
from assistant.errors import UserError
from assistant.facade import Assistant
from assistant.house import Clock, Given, LocalAccount, now
from assistant.household import Household
from assistant.opening import open_house, open_queue, set_alarm, settings_for
from assistant.reasoning.base import Reasoner
from assistant.running.keeping import Keeping
from assistant.running.lease import Slot
from assistant.running.queue import Consumer
from assistant.running.sweeping import Sweeping, ended
from assistant.running.worker import Worker, named
from assistant.values import AgentName
from assistant.wiring import keeping_terms
from config.settings import Settings
from integrations.registry import AccountConfig
from storage import schedules
from storage.errors import StorageError
from storage.tables import OWNER

AT_ONCE = 20
"""Flows that a worker runs side by side, most of which wait for a model."""
DAY = 86_400
"""Seconds."""

log = logging.getLogger(__name__)


@asynccontextmanager
async def open_household(
    home: Path | str | None = None,
    *,
    clock: Clock | None = None,
    zone: str = "",
    settings: Settings | None = None,
    reasoner: Reasoner | None = None,
    agents: Mapping[AgentName, Agent] | None = None,
) -> AsyncIterator[Household]:
    """As `open_assistant`, for all users."""
    settings = settings or settings_for(home)
    given = Given(settings, clock or now, zone, (), reasoner, agents)
    async with AsyncExitStack() as closing:
        household = await _opened(given, closing, handing=settings.runner == "cluster")
        if household.house.queue is None:
            closing.push_async_callback(ended, asyncio.create_task(Sweeping(household.sweep).run()))
            await _set_alarm(household, closing)
        closing.push_async_callback(ended, asyncio.create_task(_keep(household)))
        yield household


async def _set_alarm(household: Household, closing: AsyncExitStack) -> None:
    await household.refresh()
    set_alarm(household.house, household.tend, lambda: household.database.read(schedules.earliest), closing)


async def _keep(household: Household) -> None:
    """Makes smaller what has ended, for all users, day by day."""
    keeping = Keeping(household.database, household.clock, keeping_terms(household.settings))
    while True:
        try:
            await keeping.run()
        except StorageError as error:
            log.info("What has ended is not made smaller now: %s", error)
        await asyncio.sleep(DAY)


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
    """As `open_assistant`, for flows of all users that others hand over; `at_once` of them are run side by side. The assistant is
    the owner's."""
    settings = settings or settings_for(home)
    url = settings.database_url.get_secret_value()
    if not url:
        raise UserError("Workers need a database that all machines reach: set database_url, or ASSISTANT_DATABASE_URL.")
    given = Given(settings, clock or now, zone, accounts, reasoner, agents)
    async with AsyncExitStack() as closing:
        household = await _opened(given, closing, handing=False)
        owner = await household.of(OWNER)
        queue = await open_queue(settings, closing)
        slot = Slot(settings.home)
        closing.callback(slot.leave)
        worker = Worker(named(slot), household, queue, at_once)
        worker.consumer = Consumer(url, worker.name, at_once, worker.run)
        await _set_alarm(household, closing)
        yield worker, owner


async def _opened(given: Given, closing: AsyncExitStack, *, handing: bool) -> Household:
    household = Household(await open_house(given, closing, handing=handing))
    closing.push_async_callback(household.close)
    await household.take_care()
    return household
