"""Runs flows in this process, one at a time in each conversation."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from assistant.pipeline.state import FlowState

Course = Callable[[asyncio.Event], Awaitable[FlowState]]


@dataclass
class Running:
    flow: str
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[FlowState] | None" = None


class InProcessRunner:
    def __init__(self) -> None:
        self._running: dict[str, Running] = {}

    def start(self, conversation: str, flow: str, course: Course) -> "asyncio.Task[FlowState]":
        """The caller has interrupted what ran there before."""
        running = Running(flow)
        running.task = asyncio.create_task(self._course(conversation, running, course))
        self._running[conversation] = running
        return running.task

    async def _course(self, conversation: str, running: Running, course: Course) -> FlowState:
        try:
            return await course(running.stop)
        finally:
            if self._running.get(conversation) is running:
                del self._running[conversation]

    async def interrupt(self, conversation: str) -> FlowState | None:
        """Asks the running flow to stop and waits until it is saved; the state it ended in, None when none ran."""
        running = self._running.get(conversation)
        if running is None or running.task is None:
            return None
        running.stop.set()
        await asyncio.wait([running.task])
        return None if running.task.cancelled() or running.task.exception() else running.task.result()

    async def close(self) -> None:
        """Suspends whatever runs."""
        for conversation in list(self._running):
            await self.interrupt(conversation)
