"""Runs of schedules: they wait for their turn in a conversation, and go on where the user's words came between."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from assistant.errors import FlowError
from assistant.pipeline.state import FlowState
from assistant.running.beginning import Beginning
from assistant.running.beginning import Run as Run
from assistant.running.recall import LOOK, Recall
from assistant.running.turns import Left as Left
from assistant.running.turns import Turns
from risk.text import line
from storage.session import Session

MOST = 3
"""How often a run goes on by itself after it was interrupted."""
GRACE = 1.0
"""Seconds for whoever interrupted it to say what comes instead."""
RESULT = 200
"""Characters of what is noted of a run."""


class Came(NamedTuple):
    """What a run came to, for its slot; `result` is a sentence."""

    status: Literal["done", "failed"]
    result: str


class _Moved(Exception):
    """What was to be gone on with does not rest any more."""


@dataclass(frozen=True)
class ScheduledFlows:
    """`take_up` runs a flow that nobody runs any more, where that is for this process to do."""

    beginning: Beginning
    turns: Turns
    recall: Recall
    take_up: Callable[[str], Awaitable["asyncio.Task[FlowState] | None"]]
    grace: float = GRACE

    async def begin(self, run: Run, claim: Callable[[Session, str], bool]) -> FlowState:
        """The run's flow at its end or rest. It begins once nothing runs in the conversation; `claim` gets its id, in the
        transaction that stores it. Where this process ends meanwhile, it is returned running, and Left raised where it had not
        begun. Raises FlowError where the claim is lost, then nothing has begun."""
        begun: list[str] = []

        async def started() -> FlowState:
            state = await self.beginning.scheduled(run, claim)
            begun.append(state.id)
            return state

        try:
            await self.turns.when_free(run.conversation, started)
        except FlowError:
            if not begun:
                raise
        return await self._to_rest(begun[0], interruptions=MOST)

    async def go_on(self, flow: str) -> FlowState:
        """As `begin`, with a flow that was begun before. Raises Unknown, and Unreadable."""
        return await self._to_rest(flow, interruptions=MOST)

    async def _to_rest(self, flow: str, interruptions: int) -> FlowState:
        state = await self._rested(flow)
        for _ in range(interruptions):
            if state.status != "suspended" or state.held:
                break
            state = await self._gone_on(state)
        return state

    async def _rested(self, flow: str) -> FlowState:
        """Whoever runs it; what nobody runs is taken up."""
        while (state := await self.recall.load(flow)).status == "running" and not self.turns.has_left:
            if taken := await self.take_up(flow):
                await asyncio.wait([taken])
            else:
                await asyncio.sleep(LOOK)
        return state

    async def _gone_on(self, resting: FlowState) -> FlowState:
        """When what came between has ended; not where the user has gone on with it, or given it up."""

        async def reopened() -> FlowState:
            state = await self.recall.load(resting.id)
            if state.status != "suspended" or state.held:
                raise _Moved
            return await self.beginning.resumption(state)

        await asyncio.sleep(self.grace)
        try:
            await self.turns.when_free(resting.conversation, reopened)
        except (_Moved, FlowError):  # where its course raised, it has ended with that
            if self.turns.has_left:
                return resting.but(status="running")
        return await self._rested(resting.id)


def came_to(state: FlowState) -> Came | None:
    """None where it runs still."""
    match state.status:
        case "running":
            return None
        case "waiting":
            return Came("done", f"It waits for your answer: {_short(state.question.text if state.question else state.reply)}")
        case "parked":
            return Came("done", f"It waits for your approval: {_short('; '.join(p.says for p in state.proposals) or state.about)}")
        case "suspended" if state.held:
            return Came("done", "You stopped it; it can be gone on with.")
        case "suspended":
            return Came("failed", "It was interrupted again and again; it can be gone on with.")
        case "cancelled":
            return Came("done", "You gave it up.")
        case "failed":
            return Came("failed", _short(state.reply) or "It failed.")
        case "done" if state.analysis and state.analysis.intent.request == "unknown":
            return Came("failed", "I did not understand what is to be done.")
        case "done" if state.briefing:
            return Came("done", _short(f"{state.briefing.title}. {state.briefing.lead}"))
        case "done":
            return Came("done", _short(state.reply) or "Done.")


def _short(text: str) -> str:
    return line(text, RESULT)
