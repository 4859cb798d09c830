"""events.insert, import, patch, update, delete and move."""

from typing import Any

from doubles.google.calendar.bodies import (
    BY_VERSION,
    WRITABLE,
    answered,
    attendee_named,
    checked_event,
    merged,
    new_event,
    shared_part,
)
from doubles.google.calendar.invitations import notify, tell_copies, tell_organizer
from doubles.google.calendar.rendering import resource
from doubles.google.calendar.state import Calendar, Event
from doubles.google.calls import ApiError, Call


def insert(call: Call) -> Event:
    calendar = _writable(call)
    body = _understood(call)
    saved = calendar.save(new_event(body, calendar, creator=call.user.email))
    tell_copies(calendar, None, saved)
    notify(calendar, None, saved, _send(call))
    return resource(saved, calendar, call)


def import_(call: Call) -> Event:
    """A private copy; one with the same iCalUID is replaced."""
    calendar = _writable(call)
    body = _understood(call)
    uid = body.get("iCalUID")
    if not uid:
        raise ApiError(400, "required", "Missing iCalUID.")
    standing = [entry.event["id"] for entry in calendar.entries.values() if entry.event.get("iCalUID") == uid]
    body.pop("id", None)
    event = new_event(body, calendar, organizer=body.get("organizer"), creator=call.user.email)
    return resource(calendar.save(event | ({"id": standing[0]} if standing else {})), calendar, call)


def patch(call: Call) -> Event:
    calendar, before = _present(call)
    return _changed(call, calendar, before, merged(before, _understood(call)))


def update(call: Call) -> Event:
    """Replaces all that can be written; what was not sent is gone, but for what the client says it does not understand."""
    calendar, before = _present(call)
    body = _understood(call)
    kept = {name: it for name, it in before.items() if name not in WRITABLE or (name in BY_VERSION and name not in body)}
    return _changed(call, calendar, before, {"status": "confirmed"} | kept | body)


def delete(call: Call) -> None:
    calendar, before = _present(call, deleted_too=False)
    _store(call, calendar, before, before | {"status": "cancelled"})


def move(call: Call) -> Event:
    source, event = _present(call)
    target = call.world.calendars.seen_by(call.user.email, call.params["destination"], "writerWithoutPrivateAccess")
    if event.get("eventType", "default") != "default":
        raise ApiError(400, "invalid", "Only default events can be moved.")
    if event["organizer"]["email"] != source.id or event.get("recurringEventId"):
        raise ApiError(403, "cannotChangeOrganizer", "The operation can only be performed by the organizer of the event.")
    if event["id"] in target.entries:
        raise ApiError(409, "duplicate", "The requested identifier already exists.")
    saved = target.save(event | {"organizer": {"email": target.id}})
    source.save(event | {"status": "cancelled"})
    tell_copies(target, event, saved)
    notify(target, event, saved, _send(call))
    return resource(saved, target, call)


def _writable(call: Call) -> Calendar:
    return call.world.calendars.seen_by(call.user.email, call.params["calendarId"], "writerWithoutPrivateAccess")


def _present(call: Call, *, deleted_too: bool = True) -> tuple[Calendar, Event]:
    """404 where there is none, 410 where it was deleted and may not be, 412 where If-Match names another state of it."""
    calendar = _writable(call)
    event = calendar.event(call.params["eventId"])
    if event is None:
        raise ApiError(404, "notFound", "Not Found")
    if event["status"] == "cancelled" and not deleted_too:
        raise ApiError(410, "deleted", "Resource has been deleted")
    wanted = call.headers.get("if-match")
    if wanted not in (None, "*", event["etag"]):
        raise ApiError(412, "conditionNotMet", "Precondition Failed")
    return calendar, event


def _understood(call: Call) -> dict[str, Any]:
    """What can be written of the body."""
    body = call.body or {}
    params = call.params
    spoken = {"conferenceData": params.get("conferenceDataVersion"), "attachments": params.get("supportsAttachments")}
    passed_on = (*WRITABLE, "id", "iCalUID", "organizer") if call.method.endswith(("insert", "import")) else WRITABLE
    return {name: it for name, it in body.items() if name in passed_on and spoken.get(name, True)}


def _send(call: Call) -> str:
    return call.params.get("sendUpdates") or ("all" if call.params.get("sendNotifications") else "none")


def _changed(call: Call, calendar: Calendar, before: Event, wanted: Event) -> Event:
    if before.get("recurringEventId"):
        wanted.pop("recurrence", None)
    return resource(_store(call, calendar, before, checked_event(wanted)), calendar, call)


def _store(call: Call, calendar: Calendar, before: Event, wanted: Event) -> Event:
    store = _as_organizer if before["organizer"]["email"] == calendar.id else _as_guest
    saved = store(calendar, before, wanted)
    notify(calendar, before, saved, _send(call))
    return saved


def _as_organizer(calendar: Calendar, before: Event, wanted: Event) -> Event:
    wanted.pop("attendeesOmitted", None)
    moved = any(before.get(name) != wanted.get(name) for name in ("start", "end", "recurrence"))
    cancelled = wanted["status"] == "cancelled" != before["status"]
    wanted["sequence"] = max(wanted.get("sequence", 0), before.get("sequence", 0) + (moved or cancelled))
    saved = calendar.save(wanted)
    tell_copies(calendar, before, saved)
    return saved


def _as_guest(calendar: Calendar, before: Event, wanted: Event) -> Event:
    """A guest answers, keeps what is their own, and may remove their copy; the rest is the organizer's."""
    mine = attendee_named(before, calendar.id)
    answer = attendee_named(wanted, calendar.id) or mine
    if wanted.pop("attendeesOmitted", False) or before.get("guestsCanSeeOtherGuests") is False:
        wanted = wanted | {"attendees": before.get("attendees", [])}
    removed = wanted["status"] == "cancelled" != before["status"]
    if answer and removed:
        answer = answer | {"responseStatus": "declined"}
    if not before.get("guestsCanModify"):
        _refuse_what_is_the_organizers(calendar, before, wanted)
    calendar.save(answered(wanted, answer) if answer else wanted)
    tell_organizer(calendar, before["id"])
    saved = calendar.event(before["id"])
    assert saved is not None
    return saved


def _refuse_what_is_the_organizers(calendar: Calendar, before: Event, wanted: Event) -> None:
    was, now = shared_part(before), shared_part(wanted)
    people = [[guest for guest in side.pop("attendees", []) if guest["email"] != calendar.id] for side in (was, now)]
    if "cancelled" in (was["status"], now["status"]):
        was["status"] = now["status"]  # removing one's own copy, or getting it back
    added = all(guest in people[1] for guest in people[0]) and before.get("guestsCanInviteOthers", True)
    if was != now or not (people[0] == people[1] or added):
        raise ApiError(403, "forbiddenForNonOrganizer", "Shared properties can only be changed by the organizer of the event.")
