"""What must be written is the master's work: subjects and bodies that the user did not dictate."""

from assistant.pipeline.state import FlowState
from assistant.reasoning.base import Reasoner, Setting
from assistant.values import Brief, Failure, Proposal
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


async def draft_all(state: FlowState, reasoner: Reasoner, setting: Setting) -> FlowState:
    reports = dict(state.reports)
    for step, report in state.reports.items():
        if isinstance(report, Failure) or not any(unwritten(p) for p in report.data.proposals):
            continue
        written = tuple([await write(p, reasoner, setting) for p in report.data.proposals])
        reports[step] = report.model_copy(update={"data": report.data.model_copy(update={"proposals": written})})
    return state.but(reports=reports)
