"""Runs flows in this process, one at a time in each conversation."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from assistant.llm.metering import FLOW
from assistant.pipeline.state import FlowState
from assistant.running.lease import BEAT
from storage.errors import StorageError

Course = Callable[[asyncio.Event], Awaitable[FlowState]]


class Keeper(Protocol):
    """Looks after what is stored of a running flow."""

    async def prolong(self, flow: str) -> None:
        """Keeps its lease."""

    async def broke_off(self, flow: str, error: Exception) -> FlowState:
        """Ends a flow whose course raised; raises what its caller is to hear."""


@dataclass
class Running:
    flow: str
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[FlowState] | None" = None


class InProcessRunner:
    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._running: dict[str, Running] = {}

    def start(self, conversation: str, flow: str, course: Course) -> "asyncio.Task[FlowState]":
        """The caller has interrupted what ran there before."""
        running = Running(flow)
        running.task = asyncio.create_task(self._course(conversation, running, course))
        self._running[conversation] = running
        return running.task

    async def _course(self, conversation: str, running: Running, course: Course) -> FlowState:
        FLOW.set(running.flow)
        beating = asyncio.create_task(self._beat(running.flow))
        try:
            return await course(running.stop)
        except Exception as error:
            return await self._keeper.broke_off(running.flow, error)
        finally:
            beating.cancel()
            if self._running.get(conversation) is running:
                del self._running[conversation]

    async def _beat(self, flow: str) -> None:
        while True:
            await asyncio.sleep(BEAT.total_seconds())
            with contextlib.suppress(StorageError):
                await self._keeper.prolong(flow)

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
