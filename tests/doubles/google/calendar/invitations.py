"""Copies of an event in its guests' calendars, and the mails about it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from doubles.google.calendar.bodies import attendee_named, with_shared_part

if TYPE_CHECKING:
    from doubles.google.calendar.state import Calendar, Event

IDENTITY = ("id", "iCalUID", "organizer", "creator", "created", "sequence", "recurringEventId", "originalStartTime")


@dataclass(frozen=True)
class Notice:
    """A mail that the calendar would have sent. `kind`: invitation, update, cancellation, reply."""

    to: str
    kind: str
    event: str
    summary: str = ""


def guests(event: "Event | None", calendar_id: str) -> list[str]:
    people = [attendee["email"] for attendee in (event or {}).get("attendees", [])]
    return [email for email in people if email != calendar_id]


def tell_copies(calendar: "Calendar", before: "Event | None", after: "Event") -> None:
    """After a change in the organizer's calendar: everybody's copy says the same again. A change of a copy tells nobody."""
    if after["organizer"]["email"] != calendar.id:
        return
    invited = guests(after, calendar.id)
    for email in dict.fromkeys(invited + guests(before, calendar.id)):
        theirs = calendar.world.calendars.here(email)
        if theirs is None:
            continue
        copy = theirs.event(after["id"])
        if email in invited:
            _invite(theirs, copy, after)
        elif copy is not None and copy["status"] != "cancelled":
            theirs.save(copy | {"status": "cancelled"})


def _invite(theirs: "Calendar", copy: "Event | None", event: "Event") -> None:
    answer = attendee_named(event, theirs.id)
    if copy and copy["status"] == "cancelled" and answer and answer["responseStatus"] == "declined":
        return  # they removed it
    if copy is None and event["status"] == "cancelled":
        return
    new = with_shared_part((copy or {}) | {name: event[name] for name in IDENTITY if name in event}, event)
    if new != copy:
        theirs.save(new)


def tell_organizer(copy: "Calendar", id: str) -> None:
    """After a change in a guest's copy: the organizer's says the same, and so does everybody's."""
    event = copy.event(id)
    home = copy.world.calendars.here(event["organizer"]["email"]) if event else None
    theirs = home.event(id) if home and home is not copy else None
    if event is None or home is None or theirs is None:
        return
    new = with_shared_part(theirs, event | {"status": theirs["status"]})
    if new != theirs:
        tell_copies(home, theirs, home.save(new))


def notify(calendar: "Calendar", before: "Event | None", after: "Event", send: str) -> None:
    """By the request's sendUpdates: all, externalOnly (whoever has no calendar here) or none."""
    if send not in ("all", "externalOnly"):
        return
    calendars = calendar.world.calendars
    for email, kind in _mails(calendar, before, after):
        if send == "all" or calendars.here(email) is None:
            calendars.notices.append(Notice(email, kind, after["id"], after.get("summary", "")))


def _mails(calendar: "Calendar", before: "Event | None", after: "Event") -> list[tuple[str, str]]:
    organizer = after["organizer"]["email"]
    if organizer != calendar.id:
        answers = [attendee_named(event or {}, calendar.id) for event in (before, after)]
        return [(organizer, "reply")] if answers[0] != answers[1] else []
    was = guests(before, calendar.id) if before and before["status"] != "cancelled" else []
    now = guests(after, calendar.id) if after["status"] != "cancelled" else []
    kinds = {email: "update" if email in was else "invitation" for email in now}
    return [*kinds.items(), *((email, "cancellation") for email in was if email not in now)]
