"""Claims what is due and runs it, side by side within bounds."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.errors import FlowError
from assistant.running.runner import finished
from assistant.running.turns import LEFT
from assistant.scheduling.claiming import Claimed, Claiming, SlotKey, key_of
from assistant.scheduling.runs import Runs

AT_ONCE = 4
"""Runs of one user side by side; those of one conversation wait for each other."""


@dataclass
class Tending:
    """`stir` is called where there is room again for what may be due."""

    claiming: Claiming
    runs: Runs
    stir: Callable[[], None]
    at_once: int = AT_ONCE
    _running: dict["asyncio.Task[None]", SlotKey] = field(default_factory=dict, init=False)
    _claiming: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _retrying: "asyncio.Task[None] | None" = field(default=None, init=False)
    _left: bool = field(default=False, init=False)

    async def begin(self) -> tuple[tuple[Claimed, "asyncio.Task[None]"], ...]:
        """Claims what is due, as far as there is room, and runs it in the background."""
        begun: list[tuple[Claimed, asyncio.Task[None]]] = []

        async def begin() -> None:
            async with self._claiming:
                while not self._left and len(self._running) < self.at_once and (claimed := await self._next()):
                    begun.append((claimed, self.start(claimed)))

        await finished(begin)  # what is claimed is run, also where the caller is cancelled
        return tuple(begun)

    def start(self, claimed: Claimed) -> "asyncio.Task[None]":
        """Runs it in any case. Its task never raises."""
        task = asyncio.create_task(self.runs.run(claimed))
        self._running[task] = key_of(claimed.slot)
        task.add_done_callback(self._ended)
        return task

    def retry(self) -> None:
        """Sees to earlier deliveries in the background."""
        if not self._left and (self._retrying is None or self._retrying.done()):
            self._retrying = asyncio.create_task(self.runs.deliveries.retry())

    async def all(self) -> tuple[Claimed, ...]:
        """Runs all that is due, to its end."""
        found: list[Claimed] = []
        while not self._left:
            found += (claimed for claimed, _ in await self.begin())
            if not self._running:
                break
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        return tuple(found)

    async def idle(self) -> None:
        """Returns when nothing runs any more."""
        while self._running:
            await asyncio.wait(self._running)

    def check_open(self) -> None:
        if self._left:
            raise FlowError(LEFT)

    def leave(self) -> None:
        """From now on nothing is claimed."""
        self._left = True

    async def close(self) -> None:
        """What runs is given back, for whoever takes it up."""
        self.leave()
        async with self._claiming:  # what is being claimed runs
            running = (*self._running, *filter(None, (self._retrying,)))
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    async def _next(self) -> Claimed | None:
        return await self.claiming.next(frozenset(self._running.values()))

    def _ended(self, task: "asyncio.Task[None]") -> None:
        del self._running[task]
        if not self._left:
            self.stir()
