"""From what was read to instants in the user's zone."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates.clocks import settled
from assistant.reasoning.offline.dates.lexicon import MORNINGS
from assistant.reasoning.offline.dates.nodes import Clock, Days, Draft, Hours, Length, Node, Repeat, Span, Stretch
from assistant.reasoning.offline.dates.tokens import Sentence

DAY = timedelta(days=1)
HALF_DAY = 12


def instant(day: date, clock: Clock | None, zone: ZoneInfo) -> datetime:
    """The wall clock's time; one that a change of clocks leaves out is moved forward by the gap."""
    if clock is None:
        return real(datetime.combine(day, time(), zone), zone)
    day += timedelta(clock.hour // 24)
    wall = datetime.combine(day, time(clock.hour % 24, clock.minute, clock.second), clock.zone or zone)
    return real(wall, zone)


def real(wall: datetime, zone: ZoneInfo) -> datetime:
    return wall.astimezone(UTC).astimezone(zone)


def resolved(s: Sentence, node: Node, text: str) -> TimeSpec | None:
    """None where what was read holds no time, as a range that ends before it begins."""
    try:
        spec = _resolved(s, node, text)
    except (OverflowError, ValueError):  # beyond the calendar
        return None
    empty = spec is not None and spec.start is not None and spec.stop is not None and spec.stop <= spec.start
    return None if empty else spec


def _resolved(s: Sentence, node: Node, text: str) -> TimeSpec | None:
    match node:
        case Length():
            return TimeSpec(kind="duration", text=text, duration=node.timedelta)
        case Stretch():
            point = node.start == node.stop
            stop = None if point else node.stop
            timed = node.timed
            return TimeSpec(
                kind="point" if point else "range", text=text, start=node.start, stop=stop, has_date=True, has_time=timed
            )
        case Span():
            return _span(s, node, text)
        case Repeat():
            return _repeat(s, node, text)
        case Draft(days=None, time=clock):
            return _time_only(s, clock, text)
        case Draft(days=days, time=None):
            assert days is not None
            return _days(s, days, text)
        case Draft(days=days, time=clock):
            assert days is not None
            return _dated(s, days.start, clock, text)
    return None


def _days(s: Sentence, days: Days, text: str) -> TimeSpec:
    start, stop = instant(days.start, None, s.zone), instant(days.stop, None, s.zone)
    return TimeSpec(kind="point" if days.single else "range", text=text, start=start, stop=stop, has_date=True)


def _dated(s: Sentence, day: date, clock: Clock | Hours | None, text: str) -> TimeSpec:
    if isinstance(clock, Hours):
        start, stop = _bounds(s, day, clock)
        if not clock.deadline or start != stop:
            start = None if clock.deadline else start or instant(day, None, s.zone)
        stop = stop or instant(day + DAY, None, s.zone)
        return TimeSpec(kind="range", text=text, start=start, stop=stop, has_date=True, has_time=True)
    at = on_day(s, day, clock)
    return TimeSpec(kind="point", text=text, start=at, has_date=True, has_time=True)


def on_day(s: Sentence, day: date, clock: Clock | None) -> datetime:
    """An hour without am or pm that is over today is taken for its evening twin, if that is still to come."""
    if clock is None:
        return instant(day, None, s.zone)
    at = instant(day, clock.half(False) if clock.early else settled(clock, business_hours=s.business_hours), s.zone)
    if not clock.sure and day == s.today and not s.past and at < s.now and at.hour < HALF_DAY:
        later = instant(day, clock.half(True), s.zone)
        return later if later > s.now else at
    return at


def _bounds(s: Sentence, day: date, hours: Hours) -> tuple[datetime | None, datetime | None]:
    start = instant(day, hours.start, s.zone) if hours.start else None
    stop = instant(day, hours.stop, s.zone) if hours.stop else None
    if start and stop and stop <= start:
        stop = instant(day + DAY, hours.stop, s.zone)
    return start, stop


def _time_only(s: Sentence, clock: Clock | Hours | None, text: str) -> TimeSpec | None:
    """The next such time, or looking back the last one."""
    if isinstance(clock, Hours):
        start, stop = _bounds(s, s.today, clock)
        end = stop or (start if s.past else None)
        if end and not s.past and end <= s.now:
            start, stop = _bounds(s, s.today + DAY, clock)
        elif s.past and (start or end) and (start or end or s.now) > s.now:
            start, stop = _bounds(s, s.today - DAY, clock)
        return TimeSpec(kind="range", text=text, start=start, stop=stop, has_time=True)
    if clock is None:
        return None
    if not clock.sure and not s.business_hours:
        at = _nearest(s, clock)
    else:
        told = clock.half(False) if clock.early and not MORNINGS.isdisjoint(s.words) else settled(clock)
        at = instant(s.today, told, s.zone)
        if s.past and at > s.now:
            at = instant(s.today - DAY, told, s.zone)
        elif not s.past and at < s.now:
            at = instant(s.today + DAY, told, s.zone)
    return TimeSpec(kind="point", text=text, start=at, has_time=True)


def _nearest(s: Sentence, clock: Clock) -> datetime:
    """Of both readings of an hour, the one that comes first (looking back: that was last)."""
    days = (s.today - DAY, s.today, s.today + DAY)
    readings = [instant(day, clock.half(afternoon), s.zone) for day in days for afternoon in (False, True)]
    if s.past:
        return max(at for at in readings if at <= s.now)
    return min(at for at in readings if at >= s.now)


def _span(s: Sentence, node: Span, text: str) -> TimeSpec | None:
    start, stop = _edge(s, node.start, last=False), _edge(s, node.stop, last=node.inclusive)
    timed = any(draft is not None and draft.time is not None for draft in (node.start, node.stop))
    if start and stop and stop <= start:
        return None
    return TimeSpec(kind="range", text=text, start=start, stop=stop, has_date=True, has_time=timed)


def _edge(s: Sentence, draft: Draft | None, *, last: bool) -> datetime | None:
    if draft is None or draft.days is None:
        return None
    if isinstance(draft.time, Clock):
        return on_day(s, draft.days.start, draft.time)
    if isinstance(draft.time, Hours):
        start, stop = _bounds(s, draft.days.start, draft.time)
        return stop if last else start
    return instant(draft.days.stop if last else draft.days.start, None, s.zone)


def _repeat(s: Sentence, node: Repeat, text: str) -> TimeSpec:
    if node.time is None:
        start = instant(node.first, None, s.zone)
        return TimeSpec(kind="repeat", text=text, start=start, rrule=node.rrule, has_date=True)
    for day in (node.first, node.again):
        stop: datetime | None = None
        if isinstance(node.time, Hours):
            begin, stop = _bounds(s, day, node.time)
            start = begin or instant(day, None, s.zone)
        else:
            start = instant(day, settled(node.time, business_hours=s.business_hours), s.zone)
        if start >= s.now:
            break
    return TimeSpec(kind="repeat", text=text, start=start, stop=stop, rrule=node.rrule, has_date=True, has_time=True)
