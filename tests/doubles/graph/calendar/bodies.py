"""What a body may say of an event, and what becomes of it."""

from copy import deepcopy
from typing import Any

from doubles.graph.calendar import patterns
from doubles.graph.calendar.patterns import wrong
from doubles.graph.calendar.times import NEVER, days_later, later, local, moment, stored
from doubles.graph.calls import GraphError
from doubles.graph.extended import normal

Event = dict[str, Any]
"""As it is kept: in Graph's names, start and end as `times` says, `extended` for its properties {id: value}."""

TIMES = ("start", "end", "isAllDay", "recurrence")
SHARED = (
    *TIMES, "subject", "body", "location", "locations", "attendees", "importance", "sensitivity", "responseRequested",
    "allowNewTimeProposals", "hideAttendees", "isOnlineMeeting", "onlineMeetingProvider", "isCancelled",
)  # fmt: skip
"""The organizer's, the same in every copy."""
OWN = ("categories", "showAs", "isReminderOn", "reminderMinutesBeforeStart", "responseStatus", "extended")
"""Of each copy."""
WRITABLE = (*(name for name in SHARED if name not in ("isCancelled", "locations")), *OWN[:4], "locations")
TOLD = (*TIMES, "subject", "body", "location", "locations")
"""A change of any of these is told to all who are invited, one of the attendees to those whom it concerns, any other to nobody."""
NEW: Event = {
    "subject": "",
    "body": {"contentType": "html", "content": ""},
    "isAllDay": False,
    "location": {},
    "locations": [],
    "attendees": [],
    "importance": "normal",
    "sensitivity": "normal",
    "responseRequested": True,
    "allowNewTimeProposals": True,
    "hideAttendees": False,
    "isOnlineMeeting": False,
    "onlineMeetingProvider": "unknown",
    "isCancelled": False,
    "categories": [],
    "showAs": "busy",
    "isReminderOn": True,
    "reminderMinutesBeforeStart": 15,
    "responseStatus": {"response": "organizer", "time": NEVER},
    "extended": {},
}
UNANSWERED = {"response": "none", "time": NEVER}
NOT_RESPONDED = {"response": "notResponded", "time": NEVER}


def new_event(body: Event) -> Event:
    event = deepcopy(NEW) | {"showAs": "free" if body.get("isAllDay") else "busy"}
    for name in ("start", "end"):
        if not body.get(name):
            raise GraphError(400, "ErrorInvalidRequest", f"The Event.{name.capitalize()} property is required.")
    return checked(event | said(body, event), None)


def changed_event(before: Event, body: Event) -> Event:
    return checked(before | said(body, before), before)


def said(body: Event, before: Event) -> Event:
    """What of a body changes an event, as it is kept. null makes a property what it is at a new one."""
    changed = {name: body[name] if body[name] is not None else NEW.get(name) for name in WRITABLE if name in body}
    for name in ("start", "end"):
        if name in changed:
            changed[name] = stored(changed[name], name)
    if "body" in changed:
        changed["body"] = {"contentType": "text", "content": ""} | {key: it for key, it in changed["body"].items() if it}
    if "attendees" in changed:
        changed["attendees"] = _attendees(changed["attendees"], before.get("attendees", []))
    if properties := body.get("singleValueExtendedProperties"):
        changed["extended"] = before.get("extended", {}) | {normal(one["id"]): one["value"] for one in properties}
    return changed | _places(changed)


def _places(changed: Event) -> Event:
    """A location alone is the first of the locations, and the other way round."""
    if "locations" in changed and "location" not in changed:
        places = [_place(one) for one in changed["locations"]]
        return {"locations": places, "location": places[0] if places else {}}
    if "location" in changed:
        place = _place(changed["location"] or {})
        return {"location": place, "locations": [place] if place else []}
    return {}


def _place(given: Event) -> Event:
    name = (given.get("displayName") or "").strip()
    if not name:
        return {}
    return {"displayName": name, "locationType": "default", "uniqueId": name, "uniqueIdType": "private"} | {
        key: it for key, it in given.items() if it is not None
    }


def _attendees(given: list[Event], before: list[Event]) -> list[Event]:
    """Whoever was there keeps the answer; what a body says of answers counts for nothing. One entry each."""
    answers = {address_of(one): one["status"] for one in before}
    found: dict[str, Event] = {}
    for one in given:
        address = address_of(one)
        if "@" not in address or any(char in address for char in " <>\r\n"):
            raise GraphError(400, "ErrorInvalidRecipients", "At least one recipient is not valid.")
        name = " ".join((one["emailAddress"].get("name") or address).split())
        person = {"name": name, "address": one["emailAddress"]["address"]}
        kept = {"type": one.get("type") or "required", "status": answers.get(address, UNANSWERED), "emailAddress": person}
        found.setdefault(address, kept)
    return list(found.values())


def address_of(person: Event) -> str:
    """Of an attendee or organizer, in small letters."""
    return str((person.get("emailAddress") or {}).get("address") or "").lower()


def checked(event: Event, before: Event | None) -> Event:
    """As it can be kept: a series that starts on no day of its pattern begins on the first that is. 400 where Exchange refuses."""
    start, end = event["start"], event["end"]
    if event["isAllDay"]:
        _check_all_day(event)
    if moment(end) < moment(start):
        raise GraphError(400, "ErrorPropertyValidationFailure", "The end of the event is before its start.")
    if not event.get("recurrence"):
        event.pop("recurrence", None)
        return event
    if before and event["recurrence"] is before.get("recurrence") and start == before["start"]:
        return event
    recurrence = patterns.checked(event["recurrence"], start)
    return _begun(event | {"recurrence": recurrence})


def _begun(event: Event) -> Event:
    recurrence = event["recurrence"]
    first = patterns.first_day(event["start"], recurrence["range"]["recurrenceTimeZone"])
    found = next(patterns.days(recurrence, first, patterns.LAST), None)
    if found is None:
        raise GraphError(400, "ErrorRecurrenceHasNoOccurrence", "The recurrence has no occurrences associated with it.")
    length = moment(event["end"]) - moment(event["start"])
    days = (found - first).days
    start = days_later(event["start"], days)
    end = days_later(event["end"], days) if event["isAllDay"] or not days else later(start, length)
    return event | {"start": start, "end": end, "recurrence": patterns.starting(recurrence, found)}


def _check_all_day(event: Event) -> None:
    for name in ("start", "end"):
        if local(event[name]).time().isoformat() != "00:00:00":
            message = f"The Event.{name.capitalize()} property for an all-day event needs to be set to midnight."
            raise GraphError(400, "ErrorInvalidRequest", message)
    if event["start"]["timeZone"] != event["end"]["timeZone"]:
        raise wrong("Start and end of an all-day event must be in the same time zone.")
    if local(event["end"]) <= local(event["start"]):
        message = "The duration of an event marked as All day must be at least 24 hours."
        raise GraphError(400, "ErrorInvalidRequest", message)
