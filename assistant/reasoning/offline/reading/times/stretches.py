"""Times with holes: several days named together, the same hours of several days, all but a part of them."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta

from assistant.reasoning.calls import TimeSpec, Window

DAY = timedelta(days=1)
PART_OF_DAY = timedelta(hours=4)
MOST_DAYS = 400
"""A longer time is not taken apart into its days."""


def windows_of(spec: TimeSpec) -> tuple[Window, ...]:
    """The stretches of a closed time; a moment lasts for nothing. None where a side is open or only a length was said."""
    if spec.windows:
        return spec.windows
    if spec.kind == "point" and spec.has_date and spec.has_time and spec.start:
        return (Window(start=spec.start, stop=spec.stop or spec.start),)
    if spec.start is None or spec.stop is None or spec.kind not in ("point", "range"):
        return ()
    return (Window(start=spec.start, stop=spec.stop),)


def united(specs: Sequence[TimeSpec]) -> TimeSpec | None:
    """ "Monday and Wednesday"; None where one of them is no closed stretch."""
    pieces = [windows_of(spec) for spec in specs]
    if not all(pieces):
        return None
    timed = any(spec.has_time for spec in specs)
    return _spec(specs, _joined([window for row in pieces for window in row]), timed=timed)


def same_length(spec: TimeSpec | None) -> timedelta | None:
    """ "Thursday or Friday from 9 to 11" is for something of two hours; parts of a day are only where to look."""
    lengths = {window.stop - window.start for window in spec.windows} if spec else set()
    short = len(lengths) == 1 and timedelta() < min(lengths) < PART_OF_DAY
    return lengths.pop() if short else None


def each_day(spec: TimeSpec, hours: TimeSpec) -> TimeSpec | None:
    """ "next week in the mornings", "Monday to Thursday from 9 to 12"."""
    days = _days(windows_of(spec))
    if not days:
        return None
    found = [piece for window in days if (piece := _cut(window, _on_day(window.start.date(), hours, window.start)))]
    return _spec((spec, hours), found, timed=True) if found else None


def without(spec: TimeSpec, left_out: TimeSpec) -> TimeSpec | None:
    """ "this week except Friday", "next week but not in the morning"; None where nothing would be left."""
    if spec.kind == "repeat":
        return _on_other_days(spec, left_out)
    holes = _on_same_weekday(windows_of(spec), left_out) or holes_of(spec, left_out)
    return less(spec, holes) if holes else None


def holes_of(spec: TimeSpec, left_out: TimeSpec) -> list[Window]:
    """What a time takes out of another; said without a date, it does so on every day."""
    if not left_out.has_date and left_out.has_time:
        return [_on_day(window.start.date(), left_out, window.start) for window in _days(windows_of(spec))]
    if left_out.has_date and left_out.start is None and left_out.stop is not None:
        midnight = datetime.combine(left_out.stop.date(), time(), left_out.stop.tzinfo)
        return [Window(start=midnight, stop=left_out.stop)] if midnight < left_out.stop else []
    return list(windows_of(left_out))


def less(spec: TimeSpec, holes: Sequence[Window]) -> TimeSpec | None:
    """A closed time without some stretches; None where nothing is left, or it isn't closed."""
    timed = spec.has_time or any(hole.start.time() != time() or hole.stop.time() != time() for hole in holes)
    left = minus(_days(windows_of(spec)) if timed else windows_of(spec), holes)
    return _spec((spec,), left, timed=timed) if left else None


def _on_same_weekday(windows: Iterable[Window], left_out: TimeSpec) -> list[Window]:
    """ "next week except Friday": the Friday of that week, though another one comes first."""
    start, stop = left_out.start, left_out.stop
    if left_out.kind != "point" or start is None or stop is None or not WEEKDAYS & set(left_out.text.lower().split()):
        return []
    return [day for day in _days(windows) if day.start.weekday() == start.weekday()]


def whole_days(spec: TimeSpec) -> TimeSpec:
    """All of the days that a closed time lies in."""
    edges = windows_of(spec)
    if not edges:
        return spec
    start = datetime.combine(edges[0].start.date(), time(), edges[0].start.tzinfo)
    stop = datetime.combine((edges[-1].stop - timedelta(microseconds=1)).date() + DAY, time(), start.tzinfo)
    return TimeSpec(kind="range", text=spec.text, start=start, stop=max(stop, start + DAY), has_date=True)


def midday(now: datetime) -> TimeSpec:
    """The hour of a lunch that is to be kept free."""
    start = now.replace(hour=12, minute=0, second=0, microsecond=0)
    return TimeSpec(kind="range", text="lunch", start=start, stop=start.replace(hour=13), has_time=True)


WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun".split())
WEEKDAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def _on_other_days(spec: TimeSpec, left_out: TimeSpec) -> TimeSpec | None:
    """ "every weekday except Friday"; None where what recurs does not name its days."""
    rule = dict(part.split("=", 1) for part in spec.rrule.split(";"))
    days = rule.get("BYDAY", ",".join(WEEKDAY_CODES) if rule["FREQ"] == "DAILY" and "INTERVAL" not in rule else "").split(",")
    gone = dict(part.split("=", 1) for part in left_out.rrule.split(";") if part).get("BYDAY", "").split(",")
    if left_out.kind == "point" and left_out.start and (left_out.has_date or not left_out.has_time):
        gone = [WEEKDAY_CODES[left_out.start.weekday()]]
    kept = [day for day in days if day not in gone]
    if not spec.start or not kept or len(kept) == len(days) or not set(kept) <= set(WEEKDAY_CODES):
        return None
    rule |= {"FREQ": "WEEKLY", "BYDAY": ",".join(kept)}
    start, step = spec.start, timedelta(0)
    if left_out.has_time and left_out.start and not spec.has_time:
        start = datetime.combine(start.date(), left_out.start.time(), start.tzinfo)
    while WEEKDAY_CODES[(start + step).weekday()] not in kept:
        step += DAY
    stop = spec.stop + step if spec.stop else None
    text = f"{spec.text} except {left_out.text}"
    rrule = ";".join(f"{key}={value}" for key, value in rule.items())
    timed = spec.has_time or left_out.has_time
    return spec.model_copy(update={"text": text, "rrule": rrule, "start": start + step, "stop": stop, "has_time": timed})


def minus(windows: Iterable[Window], holes: Iterable[Window]) -> list[Window]:
    left = list(windows)
    for hole in holes:
        left = [piece for window in left for piece in _around(window, hole)]
    return left


def _around(window: Window, hole: Window) -> list[Window]:
    if hole.stop <= window.start or window.stop <= hole.start:
        return [window]
    before = [Window(start=window.start, stop=hole.start)] if window.start < hole.start else []
    return [*before, *([Window(start=hole.stop, stop=window.stop)] if hole.stop < window.stop else [])]


def _spec(specs: Sequence[TimeSpec], windows: Sequence[Window], *, timed: bool) -> TimeSpec:
    return TimeSpec(
        kind="range",
        text=" and ".join(spec.text for spec in specs),
        start=windows[0].start,
        stop=windows[-1].stop,
        windows=tuple(windows) if len(windows) > 1 else (),
        has_date=True,
        has_time=timed,
    )


def _joined(windows: Iterable[Window]) -> list[Window]:
    """In order; those that touch become one."""
    found: list[Window] = []
    for window in sorted(windows, key=lambda one: one.start):
        if found and window.start <= found[-1].stop:
            found[-1] = Window(start=found[-1].start, stop=max(found[-1].stop, window.stop))
        else:
            found.append(window)
    return found


def _days(windows: Iterable[Window]) -> list[Window]:
    """One window for each calendar day."""
    found: list[Window] = []
    for window in windows:
        at = window.start
        while at < window.stop and len(found) < MOST_DAYS:
            midnight = datetime.combine(at.date() + DAY, time(), at.tzinfo)
            found.append(Window(start=at, stop=min(midnight, window.stop)))
            at = midnight
    return found


def _on_day(day: date, hours: TimeSpec, like: datetime) -> Window:
    """Hours said without a date, on a day; an open side is that day's border."""
    start = datetime.combine(day, hours.start.time() if hours.start else time(), like.tzinfo)
    if hours.stop is None:
        last = start + timedelta(hours=1) if hours.kind == "point" else datetime.combine(day + DAY, time(), like.tzinfo)
        return Window(start=start, stop=last)
    stop = datetime.combine(day, hours.stop.time(), like.tzinfo)
    return Window(start=start, stop=stop if stop > start else stop + DAY)


def _cut(window: Window, other: Window) -> Window | None:
    start, stop = max(window.start, other.start), min(window.stop, other.stop)
    return Window(start=start, stop=stop) if start < stop else None
