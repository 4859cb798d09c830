"""Days and spans of time in words for people."""

from datetime import date, datetime, timedelta, tzinfo

DASH = "\u2013"


def day_words(day: date, today: date, *, weekday: str = "%a") -> str:
    """ "Mon 23 Nov", with the year where it is not this one."""
    year = f" {day.year}" if day.year != today.year else ""
    return f"{day:{weekday}} {day.day} {day:%b}{year}"


def moment_words(moment: datetime, *, zone: tzinfo, today: date) -> str:
    """ "Mon 23 Nov, 08:00"."""
    local = moment.astimezone(zone)
    return f"{day_words(local.date(), today)}, {local:%H:%M}"


def span_words(start: datetime, end: datetime, all_day: bool, *, zone: tzinfo, today: date) -> str:
    """ "Mon 23 Nov, 15:00-16:00" with a real dash; `end` is exclusive, for all-day spans too."""
    start, end = start.astimezone(zone), end.astimezone(zone)
    first = day_words(start.date(), today)
    if all_day:
        last = last_day(start, end)
        return f"{first}, all day" if last == start.date() else f"{first} {DASH} {day_words(last, today)}, all day"
    if end.date() == start.date():
        return f"{first}, {clock_words(start, end)}"
    return f"{first}, {start:%H:%M} {DASH} {day_words(end.date(), today)}, {end:%H:%M}"


def clock_words(start: datetime, end: datetime) -> str:
    """ "15:00-16:00" with a real dash, or "15:00" for an instant; with the zones in the night in which the clocks change."""
    if start.utcoffset() != end.utcoffset():
        return f"{start:%H:%M} {start.tzname()}{DASH}{end:%H:%M} {end.tzname()}"
    return f"{start:%H:%M}{DASH}{end:%H:%M}" if end != start else f"{start:%H:%M}"


def last_day(start: datetime, end: datetime) -> date:
    """The last day of a span whose end is exclusive."""
    return max((end - timedelta(microseconds=1)).date(), start.date())
