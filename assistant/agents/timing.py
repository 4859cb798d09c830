"""From a said time to the time of an event: exact, or a window in which a free one is still to be found."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from assistant.agents.base import Desk
from assistant.agents.report import Refusal
from assistant.agents.words import later, length_of
from assistant.reasoning.calls import Call, TimeSpec, Window
from integrations.types import Event, Value

USUAL, SHORT = timedelta(minutes=60), timedelta(minutes=30)
COMING = timedelta(days=7)
PART_OF_DAY = timedelta(hours=3)
PARTS = ("morning", "afternoon", "evening", "night", "lunch")


class Timing(Value):
    """`exact` False: anywhere in start..end that is free."""

    start: datetime
    end: datetime
    all_day: bool = False
    exact: bool = True
    windows: tuple[Window, ...] = ()
    """Where start..end has holes: the stretches meant."""
    to_the_hour: bool = False
    """Its hours were said ("between 8 and 8"): working hours are no hindrance to it."""


def midnight(moment: datetime, zone: ZoneInfo) -> datetime:
    return datetime.combine(moment.astimezone(zone).date(), time(), zone)


def skipped(spec: TimeSpec | None, zone: ZoneInfo) -> str:
    """What to say where the wording names an hour that the clocks jump over that night."""
    if spec is None or spec.start is None or not spec.has_time:
        return ""
    start = spec.start.astimezone(zone)
    said = start.replace(tzinfo=None) - timedelta(hours=1)
    there = said.replace(tzinfo=zone)
    missing = there.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != said
    if not missing or not re.search(rf"\b0?{said.hour % 12 or 12}(?!\d)", spec.text):
        return ""
    return f"the clocks jump over {said:%H:%M} that night, so it is {start:%H:%M}"


def half_timed(spec: TimeSpec, desk: Desk) -> str:
    """The words for several days of which only the last has an hour: "from tomorrow until Friday at 10"; empty for all others."""
    if spec.kind != "range" or not (spec.has_date and spec.has_time and spec.start and spec.stop) or spec.windows:
        return ""
    start, stop = (moment.astimezone(desk.setting.zone) for moment in (spec.start, spec.stop))
    said = re.search(r"midnight|\b0{1,2}(?!\d)|\b12 ?am", spec.text, re.IGNORECASE)
    return spec.text if start.date() != stop.date() and start.time() == time() != stop.time() and not said else ""


def is_part_of_day(spec: TimeSpec) -> bool:
    """ "Friday afternoon" is a stretch to choose from; "from 2 to 4" is a time."""
    if not (spec.start and spec.stop):
        return True
    hours = HOURS.search(spec.text) is not None and spec.stop - spec.start < timedelta(days=1)
    return spec.stop - spec.start >= PART_OF_DAY and not hours and any(part in spec.text.lower() for part in PARTS)


HOURS = re.compile(r"\d(?:[:.]\d\d)?(?: ?[ap]\.?m\.?| o'clock)? ?(?:to|till|until|-|\u2013) ?\d", re.IGNORECASE)
"""From one hour to another, in figures."""


def stretch(spec: TimeSpec | None, desk: Desk, *, otherwise: timedelta = COMING) -> Timing:
    """The window in which a slot is looked for; open ends reach to the end of the day or as far as `otherwise`."""
    now = desk.setting.now
    if spec is None or (spec.start is None and spec.stop is None):
        return Timing(start=now, end=now + otherwise, exact=False)
    start = spec.start or now
    stop = spec.stop
    if stop is None:
        next_midnight = midnight(start, desk.setting.zone) + timedelta(days=1)
        stop = next_midnight if spec.has_date or spec.has_time else start + otherwise
    return Timing(start=start, end=stop, exact=False, windows=spec.windows, to_the_hour=_hours_said(spec))


def _hours_said(spec: TimeSpec) -> bool:
    if spec.kind != "range" or not spec.has_time or any(part in spec.text.lower() for part in PARTS):
        return False
    edges: list[datetime | None] = [edge for window in spec.windows for edge in (window.start, window.stop)]
    edges = edges or [spec.start, spec.stop]
    return all(edge is not None and edge.time() != time() for edge in edges)


def time_of_new(call: Call, desk: Desk) -> Timing:
    spec, length = call.time, call.duration or USUAL
    if call.slot:
        return stretch(spec, desk)
    if spec is None or spec.kind == "duration" or (spec.start is None and spec.stop is None):
        return stretch(None, desk)
    if spec.start is None or (spec.kind == "range" and spec.stop is None):
        return stretch(spec, desk)
    start = spec.start
    if call.all_day:
        first = midnight(start, desk.setting.zone)
        last = midnight(spec.stop, desk.setting.zone) if spec.stop else first
        return Timing(start=first, end=max(last, first + timedelta(days=1)), all_day=True)
    if spec.windows and all(window.start == window.stop for window in spec.windows):
        return _one_of(spec.windows, spec.duration or length)
    if spec.kind == "range":
        if spec.windows or not spec.has_time or is_part_of_day(spec) or call.duration:
            return stretch(spec, desk)
        assert spec.stop is not None
        return Timing(start=start, end=spec.stop)
    if spec.has_time:
        return Timing(start=start, end=later(start, spec.duration or length))
    return Timing(start=start, end=spec.stop or start + timedelta(days=1), exact=False)


def _one_of(moments: Sequence[Window], length: timedelta) -> Timing:
    """ "Monday or Tuesday at 3": whichever is free."""
    windows = tuple(Window(start=one.start, stop=later(one.start, length)) for one in moments)
    return Timing(start=windows[0].start, end=windows[-1].stop, exact=False, windows=windows, to_the_hour=True)


def time_of_moved(event: Event, call: Call, desk: Desk) -> Timing:
    """Keeps the duration; a time without a date keeps the event's date, a date without a time the event's time."""
    zone, length = desk.setting.zone, length_of(event)
    if call.shift is not None:
        start = event.start + call.shift if event.all_day or not call.shift % timedelta(days=1) else later(event.start, call.shift)
        if call.time and call.time.start and call.time.has_time and not call.time.has_date:
            said = datetime.combine(start.astimezone(zone).date(), call.time.start.astimezone(zone).time(), zone)
            start = said if not call.shift % timedelta(days=1) else _agreeing(start, said)
        return _lasting(start, length, all_day=event.all_day)
    spec = call.time
    if call.slot or spec is None or spec.start is None:
        return stretch(spec, desk)
    if spec.windows:
        moments = all(window.start == window.stop for window in spec.windows)
        return _one_of(spec.windows, length) if moments else stretch(spec, desk)
    if spec.has_time and (spec.kind != "range" or (spec.stop and not is_part_of_day(spec))):
        return _moved_to_time(event, spec, length, zone)
    one_day = spec.stop is None or spec.stop - spec.start <= timedelta(days=1, hours=1)
    if one_day and not spec.has_time:
        day = spec.start.astimezone(zone).date()
        at = time() if event.all_day else event.start.astimezone(zone).time()
        return _lasting(datetime.combine(day, at, zone), length, all_day=event.all_day)
    return stretch(spec, desk)


def _agreeing(start: datetime, said: datetime) -> datetime:
    """Where a shift leads, when the hour said beside it ("by an hour, so starting at eight") is the same on a clock's face."""
    if (start - said) % timedelta(hours=12):
        raise Refusal("not_understood", f"That shift leads to {start:%H:%M}, not to {said:%H:%M}. Tell me which of them you mean.")
    return start


def at_its_hour(event: Event, timing: Timing, desk: Desk) -> Timing | None:
    """The event's own time of day in a stretch of one day to choose from ("Monday afternoon"); None where it doesn't fall into
    it."""
    if timing.exact or timing.windows or event.all_day or timing.end - timing.start > timedelta(days=1):
        return None
    zone, length = desk.setting.zone, length_of(event)
    start = datetime.combine(timing.start.astimezone(zone).date(), event.start.astimezone(zone).time(), zone)
    end = later(start, length)
    return Timing(start=start, end=end) if timing.start <= start and end <= timing.end else None


def _moved_to_time(event: Event, spec: TimeSpec, length: timedelta, zone: ZoneInfo) -> Timing:
    assert spec.start is not None
    day = spec.start.astimezone(zone).date() if spec.has_date else event.start.astimezone(zone).date()
    start = datetime.combine(day, spec.start.astimezone(zone).time(), zone)
    if spec.kind == "range" and spec.stop:
        return Timing(start=start, end=later(start, spec.stop - spec.start))
    if event.all_day:
        return Timing(start=start, end=later(start, USUAL))
    start = _in_nearer_half(start, event.start.astimezone(zone), spec.text)
    return Timing(start=start, end=later(start, length))


_SAYS_HALF = re.compile(
    r"[ap]\.?m\b|morning|afternoon|evening|night|noon|midday|tonight|\b0\d|\b(?:1[3-9]|2[0-4])\b", re.IGNORECASE
)
WAKING = (time(7), time(23))


def _in_nearer_half(start: datetime, before: datetime, said: str) -> datetime:
    """ "Move the drinks to eight" from 7 pm means the evening: of a bare hour's two readings the nearer to the old hour."""
    if _SAYS_HALF.search(said):
        return start
    readings = [start.replace(hour=start.hour % 12 + half) for half in (0, 12)]
    waking = [one for one in readings if WAKING[0] <= one.time() < WAKING[1]]

    def away(one: datetime) -> tuple[timedelta, bool]:
        return abs(one - datetime.combine(one.date(), before.time(), one.tzinfo)), one != start

    return min(waking, key=away, default=start)


def _lasting(start: datetime, length: timedelta, *, all_day: bool) -> Timing:
    return Timing(start=start, end=start + length if all_day else later(start, length), all_day=all_day)
