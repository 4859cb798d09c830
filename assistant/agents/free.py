"""Free and busy time: pure functions of events and hours. All times are aware; results are in the zone of the windows."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from assistant.agents.words import later
from assistant.values import Clash, Slot
from integrations.types import Event

WEEKEND = 5
QUARTER, HALF = timedelta(minutes=15), timedelta(minutes=30)
MOST_CLASHES = 50


def is_busy(event: Event) -> bool:
    return event.busy and event.status != "cancelled" and event.my_answer != "declined"


def collisions(events: Iterable[Event], start: datetime, end: datetime) -> tuple[Event, ...]:
    """The busy ones that overlap [start, end)."""
    return tuple(e for e in events if is_busy(e) and _utc(e.start) < _utc(end) and _utc(start) < _utc(e.end))


def clashes(events: Sequence[Event]) -> tuple[Clash, ...]:
    """Pairs of busy, timed events that overlap; all-day ones stand beside others without harm."""
    timed = sorted(((_utc(e.start), _utc(e.end), e) for e in events if is_busy(e) and not e.all_day), key=lambda one: one[:2])
    return tuple(islice(_overlapping(timed), MOST_CLASHES))


def _overlapping(timed: Sequence[tuple[datetime, datetime, Event]]) -> Iterator[Clash]:
    """`timed` in order: whoever begins after one ends is out of its way, and so is everybody after that."""
    for position, (start, end, event) in enumerate(timed):
        for following in range(position + 1, len(timed)):
            later_start, later_end, other = timed[following]
            if later_start >= end:
                break
            if start < later_end:
                yield Clash(first=event, second=other)


def working_hours(start: datetime, stop: datetime, opens: time, closes: time, zone: ZoneInfo, *, weekends: bool) -> list[Slot]:
    """The working hours of each day within [start, stop)."""
    windows = []
    day = start.astimezone(zone).date()
    while datetime.combine(day, time(), zone) < stop:
        first = datetime.combine(day, opens, zone)
        last = datetime.combine(day, closes, zone)
        if weekends or day.weekday() < WEEKEND:
            windows += _nonempty(max(first, start, key=_utc), min(last, stop, key=_utc), zone)
        day += timedelta(days=1)
    return windows


def gaps(
    events: Iterable[Event],
    windows: Iterable[Slot],
    *,
    apart: timedelta = timedelta(),
    taken: Iterable[tuple[datetime, datetime]] = (),
) -> list[Slot]:
    """What the busy events and the `taken` times, and `apart` before and behind each, leave of the windows."""
    spans = [*((e.start, e.end) for e in events if is_busy(e)), *taken]
    busy = sorted((_utc(start) - apart, _utc(end) + apart) for start, end in spans if end > start)
    free: list[Slot] = []
    for window in windows:
        zone = window.start.tzinfo
        at, last = _utc(window.start), _utc(window.end)
        for begin, end in busy:
            if end <= at or begin >= last:
                continue
            if begin > at:
                free.append(Slot(start=at.astimezone(zone), end=begin.astimezone(zone)))
            at = max(at, end)
        if at < last:
            free.append(Slot(start=at.astimezone(zone), end=last.astimezone(zone)))
    return free


def slots_of(free: Iterable[Slot], length: timedelta) -> list[Slot]:
    """Slots of exactly `length`, one after the other, beginning on the half hour (short ones on the quarter)."""
    grid = HALF if length >= HALF else QUARTER
    found: list[Slot] = []
    if length <= timedelta():
        return found
    for gap in free:
        at = _rounded_up(gap.start, grid)
        while _utc(end := later(at, length)) <= _utc(gap.end):
            found.append(Slot(start=at, end=end))
            at = _rounded_up(end, grid)
    return found


def spread(slots: Sequence[Slot], most: int) -> tuple[Slot, ...]:
    """At most `most`, taken from as many days as possible and from different parts of a day; in time order."""
    days: dict[object, list[Slot]] = {}
    for slot in slots:
        days.setdefault(slot.start.date(), []).append(slot)
    share, more = divmod(most, max(len(days), 1))
    kept = [slot for n, row in enumerate(days.values()) for slot in _evenly(row, share + (n < more))]
    return tuple(sorted(kept, key=lambda slot: _utc(slot.start)))


def _evenly(row: Sequence[Slot], share: int) -> list[Slot]:
    if len(row) <= share:
        return list(row)
    return [row[index * len(row) // share] for index in range(share)]


def _rounded_up(moment: datetime, grid: timedelta) -> datetime:
    past = timedelta(minutes=moment.minute % (grid.seconds // 60), seconds=moment.second, microseconds=moment.microsecond)
    return later(moment, grid - past) if past else moment


def _nonempty(start: datetime, end: datetime, zone: ZoneInfo) -> list[Slot]:
    return [Slot(start=start.astimezone(zone), end=end.astimezone(zone))] if _utc(start) < _utc(end) else []


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)
