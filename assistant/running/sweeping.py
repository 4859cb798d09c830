"""Looks again and again for what other processes left when they died, and for what could not be done before."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from assistant.running.lease import BEAT, LEASE
from assistant.running.recovery import LONGEST, Recovery
from assistant.values import Outcome

SWEEP = LEASE / 6
"""How often it looks for flows whose lease has ended."""


async def _untold(outcomes: Sequence[Outcome]) -> None:
    pass


@dataclass(frozen=True)
class Sweeping:
    """`room`: for how many more flows, where that matters; `tell` hears what came of writes."""

    recovery: Recovery
    room: Callable[[], int | None] = lambda: None
    tell: Callable[[Sequence[Outcome]], Awaitable[None]] = _untold

    async def run(self) -> None:
        """Until it is cancelled."""
        settled, resting, ahead = time.monotonic(), 0.0, _ahead()
        while True:
            await asyncio.sleep(SWEEP.total_seconds())
            now = time.monotonic()
            if abs(_ahead() - ahead) > BEAT.total_seconds():
                # Leases only seem to have ended where the machine has slept, or its clock was set: their owners have yet to wake.
                resting, ahead = now + LONGEST.total_seconds(), _ahead()
            room = self.room()
            if now < resting or (room is not None and room <= 0):
                continue
            rows = now - settled > LONGEST.total_seconds()
            settled = now if rows else settled
            found = await self.recovery.run(alone=False, go_on=True, most=room, rows=rows)
            await self.tell(found.outcomes)


def _ahead() -> float:
    """Seconds by which the time of day is ahead of one that stands still while the machine sleeps and that nobody sets."""
    return time.time() - time.monotonic()
