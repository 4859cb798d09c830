"""What a conversation remembers: its last messages, what it showed, and which of its flows rest."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from assistant.errors import Unreadable, UserError
from assistant.pipeline.execute import UNDO
from assistant.pipeline.propose import as_preview
from assistant.pipeline.state import LOW, FlowState, read_state
from assistant.values import Data, Failure, Paused, Shown
from integrations.actions import CreateContact
from integrations.types import Address, Contact, Event, Mail
from risk.preview import Preview
from storage import conversations, flows, outbox, previews
from storage.database import Database
from storage.session import Session
from storage.tables import FlowHead, FlowStatus, OutboxRow, StoredFlow, StoredMessage, StoredPreview

MESSAGES, SHOWN = 10, 3
RESTING: tuple[FlowStatus, ...] = ("suspended", "waiting", "parked")


class Situation(NamedTuple):
    """A conversation as it stands when a message comes in. `on_screen` is the open preview, and `asking` the waiting flow, that
    was the last thing shown; `at_hand` is the open preview that a message can change or refuse: the one on the screen, or the
    one beside which nothing but messages that were not understood was said; `asked` is the waiting flow whose question was
    shown last of all questions; `last` is the last request; `since` is what was asked after the newest of `shown` and showed
    nothing."""

    history: tuple[str, ...]
    said: tuple[str, ...]
    shown: tuple[Shown, ...]
    on_screen: Preview | None
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
            self._shown[conversation] = tuple(shown for state in states for shown in showing(state))[:SHOWN]
            since = takewhile(lambda one: not showing(one), states)
            self._since[conversation] = tuple(spoken_of(state) for state in since if asks(state))
            self._last[conversation] = next((wanted for state in states if (wanted := requested(state))), "")
            self._newest[conversation] = _answering(stored.messages)
        opened = tuple(as_preview(row) for row in stored.previews)
        last = stored.messages[-1] if stored.messages else None
        flow = last.flow_id if last and last.role == "assistant" else None
        before = _read(stored.last)
        shown = before.previews if before else ()
        beside = (before.beside.preview,) if before and before.beside else ()
        asked = _read(stored.asked)
        return Situation(
            history=tuple(f"{m.role}: {m.text}" for m in stored.messages),
            said=tuple(m.text for m in stored.messages if m.role == "user"),
            shown=self._shown[conversation],
            on_screen=next((p for p in opened if p.id in shown), None),
            at_hand=next((p for p in opened if p.id in (*shown, *beside)), None),
            asking=asked if asked and asked.id == flow else None,
            asked=asked,
            opened=opened,
            paused=_paused(stored.resting, opened, stored.abouts),
            last=self._last[conversation],
            since=self._since[conversation],
        )

    def _stored(self, s: Session, conversation: str) -> "_Stored":
        resting = flows.list(s, self._user, conversation, RESTING)
        waiting = [head for head in resting if head.status == "waiting"]
        opened = previews.list_open(s, self._user, conversation)
        messages = conversations.messages(s, conversation, MESSAGES, user_id=self._user)
        # Another process may have answered in the conversation since.
        known = self._newest.get(conversation) == _answering(messages)
        ended = () if known else flows.list(s, self._user, conversation, ("done", "waiting"), limit=SHOWN)
        last = messages[-1] if messages and messages[-1].role == "assistant" else None
        newest = last.flow_id if last else None
        return _Stored(
            messages=messages,
            last=flows.get(s, last.flow_id) if opened and last and last.flow_id else None,
            resting=resting,
            asked=flows.get(s, max(waiting, key=lambda head: (head.updated, head.id == newest)).id) if waiting else None,
            previews=opened,
            abouts={row.flow_id: flow.about for row in opened if (flow := flows.get(s, row.flow_id))},
            ended=None if known else tuple(flow for head in ended if (flow := flows.get(s, head.id))),
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
            self._shown[state.conversation] = (*now, *earlier)[:SHOWN]
            since = (spoken_of(state), *self._since[state.conversation]) if asks(state) else self._since[state.conversation]
            self._since[state.conversation] = () if now else since[:SHOWN]
            self._last[state.conversation] = requested(state) or ("" if now or settles(state) else self._last[state.conversation])

    async def load(self, flow: str) -> FlowState:
        """Raises Unreadable, and UserError where there is none."""
        stored = await self._database.read(lambda s: flows.get(s, flow))
        if stored is None or stored.user_id != self._user:
            raise UserError(f"There is no task {flow}.")
        return read_state(stored.snapshot)

    async def is_preview(self, id: str) -> bool:
        row = await self._database.read(lambda s: previews.get(s, id))
        return row is not None and row.user_id == self._user

    async def open_preview(self, id: str) -> Preview | None:
        row = await self._database.read(lambda s: previews.get(s, id))
        return as_preview(row) if row and row.user_id == self._user and row.status == "open" else None

    async def preview(self, id: str) -> Preview:
        row = await self._database.read(lambda s: previews.get(s, id))
        if row is None or row.user_id != self._user:
            raise UserError(f"There is no preview {id}.")
        return as_preview(row)

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
    messages: tuple[StoredMessage, ...]
    last: StoredFlow | None
    resting: tuple[FlowHead, ...]
    asked: StoredFlow | None
    previews: tuple[StoredPreview, ...]
    abouts: dict[str, str]
    ended: tuple[StoredFlow, ...] | None
    """None where nothing has been answered since they were read."""


def _read(flow: StoredFlow | None) -> FlowState | None:
    """What can't be read is not remembered."""
    try:
        return read_state(flow.snapshot) if flow else None
    except Unreadable:
        return None


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


def described(preview: Preview) -> str:
    """What a preview is about, told apart from others like it."""
    words = []
    for item in preview.items[:3]:
        subject = getattr(item.action, "subject", "")
        words.append(f'{item.says}: "{subject}"' if subject and subject not in item.says else item.says)
    more = len(preview.items) - len(words)
    return "; ".join(words) + (f" and {more} more" if more else "")


def showing(state: FlowState) -> tuple[Shown, ...]:
    """What a flow showed that "it" and "the second one" can mean: what it created, else the last result with something in it."""
    if state.made:
        return (Shown(text=state.text, data=Data(kind="events", events=state.made)),)
    for step in reversed(state.steps):
        report = state.reports.get(step.id)
        if report is None or isinstance(report, Failure):
            continue
        data = touched(report.data) if report.data.proposals else report.data
        if data.mails or data.events or data.contacts or data.addresses or data.slots or data.clashes:
            as_said = state.analysis is None or state.analysis.as_said
            return (Shown(text=state.text, data=light(data), as_said=as_said),)
    return ()


def asks(state: FlowState) -> bool:
    """Whether a flow was a request, understood or not; not talk, a command or a bare yes or no."""
    return state.analysis is not None and state.analysis.intent.request not in ("talk", "command")


def spoken_of(state: FlowState) -> str:
    """What a flow was about: what it was asked for, in whole words, else the message itself."""
    return requested(state) or state.text


def requested(state: FlowState) -> str:
    """What a flow was asked for, in whole words; empty where it was talk, a command or a change of a proposal."""
    analysis = state.analysis
    if analysis is None or analysis.command or not analysis.plan.steps or state.background:
        return ""
    words = (state.text if state.wording else analysis.words) or analysis.intent.goal
    goal = "" if settles(state) or words.endswith("…") else words
    if state.proposals:
        return OF_SHOWN.sub(r"the \1 {shown}", goal)
    older = {"{shown}": "{shown1}", "{shown1}": "{shown2}"} if showing(state) else {}
    return SHOWN_REF.sub(lambda found: older.get(found[0], found[0]), goal)


OF_SHOWN = re.compile(r"\bthe (?:[\w-]+ ){1,3}?(mails?|events?|contacts?) of \{shown\d?\}")
"""What a write has singled out among the things shown is itself what was shown last, behind it."""
SHOWN_REF = re.compile(r"\{shown\d?\}")


def settles(state: FlowState) -> bool:
    """Whether it changed, gave up or took back what was asked for, on which nothing leans any more."""
    given_up = state.course in ("drop", "undo") or (state.analysis is not None and state.analysis.command is not None)
    return given_up or any("{proposal}" in step.instruction for step in state.steps)


def touched(data: Data) -> Data:
    """The things that the proposed writes are about."""
    before: Iterable[Mail | Event | Contact] = [p.before for p in data.proposals if p.before]
    mails = tuple(b for b in before if isinstance(b, Mail))
    events = tuple(b for b in before if isinstance(b, Event))
    contacts = tuple(b for b in before if isinstance(b, Contact))
    people = tuple(a for p in data.proposals for a in getattr(p.action, "to", ()) or getattr(p.action, "attendees", ()))
    people += tuple(a for p in data.proposals for a in getattr(p.action, "add_attendees", ()))
    added = tuple(p.action for p in data.proposals if isinstance(p.action, CreateContact))
    people += tuple(Address(email=card.emails[0], name=card.name) for card in added if card.emails)
    kind = "mails" if mails else "events" if events else "contacts" if contacts else "addresses"
    return Data(kind=kind, mails=mails, events=events, contacts=contacts, addresses=people)


def light(data: Data) -> Data:
    """Without the texts of mails, which can be read again."""
    return data.model_copy(update={"mails": tuple(m.model_copy(update={"body": ""}) for m in data.mails), "proposals": ()})
