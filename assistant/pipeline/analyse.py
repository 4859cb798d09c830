"""Steps 1 to 6: one question to the reasoner, told as the six steps that it answers."""

from assistant.pipeline.reading import judged
from assistant.pipeline.state import FlowState, Journal, awaited
from assistant.reasoning.base import Analysis, Reasoner, Request, Setting
from assistant.values import Paused

STRATEGIES = {
    "answer": "answer in words",
    "draft_proposal": "show a proposal and wait for approval",
    "execute_and_confirm": "carry it out and confirm",
}


def request_of(state: FlowState, setting: Setting, paused: tuple[Paused, ...]) -> Request:
    return Request(
        text=state.wording or (state.carried.feedback if state.carried else state.text),
        setting=setting,
        history=state.history,
        shown=state.shown,
        paused=paused,
        proposal=state.carried.proposals if state.carried else (),
        last=state.last,
        since=state.since,
    )


async def analyse(
    state: FlowState, reasoner: Reasoner, setting: Setting, paused: tuple[Paused, ...], offline: Reasoner
) -> Analysis:
    """What numbers and "it" mean in a briefing is read by code, whoever thinks; and so is whether the message asks for a change, in
    which `offline` helps."""
    from assistant.reasoning.offline.planning.talk.numbered import pointed, settled

    said = request_of(state, setting, paused)
    request, instead = pointed(said)
    if instead is not None:
        return instead
    return await judged(settled(await reasoner.analyse(request), request), said, offline)


def revises(analysis: Analysis) -> bool:
    """Whether the plan takes up the proposal that the message could have been about, or takes its place."""
    return analysis.instead or any("{proposal}" in step.instruction for step in analysis.plan.steps)


def begin(state: FlowState, analysis: Analysis, journal: Journal) -> FlowState:
    """The state with the plan laid out and its first context box."""
    steps = tuple(sorted(analysis.plan.steps, key=lambda step: (step.priority, step.id)))
    context = f"{analysis.context} {state.previous}".strip()
    state = journal.tell(state, "1", context or "A new conversation.")
    state = journal.tell(state, "2", "; ".join(analysis.risks) or "Nothing risky seen.", risks=list(analysis.risks))
    state = journal.tell(state, "3", state.readable(analysis.intent.goal), request=analysis.intent.request)
    gaps = tuple(missing.what for missing in analysis.missing)
    state = journal.tell(state, "4", f"Missing: {', '.join(gaps)}." if gaps else "Nothing is missing.", missing=list(gaps))
    state = journal.tell(state, "5", STRATEGIES[analysis.output], output=analysis.output)
    beside = state.carried if analysis.intent.request == "unknown" and not revises(analysis) else None
    carried = state.carried if revises(analysis) else None
    limits = tuple(dict.fromkeys((*state.limitations, *analysis.limitations)))
    state = state.but(analysis=analysis, steps=steps, box=analysis.box, carried=carried, beside=beside, limitations=limits)
    # The box is what people read of a flow; what it stands for is in the analysis, with its references.
    following = state.readable(steps[0].instruction) if steps else "Answer"
    state = state.noting(goal=state.readable(state.box.goal), notes=state.previous, progress="Workflow planned", next=following)
    told = [
        {"id": s.id, "agent": s.agent, "instruction": s.instruction, "criterion": s.criterion.words, "priority": s.priority}
        for s in steps
    ]
    if analysis.asks == "look" and analysis.limitations:
        state = journal.tell(state, "6", " ".join(analysis.limitations), asks=analysis.asks)
    words = "; ".join(f"{s.id}. {s.agent}: {state.readable(s.instruction, awaited)}" for s in steps)
    return journal.tell(state, "6", words or "No sub-agent is needed.", steps=told)
