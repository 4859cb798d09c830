"""A date said in one place and a time of day said in another, put together."""

from datetime import datetime, timedelta

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates.resolve import real

DAY = timedelta(days=1)


def merge(date_spec: TimeSpec, time_spec: TimeSpec) -> TimeSpec:
    """The day of the one at the time of the other, in either order. Where they don't complement each other (a duration, two
    dates, a week and an hour) the first is given back as it is."""
    if date_spec.has_time and not date_spec.has_date and time_spec.has_date and not time_spec.has_time:
        date_spec, time_spec = time_spec, date_spec
    day = date_spec.start
    if day is None or not date_spec.has_date or date_spec.has_time or not time_spec.has_time or time_spec.has_date:
        return date_spec
    text = f"{date_spec.text} {time_spec.text}".strip()
    if date_spec.kind == "range":
        return date_spec
    start = _at(day, time_spec.start, time_spec.start) if time_spec.start else None
    stop = _at(day, time_spec.stop, time_spec.start) if time_spec.stop else None
    if date_spec.kind == "repeat":
        return date_spec.model_copy(update={"text": text, "start": start or day, "stop": stop, "has_time": True})
    if time_spec.kind == "range":
        start, stop = start or day, stop or _at(day + DAY, day, None)
    return TimeSpec(kind=time_spec.kind, text=text, start=start, stop=stop, has_date=True, has_time=True)


def _at(day: datetime, clock: datetime, first: datetime | None) -> datetime:
    """The clock's time on a day; one that was on the day after the first stays there."""
    later = (clock.date() - first.date()) if first else timedelta()
    wall = (day + later).replace(hour=clock.hour, minute=clock.minute, second=clock.second, fold=0)
    zone = day.tzinfo
    return real(wall, zone) if zone else wall  # type: ignore[arg-type]
