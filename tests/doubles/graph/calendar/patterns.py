"""Recurrence as Graph says it: a pattern, and a range in days of its own zone."""

import calendar
import itertools
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from doubles.graph.calendar.times import When, day, local, moment
from doubles.graph.calendar.zones import exchange_name, zone_named
from doubles.graph.calls import GraphError

Recurrence = dict[str, Any]
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
INDEXES = ("first", "second", "third", "fourth", "last")
KINDS = ("daily", "weekly", "absoluteMonthly", "relativeMonthly", "absoluteYearly", "relativeYearly")
NEEDS = {
    "weekly": ("daysOfWeek",),
    "absoluteMonthly": ("dayOfMonth",),
    "relativeMonthly": ("daysOfWeek",),
    "absoluteYearly": ("dayOfMonth", "month"),
    "relativeYearly": ("daysOfWeek", "month"),
}
NO_PATTERN = {"interval": 1, "month": 0, "dayOfMonth": 0, "firstDayOfWeek": "sunday", "index": "first"}
LAST = date(9000, 1, 1)
LONGEST_WAIT = 4000
"""Steps without a single day before a pattern counts as one that has none."""


def wrong(reason: str) -> GraphError:
    return GraphError(400, "ErrorPropertyValidationFailure", f"At least one property failed validation. {reason}")


def checked(given: Recurrence, start: When) -> Recurrence:
    """As it is stored. `start` is that of the first occurrence. 400 for what Exchange would refuse."""
    pattern, span = given.get("pattern") or {}, given.get("range") or {}
    zone = span.get("recurrenceTimeZone") or start["timeZone"]
    zone_named(zone)
    first = day(span.get("startDate"), "startDate")
    if first != first_day(start, zone):
        raise wrong("The recurrence range must start on the day on which the event starts.")
    return {"pattern": _pattern(pattern), "range": _range(span, first) | {"recurrenceTimeZone": exchange_name(zone)}}


def first_day(start: When, zone: str) -> date:
    """On which the event starts, in the zone it repeats in."""
    return moment(start).astimezone(zone_named(zone)).date() if zone != start["timeZone"] else local(start).date()


def _pattern(given: Recurrence) -> Recurrence:
    pattern = NO_PATTERN | {name: it for name, it in given.items() if it is not None}
    kind = pattern.get("type")
    if kind not in KINDS or pattern["interval"] < 1:
        raise wrong("The recurrence pattern is invalid.")
    if missing := [name for name in NEEDS.get(kind, ()) if not pattern.get(name)]:
        raise wrong(f"{missing[0]} is required in a pattern that is {kind}.")
    if not 0 <= pattern["dayOfMonth"] <= 31 or not 0 <= pattern["month"] <= 12:
        raise wrong("The recurrence pattern names no such day.")
    return pattern


def _range(given: Recurrence, first: date) -> Recurrence:
    kind = given.get("type")
    span = {"type": kind, "startDate": first.isoformat(), "endDate": "0001-01-01", "numberOfOccurrences": 0}
    if kind == "endDate":
        if (end := day(given.get("endDate"), "endDate")) < first:
            raise wrong("The recurrence ends before it starts.")
        span["endDate"] = end.isoformat()
    elif kind == "numbered":
        if (given.get("numberOfOccurrences") or 0) < 1:
            raise wrong("numberOfOccurrences is required in a range that is numbered.")
        span["numberOfOccurrences"] = given["numberOfOccurrences"]
    elif kind != "noEnd":
        raise wrong("The recurrence range is invalid.")
    return span


def starting(recurrence: Recurrence, first: date) -> Recurrence:
    return recurrence | {"range": recurrence["range"] | {"startDate": first.isoformat()}}


def days(recurrence: Recurrence, low: date, high: date) -> Iterator[date]:
    """Of all occurrences from `low` to `high`, both included."""
    span = recurrence["range"]
    last = date.fromisoformat(span["endDate"]) if span["type"] == "endDate" else LAST
    found = _following(recurrence["pattern"], date.fromisoformat(span["startDate"]))
    if span["type"] == "numbered":
        found = itertools.islice(found, span["numberOfOccurrences"])
    for one in found:
        if one > min(last, high):
            return
        if one >= low:
            yield one


def is_day(recurrence: Recurrence, one: date) -> bool:
    return any(True for _ in days(recurrence, one, one))


def _following(pattern: Recurrence, first: date) -> Iterator[date]:
    empty = 0
    for candidates in _rounds(pattern, first):
        later = [one for one in candidates if one >= first]
        yield from later
        empty = 0 if later else empty + 1
        if empty > LONGEST_WAIT:
            return


def _rounds(pattern: Recurrence, first: date) -> Iterator[list[date]]:
    """The days of one interval after the other, in order."""
    kind, interval = pattern["type"], pattern["interval"]
    try:
        if kind == "daily":
            yield from ([first + timedelta(days=step)] for step in itertools.count(0, interval))
        elif kind == "weekly":
            week = first - timedelta(days=(first.weekday() - DAYS.index(pattern["firstDayOfWeek"])) % 7)
            wanted = {DAYS.index(name) for name in pattern["daysOfWeek"]}
            for step in itertools.count(0, interval):
                around = (week + timedelta(days=7 * step + number) for number in range(7))
                yield [one for one in around if one.weekday() in wanted]
        else:
            for year, month in _months(pattern, first):
                yield [_day_in(pattern, year, month)]
    except (OverflowError, ValueError):  # the end of time
        return


def _months(pattern: Recurrence, first: date) -> Iterator[tuple[int, int]]:
    if pattern["type"].endswith("Yearly"):
        yield from ((year, pattern["month"]) for year in itertools.count(first.year, pattern["interval"]))
    for number in itertools.count(first.year * 12 + first.month - 1, pattern["interval"]):
        yield number // 12, number % 12 + 1


def _day_in(pattern: Recurrence, year: int, month: int) -> date:
    """A day that the month lacks is its last one."""
    if pattern["type"].startswith("absolute"):
        return date(year, month, min(pattern["dayOfMonth"], calendar.monthrange(year, month)[1]))
    return _relative_day(tuple(pattern["daysOfWeek"]), pattern["index"], year, month)


@lru_cache(maxsize=4096)
def _relative_day(names: tuple[str, ...], index: str, year: int, month: int) -> date:
    """The first, second … or last of the month's days that are any of these."""
    wanted = {DAYS.index(name) for name in names}
    of_month = (date(year, month, number + 1) for number in range(calendar.monthrange(year, month)[1]))
    found = [one for one in of_month if one.weekday() in wanted]
    return found[-1 if index == "last" else INDEXES.index(index)]
