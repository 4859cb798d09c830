"""Step 13: what to do about a result that was partial, failed or unexpected."""

from assistant.pipeline.state import FlowState
from assistant.reasoning.base import Adaptation, Reasoner, Setting, Trouble
from assistant.values import Step

ANEW = "what it is about was looked for in another way after a first look failed"


async def adaptation(state: FlowState, reasoner: Reasoner, setting: Setting) -> Adaptation:
    return await reasoner.adapt(
        Trouble(box=state.box, steps=state.steps, reports=state.reports, failures=state.failures, setting=setting)
    )


def apply(state: FlowState, adapted: Adaptation, troubled: tuple[Step, ...]) -> FlowState:
    """Revised steps take the place of those not done; a step that comes again under its own id is tried again."""
    state = state.but(adapted=tuple(dict.fromkeys((*state.adapted, *(s.id for s in troubled)))))
    if state.analysis and not adapted.vouched:
        state = state.but(analysis=state.analysis.model_copy(update={"vouched": False, "as_said": False}))
    if adapted.decision == "revise":
        again = {step.id for step in adapted.steps}
        kept = tuple(s for s in state.steps if s.id in state.reports and s.id not in again)
        pending = tuple(s for s in state.open_steps if s.id not in again)
        reports = {n: r for n, r in state.reports.items() if n not in again}
        steps = tuple(sorted((*kept, *pending, *adapted.steps), key=lambda s: (s.priority, s.id)))
        if not adapted.vouched:
            steps = _resting_on({step.id for step in adapted.steps if step not in state.steps}, steps)
        retried = tuple(n for n in state.adapted if n not in again)
        return state.but(steps=steps, reports=reports, adapted=retried).noting(
            notes=f"Plan revised: {adapted.why}" if adapted.why else ""
        )
    if adapted.decision == "ask":
        return state.but(wanted=adapted.question)
    if adapted.decision == "exit":
        left = {s.id: "the plan was given up" for s in state.open_steps}
        limits = tuple(line for line in (adapted.why, adapted.instead) if line)
        return state.but(skipped={**state.skipped, **left}, limitations=(*state.limitations, *limits)).noting(blockers=adapted.why)
    return state.noting(notes=adapted.why)


def _resting_on(changed: set[int], steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """With a warning at each write that takes what was looked for in another way than was planned."""
    return tuple(
        step.model_copy(update={"warnings": tuple(dict.fromkeys((*step.warnings, ANEW)))})
        if step.criterion.expects == "proposal" and changed & set(step.needs)
        else step
        for step in steps
    )
