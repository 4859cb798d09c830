"""The one door: command line, HTTP, MCP, schedules and tests all come in here."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from assistant.drafting.base import Deliberation, Tell
from assistant.drafting.free import Free, Terms
from assistant.errors import FlowError, UserError
from assistant.events import FlowEvent
from assistant.llm.metering import FLOW
from assistant.pipeline.state import FlowState
from assistant.running.dispatch import Dispatch
from assistant.running.forgetting.removal import Forgetting, Removal
from assistant.running.keeping import Keeping, Kept
from assistant.running.outgoing import News, Outgoing
from assistant.running.stories import Story
from assistant.values import ContextBox, Outcome, Question, Report, Step
from integrations.actions import Action
from integrations.readers import Readers
from integrations.registry import AccountConfig
from integrations.types import Contact, ContactQuery, Event, EventQuery, Mail, MailQuery, Page, Value
from risk.preview import Preview
from storage import flows
from storage.audit import Verification
from storage.database import Database
from storage.tables import FlowHead, FlowStatus


class Turn(Value):
    """What came of one message. `status` is the flow's; `confidence` in percent; `reasoner` names who thought; `said` is the reply
    without the short form of the previews; `sample`: it was about the sample account."""

    flow: str
    status: str
    reply: str
    question: Question | None = None
    previews: tuple[Preview, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    confidence: int = 0
    limitations: tuple[str, ...] = ()
    context: ContextBox = ContextBox()
    steps: tuple[Step, ...] = ()
    reports: Mapping[int, Report] = {}
    reasoner: str = ""
    said: str = ""
    sample: bool = False


CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufdd0-\ufdef]")
LONGEST = 200_000
"""Characters of one message."""


def _text(value: str, what: str) -> str:
    """Trimmed, and fit to be stored and shown: a lone surrogate becomes a question mark, a control character a replacement."""
    if not isinstance(value, str):
        raise UserError(f"The {what} must be text.")
    text = CONTROL.sub("\ufffd", value.strip().encode("utf-8", "replace").decode("utf-8"))
    if not text:
        raise UserError(f"There is nothing in this {what}; say what you would like.")
    if len(text) > LONGEST:
        raise UserError(f"This {what} is too long; {LONGEST} characters are the most.")
    return text


@dataclass(frozen=True)
class Assistant:
    """All methods raise AssistantError or IntegrationError with one sentence for people. Built by `assistant.bootstrap`."""

    dispatch: Dispatch
    database: Database
    readers: Readers
    user: str
    reasoner: str
    accounts: tuple[AccountConfig, ...]
    home: Path
    clock: Callable[[], datetime]
    free: Free
    keeping: Keeping
    forgetting: Forgetting
    outgoing: Outgoing
    offline: str
    """Names who thinks where the model can't be had."""
    recovered: tuple[Outcome, ...] = ()
    """What came of writes that were under way when the program last ended."""
    going_on: Mapping[str, "asyncio.Task[FlowState]"] = field(default_factory=dict)
    """Tasks that it cut short and that run again, by id."""
    released: tuple[Outcome, ...] = ()
    """What came of writes that had been held and were due when this assistant was opened, or had failed and were not shown yet."""

    async def say(self, conversation: str, text: str, *, own_words: bool = True, background: bool = False) -> Turn:
        """`own_words` False: text from another program, which approves and mandates nothing."""
        text = _text(text, "message")
        conversation = _text(conversation, "conversation's name")
        return await self._turn(await self.dispatch.message(conversation, text, own_words=own_words, background=background))

    async def answer(self, question: str, words: str) -> Turn:
        """Answers an open question by its id, with a choice's id or label, or free text."""
        return await self._turn(await self.dispatch.answer(_text(question, "question's id"), _text(words, "answer")))

    async def look(self, query: MailQuery | EventQuery | ContactQuery) -> Page[Mail] | Page[Event] | Page[Contact]:
        if isinstance(query, MailQuery):
            return await self.readers.mail.search(query)
        if isinstance(query, EventQuery):
            return await self.readers.calendar.events(query)
        if isinstance(query, ContactQuery):
            return await self.readers.contacts.search(query)
        raise UserError("Look with a MailQuery, an EventQuery or a ContactQuery from integrations.types.")

    async def propose(self, conversation: str, actions: Sequence[Action], says: Sequence[str] = ()) -> Turn:
        """Writes proposed from outside always become a preview. `says` describes each in one clause."""
        if not actions:
            raise UserError("Propose at least one action.")
        if says and len(says) != len(actions):
            raise UserError("Give one description for each action, or none.")
        self._known(actions)
        return await self._turn(await self.dispatch.propose(conversation, actions, says))

    async def approve(self, preview: str, fingerprint: str) -> Turn:
        """Carries out exactly this preview, once. What changed underneath, or could not be done, comes back as a fresh preview."""
        found = await self._open_preview(preview)
        if found.fingerprint != fingerprint:
            raise FlowError("The preview has changed since you saw it; look at it again before approving.")
        return await self._turn(await self.dispatch.approve(found))

    async def revise(self, preview: str, words: str = "", actions: Sequence[Action] = ()) -> Turn:
        """In words ("make it 4 pm"), or with the edited actions themselves."""
        if not words.strip() and not actions:
            raise UserError("Say what to change, or give the changed actions.")
        self._known(actions)
        return await self._turn(await self.dispatch.revise(await self._open_preview(preview), words.strip(), actions))

    async def cancel(self, target: str) -> Turn:
        """Drops an open preview, or gives up a task that rests."""
        if await self.dispatch.recall.is_preview(target):
            return await self._turn(await self.dispatch.drop(await self._open_preview(target)))
        return await self._turn(await self.dispatch.give_up(target))

    async def resume(self, flow: str) -> Turn:
        """Goes on from the snapshot; what was done is not done again. A waiting flow shows its question again."""
        return await self._turn(await self.dispatch.resume(flow))

    async def resumed(self) -> AsyncIterator[Turn]:
        """Of the tasks that run again since this assistant was opened, each as it comes to its end or next rest."""
        waiting = dict(self.going_on)
        while waiting:
            await asyncio.wait(waiting.values(), return_when=asyncio.FIRST_COMPLETED)
            for flow in [flow for flow, task in waiting.items() if task.done()]:
                waiting.pop(flow).exception()  # is told in the flow's reply too
                yield await self.flow(flow)

    async def undo(self, conversation: str, flow: str = "") -> Turn:
        """Takes back what a flow did, the last one by default; a preview where that reaches others."""
        return await self._turn(await self.dispatch.undo(conversation, flow))

    async def outbox(self) -> tuple[Outcome, ...]:
        """What has not gone out yet, or may not have: held, waiting, under way or unknown, the oldest first."""
        return await self.outgoing.outbox.listed()

    async def withdraw(self, key: str) -> tuple[Outcome, ...]:
        """Takes back a write that has not begun, by its key, with what was to happen after it."""
        row = next((row for row in await self.outgoing.outbox.rows() if row.key == key), None)
        if row is None:
            raise UserError(f"Nothing in the outbox has the key {key}.")
        taken = await self.outgoing.outbox.take_back(row)
        if not taken:
            raise FlowError("It has begun already, so it can't be taken back.")
        return taken

    async def check_outbox(self) -> tuple[News, ...]:
        """Asks once more about writes of which it is not certain whether they happened. What did not is shown again."""
        return await self.outgoing.check()

    async def release(self, *, hurry: bool = False) -> tuple[News, ...]:
        """Sends what is due; with `hurry` also what is held only so that it can be taken back."""
        return await (self.outgoing.hurry() if hurry else self.outgoing.release())

    def went_out(self) -> AbstractContextManager[asyncio.Queue[News]]:
        """What goes out, or can't, while a resident assistant runs."""
        return self.outgoing.listening()

    async def suspend(self, conversation: str) -> Turn | None:
        """Ctrl-C: the running flow is saved; None when none runs."""
        state = await self.dispatch.suspend(conversation)
        return await self._turn(state) if state else None

    async def deliberate(self, task: str, terms: Terms | None = None, on_told: Tell = lambda told: None) -> Deliberation:
        """Several agents think about a task of its own. Nothing is looked up in any account, and nothing can be written."""
        text = _text(task, "task")
        flow = FLOW.set(uuid4().hex[:12])  # its budget is that of one task
        try:
            return await self.free.deliberate(text, terms or Terms(), on_told)
        finally:
            FLOW.reset(flow)

    async def events(self, conversation: str, *, flow: str = "", after: int = 0) -> AsyncIterator[FlowEvent]:
        """Of one flow those stored after `after`; else the conversation's live events, until the caller stops listening."""
        if not flow:
            with self.dispatch.journal.stream.listening(conversation) as queue:
                while True:
                    yield await queue.get()
        for row in await self.database.read(lambda s: flows.events(s, flow, after)):
            yield FlowEvent(flow=flow, seq=row.seq, at=row.at, step=row.step, text=row.text, data=row.data)

    async def preview(self, id: str) -> Preview:
        """Whatever became of it."""
        return await self.dispatch.recall.preview(id)

    async def find_preview(self, beginning: str) -> Preview:
        """The one whose id begins so, whatever became of it."""
        flow = beginning.partition("-")[0]
        for head in await self.flows():
            if head.id.startswith(flow):
                ids = (await self.dispatch.recall.load(head.id)).previews
                if id := next((id for id in ids if id.startswith(beginning)), ""):
                    return await self.preview(id)
        return await self.preview(beginning)

    async def open_previews(self, conversation: str | None = None) -> tuple[Preview, ...]:
        """Newest first."""
        return await self.dispatch.recall.open_previews(conversation)

    async def flows(self, conversation: str | None = None, *, resting: bool = False) -> tuple[FlowHead, ...]:
        """Newest first; `resting`: only those that could be gone on with."""
        statuses: tuple[FlowStatus, ...] | None = ("suspended", "waiting", "parked") if resting else None
        return await self.database.read(lambda s: flows.list(s, self.user, conversation, statuses))

    async def flow(self, flow: str) -> Turn:
        return await self._turn(await self.dispatch.recall.load(flow))

    async def audit(self, target: str = "", *, since: datetime | None = None, limit: int = 50) -> tuple[Story, ...]:
        """What was proposed and done, and why, from the audit journal alone; the newest first. `target` is a preview, a key or a
        flow, or the beginning of one."""
        return await self.dispatch.history.stories(target=target, since=since, limit=limit)

    async def verify_audit(self, noted: str | None = None) -> Verification:
        """Whether the audit journal is whole. `noted` is a head that was written down elsewhere."""
        return await self.dispatch.history.verify(noted)

    async def keep(self) -> Kept:
        """Makes smaller what ended long enough ago, by the settings; everything else can go on meanwhile."""
        return await self.keeping.run()

    async def forget(self, *, conversation: str = "", person: str = "", really: bool = False) -> Removal:
        """What is stored of a conversation, or of a person by name or address, is removed for good with `really`, else only told.
        The mailboxes are not touched."""
        if bool(conversation) == bool(person):
            raise UserError("Say which conversation to forget, or which person.")
        if conversation:
            return await self.forgetting.conversation(conversation, really=really)
        return await self.forgetting.person(_text(person, "name"), really=really)

    async def _open_preview(self, id: str) -> Preview:
        found = await self.preview(id)
        if found.status != "open":
            words = {"approved": "was approved already", "superseded": "was replaced by a newer one", "cancelled": "was cancelled"}
            raise FlowError(f"This preview {words.get(found.status, 'is out of date; a fresh one was shown')}.")
        return found

    def _known(self, actions: Sequence[Action]) -> None:
        """Every write must name a connected account."""
        names = {"", *(account.name for account in self.accounts)}
        for action in actions:
            if not isinstance(action, Value) or not hasattr(action, "account"):
                raise UserError("Propose actions from integrations.actions.")
            if action.account not in names:
                raise UserError(f"There is no account {action.account!r}; there are: {', '.join(sorted(names - {''}))}.")

    async def _turn(self, state: FlowState) -> Turn:
        shown = [await self.dispatch.recall.preview(id) for id in state.previews]
        return Turn(
            flow=state.id,
            status=state.status,
            reply=state.reply,
            question=state.question,
            previews=tuple(p for p in shown if p.status == "open"),
            outcomes=await self.outgoing.outbox.executor.as_known(state.outcomes),
            confidence=state.confidence,
            limitations=state.limitations,
            context=state.box,
            steps=state.steps,
            reports=state.reports,
            reasoner=self.offline if state.offline else self.reasoner,
            said=state.reply if state.spoken is None else state.spoken,
            sample=any(account.sample for account in self.accounts),
        )
