"""What a body may say of an event, and what becomes of it."""

import re
import uuid
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from doubles.google.calendar.recurrence import check_recurrence
from doubles.google.calendar.times import checked, value
from doubles.google.calls import ApiError

if TYPE_CHECKING:
    from doubles.google.calendar.state import Calendar, Event

SHARED = (
    "summary", "description", "location", "start", "end", "recurrence", "attendees", "status", "source", "conferenceData",
    "attachments", "guestsCanInviteOthers", "guestsCanModify", "guestsCanSeeOtherGuests", "anyoneCanAddSelf", "hangoutLink",
)  # fmt: skip
"""The organizer's, the same in every copy; extendedProperties.shared too."""
OWN = (
    "reminders", "transparency", "visibility", "colorId", "eventLabelId",
    "eventType", "workingLocationProperties", "outOfOfficeProperties", "focusTimeProperties", "birthdayProperties",
)  # fmt: skip
"""Of each copy; extendedProperties.private too."""
WRITABLE = (*SHARED, *OWN, "extendedProperties", "sequence", "attendeesOmitted")
BY_VERSION = ("conferenceData", "attachments")
"""Taken from a body only where a parameter says that the client understands them."""
ID = re.compile(r"[a-v0-9]{5,1024}")
ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")
ANSWERS = ("needsAction", "declined", "tentative", "accepted")


def new_event(body: "Event", calendar: "Calendar", *, organizer: "Event | None" = None, creator: str) -> "Event":
    """Ready to be saved. 400 for what Google would refuse; 409 where the id is taken."""
    id = body.get("id") or uuid.uuid4().hex[:26]
    if not ID.fullmatch(id):
        raise ApiError(400, "invalid", "Invalid resource id value.")
    if id in calendar.entries:
        raise ApiError(409, "duplicate", "The requested identifier already exists.")
    event = {name: deepcopy(body[name]) for name in WRITABLE if body.get(name) is not None}
    at = calendar.world.now().isoformat(timespec="seconds").replace("+00:00", "Z")
    fixed = {
        "id": id,
        "iCalUID": body.get("iCalUID") or f"{id}@google.com",
        "created": at,
        "creator": {"email": creator},
        "organizer": organizer or _organizer(calendar),
    }
    defaults = {"status": "confirmed", "sequence": 0}
    return checked_event(defaults | event | fixed)


def _organizer(calendar: "Calendar") -> "Event":
    if calendar.primary:
        user = calendar.world.users.get(calendar.id)
        return {"email": calendar.id, **({"displayName": user.name} if user and user.name else {})}
    return {"email": calendar.id, "displayName": calendar.summary}


def merged(event: Any, changes: Any) -> Any:
    """Objects are merged, arrays and values replaced, nulls removed."""
    if not isinstance(changes, dict) or not isinstance(event, dict):
        return changes
    result = dict(event)
    for name, change in changes.items():
        if change is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name, {}), change)
    return result


def checked_event(event: "Event") -> "Event":
    """In the form in which it is stored."""
    event = {name: content for name, content in event.items() if content not in (None, "", [], {})}
    recurring = bool(event.get("recurrence"))
    start, end = (checked(event.get(which), which, recurring=recurring) for which in ("start", "end"))
    if set(start) - {"timeZone"} != set(end) - {"timeZone"}:
        raise ApiError(400, "invalid", "Start and end times must either both be date or both be dateTime.")
    if value(end) < value(start) or ("date" in start and end == start):
        raise ApiError(400, "timeRangeEmpty", "The specified time range is empty.")
    if event.get("status") not in ("confirmed", "tentative", "cancelled"):
        raise ApiError(400, "invalid", "Invalid value for status.")
    event |= {"start": start, "end": end}
    if "attendees" in event:
        event["attendees"] = [_attendee(attendee) for attendee in event["attendees"]]
    if recurring:
        check_recurrence(event)
    _check_properties(event.get("extendedProperties", {}))
    return event


def _attendee(attendee: "Event") -> "Event":
    if not ADDRESS.fullmatch(attendee.get("email", "")):
        raise ApiError(400, "invalid", "Invalid attendee email.")
    if attendee.get("responseStatus", "needsAction") not in ANSWERS:
        raise ApiError(400, "invalid", "Invalid value for responseStatus.")
    given = {name: it for name, it in attendee.items() if name not in ("self", "organizer", "id") and it is not None}
    return {"responseStatus": "needsAction"} | given | {"email": attendee["email"].lower()}


def _check_properties(properties: "Event") -> None:
    for group in properties.values():
        for name, content in group.items():
            if not 0 < len(name) <= 44 or len(content) > 1024:
                raise ApiError(400, "invalid", f"Invalid extended property: {name[:50]}")


def shared_part(event: "Event") -> "Event":
    shared = event.get("extendedProperties", {}).get("shared")
    part = {name: event[name] for name in SHARED if name in event}
    return part | ({"extendedProperties": {"shared": shared}} if shared else {})


def with_shared_part(copy: "Event", event: "Event") -> "Event":
    """`copy` with everything that is the organizer's taken from `event`."""
    part = shared_part(event)
    own = {name: it for name, it in copy.items() if name not in SHARED}
    properties = {
        group: content
        for group, content in (
            ("private", copy.get("extendedProperties", {}).get("private")),
            ("shared", part.pop("extendedProperties", {}).get("shared")),
        )
        if content
    }
    own.pop("extendedProperties", None)
    return own | deepcopy(part) | ({"extendedProperties": properties} if properties else {})


def attendee_named(event: "Event", email: str) -> "Event | None":
    return next((attendee for attendee in event.get("attendees", []) if attendee["email"] == email), None)


def answered(event: "Event", answer: "Event") -> "Event":
    """With this attendee's entry in the place of the old one, or at the end."""
    others = list(event.get("attendees", []))
    places = [number for number, attendee in enumerate(others) if attendee["email"] == answer["email"]]
    if places:
        others[places[0]] = answer
    else:
        others.append(answer)
    return event | {"attendees": others}
