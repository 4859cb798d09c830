"""What a message is (an approval, an answer, a revision, something new) and which flow it starts or goes on with."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from assistant.agents.base import Desk
from assistant.errors import FlowError, UserError
from assistant.pipeline import consent
from assistant.pipeline.master import Master, wait_for_answer
from assistant.pipeline.state import Carried, FlowState, proposing
from assistant.running.journal import FlowJournal
from assistant.running.recall import Recall, Situation
from assistant.running.runner import InProcessRunner
from assistant.values import CancelFlow, Choice, OwnCommand, Paused, Proposal, Question, ResumeFlow
from integrations.actions import Action
from risk.preview import Preview
from storage import conversations, previews
from storage.database import Database

WHICH_PREVIEW = "preview to approve"
ENDED = ("done", "failed", "cancelled")


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
    is_request: Callable[[str, Desk], bool]
    runner: InProcessRunner = field(default_factory=InProcessRunner)
    _turns: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    # --- messages

    async def message(self, conversation: str, text: str, *, own_words: bool, background: bool) -> FlowState:
        async with self._turns[conversation]:
            interrupted = await self.runner.interrupt(conversation)
            task = await self._route(conversation, text, own_words, background, interrupted)
        return await self._ended(task, conversation)

    async def _route(
        self, conversation: str, text: str, own_words: bool, background: bool, interrupted: FlowState | None
    ) -> asyncio.Task[FlowState]:
        """The task that deals with the message. Only the user's own newest words approve, refuse or answer."""
        now = await self.recall.situation(conversation)
        if own_words and interrupted is None:
            task = await self._as_consent(conversation, text, now) or await self._as_answer(conversation, text, now)
            if task is not None:
                return task
            interrupted = now.asking
        state = self._state(conversation, text, now, own_words=own_words, background=background)
        if interrupted is not None and interrupted.status in ("suspended", "waiting"):
            state = state.but(previous=f'Previous task: "{interrupted.about}" was in progress.')
        if now.on_screen is not None and own_words:
            state = state.but(carried=carried(now.on_screen, text))
        return self._start(await self.journal.create(state), now.paused)

    async def _as_consent(self, conversation: str, text: str, now: Situation) -> asyncio.Task[FlowState] | None:
        """A bare yes or no, to what was shown last."""
        if now.asking and now.asking.question and now.asking.question.trigger in ("confirmation", "confidence"):
            choices = now.asking.question.choices
            if consent.approves(text) and (len(choices) == 1 or now.asking.question.trigger == "confidence"):
                return await self._start_answered(now.asking, choices[0].value, text)
        if consent.approves(text) and now.opened:
            if len(now.opened) == 1 and now.on_screen:
                return await self._start_approval(now.on_screen, text)
            return await self._start_asking_which(conversation, text, now)
        if consent.refuses(text) and now.on_screen:
            return await self._start_drop(now.on_screen, text)
        if consent.refuses(text) and (asking := now.asking):
            state = await self.journal.create(self._state(conversation, text, now))
            return self._start(state, course=lambda _: self._given_up(state, asking.id))
        return None

    async def _given_up(self, state: FlowState, target: str) -> FlowState:
        reply = f'Given up: "{await self._cancelled(target)}".'
        return await self.journal.save(self.journal.tell(state.but(status="done", reply=reply), "15", reply))

    async def _as_answer(self, conversation: str, text: str, now: Situation) -> asyncio.Task[FlowState] | None:
        """With one open question, words that match one of its choices; a free question takes what is no request of its own."""
        state = now.asked
        if state is None or state.question is None:
            return None
        choice = consent.chosen(state.question, text)
        if choice is None and (state.question.choices or consent.approves(text) or self.is_request(text, await self.desk())):
            return None
        return await self._start_answered(state, choice.value if choice else text, text)

    async def _start_answered(self, state: FlowState, value: str, words: str) -> asyncio.Task[FlowState]:
        now = self.clock()
        await self.database.write(
            lambda s: conversations.add_message(s, state.conversation, "user", words, now, flow_id=state.id, user_id=self.user)
        )
        if state.question is not None and state.question.entity == WHICH_PREVIEW:
            await self.journal.save((await self.journal.take(state.id)).but(status="done", question=None, reply=""))
            return await self._start_approval(await self.recall.preview(value), words)
        state = self.master.answered(await self.journal.take(state.id), value)
        return self._start(state)

    async def answer(self, question: str, words: str) -> FlowState:
        state = await self.recall.load(question.rpartition("-q")[0])
        if state.status != "waiting" or state.question is None or state.question.id != question:
            raise FlowError("This question is not open any more.")
        choice = consent.chosen(state.question, words)
        if state.question.choices and choice is None:
            raise UserError(f"That is none of the choices, which are: {', '.join(c.label for c in state.question.choices)}.")
        async with self._turns[state.conversation]:
            await self.runner.interrupt(state.conversation)
            task = await self._start_answered(state, choice.value if choice else words.strip(), words)
        return await self._ended(task, state.conversation)

    async def _start_asking_which(self, conversation: str, text: str, now: Situation) -> asyncio.Task[FlowState]:
        """A "yes" that could mean several things, or not the last thing shown, approves nothing: it is asked about."""
        state = await self.journal.create(self._state(conversation, text, now))
        choices = tuple(
            Choice(id=str(n), label="; ".join(item.says for item in p.items[:3]), value=p.id)
            for n, p in enumerate(now.opened, start=1)
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
        async with self._turns[preview.conversation]:
            await self.runner.interrupt(preview.conversation)
            task = await self._start_approval(preview, "approve")
        return await self._ended(task, preview.conversation)

    async def _start_approval(self, preview: Preview, words: str) -> asyncio.Task[FlowState]:
        state = await self._new(preview.conversation, words)
        state = await self.journal.create(state.but(carried=carried(preview, "")))
        return self._start(state, course=lambda _: self.master.approve(state, preview, self.journal))

    async def revise(self, preview: Preview, words: str, actions: Sequence[Action]) -> FlowState:
        state = await self._new(preview.conversation, words or "Edited by hand")
        state = state.but(carried=carried(preview, words))
        if actions:
            kept = len(actions) == len(preview.items)
            says = [item.says for item in preview.items] if kept else [a.kind.replace("_", " ") for a in actions]
            state = proposing(state, tuple(Proposal(action=a, says=w) for a, w in zip(actions, says, strict=True)))
        return await self._run(state)

    async def propose(self, conversation: str, actions: Sequence[Action], says: Sequence[str]) -> FlowState:
        words = list(says) if len(says) == len(actions) else [a.kind.replace("_", " ") for a in actions]
        state = await self._new(conversation, "; ".join(words), own_words=False)
        return await self._run(proposing(state, tuple(Proposal(action=a, says=w) for a, w in zip(actions, words, strict=True))))

    async def drop(self, preview: Preview) -> FlowState:
        async with self._turns[preview.conversation]:
            await self.runner.interrupt(preview.conversation)
            task = await self._start_drop(preview, "cancel")
        return await self._ended(task, preview.conversation)

    async def _start_drop(self, preview: Preview, words: str) -> asyncio.Task[FlowState]:
        state = await self.journal.create(await self._new(preview.conversation, words))

        async def course(_: asyncio.Event) -> FlowState:
            dropped = await self.database.write(lambda s: previews.set_status(s, preview.id, expect="open", to="cancelled"))
            reply = f"Cancelled: {preview.items[0].says}. Nothing was done." if dropped else "It was dealt with already."
            return await self.journal.save(self.journal.tell(state.but(status="done", reply=reply), "15", reply))

        return self._start(state, course=course)

    # --- flows that rest

    async def resume(self, flow: str) -> FlowState:
        state = await self.recall.load(flow)
        if state.status == "waiting" and state.question is not None:
            return await self.journal.save((await self.journal.take(flow)).but(reply=state.question.text))
        if state.status not in ("suspended", "parked"):
            raise FlowError(f'"{state.about}" is {state.status}; there is nothing to resume.')
        async with self._turns[state.conversation]:
            await self.runner.interrupt(state.conversation)
            state = (await self.journal.take(flow)).but(status="running", previous="")
            task = self._start(state)
        return await self._ended(task, state.conversation)

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
        async with self._turns[conversation]:
            await self.runner.interrupt(conversation)
            state = await self.journal.create(await self._new(conversation, "undo"))
            task = self._start(state, course=lambda _: self._undoing(state, flow))
        return await self._ended(task, conversation)

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
        async with self._turns[state.conversation]:
            await self.runner.interrupt(state.conversation)
            task = self._start(await self.journal.create(state))
        return await self._ended(task, state.conversation)

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
        )


def carried(preview: Preview, feedback: str) -> Carried:
    proposals = tuple(
        Proposal(action=item.action, says=item.says, guesses=item.guesses, notes=item.notes) for item in preview.items
    )
    return Carried(preview=preview.id, fingerprint=preview.fingerprint, proposals=proposals, feedback=feedback)
