"""Which runs of a rule are due: a pure function of the rule, the zone and the span of time.

A time that the clocks skip is due at the first instant after the gap, one that comes twice the first time only. Times that fall
on the same instant are one slot."""

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

from assistant.timetable import calendar, cron
from assistant.timetable.rules import Calendar, Cron, Due, Once, Rule


def check(rule: Rule) -> str:
    """One sentence why it can't be used, else empty."""
    match rule:
        case Cron():
            return cron.trouble(rule.expression)
        case Calendar():
            return calendar.trouble(rule)
        case Once():
            return ""


def due(rule: Rule, zone: ZoneInfo, after: datetime, until: datetime) -> Iterator[Due]:
    """In order, those with after < at <= until; `at` is in UTC."""
    return takewhile(lambda one: one.at <= until, _slots(rule, zone, after))


def next_due(rule: Rule, zone: ZoneInfo, after: datetime) -> Due | None:
    """None where it is never due again."""
    return next(_slots(rule, zone, after), None)


def _slots(rule: Rule, zone: ZoneInfo, after: datetime) -> Iterator[Due]:
    last = after.astimezone(UTC)
    try:
        for wall in _walls(rule, after.astimezone(zone).replace(tzinfo=None)):
            at = _instant(wall, zone)
            if at > last:  # else it falls into the same gap as the one before
                yield Due(at.astimezone(zone).replace(tzinfo=None).isoformat(timespec="minutes"), at)
                last = at
    except OverflowError:  # the calendar ends with the year 9999
        return


def _walls(rule: Rule, after: datetime) -> Iterator[datetime]:
    match rule:
        case Cron():
            return cron.walls(rule.expression, after)
        case Calendar():
            return calendar.walls(rule, after)
        case Once():
            return iter((rule.at,))


def _instant(wall: datetime, zone: ZoneInfo) -> datetime:
    first = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    return first if first.astimezone(zone).replace(tzinfo=None) == wall else _end_of_gap(wall, zone)


def _end_of_gap(wall: datetime, zone: ZoneInfo) -> datetime:
    """Read with the offset of after the gap, a time in it lies before the change, and with that of before it behind."""
    before, behind = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    offset = before.astimezone(zone).utcoffset()
    seconds = range(int((behind - before).total_seconds()))
    return before + timedelta(
        seconds=bisect_left(seconds, True, key=lambda s: (before + timedelta(seconds=s)).astimezone(zone).utcoffset() != offset)
    )
