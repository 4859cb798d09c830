"""A worker: runs what others hand over, and takes up what a dead worker left."""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from assistant.pipeline.state import FlowState
from assistant.running.cluster import Queue
from assistant.running.journal import FlowJournal
from assistant.running.lease import Slot
from assistant.running.queue import Consumer
from assistant.running.recovery import Recovery
from assistant.running.runner import InProcessRunner, finished
from assistant.running.sweeping import Sweeping


def named(slot: Slot) -> str:
    """One of this machine's workers: the same after a restart, and nobody else's meanwhile."""
    return f"{socket.gethostname()}-{slot.number}"


@dataclass
class Worker:
    """`name`: of its slot; `at_once`: how many flows it runs side by side; `consumer` brings them."""

    name: str
    recovery: Recovery
    runner: InProcessRunner
    journal: FlowJournal
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
            await Sweeping(self.recovery, room=lambda: self.at_once - len(self.runner.flows)).run()
        finally:
            await finished(self._leave)
            await finished(self.consumer.stop)

    async def run(self, flow: str) -> str:
        """The course of one flow that was handed over; what became of it in a word."""
        taking = asyncio.ensure_future(self._hand_on(flow) if self._leaving else self.recovery.take_up(flow))
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
        self.journal.leave()
        if self._taking:
            await asyncio.wait(tuple(self._taking))
        for state in await self.runner.stop():
            if state.status == "running":
                await self._hand_on(state.id)

    async def _hand_on(self, flow: str) -> None:
        await self.queue.put(flow, uuid4().hex[:8])
