"""Whether the event picked out begins or ends before or after a time: "if my first meeting on Friday starts after 10"."""

from collections.abc import Sequence
from datetime import time, timedelta
from typing import Literal

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.slots import ENDING, STARTING
from assistant.reasoning.offline.reading.text.items import Item

COPULAS = frozenset({"is", "'s", "are", "was", "be", "takes"})
DAY = timedelta(days=1)

Edge = tuple[TimeSpec, Literal["start", "end"], TimeSpec | None]
"""The bound, which edge of the event it is on, and the time that selects."""


def without_edge_verbs(items: Sequence[Item]) -> list[Item]:
    """Without "starts" and "ends" where a time follows."""
    verbs = STARTING | ENDING
    return [
        item
        for item, after in zip(items, (*items[1:], None), strict=False)
        if not (
            item.kind == "word"
            and item.low in verbs
            and after is not None
            and (after.kind == "time" or after.low in ("at", "before"))
        )
    ]


def edge_of(when: TimeSpec | None, clause: Clause, people: Sequence[object]) -> Edge | None:
    """The event is picked out of the whole day; what is said of its edge is looked at then."""
    if when is None or when.kind != "range" or not when.has_time or not (when.start or when.stop):
        return None
    words = {item.low for item in clause.items}
    says = bool(words & (STARTING | ENDING))
    if not says and (people or not words & COPULAS):
        return None
    bound = _bound(when)
    return (bound, "end" if words & ENDING else "start", _day(when)) if bound is not None else None


def _bound(when: TimeSpec) -> TimeSpec | None:
    """The open side of a range that a day closes; None for "between 9 and 10"."""
    opens = when.start is None or when.start.time() == time()
    closes = when.stop is None or when.stop.time() == time() or not when.has_date
    if when.start is not None and when.stop is not None and opens == closes:
        return None
    return when.model_copy(update={"start": None} if opens and when.stop is not None else {"stop": None})


def _day(when: TimeSpec) -> TimeSpec | None:
    if not when.has_date:
        return None
    edge = when.start or when.stop
    assert edge is not None
    midnight = edge.replace(hour=0, minute=0, second=0, microsecond=0)
    return TimeSpec(kind="point", text=when.text, start=midnight, stop=midnight + DAY, has_date=True)
