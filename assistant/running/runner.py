"""Who runs flows: the protocol, and the runner that does so in this process, one at a time in each conversation."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from assistant.llm.metering import FLOW
from assistant.pipeline.state import FlowState
from assistant.running.lease import BEAT, LOOK
from storage.errors import StorageError

Course = Callable[[FlowState, asyncio.Event], Awaitable[FlowState]]


class Runner(Protocol):
    def start(self, state: FlowState) -> "asyncio.Task[FlowState]":
        """Runs a flow that is stored as running to its end or next rest. What ran in its conversation was interrupted before."""

    async def interrupt(self, conversation: str) -> FlowState | None:
        """Asks what it runs there to stop and waits until that is saved; the state it ended in, None when none ran."""

    async def close(self) -> None:
        """Suspends whatever it runs."""


class Keeper(Protocol):
    """Looks after what is stored of running flows."""

    async def prolong(self, flows: Iterable[str]) -> tuple[str, ...]:
        """Keeps their leases; those that were lost."""

    async def flagged(self) -> tuple[str, ...]:
        """Those that another process wants to stop."""

    async def broke_off(self, flow: str, error: Exception) -> FlowState:
        """Ends a flow whose course raised; raises what its caller is to hear."""


@dataclass
class Running:
    flow: str
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[FlowState] | None" = None


class InProcessRunner:
    def __init__(self, course: Course, keeper: Keeper) -> None:
        self._course, self._keeper = course, keeper
        self._running: dict[str, Running] = {}
        self._watching: asyncio.Task[None] | None = None

    def start(self, state: FlowState, course: Course | None = None) -> "asyncio.Task[FlowState]":
        """`course` takes the place of the usual one."""
        running = Running(state.id)
        running.task = asyncio.create_task(self._run(state, running, course or self._course))
        self._running[state.conversation] = running
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        return running.task

    async def _run(self, state: FlowState, running: Running, course: Course) -> FlowState:
        FLOW.set(running.flow)
        try:
            return await course(state, running.stop)
        except Exception as error:
            return await self._keeper.broke_off(running.flow, error)
        finally:
            if self._running.get(state.conversation) is running:
                del self._running[state.conversation]

    async def _watch(self) -> None:
        """While anything runs: keeps the leases, and heeds other processes."""
        beaten = time.monotonic()
        while self._running:
            await asyncio.sleep(LOOK)
            with contextlib.suppress(StorageError):
                for flow in await self._keeper.flagged():
                    self.heed(flow)
                if self._running and time.monotonic() - beaten >= BEAT.total_seconds():
                    beaten = time.monotonic()
                    for flow in await self._keeper.prolong([running.flow for running in self._running.values()]):
                        self.heed(flow)

    def heed(self, flow: str) -> None:
        """Somebody wants the flow to stop."""
        for running in self._running.values():
            if running.flow == flow:
                running.stop.set()

    async def interrupt(self, conversation: str) -> FlowState | None:
        running = self._running.get(conversation)
        if running is None or running.task is None:
            return None
        running.stop.set()
        await asyncio.wait([running.task])
        return None if running.task.cancelled() or running.task.exception() else running.task.result()

    @property
    def flows(self) -> tuple[str, ...]:
        """The ids of what it runs."""
        return tuple(running.flow for running in self._running.values())

    async def stop(self) -> tuple[FlowState, ...]:
        """Interrupts all that it runs; the states that came of it."""
        for running in self._running.values():
            running.stop.set()
        tasks = [running.task for running in self._running.values() if running.task]
        if tasks:
            await asyncio.wait(tasks)
        if self._watching is not None:
            self._watching.cancel()
        return tuple(task.result() for task in tasks if not (task.cancelled() or task.exception()))

    async def close(self) -> None:
        await self.stop()


async def finished(work: Callable[[], Awaitable[object]]) -> None:
    """A caller who is cancelled meanwhile hears of it when the work has come to its end."""
    doing = asyncio.ensure_future(work())
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        raise
