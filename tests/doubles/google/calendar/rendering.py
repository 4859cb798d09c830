"""An event as one user's answer shows it."""

from typing import Any
from zoneinfo import ZoneInfo

from doubles.google.calendar.bodies import attendee_named
from doubles.google.calendar.state import Calendar, Event
from doubles.google.calendar.times import rendered, zone_named
from doubles.google.calls import Call

TIMES = ("start", "end", "originalStartTime")
OF_CANCELLED = ("kind", "etag", "id", "status", "recurringEventId", "originalStartTime")
BUSY = ("kind", "etag", "id", "status", "htmlLink", "updated", "start", "end", "transparency", "iCalUID")
"""What is seen of an event by those who may see no more than when somebody is busy: even its series is hidden."""
PUBLIC = (*BUSY, "recurringEventId", "originalStartTime", "recurrence")
"""What a reader sees of a private event."""


def zone_of(call: Call, calendar: Calendar) -> ZoneInfo:
    asked = call.params.get("timeZone")
    return zone_named(asked, "response") if asked else calendar.zone_info


def resource(event: Event, calendar: Calendar, call: Call) -> Event:
    zone, email = zone_of(call, calendar), calendar.id
    shown: dict[str, Any] = {"kind": "calendar#event", "eventType": "default", "reminders": {"useDefault": True}} | event
    shown["htmlLink"] = f"https://www.google.com/calendar/event?eid={event['id']}"
    shown |= {name: rendered(event[name], zone) for name in TIMES if name in event}
    for person in ("organizer", "creator"):
        shown[person] = event[person] | ({"self": True} if event[person]["email"] == email else {})
    if "attendees" in event:
        shown |= _attendees(event, email, call.params.get("maxAttendees"))
    if event["status"] == "cancelled" and not _details_stay(event, calendar):
        return bare(shown)
    seen = _seen(event, calendar, call.user.email)
    return {name: shown[name] for name in seen if name in shown} | {"visibility": "private"} if seen else shown


def _seen(event: Event, calendar: Calendar, email: str) -> tuple[str, ...]:
    """The only fields to be shown; empty: all."""
    if not calendar.may(email, "reader"):
        return BUSY
    private = event.get("visibility") in ("private", "confidential")
    return PUBLIC if private and not calendar.may(email, "writer") else ()


def bare(shown: Event) -> Event:
    """What is sure to be there of a cancelled one."""
    return {name: shown[name] for name in OF_CANCELLED if name in shown}


def _details_stay(event: Event, calendar: Calendar) -> bool:
    mine = attendee_named(event, calendar.id)
    removed_by_guest = mine is not None and mine["responseStatus"] == "declined"
    return event["organizer"]["email"] == calendar.id or removed_by_guest


def _attendees(event: Event, email: str, most: int | None) -> Event:
    organizer = event["organizer"]["email"]
    people = []
    for attendee in event["attendees"]:
        marks = {"self": attendee["email"] == email, "organizer": attendee["email"] == organizer}
        people.append(attendee | {mark: True for mark, here in marks.items() if here})
    hidden = organizer != email and event.get("guestsCanSeeOtherGuests") is False
    if hidden or (most is not None and len(people) > most):
        return {"attendees": [attendee for attendee in people if attendee.get("self")], "attendeesOmitted": True}
    return {"attendees": people}
