"""Where flows are saved and heard: one transaction stores a snapshot with the events told since the last one."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from assistant.errors import FlowError
from assistant.events import FlowEvent
from assistant.pipeline.state import FlowState, StepRecord, read_state
from assistant.running.lease import LEASE
from assistant.running.stream import Stream as Stream
from storage import conversations, flows
from storage.database import Database
from storage.errors import Duplicate, StaleVersion
from storage.session import Session, Work

Role = Literal["user", "assistant", "program", "schedule"]
FOREVER = datetime.max.replace(tzinfo=UTC)
TAKEN = "This task is being carried on elsewhere."


_MARKS: ContextVar[list[str]] = ContextVar("marks", default=[])  # noqa: B039  replaced, never changed where it is the default


@contextmanager
def marking(mark: str) -> Iterator[None]:
    """The first message that is stored within has this mark, by which its sender knows it again."""
    token = _MARKS.set([mark] if mark else [])
    try:
        yield
    finally:
        _MARKS.reset(token)


class Taken(NamedTuple):
    """`fresh`: nobody has run it since it was saved, so nothing has come of it that its snapshot does not know."""

    state: FlowState
    fresh: bool


class Busy(FlowError):
    """Another flow runs in the conversation, in whatever process."""


class FlowJournal:
    """Implements `assistant.pipeline.state.Journal` for the flows that `owner` runs; without one, flows are stored for whoever
    takes them up. `heed` hears of a flow that another process wants to stop."""

    def __init__(
        self,
        database: Database,
        stream: Stream,
        clock: Callable[[], datetime],
        owner: str | None,
        heed: Callable[[str], None] = lambda flow: None,
    ) -> None:
        self._database, self.stream, self._clock, self.owner, self._heed = database, stream, clock, owner, heed
        self._told: dict[str, list[FlowEvent]] = {}
        self._leaving = False
        self._behind: dict[str, asyncio.Future[bool]] = {}

    def tell(self, state: FlowState, step: str, text: str, **data: object) -> FlowState:
        at = self._clock()
        event = FlowEvent(flow=state.id, seq=len(state.trail) + 1, at=at, step=step, text=text, data=data)
        # What was told on a way that was given up is not part of the record.
        self._told[state.id] = [*(e for e in self._told.get(state.id, ()) if e.seq < event.seq), event]
        self.stream.tell(state.conversation, event)
        return state.but(trail=(*state.trail, StepRecord(step=step, at=at, text=text)))

    async def create(self, state: FlowState, claim: Work[bool] = lambda _: True) -> FlowState:
        """Stores a new flow, running and leased, together with the user's message that began it. Raises Busy, and FlowError where
        the `claim`, settled in the same transaction, was lost."""
        now = self._clock()
        state = state.but(version=1)
        role: Role = "user" if state.own_words else "schedule" if state.background else "program"
        mark = _mark()

        def work(session: Session) -> None:
            if not claim(session):
                raise FlowError(TAKEN)
            # The flow comes first: for a message that waits for its flow SQLite would look through all messages.
            flows.create(
                session,
                state.id,
                conversation=state.conversation,
                about=state.text,
                at=now,
                snapshot=state.model_dump_json(),
                owner=self.owner,
                lease_until=now + LEASE,
                user_id=state.user,
            )
            _say(session, state, role, state.text, now, mark)

        await self._begun(work, said=True)
        self.stream.stir(state.conversation)
        return state

    async def reopen(self, state: FlowState, words: str = "", *, own_words: bool = True) -> FlowState:
        """A flow that rests goes on, leased, with the words that move it. Raises Busy, and FlowError where something else
        has come of it meanwhile."""
        now = self._clock()
        opened = state.but(status="running", version=state.version + 1)
        mark = _mark()

        def work(session: Session) -> None:
            flows.reopen(
                session,
                state.id,
                version=state.version,
                snapshot=opened.model_dump_json(),
                at=now,
                owner=self.owner,
                lease_until=now + LEASE,
            )
            if words:
                _say(session, state, "user" if own_words else "program", words, now, mark)

        await self._begun(work, said=bool(words))
        self.stream.stir(state.conversation)
        return opened

    async def _begun(self, work: Work[None], *, said: bool) -> None:
        """`said`: with a message."""
        try:
            await self._database.write(work)
        except Duplicate as other:
            raise Busy("Another task is running in this conversation; try again when it is done.") from other
        except StaleVersion as taken:
            raise FlowError(TAKEN) from taken
        if said and (marks := _MARKS.get()):
            marks.clear()

    async def save(self, state: FlowState) -> FlowState:
        """The next step of a running flow does not wait for it: what it raises, the flow's next save does. Writes keep their
        order, so whatever is on disk later finds it there."""
        if state.status == "suspended" and self._leaving:
            return await self._left(state)
        return await self._saved(state, self.owner)

    async def settle(self, state: FlowState) -> FlowState:
        """As `save`, of a flow that rests and that nobody runs."""
        return await self._saved(state, None)

    def leave(self) -> None:
        """From now on flows do not rest where they are interrupted: they are left running, free for whoever takes them up."""
        self._leaving = True

    async def _left(self, state: FlowState) -> FlowState:
        running = await self._saved(state.but(status="running"), self.owner)
        await self._settled(state.id)
        await self.release(state.id)
        return running

    async def _saved(self, state: FlowState, owner: str | None) -> FlowState:
        now = self._clock()
        told = self._told.pop(state.id, [])
        new = [flows.NewEvent(seq=e.seq, at=e.at, step=e.step, text=e.text, data=e.data) for e in told]
        saved = state.but(version=state.version + 1)
        snapshot = saved.model_dump_json()
        spoken = state.reply if state.status != "running" else ""

        def work(session: Session) -> bool:
            flows.save(
                session,
                state.id,
                version=state.version,
                status=state.status,
                goal=state.box.goal,
                snapshot=snapshot,
                at=now,
                events=new,
                owner=owner,
                lease_until=now + LEASE,
            )
            if spoken:
                _say(session, state, "assistant", spoken, now)
            return state.status == "running" and flows.is_flagged(session, state.id)

        await self._settled(state.id)
        self._behind[state.id] = saving = self._database.write_behind(work)
        saving.add_done_callback(lambda ended: self._heeding(state.id, ended))
        saving.add_done_callback(lambda ended: self._heard(saved, told, ended))
        if state.status != "running":
            await self._settled(state.id)
        return saved

    async def _settled(self, flow: str) -> None:
        """The end of its last save."""
        saving = self._behind.pop(flow, None)
        if saving is None:
            return
        try:
            await self._database.finished(saving)
        except StaleVersion as taken:
            raise FlowError(TAKEN) from taken

    def _heeding(self, flow: str, saved: "asyncio.Future[bool]") -> None:
        """A save tells whether its flow is wanted to stop."""
        if not saved.cancelled() and saved.exception() is None and saved.result():
            self._heed(flow)

    def _heard(self, state: FlowState, told: Sequence[FlowEvent], saved: "asyncio.Future[bool]") -> None:
        if saved.cancelled() or saved.exception() is not None:
            self.stream.given_up(state.conversation, state.id)
            return
        if told:
            self.stream.saved(state.conversation, state.id, told[-1].seq)
        if state.status != "running":
            self.stream.stir(state.conversation)

    async def take(self, flow: str, *, dead: bool = False) -> Taken:
        """Loads a running flow and leases it. FlowError where it has come to rest, or is run by somebody else who has a lease;
        `dead`: whoever that is, runs no more. Raises Unreadable; then it is not leased."""

        def work(session: Session) -> Taken | None:
            now = self._clock()
            before = flows.get(session, flow)
            if before is None or not flows.claim(session, flow, self.owner or "", now + LEASE, FOREVER if dead else now):
                return None
            stored = flows.get(session, flow)  # as it stands under the lease
            return Taken(read_state(stored.snapshot), before.owner is None) if stored else None

        found = await self._database.write(work)
        if found is None:
            raise FlowError(f"There is no task {flow} that could be gone on with.")
        return Taken(self._with_told(found.state), found.fresh)

    async def end_unread(self, flow: str, why: str, *, dead: bool = False) -> None:
        """A running flow that can't be read has failed, unless somebody has a lease of it (`dead` as of `take`). Its snapshot stays
        as it is."""
        now, owner = self._clock(), self.owner or ""

        def work(session: Session) -> str:
            leased = flows.claim(session, flow, owner, now + LEASE, FOREVER if dead else now)
            stored = flows.get(session, flow) if leased else None
            if stored is None:
                return ""
            seq = max((event.seq for event in flows.events(session, flow)), default=0) + 1
            flows.save(
                session,
                flow,
                version=stored.version,
                status="failed",
                goal=stored.goal,
                snapshot=stored.snapshot,
                at=now,
                events=[flows.NewEvent(seq=seq, at=now, step="15", text=why)],
                owner=owner,
            )
            conversations.add_message(session, stored.conversation, "assistant", why, now, flow_id=flow, user_id=stored.user_id)
            return stored.conversation

        if conversation := await self._database.write(work):
            self.stream.stir(conversation)

    async def prolong(self, running: Iterable[str]) -> tuple[str, ...]:
        """Keeps the leases of flows that this owner runs; those that are another's by now."""
        ids = tuple(running)

        def work(session: Session) -> tuple[str, ...]:
            now = self._clock()
            return tuple(id for id in ids if not flows.claim(session, id, self.owner or "", now + LEASE, now))

        return await self._database.write(work)

    async def release(self, flow: str) -> None:
        await self._database.write(lambda s: flows.release(s, flow, self.owner or ""))

    async def flagged(self) -> tuple[str, ...]:
        """The flows of this owner that another process wants to stop."""
        return await self._database.read(lambda s: flows.flagged(s, self.owner or ""))

    def _with_told(self, state: FlowState) -> FlowState:
        """What a course told before it broke off stays in the record; it is stored with the next save."""
        told = [event for event in self._told.get(state.id, []) if event.seq > len(state.trail)]
        return state.but(trail=(*state.trail, *(StepRecord(step=e.step, at=e.at, text=e.text) for e in told)))


def _say(session: Session, state: FlowState, role: Role, text: str, at: datetime, mark: str | None = None) -> None:
    conversations.add_message(session, state.conversation, role, text, at, flow_id=state.id, user_id=state.user, mark=mark)


def _mark() -> str | None:
    return next(iter(_MARKS.get()), None)
