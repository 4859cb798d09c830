"""The alarm clock: wakes whoever tends schedules when the next slot is due. What is then to be done, the slots decide."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from assistant.running.runner import finished

LONGEST = timedelta(seconds=30)
"""It looks at least so often, whatever is done to the clock: machines sleep, and other processes add schedules."""
SHORTEST = timedelta(seconds=1)
"""Between two looks, where what is due can't be done now."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Alarm:
    """`look` does what is due or sees to it, and does not wait for its end; `earliest` tells by `clock` when something is due next,
    None: never."""

    look: Callable[[], Awaitable[None]]
    earliest: Callable[[], Awaitable[datetime | None]]
    clock: Callable[[], datetime]
    _woken: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    async def run(self) -> None:
        """Until it is cancelled; a look under way comes to its end. The first is at once."""
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        scheduler = AsyncIOScheduler(timezone=UTC)
        scheduler.start()
        try:
            while True:
                self._woken.clear()
                await finished(self._looked)
                at = datetime.now(UTC) + await self._ahead()
                scheduler.add_job(self._wake, "date", run_date=at, id="look", replace_existing=True, misfire_grace_time=None)
                with suppress(TimeoutError):  # a job waits for its time also where the clock is set back
                    await asyncio.wait_for(self._woken.wait(), LONGEST.total_seconds())
        finally:
            scheduler.shutdown(wait=False)

    def stir(self) -> None:
        """Something has changed: it looks at once."""
        self._woken.set()

    async def _wake(self) -> None:
        self._woken.set()

    async def _looked(self) -> None:
        try:
            await self.look()
        except Exception:
            log.exception("What is due can't be looked for now.")

    async def _ahead(self) -> timedelta:
        try:
            due = await self.earliest()
        except Exception as error:
            log.warning("When the next run is due can't be told now: %s", error)
            due = None
        return LONGEST if due is None else min(max(due - self.clock(), SHORTEST), LONGEST)
