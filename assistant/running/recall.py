"""What a conversation remembers: its last messages, what it showed, and which of its flows rest."""

import asyncio
from collections.abc import Container, Mapping, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

from assistant.errors import Unknown, Unreadable
from assistant.pipeline.execute import UNDO
from assistant.pipeline.propose import as_preview
from assistant.pipeline.state import LOW, FlowState, read_state
from assistant.running.shown import asks, requested, settles, showing, spoken_of
from assistant.values import Paused, Shown
from risk.preview import Preview
from storage import audit, conversations, flows, outbox, previews
from storage.database import Database
from storage.session import Session
from storage.tables import FlowHead, FlowStatus, OutboxRow, StoredEvent, StoredFlow, StoredMessage, StoredPreview

MESSAGES, SHOWN = 10, 3
WHICH_PREVIEW = "preview to approve"
LOOKED_BACK = 20
"""Flows among which the last briefing is looked for: one works through it line by line."""
BRIEFED = '"briefing":{'
"""In the snapshots of flows that have given one."""
LOOK = 0.1
"""Seconds between two looks at a flow that is waited for."""
RESTING: tuple[FlowStatus, ...] = ("suspended", "waiting", "parked")
TO_GO_ON_WITH: tuple[FlowStatus, ...] = ("suspended", "waiting")
"""Of those that rest; a parked one goes on when its preview is approved."""


class Situation(NamedTuple):
    """A conversation as it stands when a message comes in. `on_screen` is the open preview that was the last thing shown, and
    `asking` the waiting flow, behind which nothing came but runs of schedules that want no answer; `shown_by` says who else had
    that preview shown, when the user may not have seen it; `at_hand` is the open preview that a message can change or refuse: the
    one on the screen, or the one beside which nothing but messages that were not understood was said, or behind which such runs
    came; `asked` is the waiting flow whose question was shown last of all questions; `last` is the last request; `since` is what
    was asked after the newest of `shown` and showed nothing."""

    history: tuple[str, ...]
    said: tuple[str, ...]
    shown: tuple[Shown, ...]
    on_screen: Preview | None
    shown_by: Literal["", "program", "schedule"]
    at_hand: Preview | None
    asking: FlowState | None
    asked: FlowState | None
    opened: tuple[Preview, ...]
    paused: tuple[Paused, ...]
    last: str
    since: tuple[str, ...]


class Recall:
    """Reads from storage what this process has not seen itself."""

    def __init__(self, database: Database, user: str) -> None:
        self._database, self._user = database, user
        self._newest: dict[str, str] = {}
        self._shown: dict[str, tuple[Shown, ...]] = {}
        self._last: dict[str, str] = {}
        self._since: dict[str, tuple[str, ...]] = {}

    async def situation(self, conversation: str) -> Situation:
        stored = await self._database.read(lambda s: self._stored(s, conversation))
        if stored.ended is not None:
            states = [state for flow in stored.ended if (state := _read(flow))]
            briefed = showing(state) if (state := _read(stored.briefed)) else ()
            self._shown[conversation] = _kept((*(shown for state in states for shown in showing(state)), *briefed))
            since = takewhile(lambda one: not showing(one), states)
            self._since[conversation] = tuple(spoken_of(state) for state in since if asks(state))
            behind_runs = takewhile(lambda one: not (one.background and showing(one)), states)
            self._last[conversation] = next((wanted for state in behind_runs if (wanted := requested(state))), "")
            self._newest[conversation] = _answering(stored.messages)
        opened = tuple(as_preview(row) for row in stored.previews)
        before, asked = _read(stored.last), _read(stored.asked)
        shown = before.previews if before else ()
        beside = (before.beside.preview,) if before and before.beside else ()
        asks_last = asked is not None and asked.id == stored.heard and not (stored.passed and asks_which(asked))
        return Situation(
            history=tuple(f"{m.role}: {m.text}" for m in stored.messages),
            said=tuple(m.text for m in stored.messages if m.role == "user"),
            shown=self._shown[conversation],
            on_screen=next((p for p in opened if p.id in shown and not stored.passed), None),
            shown_by=_shown_by(before),
            at_hand=next((p for p in opened if p.id in (*shown, *beside)), None),
            asking=asked if asks_last else None,
            asked=asked,
            opened=opened,
            paused=_paused(stored.resting, opened, stored.abouts),
            last=self._last[conversation],
            since=self._since[conversation],
        )

    def _stored(self, s: Session, conversation: str) -> "_Stored":
        resting = flows.list(s, self._user, conversation, TO_GO_ON_WITH)
        waiting = [head for head in resting if head.status == "waiting"]
        opened = previews.list_open(s, self._user, conversation)
        messages = conversations.messages(s, conversation, MESSAGES, user_id=self._user)
        # Another process may have answered in the conversation since.
        known = self._newest.get(conversation) == _answering(messages)
        ended = () if known else flows.list(s, self._user, conversation, ("done", "waiting", "parked"), limit=LOOKED_BACK)
        talk = _before_runs(messages, {*(head.id for head in waiting), *(row.flow_id for row in opened)})
        newest = talk[-1].flow_id if talk and talk[-1].role == "assistant" else None
        return _Stored(
            messages=messages,
            last=flows.get(s, newest) if opened and newest else None,
            heard=newest,
            passed=len(talk) < len(messages),
            resting=resting,
            asked=flows.get(s, max(waiting, key=lambda head: (head.updated, head.id == newest)).id) if waiting else None,
            previews=opened,
            abouts={row.flow_id: flow.about for row in opened if (flow := flows.get(s, row.flow_id))},
            ended=None if known else tuple(flow for head in ended[:SHOWN] if (flow := flows.get(s, head.id))),
            briefed=next((flow for head in ended[SHOWN:] if (flow := flows.get(s, head.id)) and BRIEFED in flow.snapshot), None),
        )

    def forget(self) -> None:
        """What was taken out of storage is not remembered either."""
        for remembered in (self._newest, self._shown, self._last, self._since):
            remembered.clear()

    async def remember(self, state: FlowState) -> None:
        """Call when a flow has been answered."""
        if state.conversation in self._shown:
            if state.reply:
                self._newest[state.conversation] = state.id
            earlier = (shown for shown in self._shown[state.conversation] if shown.text != state.text)
            now = showing(state)
            self._shown[state.conversation] = _kept((*now, *earlier))
            since = (spoken_of(state), *self._since[state.conversation]) if asks(state) else self._since[state.conversation]
            self._since[state.conversation] = () if now else since[:SHOWN]
            self._last[state.conversation] = requested(state) or ("" if now or settles(state) else self._last[state.conversation])

    async def load(self, flow: str) -> FlowState:
        """Raises Unreadable, and Unknown where the user has none such."""
        stored = await self._database.read(lambda s: flows.get(s, flow))
        if stored is None or stored.user_id != self._user:
            raise Unknown(f"There is no task {flow}.")
        return read_state(stored.snapshot)

    async def waiting(self) -> tuple[FlowState, ...]:
        """Those that ask something, the newest first."""

        def work(s: Session) -> tuple[StoredFlow, ...]:
            heads = flows.list(s, self._user, None, ("waiting",))
            return tuple(flow for head in heads if (flow := flows.get(s, head.id)))

        read = map(_read, await self._database.read(work))
        return tuple(state for state in read if state is not None and state.question is not None)

    async def events(self, flow: str, after: int) -> tuple[StoredEvent, ...]:
        """Those numbered above `after`. Raises Unknown."""

        def work(s: Session) -> tuple[StoredEvent, ...] | None:
            head = flows.head(s, flow)
            return flows.events(s, flow, after) if head is not None and head.user_id == self._user else None

        found = await self._database.read(work)
        if found is None:
            raise Unknown(f"There is no task {flow}.")
        return found

    async def is_preview(self, id: str) -> bool:
        row = await self._database.read(lambda s: previews.get(s, id))
        return row is not None and row.user_id == self._user

    async def open_preview(self, id: str) -> Preview | None:
        row = await self._database.read(lambda s: previews.get(s, id))
        return as_preview(row) if row and row.user_id == self._user and row.status == "open" else None

    async def open_of(self, state: FlowState) -> tuple[str, ...]:
        """Those of its previews that are open."""
        return tuple([id for id in state.previews if await self.open_preview(id)])

    async def preview(self, id: str) -> Preview:
        row = await self._database.read(lambda s: previews.get(s, id))
        if row is None or row.user_id != self._user:
            raise Unknown(f"There is no preview {id}.")
        return as_preview(row)

    async def approval(self, preview: str) -> FlowState | None:
        """The flow in which it was approved; one that runs still is waited for."""
        flow = await self._database.read(lambda s: audit.permitted_by(s, preview))
        return await self.at_rest(flow) if flow else None

    async def at_rest(self, flow: str) -> FlowState:
        """Whoever runs it; one that runs still is waited for."""
        while (state := await self.load(flow)).status == "running":  # noqa: ASYNC110  another process may run it
            await asyncio.sleep(LOOK)
        return state

    async def marked(self, mark: str) -> str | None:
        """The flow of the message that was said under this mark."""
        return await self._database.read(lambda s: conversations.marked(s, mark, user_id=self._user))

    async def open_previews(self, conversation: str | None = None) -> tuple[Preview, ...]:
        """Newest first."""
        rows = await self._database.read(lambda s: previews.list_open(s, self._user, conversation))
        return tuple(as_preview(row) for row in rows)

    async def last_done(self, conversation: str, flow: str = "") -> FlowState | None:
        """The newest flow that wrote something and was not taken back yet, or this one."""
        if flow:
            return await self.load(flow)
        for head in await self._database.read(lambda s: flows.list(s, self._user, conversation, ("done",), limit=20)):
            state = await self.load(head.id)
            permits = [p for p in state.permits if not p.startswith(UNDO)]
            rows = [row for permit in permits for row in await self._rows(permit)]
            undone = [row for permit in permits for row in await self._rows(f"{UNDO}{permit}")]
            if any(row.status != "failed" for row in rows) and not undone:
                return state
        return None

    async def holds_newest(self, conversation: str) -> bool:
        """Whether what was answered last has approved something that is still held."""
        done = await self.last_done(conversation)
        if done is None or done.id != self._newest.get(conversation):
            return False
        rows = [row for permit in done.permits for row in await self._rows(permit)]
        return any(row.status == "held" for row in rows)

    async def origin(self, permit: str) -> tuple[str, Preview | None]:
        """The conversation in which this was permitted, and the preview under which; empty where that is forgotten."""
        row = await self._database.read(lambda s: previews.get(s, permit))
        if row is not None:
            return row.conversation, as_preview(row)
        flow = await self._database.read(lambda s: flows.get(s, permit.removesuffix(LOW)))
        return (flow.conversation, None) if flow else ("", None)

    async def row(self, key: str) -> OutboxRow | None:
        return await self._database.read(lambda s: outbox.by_key(s, key))

    async def _rows(self, permit: str) -> tuple[OutboxRow, ...]:
        return await self._database.read(lambda s: outbox.by_preview(s, permit))

    async def last_answered(self, conversation: str) -> FlowState | None:
        """The newest flow that is done."""
        heads = await self._database.read(lambda s: flows.list(s, self._user, conversation, ("done",), limit=1))
        return await self.load(heads[0].id) if heads else None


class _Stored(NamedTuple):
    """`heard` is the flow that spoke last, but for runs of schedules that want no answer; `passed`: there are such behind it."""

    messages: tuple[StoredMessage, ...]
    last: StoredFlow | None
    heard: str | None
    passed: bool
    resting: tuple[FlowHead, ...]
    asked: StoredFlow | None
    previews: tuple[StoredPreview, ...]
    abouts: dict[str, str]
    ended: tuple[StoredFlow, ...] | None
    """None where nothing has been answered since they were read."""
    briefed: StoredFlow | None = None
    """The newest of those before them that has given a briefing."""


def _read(flow: StoredFlow | None) -> FlowState | None:
    """What can't be read is not remembered."""
    try:
        return read_state(flow.snapshot) if flow else None
    except Unreadable:
        return None


def _before_runs(messages: Sequence[StoredMessage], wanting: Container[str | None]) -> Sequence[StoredMessage]:
    """Without the last runs of schedules: what came between by itself takes no question and no preview away from the user."""
    runs = {m.flow_id for m in messages if m.role == "schedule" and m.flow_id not in wanting}
    end = len(messages)
    while end and messages[end - 1].flow_id in runs:
        end -= 1
    return messages[:end]


def asks_which(state: FlowState) -> bool:
    """Whether it asks which preview is meant."""
    return state.question is not None and state.question.entity == WHICH_PREVIEW


def _answering(messages: Sequence[StoredMessage]) -> str:
    """The flow of the newest answer."""
    return next((m.flow_id or "" for m in reversed(messages) if m.role == "assistant"), "")


def _paused(resting: Sequence[FlowHead], opened: Sequence[Preview], abouts: Mapping[str, str]) -> tuple[Paused, ...]:
    """What could be gone on with or given up, newest first."""
    found = [(h.created, Paused(flow=h.id, about=h.about, goal=h.goal or h.about, status=h.status)) for h in resting]
    for preview in opened:
        goal = "; ".join(item.says for item in preview.items[:3])
        about = Paused(flow=preview.id, about=abouts.get(preview.flow, goal), goal=goal, status="preview")
        found.append((preview.created, about))
    return tuple(paused for _, paused in sorted(found, key=lambda pair: pair[0], reverse=True))


def _kept(shown: tuple[Shown, ...]) -> tuple[Shown, ...]:
    """The newest, and behind them the last briefing, whose numbers still count."""
    return (*shown[:SHOWN], *next(([one] for one in shown[SHOWN:] if one.lines and not any(n.lines for n in shown[:SHOWN])), []))


def described(preview: Preview) -> str:
    """What a preview is about, told apart from others like it."""
    words = []
    for item in preview.items[:3]:
        subject = getattr(item.action, "subject", "")
        told = subject.partition(": ")[2] if subject.startswith(("Re: ", "Fwd: ")) else subject
        words.append(f'{item.says}: "{subject}"' if subject and told not in item.says else item.says)
    more = len(preview.items) - len(words)
    return "; ".join(words) + (f" and {more} more" if more else "")


def _shown_by(last: FlowState | None) -> Literal["", "program", "schedule"]:
    if last is None or not (last.background or last.by_program):
        return ""
    return "schedule" if last.background else "program"
