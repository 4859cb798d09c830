"""The runner of a process that hands flows to workers, and waits for what becomes of them."""

import asyncio
import contextlib
import logging
import time
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from assistant.errors import FlowError, Unreadable
from assistant.events import FlowEvent
from assistant.pipeline.state import FlowState, read_state
from assistant.running.elsewhere import Elsewhere
from assistant.running.journal import Stream
from storage import flows
from storage.database import Database
from storage.errors import StorageError
from storage.session import Session
from storage.tables import StoredEvent, StoredFlow

log = logging.getLogger(__name__)
LOOK = 0.05
"""Seconds between two looks at all flows that are waited for."""
PATIENCE = 60.0
"""Seconds after which a flow that nobody has begun to run is not waited for any more."""
GOES_ON = "This goes on; look at it again in a moment."
NO_WORKER = "No worker has taken this up yet; it is kept, and done when one runs: assistant worker."


class Queue(Protocol):
    async def put(self, flow: str, mark: str) -> None:
        """Has a worker take up the flow; twice with the same mark is once."""


@dataclass
class Awaited:
    state: FlowState
    ended: "asyncio.Future[FlowState]"
    version: int
    since: float = field(default_factory=time.monotonic)
    seq: int = 0


class Found(NamedTuple):
    """A flow that was saved since it was last looked at, and what it has told since."""

    flow: StoredFlow
    events: tuple[StoredEvent, ...]


class ClusterRunner:
    """One look at the database serves all that is waited for. What was told arrives with the step that told it."""

    def __init__(self, queue: Queue, database: Database, stream: Stream, elsewhere: Elsewhere) -> None:
        self._queue, self._database, self._stream, self._elsewhere = queue, database, stream, elsewhere
        self._awaited: dict[str, Awaited] = {}
        self._looking: asyncio.Task[None] | None = None

    def start(self, state: FlowState) -> "asyncio.Task[FlowState]":
        return asyncio.create_task(self._handed_over(state))

    async def _handed_over(self, state: FlowState) -> FlowState:
        try:
            await self._queue.put(state.id, str(state.version))
        except Exception as error:  # workers look for what nobody runs, too
            log.warning("The queue is out of reach (%s); a worker finds the task in a while.", type(error).__name__)
        waiting = Awaited(state, asyncio.get_running_loop().create_future(), state.version, seq=len(state.trail))
        self._awaited[state.id] = waiting
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            return await waiting.ended
        finally:
            self._awaited.pop(state.id, None)

    async def _look(self) -> None:
        while self._awaited:
            await asyncio.sleep(LOOK)
            with contextlib.suppress(StorageError):
                for found in await self._database.read(self._found):
                    self._heard(self._awaited.get(found.flow.id), found)
            for waiting in [one for one in self._awaited.values() if time.monotonic() - one.since > PATIENCE]:
                await self._lost_patience(waiting)

    async def _lost_patience(self, waiting: Awaited) -> None:
        """A worker that has taken it up may be gone since; then another goes on with it."""
        waiting.since = time.monotonic()
        with contextlib.suppress(StorageError):
            stored = await self._database.read(lambda s: flows.get(s, waiting.state.id))
            if stored is not None and stored.owner is None and stored.version == waiting.state.version:
                _settle(waiting.ended, FlowError(NO_WORKER))

    def _found(self, session: Session) -> list[Found]:
        running, found = flows.running(session), []
        for flow, waiting in tuple(self._awaited.items()):
            if running.get(flow) != waiting.version:
                stored = flows.get(session, flow)
                found += [Found(stored, flows.events(session, flow, waiting.seq))] if stored else []
        return found

    def _heard(self, waiting: Awaited | None, found: Found) -> None:
        if waiting is None:
            return
        waiting.version = found.flow.version
        for row in found.events:
            waiting.seq = row.seq
            event = FlowEvent(flow=row.flow_id, seq=row.seq, at=row.at, step=row.step, text=row.text, data=row.data)
            self._stream.publish(waiting.state.conversation, event)
        if found.flow.status != "running":
            self._stream.stir(waiting.state.conversation)
            try:
                _settle(waiting.ended, read_state(found.flow.snapshot))
            except Unreadable as error:  # the others are still waited for
                _settle(waiting.ended, error)

    async def interrupt(self, conversation: str) -> FlowState | None:
        return await self._elsewhere.interrupt(conversation)

    async def close(self) -> None:
        """What was handed over goes on, and nobody waits for it here any more."""
        if self._looking is not None:
            self._looking.cancel()
        for waiting in self._awaited.values():
            _settle(waiting.ended, FlowError(GOES_ON))


def _settle(ended: "asyncio.Future[FlowState]", outcome: FlowState | FlowError) -> None:
    if ended.done():
        return
    if isinstance(outcome, FlowError):
        ended.set_exception(outcome)
    else:
        ended.set_result(outcome)
