"""Following a conversation: what came after a cursor, then what comes, from this process and from others, without a gap."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from assistant.errors import Unreadable
from assistant.events import FlowEvent
from assistant.pipeline.state import FlowState, read_state
from assistant.running.arriving import Arrived, Arriving
from assistant.running.outgoing import News
from assistant.running.place import Known, Place, Sight
from assistant.running.stream import Ear, Saved, Stream
from storage import flows, previews
from storage import following as looking
from storage.database import Database
from storage.errors import StorageError
from storage.following import Changed, OpenRow, Standing
from storage.session import Session
from storage.tables import OutboxRow, StoredEvent, StoredMessage

LOOK = 1.0
"""Seconds between two looks for what other processes have stored, one for all that is followed."""
PAGE = 50
"""Messages that are looked up at once."""
LATE = 100
"""A message may be stored a little later than others with higher numbers, where several processes write."""
MISSED = 500
"""Hints that wait for whoever watches."""


class Said(NamedTuple):
    message: StoredMessage


class Rest(NamedTuple):
    """A flow came to its end, or rests. Of several rests between two looks only the last is told."""

    state: FlowState


class Gone(NamedTuple):
    """A row of the outbox that was shown as open has another status."""

    row: OutboxRow


class CaughtUp(NamedTuple):
    """What comes now is new. `running` is the flow that runs, or empty."""

    running: str


Hint = str | News | Arrived | None
Heard = Said | FlowEvent | Rest | Gone | CaughtUp


class Heed(NamedTuple):
    """What was heard, and the cursor behind it."""

    heard: Heard
    cursor: str


class Found(NamedTuple):
    """What was stored behind a place, as of one moment."""

    messages: tuple[StoredMessage, ...]
    changed: dict[str, Changed]
    gone: tuple[OutboxRow, ...]
    opened: tuple[OpenRow, ...]
    ended: tuple[str, ...]
    running: str
    more: bool


class Following:
    """Of one user. `owner` names whoever runs the flows of this process; `news` listens to what goes out."""

    def __init__(
        self,
        database: Database,
        stream: Stream,
        user: str,
        owner: str | None,
        news: Callable[[], AbstractContextManager["asyncio.Queue[News]"]],
        arriving: Arriving | None = None,
    ) -> None:
        self._database, self._stream, self._user, self._owner, self._news = database, stream, user, owner, news
        self._arriving = arriving or Arriving()
        self._followers: list[tuple[str, Ear, Place]] = []
        self._watching: list[asyncio.Queue[Hint]] = []
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    async def cursor(self, conversation: str) -> str:
        """Behind all that is stored of the conversation, but for the steps of what runs in it."""
        return (await self._database.read(lambda s: place_in(s, conversation, self._user))).cursor()

    async def follow(self, conversation: str, after: str = "") -> AsyncGenerator[Heed]:
        """Ends only when this is closed."""
        place = Place.at(after)
        with self._listening(conversation, place) as ear:
            running = ""
            async for heard in self._caught_up(conversation, place):
                if isinstance(heard, CaughtUp):
                    running = heard.running
                else:
                    yield Heed(heard, place.cursor())
            yield Heed(CaughtUp(running), place.cursor())
            while not ear.closed:
                await ear.wait()
                async for heard in self._heard(conversation, place, ear):
                    yield Heed(heard, place.cursor())

    @contextmanager
    def watching(self) -> Iterator["asyncio.Queue[Hint]"]:
        """The names of conversations in which something has come, an empty one where only something open has changed, what goes
        out, and new mail; None at the end. Many at once are missed."""
        queue = asyncio.Queue[Hint](MISSED)
        with self._stream.watching(lambda name: _hint(queue, name)), self._arriving.listening(lambda mail: _hint(queue, mail)):
            self._watching.append(queue)
            self._look_out()
            if self._closed:
                _hint(queue, None)
            try:
                yield queue
            finally:
                self._watching.remove(queue)

    async def _heard(self, conversation: str, place: Place, ear: Ear) -> AsyncIterator[Heard]:
        """What has come since the last look, in the order in which it was told."""
        while ear.told or ear.stirred:
            if ear.stirred:
                ear.stirred = False
                async for heard in self._caught_up(conversation, place):
                    if not isinstance(heard, CaughtUp):
                        yield heard
                continue
            told = ear.told.popleft()
            known = place.flows.get(told.flow)
            if isinstance(told, Saved):
                if known is not None and not known.saved(told.seq):
                    ear.stir()
            elif known is None or told.seq > known.last + 1:
                ear.stir()
            elif not known.has(told):
                known.heard(told)
                yield told

    async def _caught_up(self, conversation: str, place: Place) -> AsyncIterator[Heard]:
        """What is stored, then what is only told. What is told while this looks waits in the ear."""
        while True:
            unsaved = self._stream.unsaved(conversation)
            found = await self._database.read(lambda s: found_behind(s, place, conversation, self._user))
            for heard in in_order(place, found):
                yield heard
            if not found.more:
                break
        for flow in found.ended:
            place.flows.pop(flow, None)
        for event in unsaved:
            known = place.flows.get(event.flow)
            if known is not None and not known.has(event) and event.seq <= known.last + 1:
                known.heard(event)
                yield event
        yield CaughtUp(found.running)

    # --- other processes

    @contextmanager
    def _listening(self, conversation: str, place: Place) -> Iterator[Ear]:
        with self._stream.following(conversation) as ear:
            entry = (conversation, ear, place)
            self._followers.append(entry)
            self._look_out()
            ear.closed = self._closed
            try:
                yield ear
            finally:
                self._followers.remove(entry)

    def _look_out(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """While anybody follows anything."""
        with self._news() as news:
            seen = Standing({}, (), ())
            with contextlib.suppress(StorageError):
                seen = await self._database.read(lambda s: looking.standing(s, looking.newest(s) - LATE, user_id=self._user))
            for _, ear, _ in self._followers:
                ear.stir()  # something may have come since they looked
            while self._followers or self._watching:
                with contextlib.suppress(TimeoutError):
                    self._went_out(await asyncio.wait_for(news.get(), LOOK))
                    continue
                with contextlib.suppress(StorageError):
                    seen = await self._seen(seen)

    async def _seen(self, before: Standing) -> Standing:
        """Stirs whoever is behind, and tells what has changed since the look before."""
        after = max(before.newest.values(), default=0) - LATE
        now = await self._database.read(lambda s: looking.standing(s, after, user_id=self._user))
        sight = Sight.of(now)
        for conversation, ear, place in self._followers:
            if place.behind(conversation, sight, self._owner):
                ear.stir()
        for conversation, newest in now.newest.items():
            if before.newest.get(conversation, 0) < newest:
                self._stream.changed(conversation)
        if (before.flows, before.rows, before.schedules) != (now.flows, now.rows, now.schedules):
            self._stream.changed("")
        return now

    def _went_out(self, news: News) -> None:
        for _, ear, place in self._followers:
            if place.rows:
                ear.stir()
        for queue in self._watching:
            _hint(queue, news)

    def close(self) -> None:
        """Whoever follows comes to the end."""
        self._closed = True
        for _, ear, _ in self._followers:
            ear.close()
        for queue in self._watching:
            _hint(queue, None)
        if self._looking is not None:
            self._looking.cancel()


def _hint(queue: "asyncio.Queue[Hint]", hint: Hint) -> None:
    if hint is None and queue.full():
        queue.get_nowait()
    if not queue.full():
        queue.put_nowait(hint)


class Counts(NamedTuple):
    """What is open with a user: previews, questions, tasks that could be gone on with, writes that have not gone out.
    `schedules` is another number whenever a schedule, a run of one or its delivery is."""

    previews: int
    questions: int
    resting: int
    outgoing: int
    schedules: int = 0


def counted(s: Session, user: str) -> Counts:
    standing = looking.standing(s, looking.newest(s), user_id=user)
    statuses = [flow.status for flow in standing.flows]
    return Counts(
        previews=sum(previews.count_open(s, user).values()),
        questions=statuses.count("waiting"),
        resting=statuses.count("suspended"),
        outgoing=len(standing.rows),
        schedules=standing.schedules,
    )


def place_in(s: Session, conversation: str, user: str) -> Place:
    """Behind all that is stored, but for the steps of what runs."""
    known = {}
    for flow in looking.unfinished_in(s, conversation, user_id=user):
        running = flow.status == "running"
        known[flow.id] = Known() if running else Known(flow.version, looking.last_seq(s, flow.id))
    rows = {row.id: row.status for row in looking.open_rows_in(s, conversation, user_id=user)}
    return Place(looking.newest_in(s, conversation, user_id=user), known, rows)


def found_behind(s: Session, place: Place, conversation: str, user: str) -> Found:
    messages = looking.said(s, conversation, place.message, PAGE + 1, user_id=user)
    more, messages = len(messages) > PAGE, messages[:PAGE]
    while more and len(messages) > 1 and messages[-1].role != "assistant":
        messages = messages[:-1]  # a message comes with its answer
    heads = {flow: flows.head(s, flow) for flow in (*place.flows, *(m.flow_id for m in messages if m.flow_id))}
    changed = {}
    for flow, head in heads.items():
        known = place.flows.get(flow, Known())
        if head and (head.user_id, head.conversation) == (user, conversation) and head.version != known.version:
            changed[flow] = looking.since(s, head, known.seq)
    running = flows.running_in(s, user, conversation)
    return Found(
        messages=messages,
        changed=changed,
        gone=tuple(row for row in looking.rows(s, place.rows, user_id=user) if row.status != place.rows[row.id]),
        opened=looking.open_rows(s, user_id=user) if any(one.head.status != "running" for one in changed.values()) else (),
        ended=tuple(flow for flow, head in heads.items() if head is None or head.status in flows.ENDED),
        running=running.id if running else "",
        more=more,
    )


def in_order(place: Place, found: Found) -> Iterator[Heard]:
    """The steps of a flow between its messages; the place is behind each as it is handed out."""
    for row in found.gone:
        if heard := _gone(place, row):
            yield heard
    steps = {flow: deque(map(event_of, changed.events)) for flow, changed in found.changed.items()}
    last = {message.flow_id: message.id for message in found.messages}
    for flow in found.changed:
        if flow not in last:
            yield from _rest(place, found, steps, flow)
    for message in found.messages:
        flow = message.flow_id or ""
        if flow in found.changed:
            place.flows.setdefault(flow, Known())
            yield from _steps(place, steps[flow], flow, message)
        place.message = message.id
        yield Said(message)
        if last[message.flow_id] == message.id and flow in found.changed:
            yield from _rest(place, found, steps, flow)


def _steps(place: Place, steps: deque[FlowEvent], flow: str, until: StoredMessage | None = None) -> Iterator[FlowEvent]:
    """Those that were told before a message; all without one."""
    while steps and (until is None or steps[0].at < until.at or (steps[0].at == until.at and until.role == "assistant")):
        if place.flows[flow].stored(step := steps.popleft()):
            yield step


def _rest(place: Place, found: Found, steps: dict[str, deque[FlowEvent]], flow: str) -> Iterator[Heard]:
    known, head, snapshot = place.flows[flow], found.changed[flow].head, found.changed[flow].snapshot
    yield from _steps(place, steps[flow], flow)
    known.version = head.version
    if head.status == "running":
        return
    with contextlib.suppress(Unreadable):
        state = read_state(snapshot)
        shown = {outcome.key for outcome in state.outcomes}
        place.rows |= {row.id: row.status for row in found.opened if row.key in shown}
        yield Rest(state)


def _gone(place: Place, row: OutboxRow) -> Gone | None:
    """Of a write that is only on its way nothing is told."""
    if row.status in ("pending", "started"):
        place.rows[row.id] = row.status
        return None
    del place.rows[row.id]
    if row.status in ("held", "unknown"):
        place.rows[row.id] = row.status
    return Gone(row)


def event_of(row: StoredEvent) -> FlowEvent:
    return FlowEvent(flow=row.flow_id, seq=row.seq, at=row.at, step=row.step, text=row.text, data=row.data)
