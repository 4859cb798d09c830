"""The instances of a series. Exchange knows them by the day they were to start on: there is one a day at most."""

import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from doubles.graph.calendar import patterns
from doubles.graph.calendar.bodies import Event
from doubles.graph.calendar.times import When, at_moment, days_later, later, local, moment
from doubles.graph.calendar.zones import zone_named
from doubles.graph.calls import GraphError
from doubles.graph.ids import BEGINNING

if TYPE_CHECKING:
    from doubles.graph.calendar.state import Entry

OCCURRENCE = "AAkALgAFRAAI"
MASTER_ID = re.compile(rf"{BEGINNING}(.{{32}})AAAAA=")
OCCURRENCE_ID = re.compile(rf"{OCCURRENCE}([0-9a-f]{{6}})(.{{32}})EA==")
A_DAY = timedelta(days=1)


def occurrence_id(master: str, day: date) -> str:
    found = MASTER_ID.fullmatch(master)
    assert found is not None, master
    return f"{OCCURRENCE}{day.toordinal():06x}{found[1]}EA=="


def named(id: str) -> tuple[str, date] | None:
    """The series and the day that an id stands for."""
    found = OCCURRENCE_ID.fullmatch(id)
    if found is None:
        return None
    try:
        return f"{BEGINNING}{found[2]}AAAAA=", date.fromordinal(int(found[1], 16))
    except ValueError:
        return None


def zone_of(entry: "Entry") -> str:
    return str(entry.event["recurrence"]["range"]["recurrenceTimeZone"])


def day_of(entry: "Entry", original: datetime) -> date:
    """A series of whole days repeats in the days of its own zone."""
    return original.astimezone(zone_named(zone_of(entry))).date()


def stands(entry: "Entry", day: date) -> bool:
    return bool(entry.recurrence) and day not in entry.removed and patterns.is_day(entry.event["recurrence"], day)


def original(entry: "Entry", day: date) -> tuple[When, When]:
    """Start and end as the series says them."""
    first, last = ((when["dateTime"], when["timeZone"]) for when in (entry.event["start"], entry.event["end"]))
    return _original(first, last, zone_of(entry), entry.event["isAllDay"], day)


@lru_cache(maxsize=16384)
def _original(first: tuple[str, str], last: tuple[str, str], zone: str, all_day: bool, day: date) -> tuple[When, When]:
    starts, ends = ({"dateTime": when, "timeZone": name} for when, name in (first, last))
    if all_day:
        days = (day - local(starts).date()).days
        return days_later(starts, days), days_later(ends, days)
    of_day = moment(starts).astimezone(zone_named(zone)).replace(tzinfo=None)
    there = {"dateTime": datetime.combine(day, of_day.time()).isoformat(), "timeZone": zone}
    start = at_moment(moment(there), starts["timeZone"])
    return start, at_moment(moment(later(start, moment(ends) - moment(starts))), ends["timeZone"])


def instance(entry: "Entry", day: date) -> Event:
    """The instance that was to start on this day, as it is now. Shares contents with its series."""
    start, end = original(entry, day)
    same = {name: it for name, it in entry.event.items() if name not in ("recurrence", "extended")}
    return same | {"start": start, "end": end, "extended": {}} | entry.own.get(day, {})


def own_part(entry: "Entry", day: date, event: Event) -> Event:
    """What an instance says by itself: what once differed goes on being its own."""
    start, end = original(entry, day)
    same = entry.event | {"start": start, "end": end, "extended": {}}
    known = entry.own.get(day, {})
    return {name: deepcopy(it) for name, it in event.items() if name != "recurrence" and (name in known or same.get(name) != it)}


def days_between(entry: "Entry", low: datetime, high: datetime) -> Iterator[date]:
    """Of the instances of which something is in [low, high)."""
    length = moment(entry.event["end"]) - moment(entry.event["start"])
    zone = zone_named(zone_of(entry))
    first, last = (low - length).astimezone(zone).date() - A_DAY, high.astimezone(zone).date() + A_DAY
    moved = {day for day in entry.own if not first <= day <= last}
    for day in [*patterns.days(entry.event["recurrence"], first, last), *sorted(moved)]:
        if stands_between(entry, day, low, high):
            yield day


def stands_between(entry: "Entry", day: date, low: datetime, high: datetime) -> bool:
    if day in entry.removed:
        return False
    own = entry.own.get(day, {})
    start, end = original(entry, day)
    begins, ends = moment(own.get("start", start)), moment(own.get("end", end))
    return begins < high and (ends > low or begins == ends >= low)


def check_place(entry: "Entry", day: date, event: Event) -> None:
    """400 where an instance would come to stand on or beyond the day of the one before or after it."""
    now = _day_now(entry, day, event)
    if now == _day_now(entry, day, instance(entry, day)):
        return
    around = [other for other in _neighbours(entry, day) if other is not None]
    for other in around:
        theirs = _day_now(entry, other, instance(entry, other))
        if (other < day and now <= theirs) or (other > day and now >= theirs):
            message = "Modified occurrence is crossing or overlapping adjacent occurrence."
            raise GraphError(400, "ErrorOccurrenceCrossingBoundary", message)


def _day_now(entry: "Entry", day: date, event: Event) -> date:
    if event["isAllDay"]:
        return local(event["start"]).date()
    return moment(event["start"]).astimezone(zone_named(zone_of(entry))).date()


def _neighbours(entry: "Entry", day: date) -> tuple[date | None, date | None]:
    """The standing instances before and after this one."""
    recurrence = entry.event["recurrence"]
    first = date.fromisoformat(recurrence["range"]["startDate"])
    before = [one for one in patterns.days(recurrence, first, day - A_DAY) if one not in entry.removed]
    after = (one for one in patterns.days(recurrence, day + A_DAY, patterns.LAST) if one not in entry.removed)
    return before[-1] if before else None, next(after, None)


def rewrite(entry: "Entry", event: Event) -> None:
    """A series that moves or repeats otherwise forgets all that was changed or removed in single instances; one that only ends at
    another time keeps what is still within it."""
    before, entry.event = entry.event, event
    if not event.get("recurrence") or _moved(before, event):
        entry.own, entry.removed = {}, set()
        return
    entry.own = {day: own for day, own in entry.own.items() if patterns.is_day(event["recurrence"], day)}
    entry.removed = {day for day in entry.removed if patterns.is_day(event["recurrence"], day)}


def _moved(before: Event, event: Event) -> bool:
    if any(before.get(name) != event.get(name) for name in ("start", "end", "isAllDay")):
        return True
    was, now = before.get("recurrence") or {}, event["recurrence"]
    kept = ("startDate", "recurrenceTimeZone")
    return was.get("pattern") != now["pattern"] or any(was["range"][name] != now["range"][name] for name in kept)


def original_start(entry: "Entry", day: date) -> datetime:
    return moment(original(entry, day)[0]).astimezone(UTC)
