"""What a conversation remembers: its last messages, what it showed, and which of its flows rest."""

from collections.abc import Iterable

from assistant.errors import UserError
from assistant.pipeline.execute import UNDO
from assistant.pipeline.propose import as_preview
from assistant.pipeline.state import FlowState
from assistant.values import Data, Failure, Paused, Shown
from integrations.types import Contact, Event, Mail
from risk.preview import Preview
from storage import conversations, flows, outbox, previews
from storage.database import Database
from storage.tables import FlowStatus, OutboxRow

MESSAGES, SHOWN = 10, 3


class Recall:
    """Reads from storage what this process has not seen itself."""

    def __init__(self, database: Database, user: str) -> None:
        self._database, self._user = database, user
        self._shown: dict[str, tuple[Shown, ...]] = {}

    async def history(self, conversation: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(the last messages as "user: …" / "assistant: …", the user's own among them)."""
        stored = await self._database.read(lambda s: conversations.messages(s, conversation, MESSAGES, user_id=self._user))
        return tuple(f"{m.role}: {m.text}" for m in stored), tuple(m.text for m in stored if m.role == "user")

    async def shown(self, conversation: str) -> tuple[Shown, ...]:
        """Newest first."""
        if conversation not in self._shown:
            self._shown[conversation] = await self._load(conversation)
        return self._shown[conversation]

    async def _load(self, conversation: str) -> tuple[Shown, ...]:
        ended: tuple[FlowStatus, ...] = ("done", "waiting")
        heads = await self._database.read(lambda s: flows.list(s, self._user, conversation, ended, limit=SHOWN))
        states = [await self.load(head.id) for head in heads]
        return tuple(shown for state in states for shown in showing(state))[:SHOWN]

    async def remember(self, state: FlowState) -> None:
        """Call when a flow has been answered."""
        earlier = await self.shown(state.conversation)
        self._shown[state.conversation] = (*showing(state), *(s for s in earlier if s.text != state.text))[:SHOWN]

    async def paused(self, conversation: str, besides: str = "") -> tuple[Paused, ...]:
        """Suspended, waiting and parked flows and open previews, newest first."""
        resting: tuple[FlowStatus, ...] = ("suspended", "waiting", "parked")
        heads = await self._database.read(lambda s: flows.list(s, self._user, conversation, resting))
        found = [(h.created, Paused(flow=h.id, about=h.about, goal=h.goal or h.about, status=h.status)) for h in heads]
        for preview in await self.open_previews(conversation):
            about = (await self.load(preview.flow)).text
            goal = "; ".join(item.says for item in preview.items[:3])
            found.append((preview.created, Paused(flow=preview.id, about=about, goal=goal, status="preview")))
        found.sort(key=lambda pair: pair[0], reverse=True)
        return tuple(paused for _, paused in found if paused.flow != besides)

    async def load(self, flow: str) -> FlowState:
        stored = await self._database.read(lambda s: flows.get(s, flow))
        if stored is None or stored.user_id != self._user:
            raise UserError(f"There is no task {flow}.")
        return FlowState.model_validate_json(stored.snapshot)

    async def preview(self, id: str) -> Preview:
        row = await self._database.read(lambda s: previews.get(s, id))
        if row is None or row.user_id != self._user:
            raise UserError(f"There is no preview {id}.")
        return as_preview(row)

    async def open_previews(self, conversation: str | None = None) -> tuple[Preview, ...]:
        """Newest first."""
        rows = await self._database.read(lambda s: previews.list_open(s, self._user, conversation))
        return tuple(as_preview(row) for row in rows)

    async def on_screen(self, conversation: str) -> Preview | None:
        """The open preview that was the last thing shown."""
        last = await self._database.read(lambda s: conversations.messages(s, conversation, 1, user_id=self._user))
        if not last or last[0].role != "assistant" or not last[0].flow_id:
            return None
        flow = last[0].flow_id
        rows = await self._database.read(lambda s: previews.by_flow(s, flow))
        found = [as_preview(row) for row in rows if row.status == "open"]
        return found[-1] if found else None

    async def left_waiting(self, conversation: str) -> FlowState | None:
        """The waiting flow whose question was the last thing shown."""
        last = await self._database.read(lambda s: conversations.messages(s, conversation, 1, user_id=self._user))
        asked = await self.asked_last(conversation)
        return asked if asked and last and last[0].flow_id == asked.id else None

    async def asked_last(self, conversation: str) -> FlowState | None:
        """The waiting flow whose question was shown last."""
        heads = await self._database.read(lambda s: flows.list(s, self._user, conversation, ("waiting",)))
        return await self.load(max(heads, key=lambda head: head.updated).id) if heads else None

    async def last_done(self, conversation: str, flow: str = "") -> FlowState | None:
        """The newest flow that wrote something and was not taken back yet, or this one."""
        if flow:
            return await self.load(flow)
        for head in await self._database.read(lambda s: flows.list(s, self._user, conversation, ("done",), limit=20)):
            state = await self.load(head.id)
            permits = [p for p in state.permits if not p.startswith(UNDO)]
            if permits and not [r for p in permits for r in await self._rows(f"{UNDO}{p}")]:
                return state
        return None

    async def _rows(self, permit: str) -> tuple[OutboxRow, ...]:
        return await self._database.read(lambda s: outbox.by_preview(s, permit))

    async def last_answered(self, conversation: str) -> FlowState | None:
        """The newest flow that is done."""
        heads = await self._database.read(lambda s: flows.list(s, self._user, conversation, ("done",), limit=1))
        return await self.load(heads[0].id) if heads else None


def showing(state: FlowState) -> tuple[Shown, ...]:
    """What a flow showed that "it" and "the second one" can mean: the last result with something in it."""
    for step in reversed(state.steps):
        report = state.reports.get(step.id)
        if report is None or isinstance(report, Failure):
            continue
        data = touched(report.data) if report.data.proposals else report.data
        if data.mails or data.events or data.contacts or data.addresses or data.slots:
            return (Shown(text=state.text, data=light(data)),)
    return ()


def touched(data: Data) -> Data:
    """The things that the proposed writes are about."""
    before: Iterable[Mail | Event | Contact] = [p.before for p in data.proposals if p.before]
    mails = tuple(b for b in before if isinstance(b, Mail))
    events = tuple(b for b in before if isinstance(b, Event))
    contacts = tuple(b for b in before if isinstance(b, Contact))
    people = tuple(a for p in data.proposals for a in getattr(p.action, "to", ()) or getattr(p.action, "attendees", ()))
    kind = "mails" if mails else "events" if events else "contacts" if contacts else "addresses"
    return Data(kind=kind, mails=mails, events=events, contacts=contacts, addresses=people)


def light(data: Data) -> Data:
    """Without the texts of mails, which can be read again."""
    return data.model_copy(update={"mails": tuple(m.model_copy(update={"body": ""}) for m in data.mails), "proposals": ()})
