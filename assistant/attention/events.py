"""Ranks events: what is soon, what overlaps, what waits for an answer."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from integrations.types import Event, Value

SOON = timedelta(hours=24)


class RankedEvent(Value):
    """A `score` above 0 asks for attention. `points` are the reasons with their weights."""

    event: Event
    score: float
    reasons: tuple[str, ...] = ()
    points: tuple[tuple[float, str], ...] = ()


def rank_events(events: Sequence[Event], now: datetime) -> tuple[RankedEvent, ...]:
    """Those that are not over, cancelled or declined; what asks most comes first, then what is next.

    `now` is in the user's zone.
    """
    ahead = sorted((event for event in events if event.end > now and _stands(event)), key=lambda event: (event.start, event.title))
    clashes = _clashes(ahead)
    ranked = []
    for at, event in enumerate(ahead):
        points = sorted(_points(event, [ahead[other] for other in clashes.get(at, ())], now), key=lambda point: -point[0])
        score = sum(weight for weight, _ in points)
        reasons = tuple(words for _, words in points)
        ranked.append(RankedEvent(event=event, score=score, reasons=reasons, points=tuple(points)))
    return tuple(sorted(ranked, key=lambda one: -one.score))


def _stands(event: Event) -> bool:
    return event.status != "cancelled" and event.my_answer != "declined"


def _clashes(ahead: Sequence[Event]) -> dict[int, list[int]]:
    """By position, the positions of the events that overlap it; `ahead` is in order of start."""
    found: dict[int, list[int]] = {}
    going_on: list[int] = []
    for at, event in enumerate(ahead):
        if not event.busy or event.all_day:
            continue
        going_on = [other for other in going_on if ahead[other].end > event.start]
        for other in going_on:
            found.setdefault(at, []).append(other)
            found.setdefault(other, []).append(at)
        going_on.append(at)
    return found


def _points(event: Event, clashing: Sequence[Event], now: datetime) -> Iterator[tuple[float, str]]:
    if event.my_answer == "needs-action":
        yield 3.0, "invitation awaiting your answer"
    if clashing:
        yield 4.0, f"overlaps with {' and '.join(other.title or '(no title)' for other in clashing)}"
    until = event.start - now
    if until < SOON and not event.all_day:
        yield (3.0 if until < timedelta(hours=2) else 1.0), _when(event, now)


def _when(event: Event, now: datetime) -> str:
    minutes = round((event.start - now).total_seconds() / 60)
    if minutes <= 0:
        return "going on now"
    if minutes < 120:
        return f"starts in {minutes} minute{'s' * (minutes > 1)}"
    start = event.start.astimezone(now.tzinfo)
    return f"{'today' if start.date() == now.date() else 'tomorrow'} at {start:%H:%M}"
