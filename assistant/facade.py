"""The one door: command line, HTTP, MCP, schedules and tests all come in here."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import overload
from uuid import uuid4

from assistant.answers import Followed as Followed
from assistant.answers import Rested as Rested
from assistant.answers import Said as Said
from assistant.answers import Transcript as Transcript
from assistant.answers import Turn as Turn
from assistant.answers import WentOut as WentOut
from assistant.briefing.facts import Briefing, Coverage, Wanted
from assistant.briefing.lead import led
from assistant.drafting.base import Deliberation, Tell
from assistant.drafting.free import Free, Terms
from assistant.errors import FlowError, Unknown, UserError
from assistant.events import FlowEvent
from assistant.intake import checked_actions, checked_text, none_put_back
from assistant.llm.metering import FLOW
from assistant.pipeline.state import FlowState, Proposer
from assistant.running.briefing import gathered
from assistant.running.conversations import Conversation, Conversations, as_message
from assistant.running.dispatch import Dispatch
from assistant.running.following import Counts, Following, Gone, Hint, Rest, counted
from assistant.running.following import Said as Heard
from assistant.running.forgetting.removal import Forgetting, Removal
from assistant.running.glance import Day, Glance
from assistant.running.journal import marking
from assistant.running.keeping import Keeping, Kept
from assistant.running.notes import Notes
from assistant.running.outgoing import News, Outgoing
from assistant.running.recall import TO_GO_ON_WITH
from assistant.running.stories import Story
from assistant.running.usage import Spending, spent
from assistant.scheduling.delivery.targets import Targets
from assistant.scheduling.schedules import Schedules
from assistant.timetable.rules import MORNING, Part
from assistant.values import Outcome
from integrations.actions import Action
from integrations.readers import Readers
from integrations.registry import AccountConfig
from integrations.types import Contact, ContactQuery, Event, EventQuery, EventRef, Mail, MailQuery, MailRef, Page
from risk.preview import Preview
from storage import flows
from storage.audit import Verification
from storage.database import Database
from storage.tables import FlowHead


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
    following: Following
    schedules: Schedules
    targets: Targets
    offline: str
    """Names who thinks where the model can't be had."""
    notes: Notes
    """What the user asked to remember."""
    recovered: tuple[Outcome, ...] = ()
    """What came of writes that were under way when the program last ended."""
    going_on: Mapping[str, "asyncio.Task[FlowState]"] = field(default_factory=dict)
    """Tasks that it cut short and that run again, by id."""
    released: tuple[Outcome, ...] = ()
    """What came of writes that had been held and were due when this assistant was opened, or had failed and were not shown yet."""

    async def say(self, conversation: str, text: str, *, own_words: bool = True, background: bool = False, mark: str = "") -> Turn:
        """`own_words` False: text from another program, which approves and mandates nothing. `mark`: as of `marked`."""
        text = checked_text(text, "message")
        conversation = checked_text(conversation, "conversation's name")
        with marking(mark):
            return await self._turn(await self.dispatch.message(conversation, text, own_words=own_words, background=background))

    async def marked(self, mark: str) -> str | None:
        """The flow of the message that was said with this mark, also before a restart; None where it was not said."""
        return await self.dispatch.recall.marked(mark)

    async def at_rest(self, flow: str) -> Turn:
        """As `flow`; one that runs is waited for, whoever runs it."""
        return await self._turn(await self.dispatch.recall.at_rest(flow))

    async def answer(self, question: str, words: str, *, own_words: bool = True) -> Turn:
        """Answers an open question by its id, with a choice's id or label, or free text. Another program may answer only what its
        own requests gave rise to."""
        question, words = checked_text(question, "question's id"), checked_text(words, "answer")
        return await self._turn(await self.dispatch.answer(question, words, own_words=own_words))

    @overload
    async def look(self, query: MailQuery) -> Page[Mail]: ...

    @overload
    async def look(self, query: EventQuery) -> Page[Event]: ...

    @overload
    async def look(self, query: ContactQuery) -> Page[Contact]: ...

    async def look(self, query: MailQuery | EventQuery | ContactQuery) -> Page[Mail] | Page[Event] | Page[Contact]:
        if isinstance(query, MailQuery):
            return await self.readers.mail.search(query)
        if isinstance(query, EventQuery):
            return await self.readers.calendar.events(query)
        if isinstance(query, ContactQuery):
            return await self.readers.contacts.search(query)
        raise UserError("Look with a MailQuery, an EventQuery or a ContactQuery from integrations.types.")

    async def mail(self, account: str, id: str) -> Mail:
        """With its text. Raises NotFound."""
        self._named(account)
        return await self.readers.mail.get(MailRef(account=account, id=id))

    async def thread(self, account: str, id: str) -> tuple[Mail, ...]:
        """The mails with which this one belongs together, the oldest first."""
        mail = await self.mail(account, id)
        together = await self.readers.mail.thread(mail.thread) if mail.thread else ()
        return tuple(one for one in together if one.account == account) or (mail,)

    async def event(self, account: str, calendar: str, id: str, recurrence: datetime | None = None) -> Event:
        """An instance of a series where `recurrence` is given. Raises NotFound."""
        self._named(account)
        return await self.readers.calendar.get(EventRef(account=account, calendar=calendar, id=id, recurrence=recurrence))

    async def glance(self, day: date | None = None) -> Day:
        """What a day holds, today's by default, and what asks for attention now."""
        return await Glance(await self.dispatch.desk()).of(day)

    async def briefing(
        self, parts: tuple[Part, ...] = MORNING, *, since: Coverage | None = None, explain: bool = False
    ) -> Briefing:
        """As things stand now; nothing of it is kept. `since`: what was covered and told before. `explain`: with what was ranked
        and how."""
        desk = await self.dispatch.desk()
        return await led(await gathered(desk, Wanted(parts=parts, since=since), explain=explain), desk)

    async def propose(
        self, conversation: str, actions: Sequence[Action], says: Sequence[str] = (), *, by: Proposer = "propose"
    ) -> Turn:
        """Writes proposed from outside always become a preview. `says` describes each in one clause. What is proposed `by` another
        program a bare yes in the chat does not approve."""
        if not actions:
            raise UserError("Propose at least one action.")
        if says and len(says) != len(actions):
            raise UserError("Give one description for each action, or none.")
        actions = self._checked(actions)
        none_put_back(actions)
        clauses = [checked_text(one, "description") if one else "" for one in says]
        return await self._turn(await self.dispatch.propose(conversation, actions, clauses, by=by))

    async def approve(self, preview: str, fingerprint: str, *, again: bool = False) -> Turn:
        """Carries out exactly this preview, once. What changed underneath, or could not be done, comes back as a fresh preview.
        `again`: where just this was approved before, what came of that; for callers who may have missed the answer."""
        if again and (earlier := await self._approved(preview, fingerprint)):
            return await self._turn(earlier)
        found = await self._open_preview(preview)
        if found.fingerprint != fingerprint:
            raise FlowError("The preview has changed since you saw it; look at it again before approving.")
        state = await self.dispatch.approve(found)
        earlier = await self._approved(preview, fingerprint) if again and state.status == "failed" else None
        return await self._turn(earlier or state)

    async def revise(
        self, preview: str, words: str = "", actions: Sequence[Action] = (), *, fingerprint: str = "", own_words: bool = True
    ) -> Turn:
        """In words ("make it 4 pm"), or with the edited actions themselves; `fingerprint`: of the preview as it was shown."""
        if not words.strip() and not actions:
            raise UserError("Say what to change, or give the changed actions.")
        actions = self._checked(actions)
        found = await self._open_preview(preview)
        if fingerprint and found.fingerprint != fingerprint:
            raise FlowError("The preview has changed since you saw it; look at it again before changing it.")
        none_put_back(actions, found.actions)
        change = checked_text(words, "change") if words.strip() else ""
        return await self._turn(await self.dispatch.revise(found, change, actions, own_words=own_words))

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
            raise Unknown(f"Nothing in the outbox has the key {key}.")
        taken = await self.outgoing.outbox.take_back(row)
        if not taken:
            raise FlowError("It has begun already, so it can't be taken back.")
        return taken

    async def check_outbox(self) -> tuple[News, ...]:
        """Asks once more about writes of which it is not certain whether they happened. What did not is shown again."""
        return await self.outgoing.check()

    async def try_sending(self, account: str) -> bool:
        """Signs in where its mail leaves, and sends nothing; False where that can't be tried. Raises IntegrationError."""
        return await self.outgoing.outbox.try_sending(account)

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
        text = checked_text(task, "task")
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
        for row in await self.dispatch.recall.events(flow, after):
            yield FlowEvent(flow=flow, seq=row.seq, at=row.at, step=row.step, text=row.text, data=row.data)

    async def follow(self, conversation: str, after: str = "") -> AsyncGenerator[Followed]:
        """What was said, told and done behind the cursor, `CaughtUp`, then what comes, until the caller stops; it ends by itself
        when this assistant is closed. Raises UserError for what is no cursor."""
        async with aclosing(self.following.follow(conversation, after)) as following:
            async for found, cursor in following:
                match found:
                    case Heard(message):
                        yield Followed(Said(as_message(message)), cursor)
                    case Rest(state):
                        yield Followed(Rested(await self._turn(state)), cursor)
                    case Gone(row):
                        yield Followed(WentOut(News(await self.outgoing.outbox.told(row))), cursor)
                    case _:
                        yield Followed(found, cursor)

    def watching(self) -> AbstractContextManager[asyncio.Queue[Hint]]:
        """Hints: the names of conversations in which something has come, and what goes out; None when this assistant is closed."""
        return self.following.watching()

    async def counts(self) -> Counts:
        return await self.database.read(lambda s: counted(s, self.user))

    async def cursor(self, conversation: str) -> str:
        """Behind everything said and done in it so far; only the steps of a flow that runs are still to come."""
        return await self.following.cursor(conversation)

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
        """Newest first; `resting`: only those that could be gone on with. What is parked is found by its open previews."""
        statuses = TO_GO_ON_WITH if resting else None
        return await self.database.read(lambda s: flows.list(s, self.user, conversation, statuses))

    async def conversations(self, *, words: str = "", before: str = "", limit: int = 30) -> Page[Conversation]:
        """The one that was talked in last comes first; `words` occur in it; `before` is `next` of an earlier page."""
        return await self._conversations.listed(words, before, limit)

    async def begin(self) -> str:
        """A new conversation in which nothing was said yet."""
        conversation = uuid4().hex[:12]
        await self._conversations.begin(conversation, self.clock())
        return conversation

    async def said(self, conversation: str, *, before: str = "", limit: int = 50) -> Transcript:
        """The last that was said in it, or that in front of an earlier page. Raises Unknown."""
        found = await self._conversations.said(conversation, before, limit)
        turns: dict[int, Turn] = {}
        for message, state in found.ends.items():
            with suppress(Unknown):  # what it showed is forgotten
                turns[message] = await self._turn(state)
        return Transcript(messages=found.messages, turns=turns, next=found.next, running=found.running)

    async def is_known(self, conversation: str) -> bool:
        """Whether the user has such a conversation."""
        return await self._conversations.is_known(conversation)

    async def known(self, conversation: str) -> None:
        """Raises Unknown where the user has no such conversation."""
        await self._conversations.known(conversation)

    async def questions(self) -> tuple[Turn, ...]:
        """Of the flows that wait for an answer, the newest first."""
        return tuple([await self._turn(state) for state in await self.dispatch.recall.waiting()])

    async def usage(self, days: int) -> tuple[Spending, ...]:
        """What was spent on language models, today and on the days before it."""
        return await spent(self.database, self.user, self.clock().astimezone(self.dispatch.history.zone), days)

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
        return await self.forgetting.person(checked_text(person, "name"), really=really)

    @property
    def _conversations(self) -> Conversations:
        return Conversations(self.database, self.user)

    async def _open_preview(self, id: str) -> Preview:
        found = await self.preview(id)
        if found.status != "open":
            words = {"approved": "was approved already", "superseded": "was replaced by a newer one", "cancelled": "was cancelled"}
            raise FlowError(f"This preview {words.get(found.status, 'is out of date; a fresh one was shown')}.")
        return found

    async def _approved(self, preview: str, fingerprint: str) -> FlowState | None:
        """The flow in which exactly this was approved, when it has come to its end or rest."""
        found = await self.preview(preview)
        if found.status != "approved" or found.fingerprint != fingerprint:
            return None
        return await self.dispatch.recall.approval(preview)

    def _named(self, account: str) -> None:
        if all(account != one.name for one in self.accounts):
            raise Unknown(f"There is no account {account}.")

    def _checked(self, actions: Sequence[Action]) -> tuple[Action, ...]:
        return checked_actions(actions, (account.name for account in self.accounts))

    async def _turn(self, state: FlowState) -> Turn:
        shown = [await self.dispatch.recall.preview(id) for id in state.previews]
        return Turn(
            flow=state.id,
            status=state.status,
            reply=state.reply,
            conversation=state.conversation,
            about=state.about,
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
            briefing=state.briefing,
            slot=state.slot,
            late=state.late,
            as_said=state.analysis is None or state.analysis.as_said,
        )
