"""Expanding RRULE, RDATE and EXDATE lines, with recurring-ical-events."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

import icalendar
import recurring_ical_events
from doubles.google.calendar.times import When, value
from doubles.google.calls import ApiError

KINDS = ("RRULE", "EXRULE", "RDATE", "EXDATE")
EARLY, LATE = date(1970, 1, 1), date(2200, 1, 1)


def check_recurrence(event: dict[str, Any]) -> None:
    """400 for lines that are none, or can't be followed from this start."""
    if any(_is_wrong(line) for line in event["recurrence"]):
        raise ApiError(400, "invalid", "Invalid recurrence rule.")
    try:
        starts(event, value(event["start"]), value(event["start"]))
    except Exception:
        raise ApiError(400, "invalid", "Invalid recurrence rule.") from None


def _is_wrong(line: str) -> bool:
    """No line of this kind; with an end by count and by date at once; or until a time of day that is not in UTC."""
    kind = line.partition(":")[0].partition(";")[0].upper()
    ends = re.findall(r"(?:COUNT|UNTIL)=[^;]*", line.upper())
    return kind not in KINDS or "\r" in line or "\n" in line or len(ends) > 1 or any(re.search("T[0-9]+$", end) for end in ends)


def starts(event: dict[str, Any], low: date, high: date) -> list[date]:
    """The original starts of all instances that touch [low, high]; a day's slack where these are days."""
    series = _series(_line("DTSTART", event["start"]), _line("DTEND", event["end"]), tuple(event["recurrence"]))
    if not isinstance(value(event["start"]), datetime):
        low, high = _day(low) - timedelta(days=1), _day(high) + timedelta(days=1)
    return sorted(found["DTSTART"].dt for found in series.between(low, high))


def is_start(event: dict[str, Any], original: date) -> bool:
    at = value(event["start"])
    if isinstance(at, datetime) != isinstance(original, datetime):
        return False
    return original in starts(event, original, original)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _line(name: str, when: When) -> str:
    at = value(when)
    if not isinstance(at, datetime):
        return f"{name};VALUE=DATE:{at:%Y%m%d}"
    if when.get("timeZone") in (None, "UTC", "Etc/UTC", "GMT"):
        return f"{name}:{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    return f"{name};TZID={when['timeZone']}:{at:%Y%m%dT%H%M%S}"


@lru_cache(maxsize=512)
def _series(start: str, end: str, recurrence: Sequence[str]) -> Any:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:series", start, end, *recurrence, "END:VEVENT", "END:VCALENDAR"]
    calendar = icalendar.Calendar.from_ical("\r\n".join([*lines, ""]))
    if any(component.errors for component in calendar.walk()):
        raise ValueError("a line that can't be read")
    return recurring_ical_events.of(calendar)
