"""Where flows are saved and heard: one transaction stores a snapshot with the events told since the last one."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Literal

from assistant.errors import FlowError
from assistant.events import FlowEvent
from assistant.pipeline.state import FlowState, StepRecord
from assistant.running.lease import LEASE
from storage import conversations, flows
from storage.database import Database
from storage.errors import StaleVersion
from storage.session import Session


class Stream:
    """Live events of the conversations that somebody listens to."""

    def __init__(self) -> None:
        self._listeners: list[tuple[str, asyncio.Queue[FlowEvent]]] = []

    def publish(self, conversation: str, event: FlowEvent) -> None:
        for name, queue in self._listeners:
            if name == conversation:
                queue.put_nowait(event)

    @contextmanager
    def listening(self, conversation: str) -> Iterator[asyncio.Queue[FlowEvent]]:
        entry = (conversation, asyncio.Queue[FlowEvent]())
        self._listeners.append(entry)
        try:
            yield entry[1]
        finally:
            self._listeners.remove(entry)


class FlowJournal:
    """Implements `assistant.pipeline.state.Journal` for the flows that `owner` runs."""

    def __init__(self, database: Database, stream: Stream, clock: Callable[[], datetime], owner: str) -> None:
        self._database, self.stream, self._clock, self._owner = database, stream, clock, owner
        self._told: dict[str, list[FlowEvent]] = {}

    def tell(self, state: FlowState, step: str, text: str, **data: object) -> FlowState:
        at = self._clock()
        event = FlowEvent(flow=state.id, seq=len(state.trail) + 1, at=at, step=step, text=text, data=data)
        # What was told on a way that was given up is not part of the record.
        self._told[state.id] = [*(e for e in self._told.get(state.id, ()) if e.seq < event.seq), event]
        self.stream.publish(state.conversation, event)
        return state.but(trail=(*state.trail, StepRecord(step=step, at=at, text=text)))

    async def create(self, state: FlowState) -> FlowState:
        """Stores a new flow, running and leased, together with the user's message that began it."""
        now = self._clock()
        state = state.but(version=1)

        def work(session: Session) -> None:
            role: Literal["user", "program"] = "user" if state.own_words else "program"
            # The flow comes first: for a message that waits for its flow SQLite would look through all messages.
            flows.create(
                session,
                state.id,
                conversation=state.conversation,
                about=state.text,
                at=now,
                snapshot=state.model_dump_json(),
                owner=self._owner,
                lease_until=now + LEASE,
                user_id=state.user,
            )
            conversations.add_message(session, state.conversation, role, state.text, now, flow_id=state.id, user_id=state.user)

        await self._database.write(work)
        return state

    async def save(self, state: FlowState) -> FlowState:
        now = self._clock()
        told = self._told.pop(state.id, [])
        new = [flows.NewEvent(seq=e.seq, at=e.at, step=e.step, text=e.text, data=e.data) for e in told]
        saved = state.but(version=state.version + 1)
        snapshot = saved.model_dump_json()
        spoken = state.reply if state.status != "running" else ""

        def work(session: Session) -> None:
            flows.save(
                session,
                state.id,
                version=state.version,
                status=state.status,
                goal=state.box.goal,
                snapshot=snapshot,
                at=now,
                events=new,
                owner=self._owner,
                lease_until=now + LEASE,
            )
            if spoken:
                conversations.add_message(
                    session, state.conversation, "assistant", spoken, now, flow_id=state.id, user_id=state.user
                )

        try:
            await self._database.write(work)
        except StaleVersion as taken:
            raise FlowError("This task is being carried on elsewhere.") from taken
        return saved

    async def take(self, flow: str) -> FlowState:
        """Loads a flow that rests and leases it. FlowError where it is not there, has ended, or is being run."""
        now = self._clock()

        def work(session: Session) -> str | None:
            if not flows.claim(session, flow, self._owner, now + LEASE, now):
                return None
            stored = flows.get(session, flow)
            return stored.snapshot if stored else None

        snapshot = await self._database.write(work)
        if snapshot is None:
            raise FlowError(f"There is no task {flow} that could be gone on with.")
        return self._with_told(FlowState.model_validate_json(snapshot))

    async def prolong(self, flow: str) -> None:
        """Keeps the lease of a flow that this owner runs."""
        now = self._clock()
        await self._database.write(lambda s: flows.claim(s, flow, self._owner, now + LEASE, now))

    def _with_told(self, state: FlowState) -> FlowState:
        """What a course told before it broke off stays in the record; it is stored with the next save."""
        told = [event for event in self._told.get(state.id, []) if event.seq > len(state.trail)]
        return state.but(trail=(*state.trail, *(StepRecord(step=e.step, at=e.at, text=e.text) for e in told)))
