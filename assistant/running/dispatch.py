"""What a message is (an approval, an answer, a revision, something new) and which flow it starts or goes on with."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from assistant.agents.base import Desk
from assistant.agents.choosing import described as described_choice
from assistant.errors import FlowError, Unknown, UserError
from assistant.pipeline import consent
from assistant.pipeline.state import GOES_ON, FlowState, Proposer, commanding, proposing
from assistant.pipeline.versions import Answered, about_draft
from assistant.reasoning.base import Request
from assistant.reasoning.offline.planning.outbox import outbox_command
from assistant.reasoning.offline.planning.remembering import HINT, note_command, to_remember
from assistant.reasoning.offline.planning.scheduling.analysed import and_schedule, names_more, schedule_in
from assistant.running.beginning import Beginning, carried
from assistant.running.history import History
from assistant.running.journal import FlowJournal
from assistant.running.recall import Recall, Situation, asks_which
from assistant.running.turns import Turns
from assistant.values import OwnCommand, Paused, Question, ResumeFlow
from integrations.actions import Action
from risk.preview import Preview

NOTHING_TO_APPROVE = "Nothing awaits your approval."
NOTHING_TO_CANCEL = "There is nothing open to cancel."
ENDED = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Dispatch:
    """`desk` gives what sub-agents work with as things stand now; `is_request` tells whether words parse as a request."""

    begin: Beginning
    turns: Turns
    journal: FlowJournal
    recall: Recall
    history: History
    desk: Callable[[], Awaitable[Desk]]
    is_request: Callable[[str, Desk, tuple[Paused, ...]], bool]

    # --- messages

    async def message(self, conversation: str, text: str, *, own_words: bool, background: bool) -> FlowState:
        asking = (await self.recall.situation(conversation)).asking if own_words and consent.adds_more(text) else None
        both = consent.chosen_and_more(asking.question, text) if asking is not None and asking.question is not None else None
        if both is not None:
            return await self._answer_and_more(conversation, *both)
        if own_words and not background and names_more(text):  # else messages keep the order in which they came
            apart = and_schedule(Request(text=text, setting=(await self.desk()).setting))
            if apart is not None:
                return await self._one_and_more(conversation, *apart)
        if own_words and not background and (apart := await self._notes_apart(text)):
            return await self._one_and_more(conversation, *apart)
        state = await self.turns.run(conversation, lambda left: self._route(conversation, text, own_words, background, left))
        command = state.analysis.command if state.analysis else None
        if state.own_words and isinstance(command, ResumeFlow) and state.status == "done" and not state.previews:
            return await self.resume(command.flow)
        return state

    async def _notes_apart(self, text: str) -> tuple[str, str] | None:
        """What else is wanted beside what is to be remembered, and the latter in words that say so by themselves."""
        wanted = to_remember(text, (await self.desk()).setting) if HINT.search(text) else None
        return (wanted.rest, wanted.asking) if wanted is not None and wanted.rest else None

    async def _one_and_more(self, conversation: str, text: str, one: str) -> FlowState:
        """The schedule or note first, so that what the rest asks or proposes is what was said last."""
        first = await self.turns.run(conversation, lambda left: self._route(conversation, one, True, False, left))
        second = await self.turns.run(conversation, lambda left: self._route(conversation, text, True, False, left))
        spoken = None if second.spoken is None else f"{first.reply}\n{second.spoken}"
        return second.but(reply=f"{first.reply}\n{second.reply}", spoken=spoken)

    async def _answer_and_more(self, conversation: str, answer: str, more: str) -> FlowState:
        """The answer first, then what shall be different in what it brings about; where that can't be done, it is said."""
        first = await self.turns.run(conversation, lambda left: self._route(conversation, answer, True, False, left))
        if first.previews and first.status != "waiting":
            second = await self.turns.run(conversation, lambda left: self._route(conversation, more, True, False, left))
            if second.previews or second.question is not None:
                return second
        left = f"I have not dealt with “{more}”: say it again when this is settled."
        return first.but(reply=f"{first.reply}\n{left}", spoken=None if first.spoken is None else f"{first.spoken}\n{left}")

    async def _route(
        self, conversation: str, text: str, own_words: bool, background: bool, interrupted: FlowState | None
    ) -> FlowState:
        """The flow that deals with the message. Only the user's own newest words approve or refuse; another program's may answer
        what was asked last, where its own had given rise to it."""
        now = await self.recall.situation(conversation)
        if own_words and interrupted is None:
            found = (
                await self._as_undo(conversation, text, now)
                or await self._as_about_draft(text, now)
                or await self._as_consent(conversation, text, now)
                or await self._as_wondering(conversation, text, now)
                or await self._as_answer(text, now)
            )
            if found is not None:
                return found
            interrupted = await self._left_behind(now)
        elif own_words and (told := await self._as_wondering(conversation, text, now, _previous(interrupted))):
            return told
        elif not (own_words or background or interrupted) and (found := await self._as_answer(text, _asked_programs(now), False)):
            return found
        state = self.begin.state(conversation, text, now, own_words=own_words, background=background).but(paused=now.paused)
        state = state.but(previous=_previous(interrupted))
        command = outbox_command(text) or await self._of_itself(text, now) if own_words else None
        if command is not None:
            state = commanding(state, command)
        elif now.at_hand is not None and own_words:
            state = state.but(carried=carried(now.at_hand, text))
        return await self.journal.create(state)

    async def _of_itself(self, text: str, now: Situation) -> OwnCommand | None:
        """What code reads of schedules, or of what is to be remembered."""
        history = () if now.at_hand else now.history  # "it" is what is proposed
        request = Request(text=text, setting=(await self.desk()).setting, shown=now.shown, history=history)
        if (of_notes := note_command(request)) is not None:
            return of_notes
        found = schedule_in(request)
        return found.command if found is not None else None

    async def _left_behind(self, now: Situation) -> FlowState | None:
        """The flow whose question the message passes over. A question about which preview is meant lapses with it."""
        if now.asking is not None and asks_which(now.asking):
            await self.begin.lapsed(now.asking)
            return None
        return now.asking

    async def _as_undo(self, conversation: str, text: str, now: Situation) -> FlowState | None:
        """By code alone, since the time in which a mail can be taken back is short. Where nothing else is open, "stop" just after
        one was approved means it too."""
        stops = consent.refuses(text) and not (now.at_hand or now.asking) and await self.recall.holds_newest(conversation)
        return await self.begin.undo(conversation, "", text) if stops or consent.undoes(text) else None

    async def _as_about_draft(self, text: str, now: Situation) -> FlowState | None:
        """What is asked or wanted of the text that is proposed: the preview stays, or another takes its place."""
        return await self._about_draft(now.at_hand, text, now) if now.at_hand else None

    async def _about_draft(self, preview: Preview, text: str, now: Situation) -> FlowState | None:
        meant = about_draft(text, preview)
        if meant is None:
            return None
        if isinstance(meant, Answered):
            return await self.begin.saying(preview.conversation, text, meant.words, now, (preview.id,))
        state = self.begin.state(preview.conversation, text, now).but(carried=carried(preview, text))
        return await self.journal.create(proposing(state, meant.proposals, meant.goal))

    async def _as_consent(self, conversation: str, text: str, now: Situation) -> FlowState | None:
        """A bare yes or no, to what was shown last; one that has nothing to refer to does nothing, and says so. What another
        program put there may not have been seen yet, so it is asked about."""
        question = now.asking.question if now.asking else None
        if now.asking and question and consent.approves(text) and _takes_yes(question):
            return await self.begin.answered(now.asking, question.choices[0].value, text)
        if consent.refuses_all(text) and (now.opened or now.asking or not consent.points(text)):
            return await self._dropping_all(conversation, text, now)
        given_up = consent.gives_up(text) and (now.at_hand or now.asking)
        if given_up or (consent.refuses(text) and (now.at_hand or now.asking or not consent.points(text))):
            return await self._refused(conversation, text, now)
        if not consent.approves(text) and not (consent.agrees(text) and now.on_screen):
            return None
        if consent.hastens(text) and now.at_hand and now.at_hand.scheduled:
            return None
        if not now.opened:
            return None if question else await self.begin.saying(conversation, text, NOTHING_TO_APPROVE, now)
        if len(now.opened) == 1 and now.on_screen and not now.shown_by and consent.approves(text):
            return await self.begin.approval(now.on_screen, text, now)
        await self._left_behind(now)
        return await self.begin.asking_which(conversation, text, now)

    async def _dropping_all(self, conversation: str, text: str, now: Situation) -> FlowState:
        targets = [preview.id for preview in now.opened] + ([now.asking.id] if now.asking else [])
        if not targets:
            return await self.begin.saying(conversation, text, NOTHING_TO_CANCEL, now)
        return await self.begin.drop(conversation, text, targets, now)

    async def _refused(self, conversation: str, text: str, now: Situation) -> FlowState:
        if now.at_hand:
            return await self.begin.drop(conversation, text, [now.at_hand.id], now)
        if now.asking and asks_which(now.asking):
            await self._left_behind(now)
            said = "All right, nothing was approved; the previews stay open."
            return await self.begin.saying(conversation, text, said, now)
        if now.asking:
            return await self.begin.drop(conversation, text, [now.asking.id], now)
        said = NOTHING_TO_CANCEL
        if now.opened:
            names = "; ".join(preview.items[0].says for preview in now.opened[:3])
            said = f'Still open from earlier: {names}. Say "cancel all" to drop what is open.'
        return await self.begin.saying(conversation, text, said, now)

    async def _as_wondering(self, conversation: str, text: str, now: Situation, previous: str = "") -> FlowState | None:
        """What is asked of things done is answered from the audit journal; where a free text is awaited, it may be just that."""
        question = now.asking.question if now.asking else None
        if question is not None and not question.choices:
            return None
        told = await self.history.answer(text, conversation, now.at_hand.id if now.at_hand else "")
        if told is None:
            return None
        shown = [now.at_hand.id] if now.at_hand and told.permit == now.at_hand.id else []
        return await self.begin.saying(conversation, text, "\n".join(filter(None, (told.words, previous))), now, shown)

    async def _as_answer(self, text: str, now: Situation, own_words: bool = True) -> FlowState | None:
        """What was asked last takes an answer; an older question only one that names a choice of it. Free text answers what was
        asked last, unless it is a request of its own."""
        state = now.asking or now.asked
        if state is None or state.question is None:
            return None
        asked_last = now.asking is not None
        if asks_which(state):
            choice = consent.named(state.question, text) if asked_last else None
        elif asked_last:
            choice = consent.chosen(state.question, text)
        else:
            choice = consent.chosen(state.question, text) if not text.strip().isdigit() else None
        if choice is not None:
            return await self.begin.answered(state, choice.value, text, own_words=own_words)
        if asked_last and not asks_which(state) and (meant := await described_choice(state.question, text, await self.desk())):
            return await self.begin.answered(state, meant.value, text, own_words=own_words)
        if state.question.choices or not asked_last or consent.agrees(text) or consent.approves(text):
            return None
        if self.is_request(text, await self.desk(), now.paused):
            return None
        return await self.begin.answered(state, text, text, own_words=own_words)

    # --- acts that say themselves what they are about

    async def answer(self, question: str, words: str, *, own_words: bool = True) -> FlowState:
        try:
            state = await self.recall.load(question.rpartition("-q")[0])
        except Unknown:
            raise Unknown(f"There is no question {question}.") from None
        if state.status != "waiting" or state.question is None or state.question.id != question:
            raise FlowError("This question is not open any more.")
        if not own_words and not _asked_by_program(state):
            raise FlowError("This question was put to the person, who alone may answer it.")
        choice = (consent.named if asks_which(state) else consent.chosen)(state.question, words)
        if state.question.choices and choice is None:
            raise UserError(f"That is none of the choices, which are: {', '.join(c.label for c in state.question.choices)}.")
        value = choice.value if choice else words.strip()
        return await self.turns.run(state.conversation, lambda _: self.begin.answered(state, value, words, own_words=own_words))

    async def approve(self, preview: Preview) -> FlowState:
        return await self.turns.run(preview.conversation, lambda _: self.begin.approval(preview, "approve", door="approve"))

    async def revise(self, preview: Preview, words: str, actions: Sequence[Action], *, own_words: bool = True) -> FlowState:
        async def begun(_: FlowState | None) -> FlowState:
            now = await self.recall.situation(preview.conversation)
            about = await self._about_draft(preview, words, now) if own_words and not actions else None
            return about or await self.begin.revision(preview, words, actions, own_words=own_words)

        return await self.turns.run(preview.conversation, begun)

    async def propose(self, conversation: str, actions: Sequence[Action], says: Sequence[str], *, by: Proposer) -> FlowState:
        return await self.turns.run(conversation, lambda _: self.begin.proposal(conversation, actions, says, by=by))

    async def drop(self, preview: Preview) -> FlowState:
        return await self.turns.run(
            preview.conversation, lambda _: self.begin.drop(preview.conversation, "cancel", [preview.id], door="cancel")
        )

    async def undo(self, conversation: str, flow: str) -> FlowState:
        return await self.turns.run(conversation, lambda _: self.begin.undo(conversation, flow))

    async def resume(self, flow: str) -> FlowState:
        state = await self.recall.load(flow)
        if state.status == "waiting" and state.question is not None:
            return await self.journal.settle(state.but(reply=state.question.text))
        if state.status == "parked" and (opened := await self.recall.open_of(state)):
            return await self.journal.settle(state.but(previews=opened))
        if state.status not in ("suspended", "parked"):
            raise FlowError(f'"{state.about}" is {state.status}; there is nothing to resume.')
        return await self.turns.run(state.conversation, lambda _: self.begin.resumption(state))

    async def give_up(self, flow: str) -> FlowState:
        """A running one is interrupted first."""
        state = await self.recall.load(flow)
        if state.status == "running":
            await self.turns.interrupt(state.conversation)
            state = await self.recall.load(flow)
        if state.status in ENDED:
            raise FlowError(f'"{state.about}" is {state.status} already.')
        if state.status == "parked" and await self.recall.open_of(state):
            return await self.turns.run(
                state.conversation, lambda _: self.begin.drop(state.conversation, "cancel", [flow], door="cancel")
            )
        return await self.journal.settle(state.but(status="cancelled", question=None, reply=f'Given up: "{state.about}".'))

    async def suspend(self, conversation: str) -> FlowState | None:
        return await self.turns.interrupt(conversation, self._held)

    async def _held(self, state: FlowState) -> FlowState:
        """What runs by itself would go on when nothing else is done there."""
        return await self.journal.settle(state.but(held=True)) if state.slot and state.status == "suspended" else state

    async def close(self) -> None:
        """Suspends whatever runs."""
        await self.turns.runner.close()


def _previous(left: FlowState | None) -> str:
    """What to say of the flow that the message leaves behind."""
    if left is None or left.status not in ("suspended", "waiting"):
        return ""
    if left.slot and left.status == "suspended" and not left.held:
        return f"The schedule “{left.schedule}” was in progress; {GOES_ON}"
    return f'Previous task: "{left.about}" was in progress.'


def _asked_programs(now: Situation) -> Situation:
    """Without what the user was asked, and what would approve."""
    asking = now.asking if now.asking is not None and _asked_by_program(now.asking) else None
    return now._replace(asking=asking, asked=None)


def _asked_by_program(asking: FlowState) -> bool:
    return not (asking.own_words or asking.background or asks_which(asking))


def _takes_yes(question: Question) -> bool:
    """Whether a bare yes means its first choice."""
    return question.trigger == "confidence" or (question.trigger == "confirmation" and len(question.choices) == 1)
