"""Flows that another process runs: they are interrupted by a flag in the database, for their owner to see."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from assistant.errors import FlowError, Unreadable
from assistant.pipeline.state import FlowState, read_state
from assistant.running.lease import LEASE
from storage import flows
from storage.database import Database
from storage.tables import FlowHead

PAUSE = 0.05
"""Seconds between two looks."""
PATIENCE = 2 * LEASE.total_seconds()
"""Seconds for a write to end, or for the lease of an owner that died."""


@dataclass(frozen=True)
class Elsewhere:
    """`take_over` lays to rest what nobody runs any more; without, workers take it up."""

    user: str
    owner: str | None
    database: Database
    clock: Callable[[], datetime]
    take_over: Callable[[str], Awaitable[object]] | None = None

    async def interrupt(self, conversation: str) -> FlowState | None:
        """Waits until what runs in the conversation rests; the state it came to, None where nothing ran. FlowError when it does
        not come to rest."""

        last: FlowHead | None = None
        giving_up = time.monotonic() + PATIENCE
        while running := await self.database.read(lambda s: flows.running_in(s, self.user, conversation)):
            if not running.interrupt:
                await self.database.write(lambda s: flows.interrupt(s, self.user, conversation))
            if self.take_over and self._is_left(running):
                await self.take_over(running.id)
            if time.monotonic() > giving_up:
                raise FlowError("Another task is running in this conversation and does not come to an end; try again later.")
            last = running
            await asyncio.sleep(PAUSE)
        return await self._loaded(last.id) if last else None

    async def free(self, conversation: str, ends: asyncio.Event) -> None:
        """Waits until nothing runs in the conversation, in whatever process, or waiting `ends`."""
        while not ends.is_set() and (running := await self.database.read(lambda s: flows.running_in(s, self.user, conversation))):
            if self.take_over and (running.lease_until or running.updated) <= self.clock() - LEASE:
                await self.take_over(running.id)
            await asyncio.sleep(PAUSE)

    async def _loaded(self, flow: str) -> FlowState | None:
        stored = await self.database.read(lambda s: flows.get(s, flow))
        try:
            return read_state(stored.snapshot) if stored else None
        except Unreadable:  # there is nothing to say of it
            return None

    def _is_left(self, running: FlowHead) -> bool:
        """Whether its lease has ended, or is one's own: what one runs oneself was interrupted before."""
        mine = self.owner is not None and running.owner == self.owner
        return mine or running.lease_until is None or running.lease_until <= self.clock()
