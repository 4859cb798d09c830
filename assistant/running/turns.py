"""One turn of a conversation: what runs there is interrupted, what takes its place is begun, and its end is waited for."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from assistant.errors import FlowError
from assistant.pipeline.state import FlowState
from assistant.running.elsewhere import Elsewhere
from assistant.running.journal import Busy
from assistant.running.recall import Recall
from assistant.running.runner import Runner

LEFT = "Your accounts or settings were changed at this moment; say it once more."
Going = Mapping[str, asyncio.Task[FlowState]]
"""Flows that run, by id."""
Begin = Callable[[FlowState | None], Awaitable[FlowState]]
"""Stores what takes the place of the flow that was interrupted, if one was."""
Then = Callable[[FlowState], Awaitable[FlowState]]


class Left(FlowError):
    """Nothing begins here any more."""


@dataclass(frozen=True)
class Turns:
    runner: Runner
    elsewhere: Elsewhere
    recall: Recall
    _locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    _left: asyncio.Event = field(default_factory=asyncio.Event)
    _passed_on: "asyncio.Future[Going]" = field(default_factory=asyncio.Future)

    async def run(self, conversation: str, begin: Begin) -> FlowState:
        """The end or the next rest of what was begun. A caller who is cancelled meanwhile leaves a flow that rests, or none."""
        return await self._followed(conversation, asyncio.ensure_future(self._begun(conversation, begin)))

    async def when_free(self, conversation: str, begin: Callable[[], Awaitable[FlowState]]) -> FlowState:
        """As `run`, but what runs in the conversation, in whatever process, comes to its end first. Raises Left where nothing
        begins here any more."""
        while True:
            await self.elsewhere.free(conversation, self._left)
            with contextlib.suppress(Busy):
                return await self._followed(conversation, asyncio.ensure_future(self._begun_beside(conversation, begin)))

    @property
    def has_left(self) -> bool:
        return self._left.is_set()

    async def _followed(self, conversation: str, beginning: "asyncio.Future[asyncio.Task[FlowState]]") -> FlowState:
        try:
            running = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            await asyncio.wait([beginning])
            if not beginning.cancelled() and beginning.exception() is None:
                await self.runner.interrupt(conversation)
            raise
        try:
            state = await asyncio.shield(running)
        except asyncio.CancelledError:
            await self.runner.interrupt(conversation)
            raise
        if state.status == "running" and self._left.is_set():
            state = await self._gone_on(state)
        await self.recall.remember(state)
        return state

    async def _gone_on(self, state: FlowState) -> FlowState:
        """What was left running here, at its end or next rest elsewhere; as it is where nobody goes on with it now."""
        going_on = (await asyncio.shield(self._passed_on)).get(state.id)
        return await asyncio.shield(going_on) if going_on else state

    async def _begun(self, conversation: str, begin: Begin) -> "asyncio.Task[FlowState]":
        """What another process runs is found only where it is in the way."""
        async with self._locks[conversation]:
            if self._left.is_set():
                raise Left(LEFT)
            left = await self.runner.interrupt(conversation)
            while True:
                try:
                    return self.runner.start(await begin(left))
                except Busy:
                    left = await self.elsewhere.interrupt(conversation)

    async def _begun_beside(self, conversation: str, begin: Callable[[], Awaitable[FlowState]]) -> "asyncio.Task[FlowState]":
        """Interrupts nothing. Raises Busy."""
        async with self._locks[conversation]:
            if self._left.is_set():
                raise Left(LEFT)
            return self.runner.start(await begin())

    async def leave(self) -> None:
        """From now on nothing begins here; `pass_on` must follow."""
        self._left.set()
        for lock in tuple(self._locks.values()):
            async with lock:  # what is beginning has begun
                pass

    def pass_on(self, going_on: "Going") -> None:
        """Tells those who wait here who has gone on with what was left running."""
        if not self._passed_on.done():
            self._passed_on.set_result(going_on)

    async def interrupt(self, conversation: str, then: Then | None = None) -> FlowState | None:
        """The state in which what ran there came to rest; None where nothing ran. Nothing begins there before what is done with it
        `then`."""
        async with self._locks[conversation]:
            state = await self.runner.interrupt(conversation) or await self.elsewhere.interrupt(conversation)
            return await then(state) if state is not None and then is not None else state
