"""A worker: runs what others hand over, and takes up what a dead worker left, whosever it is."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

from assistant.pipeline.state import FlowState
from assistant.running.cluster import Queue
from assistant.running.lease import Slot
from assistant.running.queue import Consumer
from assistant.running.runner import finished
from assistant.running.sweeping import Sweeping


def named(slot: Slot) -> str:
    """One of this machine's workers: the same after a restart, and nobody else's meanwhile."""
    return f"{socket.gethostname()}-{slot.number}"


class Crew(Protocol):
    """Runs flows of all users."""

    @property
    def running(self) -> int:
        """How many it runs."""

    async def take_up(self, flow: str) -> asyncio.Task[FlowState] | None:
        """Runs a flow that was left to whoever takes it up; None where there is nothing to run, or no more."""

    async def sweep(self, most: int | None, rows: bool) -> None:
        """A `Look` of `assistant.running.sweeping`."""

    def leave(self) -> None:
        """From now on flows are left running where they are interrupted, free for whoever takes them up."""

    async def stop(self) -> Sequence[FlowState]:
        """Interrupts all that it runs; the states that came of it."""


@dataclass
class Worker:
    """`name`: of its slot; `at_once`: how many flows it runs side by side; `consumer` brings them."""

    name: str
    crew: Crew
    queue: Queue
    at_once: int
    consumer: Consumer = field(init=False)
    _leaving: bool = field(default=False, init=False)
    _taking: set["asyncio.Future[asyncio.Task[FlowState] | None]"] = field(default_factory=set, init=False)

    async def serve(self, on_ready: Callable[[], None] = lambda: None) -> None:
        """Until it is cancelled."""
        await self.consumer.start()
        try:
            on_ready()
            await Sweeping(self.crew.sweep, room=lambda: self.at_once - self.crew.running).run()
        finally:
            await finished(self._leave)
            await finished(self.consumer.stop)

    async def run(self, flow: str) -> str:
        """The course of one flow that was handed over; what became of it in a word."""
        taking = asyncio.ensure_future(self._hand_on(flow) if self._leaving else self.crew.take_up(flow))
        self._taking.add(taking)
        taking.add_done_callback(self._taking.discard)
        running = await taking
        if running is None:
            return "nothing to do"
        await asyncio.wait([running])
        return "failed" if running.cancelled() or running.exception() else running.result().status

    async def _leave(self) -> None:
        """Finishes writes in hand; what is being worked on goes on with another worker, or with this one's successor."""
        self._leaving = True
        self.crew.leave()
        if self._taking:
            await asyncio.wait(tuple(self._taking))
        for state in await self.crew.stop():
            if state.status == "running":
                await self._hand_on(state.id)

    async def _hand_on(self, flow: str) -> None:
        await self.queue.put(flow, uuid4().hex[:8])
