"""Puts events into an emulated calendar, as other programs would."""

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from doubles.given import GivenEvent
from doubles.graph.calendar import patterns
from doubles.graph.calendar.state import Calendar
from doubles.graph.calendar.times import utc

from integrations.types import Address

ANSWERS = {"accepted": "accepted", "declined": "declined", "tentative": "tentativelyAccepted"}
WEEKDAYS = dict(zip(("MO", "TU", "WE", "TH", "FR", "SA", "SU"), patterns.DAYS, strict=True))
INDEXES = {"1": "first", "2": "second", "3": "third", "4": "fourth", "-1": "last"}
CUSTOM = "String {00020329-0000-0000-c000-000000000046} Name custom"


def put_event(calendar: Calendar, event: GivenEvent) -> str:
    """The id. Graph knows of no `rdates`."""
    assert not event.rdates, "Outlook has no single extra dates"
    id = calendar.put(
        _body(event, calendar.zone),
        organizer=_person(event.organizer) if event.organizer and event.organizer.email != calendar.mailbox.email else None,
        answer=_own_answer(calendar, event),
        answers={one.address.email: ANSWERS[one.answer] for one in event.attendees if one.answer in ANSWERS},
    )
    for original in event.without:
        calendar.remove(_instance(calendar, id, original))
    for original, instance in event.instances:
        _put_instance(calendar, _instance(calendar, id, original), instance)
    if event.cancelled:
        calendar.remove(id)
    return id


def _put_instance(calendar: Calendar, id: str, instance: GivenEvent) -> None:
    if instance.cancelled:
        calendar.remove(id)
        return
    said = _body(instance, calendar.zone)
    wanted = ("subject", "location", "body", "start", "end")
    calendar.change(id, **{name: said[name] for name in wanted if name in said})


def _instance(calendar: Calendar, id: str, original: date) -> str:
    if not isinstance(original, datetime):
        original = datetime(original.year, original.month, original.day, tzinfo=ZoneInfo(calendar.zone))
    return calendar.occurrence_id(id, original)


def _own_answer(calendar: Calendar, event: GivenEvent) -> dict[str, Any] | None:
    mine = next((one.answer for one in event.attendees if one.address.email == calendar.mailbox.email), "")
    if mine not in ANSWERS:
        return None
    status = {"response": ANSWERS[mine], "time": utc(calendar.mailbox.world.now())}
    return {"responseStatus": status, "showAs": {"declined": "free", "tentative": "tentative"}.get(mine, "busy")}


def _body(event: GivenEvent, zone: str) -> dict[str, Any]:
    """With some of what Outlook knows of an event and the assistant does not."""
    people = [{"type": "optional" if one.optional else "required", **_person(one.address)} for one in event.attendees]
    start, end = _when(event.start, zone), _when(event.end, zone)
    return {
        "subject": event.title,
        "start": start,
        "end": end,
        "isAllDay": not isinstance(event.start, datetime),
        "categories": ["Blue category"],
        "reminderMinutesBeforeStart": 10,
        "importance": "high",
        "showAs": "busy" if event.busy else "free",
        "singleValueExtendedProperties": [{"id": CUSTOM, "value": "kept as it is"}],
        **({"location": {"displayName": event.location}} if event.location else {}),
        **({"body": {"contentType": "text", "content": event.description}} if event.description else {}),
        **({"recurrence": recurrence_of(event.rrule, event.start, start["timeZone"])} if event.rrule else {}),
        **({"attendees": people} if people else {}),
    }


def _person(address: Address) -> dict[str, Any]:
    return {"emailAddress": {"name": address.name, "address": address.email}}


def _when(at: date, zone: str) -> dict[str, str]:
    if not isinstance(at, datetime):
        return {"dateTime": f"{at.isoformat()}T00:00:00", "timeZone": zone}
    if isinstance(at.tzinfo, ZoneInfo):
        return {"dateTime": at.replace(tzinfo=None).isoformat(), "timeZone": at.tzinfo.key}
    return {"dateTime": at.astimezone(UTC).replace(tzinfo=None).isoformat(), "timeZone": "UTC"}


def recurrence_of(rule: str, start: date, zone: str) -> dict[str, Any]:
    """Of a rule that Outlook can say as well."""
    parts = dict(part.split("=", 1) for part in rule.split(";"))
    span: dict[str, Any] = {"startDate": f"{start:%Y-%m-%d}", "recurrenceTimeZone": zone, "type": "noEnd"}
    if "COUNT" in parts:
        span |= {"type": "numbered", "numberOfOccurrences": int(parts["COUNT"])}
    elif "UNTIL" in parts:
        span |= {"type": "endDate", "endDate": _last(rule, start).isoformat()}
    return {"pattern": _pattern(parts, start) | {"interval": int(parts.get("INTERVAL", 1))}, "range": span}


def _last(rule: str, start: date) -> date:
    """The day of its last occurrence."""
    first = start if isinstance(start, datetime) else datetime(start.year, start.month, start.day)  # noqa: DTZ001 - whole days
    return list(rrulestr(rule, dtstart=first))[-1].date()


def _pattern(parts: dict[str, str], start: date) -> dict[str, Any]:
    days = [day for day in parts.get("BYDAY", "").split(",") if day]
    match parts["FREQ"]:
        case "DAILY":
            return {"type": "daily"}
        case "WEEKLY":
            named = [WEEKDAYS[day] for day in days] or [patterns.DAYS[start.weekday()]]
            return {"type": "weekly", "daysOfWeek": named, "firstDayOfWeek": WEEKDAYS[parts.get("WKST", "MO")]}
        case "MONTHLY" | "YEARLY" as kind:
            month = {"month": int(parts.get("BYMONTH", start.month))} if kind == "YEARLY" else {}
            return {"type": f"{'relative' if days else 'absolute'}{kind.capitalize()}", **month, **_day(parts, days, start)}
    raise AssertionError(f"Outlook has no such rule: {parts}")


def _day(parts: dict[str, str], days: list[str], start: date) -> dict[str, Any]:
    if not days:
        return {"dayOfMonth": int(parts.get("BYMONTHDAY", start.day))}
    index = days[0][:-2] or parts.get("BYSETPOS", "1")
    return {"daysOfWeek": [WEEKDAYS[day[-2:]] for day in days], "index": INDEXES[index.lstrip("+")]}
