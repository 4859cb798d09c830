"""What a running flow has still to do: it follows from its snapshot alone, in whatever process that is loaded."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from assistant.agents.base import Desk
from assistant.briefing.facts import Wanted
from assistant.errors import FlowError
from assistant.pipeline import auditing, parking
from assistant.pipeline.master import Master, OwnCommands, suspend, unless, wait_for_answer
from assistant.pipeline.outcomes import saying
from assistant.pipeline.state import FlowState, Interruption
from assistant.running.journal import FlowJournal
from assistant.running.notes import Notes
from assistant.running.outbox import Outbox
from assistant.running.recall import RESTING, Recall, described
from assistant.values import (
    CancelFlow,
    ChangeSchedule,
    CreateSchedule,
    ForgetNote,
    ManageSchedule,
    OwnCommand,
    Remember,
    ResumeFlow,
    ShowBriefing,
    ShowNotes,
    ShowOutbox,
    ShowSchedules,
    Withdraw,
)
from storage import audit, previews
from storage.database import Database
from storage.session import Session

NOTHING_TO_UNDO = "There is nothing to undo here."


@dataclass(frozen=True)
class Courses:
    """`desk` gives what sub-agents work with as things stand now; `schedules` carries out what is wanted of schedules;
    `brief` ends a flow with the briefing that it is to give; `notes` are what the user wants remembered."""

    master: Master
    journal: FlowJournal
    recall: Recall
    outbox: Outbox
    database: Database
    desk: Callable[[], Awaitable[Desk]]
    schedules: OwnCommands
    brief: Callable[[FlowState, Desk], Awaitable[FlowState]]
    notes: Notes

    async def run(self, state: FlowState, stop: Interruption) -> FlowState:
        """A flow that is stored as running and leased by this journal's owner, to its end or its next rest."""
        match state.course:
            case "approve":
                return await self._approve(state)
            case "undo":
                return await self._undo(state, next(iter(state.targets), ""))
            case "drop":
                return await self._drop(state)
            case "ask":
                return await self._say(state)
            case "late":
                return await self._late(state)
            case "remind":
                return await self._remind(state)
            case "brief":
                return await self._brief(state, stop)
        return await self.master.run(state, await self.desk(), self.journal, stop)

    async def _approve(self, state: FlowState) -> FlowState:
        assert state.carried is not None
        return await self.master.approve(state, await self.recall.preview(state.carried.preview), self.journal)

    async def _undo(self, state: FlowState, flow: str) -> FlowState:
        done = await self.recall.last_done(state.conversation, flow)
        if done is None:
            return await self._said(state.but(status="done", reply=NOTHING_TO_UNDO))
        return await self.master.undo(state, done, self.journal)

    async def _drop(self, state: FlowState) -> FlowState:
        """Previews are dropped and resting flows given up, all that the user meant. What a crash left half done is gone on with."""
        dropped, given_up = [], []
        for target in state.targets:
            if not await self.recall.is_preview(target):
                given_up.append(await self._given_up(target, state))
            elif await self._dropped(target, state):
                dropped.append(described(await self.recall.preview(target)))
        told = [f"Cancelled: {'; '.join(dropped)}. Nothing was done."] if dropped else []
        told += [f'Given up: "{about}".' for about in given_up]
        state = self.journal.tell(state, "3", "You cancel it.", request="command")
        return await self._said(state.but(status="done", reply=" ".join(told) or "It was dealt with already."))

    async def _late(self, state: FlowState) -> FlowState:
        """What came of rows, by their keys, that were released or settled after their flow had ended."""
        rows = [row for key in state.targets if (row := await self.recall.row(key))]
        says = [proposal.says for proposal in state.carried.proposals] if state.carried else []
        outcomes = [saying(await self.master.executor.outcome(row), row, says) for row in rows]
        return await self.master.late(state, rows[0].preview_id if rows else "", outcomes, self.journal)

    async def _say(self, state: FlowState) -> FlowState:
        """There is nothing to do but to answer, or to ask, what code has found."""
        if state.question is not None:
            return await wait_for_answer(state, state.question, self.journal)
        state = self.journal.tell(state, "3", "A word about what was shown.", request="talk")
        return await self._said(state.but(status="done", spoken=state.reply))

    async def _remind(self, state: FlowState) -> FlowState:
        state = self.journal.tell(state, "3", "Something that you wanted to be reminded of.", request="talk")
        said = "\n".join(filter(None, (state.late, f"Reminder: {state.text}")))
        return await self._said(state.but(status="done", confidence=100, reply=said))

    async def _brief(self, state: FlowState, stop: Interruption) -> FlowState:
        """Looking and wording can be begun again, so it is left where it is interrupted."""
        state = self.journal.tell(state, "3", "A briefing.", request="read")
        briefed = await unless(stop, self._briefed(state))
        return await (self._said(briefed) if briefed is not None else suspend(state, self.journal))

    async def _briefed(self, state: FlowState) -> FlowState:
        return await self.brief(state, await self.desk())

    async def _said(self, state: FlowState) -> FlowState:
        return await self.journal.save(self.journal.tell(state, "15", state.reply))

    async def own_command(self, command: OwnCommand, state: FlowState) -> FlowState:
        """What the assistant does to itself; the state still runs where only the reply is left to be saved."""
        if isinstance(command, CancelFlow):
            about = await self._cancelled(command.flow, state)
            earlier = await self.recall.last_answered(state.conversation)
            done = f' Your earlier request ("{earlier.text}") is complete.' if earlier else ""
            return state.but(reply=f'Understood, I\'ve cancelled "{about}".{done}')
        if isinstance(command, ResumeFlow):
            if preview := await self.recall.open_preview(command.flow):
                return state.but(reply=f"This still awaits your approval: {preview.items[0].says}.", previews=(preview.id,))
            target = await self.recall.load(command.flow)
            return state.but(reply=f'Going on with "{target.about}".')
        if isinstance(command, ShowOutbox):
            return state.but(reply=await self.outbox.shown())
        if isinstance(command, Withdraw):
            return state.but(reply=await self.outbox.withdrawn(command))
        if isinstance(command, ShowBriefing):
            briefed = await self.brief(state.but(brief=Wanted(parts=command.parts)), await self.desk())
            return briefed.but(status="running")
        if isinstance(command, CreateSchedule | ShowSchedules | ManageSchedule | ChangeSchedule):
            return await self.schedules(command, state)
        if isinstance(command, Remember | ShowNotes | ForgetNote):
            noted = await self.notes.carry_out(command, state)
            return await wait_for_answer(noted, noted.question, self.journal) if noted.question else noted
        return await self._undo(state, command.preview)

    async def _cancelled(self, target: str, state: FlowState) -> str:
        """Gives up a resting flow or drops an open preview; what it was about."""
        if not await self.recall.is_preview(target):
            return await self._given_up(target, state)
        if not await self._dropped(target, state):
            raise FlowError("This preview was dealt with already; there is nothing to cancel.")
        return (await self.recall.load((await self.recall.preview(target)).flow)).about

    async def _dropped(self, preview: str, state: FlowState) -> bool:
        """Whether it is cancelled now."""
        at = self.master.executor.clock()

        def work(session: Session) -> bool:
            if previews.set_status(session, preview, expect="open", to="cancelled"):
                audit.append(session, at, auditing.cancelled(state, preview), user_id=state.user)
                parking.settle(session, preview, "cancelled", at)
                return True
            found = previews.get(session, preview)
            return found is not None and found.status == "cancelled"

        return await self.database.write(work)

    async def _given_up(self, flow: str, state: FlowState) -> str:
        """What a parked one waits with is dropped, which settles it."""
        resting = await self.recall.load(flow)
        if resting.status == "parked":
            for preview in resting.previews:
                await self._dropped(preview, state)
            resting = await self.recall.load(flow)
        if resting.status in RESTING:
            await self.journal.settle(resting.but(status="cancelled", question=None, reply=""))
        elif resting.status != "cancelled":
            raise FlowError(f'"{resting.about}" is {resting.status}; there is nothing to give up.')
        return resting.about
