"""What a message is (an approval, an answer, a revision, something new) and which flow it starts or goes on with."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from assistant.agents.base import Desk
from assistant.agents.choosing import described as described_choice
from assistant.errors import FlowError, UserError
from assistant.pipeline import consent
from assistant.pipeline.master import Master, wait_for_answer
from assistant.pipeline.state import Carried, FlowState, proposing
from assistant.pipeline.versions import Answered, about_draft, proposal_of
from assistant.running.journal import FlowJournal
from assistant.running.recall import Recall, Situation
from assistant.running.runner import InProcessRunner
from assistant.values import CancelFlow, Choice, OwnCommand, Paused, Proposal, Question, ResumeFlow
from integrations.actions import Action
from risk.preview import Preview
from storage import conversations, previews
from storage.database import Database

WHICH_PREVIEW = "preview to approve"
NOTHING_TO_APPROVE = "Nothing awaits your approval."
NOTHING_TO_CANCEL = "There is nothing open to cancel."
ENDED = ("done", "failed", "cancelled")
Begin = Callable[[FlowState | None], Awaitable[asyncio.Task[FlowState]]]
"""Starts what takes the place of the flow that was interrupted, if one was."""


@dataclass
class Dispatch:
    """`desk` gives what sub-agents work with as things stand now; `is_request` tells whether words parse as a request."""

    user: str
    master: Master
    journal: FlowJournal
    recall: Recall
    database: Database
    clock: Callable[[], datetime]
    desk: Callable[[], Awaitable[Desk]]
    is_request: Callable[[str, Desk, tuple[Paused, ...]], bool]
    runner: InProcessRunner
    _turns: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    # --- messages

    async def message(self, conversation: str, text: str, *, own_words: bool, background: bool) -> FlowState:
        asking = (await self.recall.situation(conversation)).asking if own_words and consent.adds_more(text) else None
        both = consent.chosen_and_more(asking.question, text) if asking is not None and asking.question is not None else None
        if both is not None:
            return await self._answer_and_more(conversation, *both)
        return await self._turn(conversation, lambda left: self._route(conversation, text, own_words, background, left))

    async def _answer_and_more(self, conversation: str, answer: str, more: str) -> FlowState:
        """The answer first, then what shall be different in what it brings about; where that can't be done, it is said."""
        first = await self._turn(conversation, lambda left: self._route(conversation, answer, True, False, left))
        if first.previews and first.status != "waiting":
            second = await self._turn(conversation, lambda left: self._route(conversation, more, True, False, left))
            if second.previews or second.question is not None:
                return second
        left = f"I have not dealt with “{more}”: say it again when this is settled."
        return first.but(reply=f"{first.reply}\n{left}", spoken=None if first.spoken is None else f"{first.spoken}\n{left}")

    async def _route(
        self, conversation: str, text: str, own_words: bool, background: bool, interrupted: FlowState | None
    ) -> asyncio.Task[FlowState]:
        """The task that deals with the message. Only the user's own newest words approve, refuse or answer."""
        now = await self.recall.situation(conversation)
        if own_words and interrupted is None:
            task = (
                await self._as_about_draft(conversation, text, now)
                or await self._as_consent(conversation, text, now)
                or await self._as_answer(conversation, text, now)
            )
            if task is not None:
                return task
            interrupted = await self._left_behind(now)
        state = self._state(conversation, text, now, own_words=own_words, background=background)
        if interrupted is not None and interrupted.status in ("suspended", "waiting"):
            state = state.but(previous=f'Previous task: "{interrupted.about}" was in progress.')
        if now.at_hand is not None and own_words:
            state = state.but(carried=carried(now.at_hand, text))
        return self._start(await self.journal.create(state), now.paused)

    async def _left_behind(self, now: Situation) -> FlowState | None:
        """The flow whose question the message passes over. A question about which preview is meant lapses with it."""
        if now.asking is not None and _asks_which(now.asking):
            await self.journal.save((await self.journal.take(now.asking.id)).but(status="cancelled", question=None, reply=""))
            return None
        return now.asking

    async def _as_about_draft(self, conversation: str, text: str, now: Situation) -> asyncio.Task[FlowState] | None:
        """What is asked or wanted of the text that is proposed: the preview stays, or another takes its place."""
        preview = now.at_hand
        meant = about_draft(text, preview) if preview is not None else None
        if preview is None or meant is None:
            return None
        if isinstance(meant, Answered):
            return await self._start_saying(conversation, text, now, meant.words, (preview.id,))
        state = self._state(conversation, text, now).but(carried=carried(preview, text))
        return self._start(await self.journal.create(proposing(state, meant.proposals, meant.goal)))

    async def _as_consent(self, conversation: str, text: str, now: Situation) -> asyncio.Task[FlowState] | None:
        """A bare yes or no, to what was shown last; one that has nothing to refer to does nothing, and says so."""
        question = now.asking.question if now.asking else None
        if now.asking and question and consent.approves(text) and _takes_yes(question):
            return await self._start_answered(now.asking, question.choices[0].value, text)
        if consent.refuses_all(text) and (now.opened or now.asking or not consent.points(text)):
            return await self._start_saying(conversation, text, now, await self._dropped_all(now))
        given_up = consent.gives_up(text) and (now.at_hand or now.asking)
        if given_up or (consent.refuses(text) and (now.at_hand or now.asking or not consent.points(text))):
            return await self._start_refusal(conversation, text, now)
        if not consent.approves(text) and not (consent.agrees(text) and now.on_screen):
            return None
        if not now.opened:
            return None if question else await self._start_saying(conversation, text, now, NOTHING_TO_APPROVE)
        if len(now.opened) == 1 and now.on_screen and consent.approves(text):
            return await self._start_approval(now.on_screen, text)
        await self._left_behind(now)
        return await self._start_asking_which(conversation, text, now)

    async def _start_refusal(self, conversation: str, text: str, now: Situation) -> asyncio.Task[FlowState]:
        if now.at_hand:
            return await self._start_drop(now.at_hand, text)
        if now.asking and _asks_which(now.asking):
            await self._left_behind(now)
            return await self._start_saying(conversation, text, now, "All right, nothing was approved; the previews stay open.")
        if asking := now.asking:
            new = self._state(conversation, text, now).but(course="drop", target=asking.id)
            state = await self.journal.create(new)
            return self._start(state, course=lambda _: self._given_up(state, asking.id))
        said = NOTHING_TO_CANCEL
        if now.opened:
            names = "; ".join(preview.items[0].says for preview in now.opened[:3])
            said = f'Still open from earlier: {names}. Say "cancel all" to drop what is open.'
        return await self._start_saying(conversation, text, now, said)

    async def _dropped_all(self, now: Situation) -> str:
        for preview in now.opened:
            await self._cancelled(preview.id)
        if now.asking is not None:
            await self._cancelled(now.asking.id)
        dropped = "; ".join(described(preview) for preview in now.opened)
        return f"Cancelled: {dropped}. Nothing was done." if dropped else NOTHING_TO_CANCEL

    async def _start_saying(
        self, conversation: str, text: str, now: Situation, reply: str, previews: tuple[str, ...] = ()
    ) -> asyncio.Task[FlowState]:
        """A flow that has nothing to do but to answer. `previews` are shown once more with it."""
        state = await self.journal.create(self._state(conversation, text, now).but(course="ask"))

        async def course(_: asyncio.Event) -> FlowState:
            told = self.journal.tell(state, "3", "A word about what was shown.", request="talk")
            told = told.but(status="done", reply=reply, spoken=reply, previews=previews)
            return await self.journal.save(self.journal.tell(told, "15", reply))

        return self._start(state, course=course)

    async def _given_up(self, state: FlowState, target: str) -> FlowState:
        reply = f'Given up: "{await self._cancelled(target)}".'
        return await self.journal.save(self.journal.tell(state.but(status="done", reply=reply), "15", reply))

    async def _as_answer(self, conversation: str, text: str, now: Situation) -> asyncio.Task[FlowState] | None:
        """What was asked last takes an answer; an older question only one that names a choice of it. Free text answers what was
        asked last, unless it is a request of its own."""
        state = now.asking or now.asked
        if state is None or state.question is None:
            return None
        asked_last = now.asking is not None
        if _asks_which(state):
            choice = consent.named(state.question, text) if asked_last else None
        elif asked_last:
            choice = consent.chosen(state.question, text)
        else:
            choice = consent.chosen(state.question, text) if not text.strip().isdigit() else None
        if choice is not None:
            return await self._start_answered(state, choice.value, text)
        if asked_last and not _asks_which(state) and (meant := await described_choice(state.question, text, await self.desk())):
            return await self._start_answered(state, meant.value, text)
        if state.question.choices or not asked_last or consent.agrees(text) or consent.approves(text):
            return None
        if self.is_request(text, await self.desk(), now.paused):
            return None
        return await self._start_answered(state, text, text)

    async def _start_answered(self, state: FlowState, value: str, words: str) -> asyncio.Task[FlowState]:
        now = self.clock()
        await self.database.write(
            lambda s: conversations.add_message(s, state.conversation, "user", words, now, flow_id=state.id, user_id=self.user)
        )
        if state.question is not None and state.question.entity == WHICH_PREVIEW:
            await self.journal.save((await self.journal.take(state.id)).but(status="done", question=None, reply=""))
            return await self._start_approval(await self.recall.preview(value), words)
        asked = state.question
        state = self.master.answered(await self.journal.take(state.id), value)
        if asked is not None and consent.leaves_it(words):
            chosen = tuple(choice.label for choice in asked.choices if choice.value == value)
            state = state.but(left_open=(*state.left_open, *chosen))
        return self._start(state)

    async def answer(self, question: str, words: str) -> FlowState:
        flow, mark, _ = question.rpartition("-q")
        if not mark:
            raise UserError(f"There is no question {question}.")
        state = await self.recall.load(flow)
        if state.status != "waiting" or state.question is None or state.question.id != question:
            raise FlowError("This question is not open any more.")
        choice = (consent.named if _asks_which(state) else consent.chosen)(state.question, words)
        if state.question.choices and choice is None:
            raise UserError(f"That is none of the choices, which are: {', '.join(c.label for c in state.question.choices)}.")
        value = choice.value if choice else words.strip()
        return await self._turn(state.conversation, lambda _: self._start_answered(state, value, words))

    async def _start_asking_which(self, conversation: str, text: str, now: Situation) -> asyncio.Task[FlowState]:
        """A "yes" that could mean several things, or not the last thing shown, approves nothing: it is asked about."""
        state = await self.journal.create(self._state(conversation, text, now).but(course="ask"))
        first = [p for p in now.opened if now.on_screen and p.id == now.on_screen.id]
        opened = [*first, *(p for p in now.opened if p not in first)]
        choices = tuple(
            Choice(id=str(n), label=f"{described(p)} (shown {p.created.astimezone():%d %b %H:%M})", value=p.id)
            for n, p in enumerate(opened, start=1)
        )
        question = Question(
            id=f"{state.id}-q1",
            text="Which of these do you approve?" if len(now.opened) > 1 else "Do you approve this?",
            trigger="confirmation",
            entity=WHICH_PREVIEW,
            choices=choices,
        )
        return self._start(state, course=lambda _: wait_for_answer(state, question, self.journal))

    # --- previews

    async def approve(self, preview: Preview) -> FlowState:
        return await self._turn(preview.conversation, lambda _: self._start_approval(preview, "approve"))

    async def _start_approval(self, preview: Preview, words: str) -> asyncio.Task[FlowState]:
        state = await self._new(preview.conversation, words)
        state = await self.journal.create(state.but(carried=carried(preview, ""), course="approve"))
        return self._start(state, course=lambda _: self.master.approve(state, preview, self.journal))

    async def revise(self, preview: Preview, words: str, actions: Sequence[Action]) -> FlowState:
        """Edited actions are described anew: the old words need not fit them any more."""
        state = await self._new(preview.conversation, words or "Edited by hand")
        state = state.but(carried=carried(preview, words))
        if actions:
            state = proposing(state, tuple(Proposal(action=a) for a in actions), f"change the proposal {described(preview)}")
        return await self._run(state)

    async def propose(self, conversation: str, actions: Sequence[Action], says: Sequence[str]) -> FlowState:
        goal = "; ".join(dict.fromkeys(a.kind.replace("_", " ") for a in actions))
        state = await self._new(conversation, "; ".join(says) or goal, own_words=False)
        words = list(says) or [""] * len(actions)
        proposals = tuple(Proposal(action=a, says=w) for a, w in zip(actions, words, strict=True))
        return await self._run(proposing(state, proposals, goal))

    async def drop(self, preview: Preview) -> FlowState:
        return await self._turn(preview.conversation, lambda _: self._start_drop(preview, "cancel"))

    async def _start_drop(self, preview: Preview, words: str) -> asyncio.Task[FlowState]:
        new = await self._new(preview.conversation, words)
        state = await self.journal.create(new.but(course="drop", target=preview.id))

        async def course(_: asyncio.Event) -> FlowState:
            dropped = await self.database.write(lambda s: previews.set_status(s, preview.id, expect="open", to="cancelled"))
            reply = f"Cancelled: {described(preview)}. Nothing was done." if dropped else "It was dealt with already."
            told = self.journal.tell(state, "3", "You cancel the proposal.", request="command")
            return await self.journal.save(self.journal.tell(told.but(status="done", reply=reply), "15", reply))

        return self._start(state, course=course)

    # --- flows that rest

    async def resume(self, flow: str) -> FlowState:
        state = await self.recall.load(flow)
        if state.status == "waiting" and state.question is not None:
            return await self.journal.save((await self.journal.take(flow)).but(reply=state.question.text))
        if state.status not in ("suspended", "parked"):
            raise FlowError(f'"{state.about}" is {state.status}; there is nothing to resume.')

        async def begin(_: FlowState | None) -> asyncio.Task[FlowState]:
            return self._start((await self.journal.take(flow)).but(status="running", previous=""))

        return await self._turn(state.conversation, begin)

    async def give_up(self, flow: str) -> FlowState:
        state = await self.recall.load(flow)
        if state.status in ENDED:
            raise FlowError(f'"{state.about}" is {state.status} already.')
        await self.runner.interrupt(state.conversation)
        state = await self.journal.take(flow)
        return await self.journal.save(state.but(status="cancelled", question=None, reply=f'Given up: "{state.about}".'))

    async def suspend(self, conversation: str) -> FlowState | None:
        async with self._turns[conversation]:
            return await self.runner.interrupt(conversation)

    async def close(self) -> None:
        """Suspends whatever runs."""
        await self.runner.close()

    async def undo(self, conversation: str, flow: str) -> FlowState:
        async def begin(_: FlowState | None) -> asyncio.Task[FlowState]:
            state = await self.journal.create((await self._new(conversation, "undo")).but(course="undo"))
            return self._start(state, course=lambda _: self._undoing(state, flow))

        return await self._turn(conversation, begin)

    async def _undoing(self, state: FlowState, flow: str) -> FlowState:
        done = await self.recall.last_done(state.conversation, flow)
        if done is None:
            reply = "There is nothing to undo here."
            return await self.journal.save(self.journal.tell(state.but(status="done", reply=reply), "15", reply))
        return await self.master.undo(state, done, self.journal)

    async def own_command(self, command: OwnCommand, state: FlowState) -> FlowState:
        """What the assistant does to itself; the state still runs where only the reply is left to be saved."""
        if isinstance(command, CancelFlow):
            about = await self._cancelled(command.flow)
            earlier = await self.recall.last_answered(state.conversation)
            done = f' Your earlier request ("{earlier.text}") is complete.' if earlier else ""
            return state.but(reply=f'Understood, I\'ve cancelled "{about}".{done}')
        if isinstance(command, ResumeFlow):
            if preview := await self._preview_named(command.flow):
                return state.but(reply=f"This still awaits your approval: {preview.items[0].says}.", previews=(preview.id,))
            target = await self.recall.load(command.flow)
            return state.but(reply=f'Going on with "{target.about}".')
        return await self._undoing(state, command.preview)

    async def _preview_named(self, target: str) -> Preview | None:
        found = await self.recall.open_previews()
        return next((preview for preview in found if preview.id == target), None)

    async def _cancelled(self, target: str) -> str:
        """Gives up a resting flow or drops an open preview; what it was about."""
        if preview := await self._preview_named(target):
            await self.database.write(lambda s: previews.set_status(s, preview.id, expect="open", to="cancelled"))
            return (await self.recall.load(preview.flow)).about
        paused = await self.journal.take(target)
        await self.journal.save(paused.but(status="cancelled", question=None, reply=""))
        return paused.about

    # --- the common course

    async def _run(self, state: FlowState) -> FlowState:
        async def begin(_: FlowState | None) -> asyncio.Task[FlowState]:
            return self._start(await self.journal.create(state))

        return await self._turn(state.conversation, begin)

    async def _turn(self, conversation: str, begin: Begin) -> FlowState:
        """Interrupts what runs in the conversation and begins what takes its place. A caller who is cancelled meanwhile leaves a
        flow that rests, or none."""

        async def begun() -> asyncio.Task[FlowState]:
            async with self._turns[conversation]:
                return await begin(await self.runner.interrupt(conversation))

        beginning = asyncio.ensure_future(begun())
        try:
            task = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            await asyncio.wait([beginning])
            if not beginning.cancelled() and beginning.exception() is None:
                await self.runner.interrupt(conversation)
            raise
        return await self._ended(task, conversation)

    def _start(
        self,
        state: FlowState,
        paused: tuple[Paused, ...] = (),
        *,
        course: Callable[[asyncio.Event], Awaitable[FlowState]] | None = None,
    ) -> asyncio.Task[FlowState]:
        return self.runner.start(state.conversation, state.id, course or (lambda stop: self._master(state, paused, stop)))

    async def _master(self, state: FlowState, paused: tuple[Paused, ...], stop: asyncio.Event) -> FlowState:
        return await self.master.run(state, await self.desk(), paused, self.journal, stop)

    async def _ended(self, task: asyncio.Task[FlowState], conversation: str) -> FlowState:
        try:
            state = await asyncio.shield(task)
        except asyncio.CancelledError:
            await self.runner.interrupt(conversation)
            raise
        await self.recall.remember(state)
        command = state.analysis.command if state.analysis else None
        if state.own_words and isinstance(command, ResumeFlow) and state.status == "done" and not state.previews:
            return await self.resume(command.flow)
        return state

    async def _new(self, conversation: str, text: str, *, own_words: bool = True) -> FlowState:
        return self._state(conversation, text, await self.recall.situation(conversation), own_words=own_words)

    def _state(
        self, conversation: str, text: str, now: Situation, *, own_words: bool = True, background: bool = False
    ) -> FlowState:
        return FlowState(
            id=uuid4().hex[:12],
            user=self.user,
            conversation=conversation,
            text=text,
            created=self.clock(),
            own_words=own_words,
            background=background,
            history=now.history,
            said=now.said,
            shown=now.shown,
            last=now.last,
            since=now.since,
        )


def described(preview: Preview) -> str:
    """What a preview is about, told apart from others like it."""
    words = []
    for item in preview.items[:3]:
        subject = getattr(item.action, "subject", "")
        words.append(f'{item.says}: "{subject}"' if subject and subject not in item.says else item.says)
    more = len(preview.items) - len(words)
    return "; ".join(words) + (f" and {more} more" if more else "")


def _takes_yes(question: Question) -> bool:
    """Whether a bare yes means its first choice."""
    return question.trigger == "confidence" or (question.trigger == "confirmation" and len(question.choices) == 1)


def _asks_which(state: FlowState) -> bool:
    return state.question is not None and state.question.entity == WHICH_PREVIEW


def carried(preview: Preview, feedback: str) -> Carried:
    proposals = tuple(proposal_of(item) for item in preview.items)
    return Carried(preview=preview.id, fingerprint=preview.fingerprint, proposals=proposals, feedback=feedback)
