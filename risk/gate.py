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
    """`unasked`: it may run now; otherwise a person must approve it."""

    rating: Rating
    unasked: bool


def decide(proposed: Sequence[Proposed], evidence: Evidence, matrix: Matrix, mandate: frozenset[str]) -> Decision:
    """`mandate` holds the operations that code found in the user's own words of this turn.

    Only what is low, was asked for in just those words, rests on no guess, can be undone and reaches nobody else runs unasked;
    any other low write counts as medium, and the reasons say why.
    """
    facts = facts_of([one.action for one in proposed], evidence)
    rating = matrix.rate(facts)
    if rating.level != "low":
        return Decision(rating=rating, unasked=False)
    doubts = _doubts(facts, mandate) + tuple(f"it rests on a guess: {guess}" for one in proposed for guess in one.guesses)
    if doubts:
        return Decision(rating=Rating(level="medium", reasons=doubts), unasked=False)
    return Decision(rating=rating, unasked=True)


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
