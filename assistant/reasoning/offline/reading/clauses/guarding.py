"""Changes of the calendar that are made only where nothing is in the way: "… unless it would overlap with another meeting"."""

from collections.abc import Sequence

from assistant.reasoning.calls import Call
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import strip_closers
from assistant.reasoning.offline.reading.slots import lows

GUARD = "unless there is a clash"
"""How a step says it."""
PLACING = ("event.create", "event.move", "event.resize")
NOT = frozenset({"not", "no", "nothing", "never", "without"})


def is_guard(condition: Sequence[Item], unless: bool, call: Call | None) -> bool:
    """Whether a condition asks for nothing but that the deed's own time is free."""
    if call is None or call.operation not in PLACING:
        return False
    asides, free_words = lexicon().asides, lexicon().small["free"]
    words = lows(strip_closers([item for item in condition if item.kind != "punct"]))
    taken = {"have", "has", "is", "'s"} & set(words) and {"something", "anything"} & set(words) and {"then", "already"} & set(words)
    clashes = bool(set(words) & asides["clashing"] or taken)
    free = bool(set(words) & free_words) and (call.operation == "event.resize" or call.shift is not None)
    if not (clashes or free) or not set(words) <= asides["clashing"] | free_words | asides["around_clash"]:
        return False
    negated = bool(NOT & set(words))
    return (negated == unless) if free and not clashes else (negated != unless)


def guarded_from(items: Sequence[Item]) -> int | None:
    """Where a step's own guard begins."""
    tail = GUARD.split()
    return len(items) - len(tail) if lows(items)[-len(tail) :] == tail and len(items) > len(tail) else None
