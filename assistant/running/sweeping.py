"""Looks again and again for what other processes left when they died, and for what could not be done before."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from assistant.running.lease import BEAT, LEASE
from assistant.running.recovery import LONGEST

SWEEP = LEASE / 6
"""How often it looks for flows whose lease has ended."""

Look = Callable[[int | None, bool], Awaitable[None]]
"""Takes up at most so many flows, where that is limited; told whether to look for what the outbox holds too."""


@dataclass(frozen=True)
class Sweeping:
    """`room`: for how many more flows, where that matters."""

    look: Look
    room: Callable[[], int | None] = lambda: None

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
            await self.look(room, rows)


async def ended(task: "asyncio.Task[None]") -> None:
    """Call to end a sweep."""
    task.cancel()
    await asyncio.wait([task])


def _ahead() -> float:
    """Seconds by which the time of day is ahead of one that stands still while the machine sleeps and that nobody sets."""
    return time.time() - time.monotonic()
