"""Which answers are too much like one that is there already."""

from collections.abc import Iterable
from typing import Literal

from assistant.drafting.base import Answer

Novelty = Literal["lenient", "balanced", "strict"]
MOST_ALIKE: dict[Novelty, float] = {"lenient": 1.0, "balanced": 0.70, "strict": 0.50}
"""The share of words, of all that two answers hold, that both may hold."""


def same(text: str, answers: Iterable[Answer]) -> str:
    """The agent whose answer this is, word for word; empty: nobody's."""
    return next((answer.agent for answer in answers if answer.text.strip() == text.strip()), "")


def too_like(text: str, answers: Iterable[Answer], novelty: Novelty) -> str:
    """The agent whose answer this is too much like; empty: nobody's."""
    return next((answer.agent for answer in answers if likeness(text, answer.text) > MOST_ALIKE[novelty]), "")


def likeness(one: str, other: str) -> float:
    """Jaccard's, of their sets of lower-cased words: from 0 to 1."""
    words, others = set(one.lower().split()), set(other.lower().split())
    return len(words & others) / len(words | others) if words | others else 1.0
