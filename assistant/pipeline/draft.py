"""What must be written is the master's work: subjects and bodies that the user did not dictate."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from assistant.agents.base import Desk
from assistant.drafting.base import Told
from assistant.drafting.choosing import SIDES, Choice, Stakes, choose
from assistant.drafting.deciding import decide, listed
from assistant.drafting.mails import write
from assistant.drafting.table import Table
from assistant.errors import ModelError
from assistant.pipeline.correspondence import in_own_voice, unanswered_before
from assistant.pipeline.state import FlowState, Journal
from assistant.pipeline.versions import taking
from assistant.reasoning.offline.planning.effort import wants_thought
from assistant.reasoning.offline.reading.questions.advising import asks_how
from assistant.values import Brief, Data, Failure, Proposal
from integrations.actions import SaveDraft, SendMail
from risk.matrix import Rating
from risk.versions import Written

RateOf = Callable[[FlowState, SendMail], Awaitable[tuple[Rating, tuple[str, ...]]]]
"""The gate's rating of a mail as far as it stands, and the contact groups that it goes to."""


def unwritten(proposal: Proposal) -> Brief | None:
    """What is still to be written for it, if anything."""
    if proposal.brief:
        return proposal.brief
    action = proposal.action
    if isinstance(action, SendMail | SaveDraft) and not action.subject and action.body:
        return Brief(kind="mail", about=action.body, dictated=True, to=action.to)
    return None


def to_write(state: FlowState) -> dict[tuple[int, int], Proposal]:
    """What is still to be written, by step and place in its report."""
    return {
        (step, place): proposal
        for step, report in state.reports.items()
        if not isinstance(report, Failure)
        for place, proposal in enumerate(report.data.proposals)
        if unwritten(proposal)
    }


def to_decide(state: FlowState) -> dict[int, Data]:
    """What is still to be decided, by step."""
    found = ((step, state.data(step)) for step in state.reports)
    return {step: data for step, data in found if data is not None and data.decide and data.chosen is None}


def lacks(state: FlowState) -> bool:
    """Whether something is left for the master to write or to decide."""
    return bool(to_write(state) or to_decide(state))


@dataclass
class Drafting:
    """The drafts of one flow under way; `state` takes up what is told meanwhile, and each draft as soon as it is there."""

    state: FlowState
    desk: Desk
    table: Table
    rate: RateOf
    journal: Journal

    async def run(self) -> None:
        """All of it side by side. Raises ModelError where the model failed at some of it."""
        writing = [self._place(place, proposal) for place, proposal in to_write(self.state).items()]
        deciding = [self._settle(step, data) for step, data in to_decide(self.state).items()]
        answers = await asyncio.gather(*writing, *deciding, return_exceptions=True)
        failed = [answer for answer in answers if isinstance(answer, BaseException)]
        if failed:
            raise next((one for one in failed if not isinstance(one, ModelError)), failed[0])

    async def _place(self, place: tuple[int, int], proposal: Proposal) -> None:
        written, (step, at) = await self.written(place, proposal), place
        before = self._data(step).proposals
        self._take(step, proposals=(*before[:at], written, *before[at + 1 :]))

    async def _settle(self, step: int, data: Data) -> None:
        decided = await self.decided(data)
        self._take(step, **dict(decided))

    def _data(self, step: int) -> Data:
        data = self.state.data(step)
        assert data is not None
        return data

    def _take(self, step: int, **changes: object) -> None:
        report = self.state.reports[step].model_copy(update={"data": self._data(step).model_copy(update=changes)})
        self.state = self.state.but(reports={**self.state.reports, step: report})

    async def written(self, place: tuple[int, int], proposal: Proposal) -> Proposal:
        """A dictated body stays as it is; only what is missing is written."""
        brief, action = unwritten(proposal), proposal.action
        if brief is None or not isinstance(action, SendMail | SaveDraft):
            return proposal
        if brief.dictated:
            draft = await self.desk.reasoner.draft(brief, self.desk.setting)
            return proposal.model_copy(update={"action": action.model_copy(update={"subject": draft.subject}), "brief": None})
        stakes = await self._stakes(place[0], brief, action)
        choice, brief = choose(stakes, self.table.when), brief.model_copy(update=self._asked(stakes))
        if choice.strategy != "single":
            self._tell(f"Several drafts: {'; '.join(choice.reasons)}.", strategy=choice.strategy, reasons=list(choice.reasons))
        return taking(proposal.model_copy(update={"brief": brief}), await self._write(brief, action, choice))

    def _asked(self, stakes: Stakes) -> dict[str, object]:
        return {"sides": True, "question": self.state.text} if stakes.sides else {}

    async def decided(self, data: Data) -> Data:
        """The times stay as they were shown, for "book it" and "take the second"."""
        if len(data.slots) > 1:
            strategy = "blackboard" if self.table.minds else "coordination"
            self._tell(f"Several choose: {SIDES}.", strategy=strategy, reasons=[SIDES])
        one = await decide(self.state.text, data.slots, data.events, self.desk.setting, self.table, self._told)
        shown = any(before.data.slots == data.slots for before in self.state.shown)
        text = one.text if shown else f"{listed(data.slots, self.desk.setting)}\n{one.text}"
        return data.model_copy(update={"kind": "text", "text": text, "chosen": one.chosen, "events": ()})

    async def _write(self, brief: Brief, action: SendMail | SaveDraft, choice: Choice) -> Written:
        mail, setting = self.desk.readers.mail, self.desk.setting
        if brief.answering is None and action.reply_to is not None:
            brief = brief.model_copy(update={"answering": await mail.get(action.reply_to)})
        voiced, earlier = await asyncio.gather(
            in_own_voice(brief, mail, setting), unanswered_before(brief.answering, mail, setting)
        )
        return await write(voiced, setting, choice, self.table, self.desk.reasoner, self._told, earlier)

    async def _stakes(self, step: int, brief: Brief, action: SendMail | SaveDraft) -> Stakes:
        rating, groups = await self.rate(self.state, as_far_as_it_stands(brief, action))
        report = self.state.reports[step]
        return Stakes(
            level=rating.level,
            reasons=rating.reasons,
            to=(*action.to, *action.cc, *action.bcc),
            groups=groups,
            confidence=100 if isinstance(report, Failure) else report.confidence,
            asked=brief.thought or (self.state.own_words and wants_thought(self.state.text)),
            sides=brief.sides or (self.state.own_words and brief.kind == "reply" and asks_how(self.state.text, self.desk.setting)),
        )

    def _told(self, told: Told) -> None:
        self._tell(told.text, kind=told.kind, agent=told.agent, **told.data)

    def _tell(self, text: str, **data: object) -> None:
        self.state = self.journal.tell(self.state, "11", text, drafting=True, **data)


def as_far_as_it_stands(brief: Brief, action: SendMail | SaveDraft) -> SendMail:
    """With what it is about in the place of its text."""
    answering = (brief.answering.subject, brief.answering.body) if brief.answering else ()
    return SendMail(
        account=action.account,
        to=action.to,
        cc=action.cc,
        bcc=action.bcc,
        subject=action.subject,
        body="\n".join((brief.about, brief.template, *answering)),
    )
