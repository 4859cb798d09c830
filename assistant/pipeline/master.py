"""The master agent's loop and nothing else: it reads like the flow chart, and each stage says its own numbers."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from assistant.agents.base import Agent, Desk
from assistant.drafting.table import Table
from assistant.errors import ModelError
from assistant.pipeline import auditing, parking, respond
from assistant.pipeline.adapt import adaptation, apply
from assistant.pipeline.analyse import analyse, begin
from assistant.pipeline.ask import answered, by_itself, must_ask, without_asking, without_model
from assistant.pipeline.complete import confidence, unexpected, verdict
from assistant.pipeline.consent import commands
from assistant.pipeline.delegate import delegate, ready, settle_conditions, trouble_of
from assistant.pipeline.draft import Drafting, lacks
from assistant.pipeline.execute import UNDO, Executor, Permit
from assistant.pipeline.propose import Proposer, Sorted
from assistant.pipeline.reading import without_writes
from assistant.pipeline.state import MAX_PASSES, NO_MODEL, FlowState, Interruption, Journal
from assistant.reasoning.base import Analysis, Reasoner
from assistant.values import AgentName, Failure, Outcome, OwnCommand, Proposal, Question
from integrations.actions import SendMail
from risk.preview import Preview
from storage import previews
from storage.session import Session

T = TypeVar("T")
OwnCommands = Callable[[OwnCommand, FlowState], Awaitable[FlowState]]
STOPPED = "Stopped as you asked; nothing was done."
NO_SCHEDULES = "Only you yourself can say this; a schedule can't have it done. Nothing was done."
NOT_THEIRS = "This came through another program; only you yourself can say it, on your page or in your own chat. Nothing was done."
AGAIN = "Nothing has left. Here it is once more, should you want to change it."
"""Of a mail that was held and is taken back."""
HARMLESS = "it reaches nobody else and can be undone itself"
"""Why an undo is carried out at once."""


@dataclass(frozen=True)
class Master:
    """Runs one flow from wherever its snapshot stands. `own_commands` carries out what the assistant does to itself."""

    agents: Mapping[AgentName, Agent]
    proposer: Proposer
    executor: Executor
    own_commands: OwnCommands
    offline: Reasoner
    """Takes over where the model can't be had and the user says so."""
    table: Table
    """Who drafts what is worth several drafts."""

    async def run(self, state: FlowState, desk: Desk, journal: Journal, stop: Interruption) -> FlowState:
        """The state at its end or at its next rest: done, failed, waiting, suspended or parked."""
        try:
            return await self._run(state, self._at(desk, state), journal, stop)
        except Stuck as stuck:
            if state.background and not stuck.state.offline:
                return await self.run(await journal.save(without_asking(stuck.state, stuck.error)), desk, journal, stop)
            return await wait_for_answer(stuck.state, without_model(stuck.state, stuck.error), journal)

    def _at(self, desk: Desk, state: FlowState) -> Desk:
        return replace(desk, reasoner=self.offline) if state.offline else desk

    def _table(self, state: FlowState) -> Table:
        return self.table.without_models() if state.offline else self.table

    async def _run(self, state: FlowState, desk: Desk, journal: Journal, stop: Interruption) -> FlowState:
        if state.stopped:
            state = state.but(status="cancelled", reply=STOPPED)
            return await journal.save(journal.tell(state, "15", state.reply))
        if state.analysis is None:
            analysis = await thought(state, stop, analyse(state, desk.reasoner, desk.setting, state.paused, self.offline))
            if analysis is None:
                return await suspend(state, journal)
            state = await journal.save(begin(state, commanded(analysis, state.text), journal))
        if state.analysis and state.analysis.command:
            if not state.own_words:
                refused = NO_SCHEDULES if state.background else NOT_THEIRS
                return await journal.save(journal.tell(state.but(status="done", reply=refused), "15", refused))
            return await self._command(state, state.analysis.command, journal)
        state = settle_conditions(by_itself(state))
        while not state.gated and (state.open_steps or lacks(state) or must_ask(state)):
            if state.passes >= MAX_PASSES:
                state = self._out_of_passes(journal.tell(state, "7", f"The limit of {MAX_PASSES} passes is reached."))
                break
            state = state.but(passes=state.passes + 1)
            state = journal.tell(state, "7", f"Pass {state.passes} of at most {MAX_PASSES}.", passes=state.passes)
            if stop.is_set():
                return await suspend(state, journal)
            state = journal.tell(state, "7.5", "No new message.")
            if question := must_ask(state):
                return await wait_for_answer(state, question, journal)
            state = journal.tell(state, "8", "Nothing to ask.")
            state = settle_conditions(await self._work(state, desk, journal, stop))
            state = journal.tell(state, "14", "Going on." if state.open_steps else "All steps are complete.")
            state = await journal.save(state)
        if stop.is_set() and not state.gated:
            return await suspend(state, journal)
        return await self._finish(state, desk, journal, stop)

    def answered(self, state: FlowState, value: str) -> FlowState:
        """A waiting flow with its question settled, ready to run on."""
        return answered(state, value)

    async def _work(self, state: FlowState, desk: Desk, journal: Journal, stop: Interruption) -> FlowState:
        """Steps 9 to 13 of one pass."""
        if state.open_steps and not ready(state):
            blocked = {s.id: "what it needs could not be had" for s in state.open_steps}
            return state.but(skipped={**state.skipped, **blocked})
        state = without_writes(await delegate(state, self.agents, desk, journal, stop), journal)
        if wanting := [r for r in state.reports.values() if isinstance(r, Failure) and r.type == NO_MODEL]:
            raise Stuck(await journal.save(state), trouble_of(wanting[0]))
        state = await self._drafted(state, desk, journal, stop)
        if stop.is_set() and lacks(state):
            return state
        state = self._assess(state, journal)
        return await self._adapt(state, desk, journal, stop)

    async def _drafted(self, state: FlowState, desk: Desk, journal: Journal, stop: Interruption) -> FlowState:
        """With all that must be written or decided. What was written before the model failed, or somebody interrupted, is kept."""
        if not lacks(state):
            return state
        drafting = Drafting(state, desk, self._table(state), self.proposer.rated, journal)
        try:
            await unless(stop, drafting.run())
        except ModelError as error:
            raise Stuck(await journal.save(drafting.state), error) from error
        return drafting.state

    def _assess(self, state: FlowState, journal: Journal) -> FlowState:
        state = state.but(confidence=confidence(state))
        found = verdict(state.confidence)
        state = journal.tell(
            state, "12", f"{found.upper()}: {state.confidence} % sure.", confidence=state.confidence, verdict=found
        )
        if found == "partial" and not must_ask(state):
            limits = "; ".join(state.limitations) or "some results are uncertain"
            state = journal.tell(state, "12.1", f"Going on with what there is: {limits}.", limitations=list(state.limitations))
        return state

    async def _adapt(self, state: FlowState, desk: Desk, journal: Journal, stop: Interruption) -> FlowState:
        troubled = unexpected(state)
        if not troubled or must_ask(state):
            return journal.tell(state, "13", "Nothing to adapt.")
        adapted = await thought(state, stop, adaptation(state, desk.reasoner, desk.setting))
        if adapted is None:
            return state
        words = f"{adapted.decision.upper()}{': ' + adapted.why if adapted.why else ''}"
        state = journal.tell(state, "13", words, decision=adapted.decision)
        return apply(state, adapted, troubled)

    def _out_of_passes(self, state: FlowState) -> FlowState:
        left = {s.id: "the limit of passes was reached" for s in state.open_steps}
        limits = (*state.limitations, f"I stopped after {MAX_PASSES} passes; not everything was done.")
        return state.but(skipped={**state.skipped, **left}, limitations=limits)

    async def _command(self, state: FlowState, command: OwnCommand, journal: Journal) -> FlowState:
        state = await self.own_commands(command, state)
        if state.status != "running":
            return state
        return await journal.save(journal.tell(state.but(status="done"), "15", state.reply))

    async def _finish(self, state: FlowState, desk: Desk, journal: Journal, stop: Interruption) -> FlowState:
        """Step 15: what is low and asked for is done, the rest becomes a preview, and the reply says what came of it."""
        state = settle_conditions(state).but(confidence=confidence(state))
        if not state.gated:
            state = await self._drafted(state, desk, journal, stop)
            if stop.is_set() and lacks(state):
                return await suspend(state, journal)
            state = await self._gate(state, journal)
            if (state.outcomes or state.previews) and respond.answers(state):  # wording them may take long
                state = await journal.save(state)
        spoken = await self._spoken(state, desk, stop)
        if spoken is None:
            return await suspend(state, journal)
        state = respond.compose(state, spoken, await self.proposer.offered(state))
        return await journal.save(
            journal.tell(state, "15", state.reply, confidence=state.confidence, previews=list(state.previews))
        )

    async def _spoken(self, state: FlowState, desk: Desk, stop: Interruption) -> str | None:
        """What was done or shown is told at once: where the model can't be had, in the offline reasoner's words."""
        try:
            return await thought(state, stop, respond.spoken(state, desk.reasoner, desk.setting))
        except Stuck:
            if not (state.outcomes or state.previews):
                raise
            return await thought(state, stop, respond.spoken(state, self.offline, desk.setting))

    async def _gate(self, state: FlowState, journal: Journal) -> FlowState:
        if state.carried and not state.proposals:
            # A revision that came to nothing leaves the preview where it was: on the screen, and open.
            return state.but(previews=(state.carried.preview,), gated=True)
        permit = Permit(by="gate", reference=state.permit)
        refused = await self.proposer.refusal(state, [p.action for p in state.proposals])
        if refused and not await self.executor.laid_down(state.permit):
            kept = (state.carried.preview,) if state.carried else ()
            return state.but(limitations=(*state.limitations, refused), previews=kept, confidence=0, gated=True)
        allowed, asked, evidence, reasons, forbidden = await self._sorted(state)
        if forbidden:
            return await self.proposer.refuse(state, state.proposals, forbidden, journal)
        if allowed:
            actions = [p.action for p in allowed]
            entry = auditing.permitted(state, permit.reference, actions, clauses(state), reasons)
            outcomes = await self.executor.carry_out(permit, actions, clauses(state), entry, window=state.undo_window)
            state = await self.proposer.directory.created(done(state, permit, outcomes or (), journal))
            evidence = None  # these writes have changed what it tells of
        return (await self.proposer.offer(state, asked, journal, evidence)).but(gated=True)

    async def _sorted(self, state: FlowState) -> Sorted:
        """What was begun before the flow broke off is not judged a second time."""
        if state.carried or not state.proposals:
            return Sorted((), state.proposals)
        judging = asyncio.ensure_future(self.proposer.sort(state))
        try:
            if begun := len(await self.executor.laid_down(state.permit)):
                return Sorted(state.proposals[:begun], state.proposals[begun:])
            return await judging
        finally:
            judging.cancel()
            await asyncio.gather(judging, return_exceptions=True)

    async def approve(self, state: FlowState, preview: Preview, journal: Journal) -> FlowState:
        """A new flow that carries an approved proposal. The model is asked nothing."""
        state = journal.tell(state, "1", f"Takes up the proposal: {'; '.join(item.says for item in preview.items[:5])}")
        state = journal.tell(state, "2", f"{preview.level.capitalize()} risk, shown before.", level=preview.level)
        state = journal.tell(state, "3", "You approve it.", request="command").noting(goal=f"carry out: {preview.items[0].says}")
        renewed, changed = await self.proposer.renew(state, preview)
        if refused := await self.proposer.refusal(state, [p.action for p in renewed]):
            return await self._left_open(state, preview, refused, journal)
        if changed or self.proposer.clock() > preview.expires:
            return await self._show_again(state, preview, renewed, journal, changed=changed)
        times = (action.send_at for action in preview.actions if isinstance(action, SendMail))
        if any(time is not None and time <= self.proposer.clock() for time in times):
            return await self._left_open(state, preview, respond.TOO_LATE, journal)
        state = journal.tell(state, "5", "Carry it out and confirm.")

        def claim(session: Session) -> bool:
            won = previews.set_status(session, preview.id, expect="open", to="approved", fingerprint=preview.fingerprint)
            if won:
                parking.settle(session, preview.id, "done", self.executor.clock())
            return won

        permit = Permit(by="approval", reference=preview.id)
        await self.executor.reach(permit, preview.actions)
        says = [item.says for item in preview.items]
        entry = auditing.approved(state, preview)
        outcomes = await self.executor.carry_out(permit, preview.actions, says, entry, claim, state.undo_window)
        if outcomes is None:
            state = state.but(status="failed", reply="This preview has been dealt with already; nothing was done twice.")
            return await journal.save(journal.tell(state, "15", state.reply))
        return await self._carried_out(state, permit, outcomes, journal)

    async def _left_open(self, state: FlowState, preview: Preview, reply: str, journal: Journal) -> FlowState:
        """It can't be carried out as it is, but changed it could be."""
        state = state.but(status="done", previews=(preview.id,), reply=reply)
        return await journal.save(journal.tell(state, "15", state.reply))

    async def late(self, state: FlowState, permit: str, outcomes: Sequence[Outcome], journal: Journal) -> FlowState:
        """Tells what came of writes whose own flow has ended."""
        return await self._carried_out(state, Permit(by="approval", reference=permit), outcomes, journal)

    async def _carried_out(self, state: FlowState, permit: Permit, outcomes: Sequence[Outcome], journal: Journal) -> FlowState:
        """What certainly was not done is shown again, so that its text is never lost."""
        state = await self.proposer.directory.created(done(state, permit, outcomes, journal))
        refused = [outcome for outcome in outcomes if outcome.status in ("failed", "taken_back")]
        if refused and not state.previews:
            state = await self.proposer.offer_again(state, refused, journal)
        state = respond.compose(state.but(gated=True, confidence=100), "", await self.proposer.offered(state))
        if outcomes and all(outcome.status == "failed" for outcome in outcomes):
            state = state.but(status="failed")
        return await journal.save(journal.tell(state, "15", state.reply))

    async def conclude(
        self, state: FlowState, desk: Callable[[], Awaitable[Desk]], journal: Journal, *, alone: bool = False
    ) -> FlowState | None:
        """Ends a flow that broke off after it had begun to write, or had stored a preview; None where it had not. `alone`: nobody
        else is at any write."""
        rows = await self.executor.laid_down(state.permit)
        kept = await self.proposer.kept(state)
        if not rows and not kept:
            return None
        outcomes = await self.executor.settle(rows, clauses(state), alone=alone)
        permit = Permit(by="gate", reference=state.permit)
        if state.resumable:
            try:
                taken = self._taken_up(state, permit, outcomes, kept, journal)
                return await self._finish(taken, self._at(await desk(), taken), journal, asyncio.Event())
            except Exception:
                if not outcomes:
                    raise
        if outcomes:
            return await self._carried_out(state.but(previews=kept, outcomes=()), permit, outcomes, journal)
        state = respond.compose(state.but(previews=kept, gated=True, confidence=100), "", await self.proposer.offered(state))
        return await journal.save(journal.tell(state, "15", state.reply))

    def _taken_up(
        self, state: FlowState, permit: Permit, outcomes: Sequence[Outcome], kept: tuple[str, ...], journal: Journal
    ) -> FlowState:
        """The state as the gate left it, where that was over; else the gate takes up what it began."""
        if state.gated or not kept:
            return state
        return (done(state, permit, outcomes, journal) if outcomes else state).but(previews=kept, gated=True)

    async def undo(self, state: FlowState, undone: FlowState, journal: Journal) -> FlowState:
        """What is held is taken back, and shown again. Of what was done the stored inverse is carried out at once where it reaches
        nobody else, else shown first."""
        rows = [row for permit in undone.permits for row in await self.executor.laid_down(permit)]
        back = await self.executor.take_back(rows, clauses(undone), state.text)
        taken = tuple(outcome.model_copy(update={"note": AGAIN}) for outcome in back)
        undone = undone.but(outcomes=await self.executor.as_known(undone.outcomes))
        inverse = await self.executor.inverse(undone.permits, undone.outcomes)
        there = await self.proposer.standing(state, [i.action for i in inverse])
        gone = [one.says for one in inverse if one.action not in there]
        inverse = tuple(one for one in inverse if one.action in there)
        permit = Permit(by="undo", reference=f"{UNDO}{undone.permits[-1]}" if undone.permits else "")
        if taken:
            state = state.but(carried=undone.carried).noting(goal=f'take back "{undone.text}"')
        if taken and not inverse:
            return await self._carried_out(state, permit, taken, journal)
        if not inverse:
            what = "; ".join(o.says for o in undone.outcomes if o.status == "done") or undone.text
            state = state.but(status="failed", reply=f"This can't be taken back: {what}.")
            return await journal.save(journal.tell(state, "15", state.reply))
        proposals = tuple(Proposal(action=i.action, says=f"take back: {i.says}") for i in inverse)
        state = state.but(limitations=left_done(undone, gone)).noting(goal=f'take back "{undone.text}"')
        if refused := await self.proposer.refusal(state, [p.action for p in proposals]):
            state = respond.compose(state.but(outcomes=taken, gated=True), refused, ())
            return await journal.save(journal.tell(state if taken else state.but(status="failed"), "15", state.reply))
        if not await self.proposer.harmless(state, proposals):
            state = state.but(carried=None, outcomes=taken)
            state = (await self.proposer.offer(state, proposals, journal)).but(gated=True, confidence=100)
            state = respond.compose(state, "", await self.proposer.offered(state))
            return await journal.save(journal.tell(state, "15", state.reply))
        state = await journal.save(state.but(permits=(permit.reference,)))
        actions, says = [p.action for p in proposals], [p.says for p in proposals]
        entry = auditing.permitted(state, permit.reference, actions, says, (HARMLESS,), undoes=undone.id)
        outcomes = await self.executor.carry_out(permit, actions, says, entry)
        return await self._carried_out(state, permit, (*taken, *(outcomes or ())), journal)

    async def _show_again(
        self, state: FlowState, old: Preview, renewed: Sequence[Proposal], journal: Journal, *, changed: bool
    ) -> FlowState:
        """A stale preview is never carried out: a fresh one shows what is different."""
        if not renewed:
            await self.proposer.withdraw(old, state)
            state = state.but(status="failed", reply="What this was about is not there any more, so nothing was done.")
            return await journal.save(journal.tell(state, "15", state.reply))
        if refused := await self.proposer.forbidden(state, renewed):
            return await self._left_open(state, old, f"Nothing was done: {'; '.join(refused)}.", journal)
        fresh = await self.proposer.preview(state, renewed, number=1, replaces=old)
        await self.proposer.keep(fresh, state, superseding=old.id, as_status="stale")
        state = journal.tell(
            state, "13", "It changed underneath or is too old; a fresh preview.", preview=fresh.id, level=fresh.level
        )
        state = respond.compose(
            state.but(previews=(fresh.id,), gated=True), respond.STALE if changed else respond.EXPIRED, (fresh,)
        )
        return await journal.save(journal.tell(state, "15", state.reply))


def left_done(undone: FlowState, gone: Sequence[str]) -> tuple[str, ...]:
    """What of a flow's doings stays done when the rest is taken back; `gone`: what it was done to is not there any more."""
    kept = [*(o.says for o in undone.outcomes if o.status == "done" and not o.undoable), *gone]
    return (f"This stays done, it can't be taken back: {'; '.join(kept)}.",) if kept else ()


def done(state: FlowState, permit: Permit, outcomes: Sequence[Outcome], journal: Journal) -> FlowState:
    for outcome in outcomes:
        words = f"{outcome.status}: {outcome.says}{' — ' + outcome.note if outcome.note else ''}"
        state = journal.tell(state, "15", words, status=outcome.status, key=outcome.key).noting(progress=words)
    permits = dict.fromkeys((*state.permits, permit.reference))
    return state.but(outcomes=(*state.outcomes, *outcomes), permits=tuple(permits))


def clauses(state: FlowState) -> list[str]:
    """What a flow says of its writes, one by one."""
    if state.course == "approve" and state.carried:
        return [proposal.says for proposal in state.carried.proposals]
    return ["; ".join((p.says, *p.notes)) for p in state.proposals] or [state.about]


def commanded(analysis: Analysis, text: str) -> Analysis:
    """A command to the assistant itself stands only if the user's own words can mean it."""
    command = analysis.command
    if command is None or commands(text, command.kind):
        return analysis
    words = UNCOMMANDED[command.kind]
    return analysis.model_copy(update={"command": None, "say": analysis.say if analysis.plan.steps else words})


UNCOMMANDED = {
    "show_outbox": 'What is held until its time is told when you say "what is scheduled to go out?".',
    "withdraw": 'If a scheduled mail shall not go out, say "cancel the scheduled mail to …".',
    "create_schedule": 'If something shall be done when it is due, say when and what, like "remind me on Friday at 9 to call Tom".',
    "show_schedules": 'Your schedules are told when you say "what are my schedules?".',
    "manage_schedule": 'If a schedule shall change, say "pause", "resume", "run" or "cancel" and which one.',
    "change_schedule": 'If a schedule shall come at another time, say "move" with its name and the time.',
    "remember": 'If I shall remember something, say "remember that …" in your own words.',
    "show_notes": 'What I remember is told when you say "what do you remember?".',
    "forget_note": 'If I shall forget something, say "forget note" with its number.',
    "show_briefing": 'A briefing is given when you say "brief me".',
    "undo": 'If the last thing shall be taken back, say "undo that".',
    "cancel_flow": 'If a task shall be given up, say "forget it".',
    "resume_flow": 'If I shall go on with a task, say "continue".',
}


class Stuck(Exception):
    """The model could not be had; `state` is how far the flow has come."""

    def __init__(self, state: FlowState, error: ModelError) -> None:
        super().__init__(str(error))
        self.state, self.error = state, error


async def thought(state: FlowState, stop: Interruption, question: Awaitable[T]) -> T | None:
    """The reasoner's answer, or None when the flow was interrupted first."""
    try:
        return await unless(stop, question)
    except ModelError as error:
        raise Stuck(state, error) from error


async def unless(stop: Interruption, work: Awaitable[T]) -> T | None:
    """The work's result, or None when the flow was interrupted first: then the work is abandoned."""
    task = asyncio.ensure_future(work)
    flag = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({task, flag}, return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            return None
        return await task
    finally:
        flag.cancel()
        if not task.done():
            task.cancel()
        await asyncio.gather(flag, task, return_exceptions=True)


async def suspend(state: FlowState, journal: Journal) -> FlowState:
    """Step 7.5."""
    state = state.noting(progress=("Interruption detected", "Current workflow state saved", "New flow initiated"))
    state = state.but(status="suspended")
    return await journal.save(journal.tell(state, "7.5", f"Interrupted; saved: {state.about}"))


async def wait_for_answer(state: FlowState, question: Question, journal: Journal) -> FlowState:
    state = state.but(status="waiting", question=question, reply=question.text).noting(
        blockers=question.text, next="Wait for your answer"
    )
    return await journal.save(journal.tell(state, "8", question.text, question=question.model_dump(mode="json")))
