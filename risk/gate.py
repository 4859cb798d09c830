"""The gate: plain code over plain facts decides what may run unasked. Whoever proposes has no say in it."""

from collections.abc import Sequence

from integrations.types import Value
from risk.evidence import Evidence
from risk.facts import Facts, facts_of
from risk.matrix import Matrix, Rating
from risk.operations import OPERATIONS, operation_of, operations_of
from risk.preview import Proposed

__all__ = ["OPERATIONS", "Decision", "Proposed", "decide", "operation_of", "operations_of"]


class Decision(Value):
    """`unasked`: it may run now; otherwise a person must approve it. `refused`: why it may not even be shown for approval."""

    rating: Rating
    unasked: bool
    refused: tuple[str, ...] = ()


def decide(proposed: Sequence[Proposed], evidence: Evidence, matrix: Matrix, mandate: frozenset[str]) -> Decision:
    """`mandate` holds the operations that code found in the user's own words of this turn.

    Only what is low, was asked for in just those words, rests on no guess, can be undone and reaches nobody else runs unasked;
    any other low write counts as medium, and the reasons say why.
    """
    facts = facts_of([one.action for one in proposed], evidence)
    rating = _warned(matrix.rate(facts), proposed)
    if rating.level != "low":
        return Decision(rating=rating, unasked=False, refused=rating.refused)
    doubts = _doubts(facts, mandate) + tuple(f"it rests on a guess: {guess}" for one in proposed for guess in one.guesses)
    if doubts:
        reasons = tuple(dict.fromkeys((*doubts, *rating.warnings)))
        return Decision(rating=rating.model_copy(update={"level": "medium", "reasons": reasons}), unasked=False)
    return Decision(rating=rating, unasked=True)


def _warned(rating: Rating, proposed: Sequence[Proposed]) -> Rating:
    """With what whoever gathered the proposal has found wrong with it."""
    warnings = tuple(dict.fromkeys((*rating.warnings, *(warning for one in proposed for warning in one.warnings))))
    reasons = tuple(dict.fromkeys((*rating.reasons, *warnings)))
    return rating.model_copy(update={"warnings": warnings, "reasons": reasons})


def _doubts(facts: Facts, mandate: frozenset[str]) -> tuple[str, ...]:
    doubts = []
    for action in facts.each:
        doubts += [
            f"you did not ask for this in this message: it {OPERATIONS[name]}" for name in sorted(action.operations - mandate)
        ]
        if not action.undoable:
            doubts.append("it cannot be undone")
        if action.reaches_others:
            doubts.append("somebody else hears of it")
    return tuple(dict.fromkeys(doubts))
