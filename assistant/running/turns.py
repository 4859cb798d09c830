"""One turn of a conversation: what runs there is interrupted, what takes its place is begun, and its end is waited for."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from assistant.pipeline.state import FlowState
from assistant.running.elsewhere import Elsewhere
from assistant.running.journal import Busy
from assistant.running.recall import Recall
from assistant.running.runner import Runner

Begin = Callable[[FlowState | None], Awaitable[FlowState]]
"""Stores what takes the place of the flow that was interrupted, if one was."""


@dataclass(frozen=True)
class Turns:
    runner: Runner
    elsewhere: Elsewhere
    recall: Recall
    _locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def run(self, conversation: str, begin: Begin) -> FlowState:
        """The end or the next rest of what was begun. A caller who is cancelled meanwhile leaves a flow that rests, or none."""
        beginning = asyncio.ensure_future(self._begun(conversation, begin))
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
        await self.recall.remember(state)
        return state

    async def _begun(self, conversation: str, begin: Begin) -> "asyncio.Task[FlowState]":
        """What another process runs is found only where it is in the way."""
        async with self._locks[conversation]:
            left = await self.runner.interrupt(conversation)
            while True:
                try:
                    return self.runner.start(await begin(left))
                except Busy:
                    left = await self.elsewhere.interrupt(conversation)

    async def interrupt(self, conversation: str) -> FlowState | None:
        """The state in which what ran there came to rest; None where nothing ran."""
        async with self._locks[conversation]:
            return await self.runner.interrupt(conversation) or await self.elsewhere.interrupt(conversation)
