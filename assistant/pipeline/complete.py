"""Steps 12, 12.1 and 14: confidence is arithmetic over the reports of the steps attempted, weighted."""

from typing import Literal

from assistant.pipeline.state import COMPLETE, PARTIAL, FlowState, met
from assistant.values import Failure, Report, Step

Verdict = Literal["complete", "partial", "blocked"]


def confidence(state: FlowState) -> int:
    """0 to 100; nothing attempted is nothing doubted."""
    attempted = [(step.weight, _sure(state.reports[step.id])) for step in state.steps if step.id in state.reports]
    weight = sum(w for w, _ in attempted)
    return round(sum(w * c for w, c in attempted) / weight) if weight else 100


def _sure(report: Report) -> int:
    return 0 if isinstance(report, Failure) else report.confidence


def verdict(confidence: int) -> Verdict:
    if confidence >= COMPLETE:
        return "complete"
    return "partial" if confidence >= PARTIAL else "blocked"


def unexpected(state: FlowState) -> tuple[Step, ...]:
    """Attempted steps that failed or missed their criterion and were not adapted to yet; an open question is not one of them."""
    return tuple(
        step
        for step in state.steps
        if step.id in state.reports
        and step.id not in state.adapted
        and not ((data := state.data(step.id)) and data.ambiguity)
        and not met(step.criterion, state.reports[step.id])
    )
