"""“The same time next week”: a time of day that is taken over from the event in question."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item

LEADING = frozenset({"at", "the", "to", "for", "on", "but", "exactly", "with", "and", ",", "just"})
WEEK = timedelta(days=7)


def same_time(items: Sequence[Item]) -> tuple[int, int] | None:
    """Where "(at) the same time", "keeping their times", "at their usual hour" stands."""
    words = [item.low for item in items]
    for at in range(len(items) - 1):
        match = lexicon().polite["same_time"].at(words, at) if items[at].kind == "word" else None
        if match is not None:
            begin = at
            while begin and items[begin - 1].low in LEADING:
                begin -= 1
            return begin, at + match[0]
    return None


def without_same_time(items: Sequence[Item]) -> tuple[list[Item], bool]:
    """The words that lead up to it stay before a date, so that "to the same time on Friday" is still "to Friday"."""
    found = same_time(items)
    if found is None:
        return list(items), False
    begin, end = found
    direction = [item for item in items[begin:end] if item.low == "to"]
    return [*items[:begin], *direction, *items[end:]], True


def weeks_ahead(spec: TimeSpec | None, now: datetime | None) -> timedelta | None:
    """How far a week that was said ("next week") lies ahead; None for anything but a week."""
    if spec is None or now is None or spec.has_time or not (spec.start and spec.stop):
        return None
    days = (spec.stop.date() - spec.start.date()).days
    if days not in (5, 6, 7):
        return None
    this_week = now.date() - timedelta(days=now.weekday())
    start = spec.start.date() - timedelta(days=spec.start.weekday())
    return WEEK * ((start - this_week).days // 7) or None
