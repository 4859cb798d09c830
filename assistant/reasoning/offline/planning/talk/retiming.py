"""A time that leans on another: "at 9" keeps the day, "on Thursday" the hour, "the week after" counts from it."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.reasoning.base import Request
from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.text.items import Item

WEEK = timedelta(days=7)


def retimed(item: Item, old: TimeSpec | None, request: Request) -> str:
    """The words for a new time in the place of an old one."""
    new = item.time
    assert new is not None
    if words := counted(item.low, old, request):
        return words
    if old is None or old.start is None:
        return item.text
    if new.kind == "range" and new.has_time and not new.has_date and old.has_date and (new.start is None or new.stop is None):
        edge = new.start or new.stop
        on, word = day(old.start.astimezone(request.setting.zone)), "after" if new.start else "before"
        return f"on {on} {word} {edge.astimezone(request.setting.zone):%H:%M}" if edge is not None else item.text
    if new.start is None:
        return item.text
    zone = request.setting.zone
    start, clock = old.start.astimezone(zone), new.start.astimezone(zone)
    if new.has_time and not new.has_date and old.has_date:
        until = f" to {new.stop.astimezone(zone):%H:%M}" if new.kind == "range" and new.stop else ""
        return f"on {day(start)} {'from' if until else 'at'} {clock:%H:%M}{until}"
    if new.kind == "point" and not new.has_time and old.has_time:
        if old.kind == "point":
            return f"on {day(clock)} at {start:%H:%M}"
        if old.stop is not None and old.stop - old.start < timedelta(days=1):
            return f"on {day(clock)} from {start:%H:%M} to {old.stop.astimezone(zone):%H:%M}"
    return item.text


def day(at: datetime) -> str:
    return f"{at.day} {at:%B} {at.year}"


def _bare(words: str) -> str:
    return words.removeprefix("on ").removeprefix("in ").removesuffix(" that").strip()


def counted(said: str, old: TimeSpec | None, request: Request) -> str:
    """ "The day after", "a week later": so long after the old time or, where there is none, after what was shown; else empty."""
    unit, count = lexicon().relative.get(_bare(said), ("", 0))
    if not unit:
        return ""
    start = old.start if old is not None else None
    if start is None:
        events = request.shown[0].data.events if request.shown else ()
        start = events[-1].start if events else None
    if start is None:
        return ""
    start = start.astimezone(request.setting.zone)
    if unit == "day":
        return f"on {day(start + timedelta(days=count))}" + (f" at {start:%H:%M}" if old is not None and _is_hour(old) else "")
    monday = start - timedelta(days=start.weekday()) + count * WEEK
    return f"from {day(monday)} to {day(monday + timedelta(days=6))}"


def last_time(request: Request) -> TimeSpec | None:
    """The time that the last request was about."""
    call = parse(request.last, request.setting).call if request.last else None
    return (call.time or call.select.when) if call is not None else None


def counted_from_last(said: str, request: Request) -> str:
    """ "The day after": so long after the time of the last request."""
    return counted(said, last_time(request), request) if _bare(said) in lexicon().relative else ""


def last_words(request: Request) -> str:
    """How the last request put the day that it was about; else the day and hour of the one event that it showed."""
    spec = last_time(request)
    if spec is not None and spec.has_date:
        return spec.text
    events = request.shown[0].data.events if request.shown else ()
    return f"on {day(events[0].start.astimezone(request.setting.zone))}" if len(events) == 1 else ""


def behind_shown(words: Sequence[str], at: int, request: Request) -> tuple[int, str] | None:
    """ "Right after it", "after that": when the one event ends that was shown and is not named here; how many words that takes."""
    begin = at + 1 if words[at] in CLOSE else at
    if tuple(words[begin : begin + 2]) not in AFTER or not request.shown:
        return None
    data = request.shown[0].data
    events = data.events or tuple(event for clash in data.clashes for event in (clash.first, clash.second))
    others = {event.end: event for event in events if not set(event.title.lower().split()) & set(words) - SMALL}
    if len(others) != 1:
        return None
    end = next(iter(others)).astimezone(request.setting.zone)
    return begin + 2 - at, f"{day(end)} at {end:%H:%M}"


CLOSE = frozenset({"right", "just", "directly", "immediately", "straight", "shortly"})
AFTER = frozenset({("after", "it"), ("after", "that"), ("after", "this")})
SMALL = frozenset({"with", "the", "a", "of", "for", "and", "at", "in", "on", "to"})


def _is_hour(spec: TimeSpec) -> bool:
    return spec.kind == "point" and spec.has_time
