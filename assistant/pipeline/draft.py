"""What must be written is the master's work: subjects and bodies that the user did not dictate."""

import asyncio
from collections.abc import Mapping

from assistant.errors import ModelError
from assistant.pipeline.state import FlowState
from assistant.reasoning.base import Reasoner, Setting
from assistant.values import Brief, Failure, Proposal, Report
from integrations.actions import SaveDraft, SendMail


def unwritten(proposal: Proposal) -> Brief | None:
    """What is still to be written for it, if anything."""
    if proposal.brief:
        return proposal.brief
    action = proposal.action
    if isinstance(action, SendMail | SaveDraft) and not action.subject and action.body:
        return Brief(kind="mail", about=action.body, dictated=True, to=action.to)
    return None


async def write(proposal: Proposal, reasoner: Reasoner, setting: Setting) -> Proposal:
    """A dictated body stays as it is; only what is missing is written."""
    brief, action = unwritten(proposal), proposal.action
    if brief is None or not isinstance(action, SendMail | SaveDraft):
        return proposal
    draft = await reasoner.draft(brief, setting)
    written = action.model_copy(update={"subject": action.subject or draft.subject, "body": action.body or draft.body})
    gaps = tuple(f"left open for you: {gap}" for gap in draft.gaps) if not action.body else ()
    return proposal.model_copy(update={"action": written, "brief": None, "notes": proposal.notes + gaps})


def to_write(state: FlowState) -> dict[tuple[int, int], Proposal]:
    """What is still to be written, by step and place in its report."""
    return {
        (step, place): proposal
        for step, report in state.reports.items()
        if not isinstance(report, Failure)
        for place, proposal in enumerate(report.data.proposals)
        if unwritten(proposal)
    }


async def draft_all(state: FlowState, reasoner: Reasoner, setting: Setting) -> tuple[FlowState, ModelError | None]:
    """All of it side by side. Where the model fails, the state holds what was written all the same."""
    lacking = to_write(state)
    answers = await asyncio.gather(*(write(one, reasoner, setting) for one in lacking.values()), return_exceptions=True)
    written = {place: answer for place, answer in zip(lacking, answers, strict=True) if not isinstance(answer, BaseException)}
    failed = [answer for answer in answers if isinstance(answer, BaseException)]
    if fault := next((one for one in failed if not isinstance(one, ModelError)), None):
        raise fault
    reports = {step: _with(report, step, written) for step, report in state.reports.items()}
    return state.but(reports=reports), next((one for one in failed if isinstance(one, ModelError)), None)


def _with(report: Report, step: int, written: Mapping[tuple[int, int], Proposal]) -> Report:
    if isinstance(report, Failure) or step not in {of for of, _ in written}:
        return report
    proposals = tuple(written.get((step, place), before) for place, before in enumerate(report.data.proposals))
    return report.model_copy(update={"data": report.data.model_copy(update={"proposals": proposals})})
