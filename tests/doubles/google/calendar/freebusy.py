"""freebusy.query."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from doubles.google.calendar.bodies import attendee_named
from doubles.google.calendar.state import Calendar, Event
from doubles.google.calendar.times import instant, moment, zone_named
from doubles.google.calls import ApiError, Call

MOST_CALENDARS, LONGEST = 50, timedelta(days=90)
Span = tuple[datetime, datetime]


def query(call: Call) -> dict[str, Any]:
    body = call.body or {}
    for name in ("timeMin", "timeMax"):
        if not body.get(name):
            raise ApiError(400, "required", f"Missing {name} parameter.")
    low, high = instant(body["timeMin"], "timeMin"), instant(body["timeMax"], "timeMax")
    if low >= high:
        raise ApiError(400, "timeRangeEmpty", "The specified time range is empty.")
    if high - low > LONGEST:
        raise ApiError(400, "timeRangeTooLong", "The requested time range is too long.")
    zone = zone_named(body.get("timeZone") or "UTC", "response")
    ids = [item["id"] for item in body.get("items", [])]
    most = min(body.get("calendarExpansionMax") or MOST_CALENDARS, MOST_CALENDARS)
    asked = {id: _failed("tooManyCalendarsRequested") if len(ids) > most else _answer(call, id, low, high, zone) for id in ids}
    return {"kind": "calendar#freeBusy", "timeMin": _written(low, UTC), "timeMax": _written(high, UTC), "calendars": asked}


def _answer(call: Call, id: str, low: datetime, high: datetime, zone: ZoneInfo) -> dict[str, Any]:
    try:
        calendar = call.world.calendars.seen_by(call.user.email, id, "freeBusyReader")
    except ApiError:
        return _failed("notFound")
    spans = joined(span for event in _events(calendar, low, high) for span in _span(event, calendar, low, high))
    return {"busy": [{"start": _written(start, zone), "end": _written(end, zone)} for start, end in spans]}


def _failed(reason: str) -> dict[str, Any]:
    return {"errors": [{"domain": "global", "reason": reason}], "busy": []}


def _events(calendar: Calendar, low: datetime, high: datetime) -> Iterable[Event]:
    for id, entry in list(calendar.entries.items()):
        event = calendar.event(id)
        if event is None or entry.event.get("recurringEventId") in calendar.entries:
            continue
        yield from calendar.instances(event, low, high) if event.get("recurrence") else [event]


def _span(event: Event, calendar: Calendar, low: datetime, high: datetime) -> list[Span]:
    """Nothing where it takes no time: cancelled, transparent, declined, or elsewhere."""
    mine = attendee_named(event, calendar.id)
    declined = mine is not None and mine["responseStatus"] == "declined"
    free = event.get("transparency") == "transparent" or event.get("eventType") == "workingLocation"
    if event["status"] == "cancelled" or free or declined:
        return []
    start, end = (moment(event[which], calendar.zone_info) for which in ("start", "end"))
    start, end = max(start, low), min(end, high)
    return [(start, end)] if start < end else []


def joined(spans: Iterable[Span]) -> list[Span]:
    """What overlaps or touches becomes one."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def _written(at: datetime, zone: Any) -> str:
    return at.astimezone(zone).isoformat().replace("+00:00", "Z")
