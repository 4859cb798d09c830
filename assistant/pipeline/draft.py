"""What must be written is the master's work: subjects and bodies that the user did not dictate."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from assistant.agents.base import Desk
from assistant.drafting.base import Told
from assistant.drafting.choosing import Choice, Stakes, choose
from assistant.drafting.mails import write
from assistant.drafting.table import Table
from assistant.errors import ModelError
from assistant.pipeline.correspondence import in_own_voice, unanswered_before
from assistant.pipeline.state import FlowState, Journal
from assistant.pipeline.versions import taking
from assistant.reasoning.offline.planning.effort import wants_thought
from assistant.values import Brief, Failure, Proposal, Report
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


async def draft_all(
    state: FlowState, desk: Desk, table: Table, rate: RateOf, journal: Journal
) -> tuple[FlowState, ModelError | None]:
    """All of it side by side. Where the model fails, the state holds what was written all the same."""
    lacking = to_write(state)
    drafting = Drafting(state, desk, table, rate, journal)
    answers = await asyncio.gather(*(drafting.written(*one) for one in lacking.items()), return_exceptions=True)
    written = {place: answer for place, answer in zip(lacking, answers, strict=True) if not isinstance(answer, BaseException)}
    failed = [answer for answer in answers if isinstance(answer, BaseException)]
    if fault := next((one for one in failed if not isinstance(one, ModelError)), None):
        raise fault
    reports = {step: _with(report, step, written) for step, report in state.reports.items()}
    return drafting.state.but(reports=reports), next((one for one in failed if isinstance(one, ModelError)), None)


def _with(report: Report, step: int, written: Mapping[tuple[int, int], Proposal]) -> Report:
    if isinstance(report, Failure) or step not in {of for of, _ in written}:
        return report
    proposals = tuple(written.get((step, place), before) for place, before in enumerate(report.data.proposals))
    return report.model_copy(update={"data": report.data.model_copy(update={"proposals": proposals})})


@dataclass
class Drafting:
    """The drafts of one flow under way; `state` takes up what is told meanwhile."""

    state: FlowState
    desk: Desk
    table: Table
    rate: RateOf
    journal: Journal

    async def written(self, place: tuple[int, int], proposal: Proposal) -> Proposal:
        """A dictated body stays as it is; only what is missing is written."""
        brief, action = unwritten(proposal), proposal.action
        if brief is None or not isinstance(action, SendMail | SaveDraft):
            return proposal
        if brief.dictated:
            draft = await self.desk.reasoner.draft(brief, self.desk.setting)
            return proposal.model_copy(update={"action": action.model_copy(update={"subject": draft.subject}), "brief": None})
        choice = choose(await self._stakes(place[0], brief, action), self.table.when)
        if choice.strategy != "single":
            self._tell(f"Several drafts: {'; '.join(choice.reasons)}.", strategy=choice.strategy, reasons=list(choice.reasons))
        return taking(proposal, await self._write(brief, action, choice))

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
