"""Copies of a meeting in its guests' calendars, and the mails about it, which Exchange sends of itself."""

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from doubles.graph.calendar import series
from doubles.graph.calendar.bodies import NOT_RESPONDED, OWN, SHARED, TOLD, UNANSWERED, Event, address_of

if TYPE_CHECKING:
    from doubles.graph.calendar.state import Calendar, Calendars, Entry, Found


@dataclass(frozen=True)
class Notice:
    """A mail that Exchange would have sent. `kind`: invitation, update, cancellation, reply."""

    to: str
    kind: str
    event: str
    subject: str = ""
    comment: str = ""


def guests(event: Event, organizer: Event) -> list[str]:
    addresses = [address_of(one) for one in event["attendees"]]
    return [address for address in addresses if address != address_of(organizer)]


def share(calendar: "Calendar", entry: "Entry") -> None:
    """After a change in the organizer's calendar: everybody's copy says the same again. A change of a copy tells nobody."""
    if not calendar.organizes(entry):
        return
    invited = guests(entry.event, entry.organizer)
    for email, theirs in _others(calendar.mailbox):
        known = theirs.with_uid(entry.uid)
        if email in invited:
            _invite(theirs, known, entry)
        elif known:
            _call_off(theirs, known)


def withdraw(found: "Found") -> None:
    """The event, or one instance, is no more."""
    if not found.calendar.organizes(found.entry):
        return
    if found.day:
        share(found.calendar, found.entry)
        return
    for _, theirs in _others(found.calendar.mailbox):
        if known := theirs.with_uid(found.entry.uid):
            _call_off(theirs, known)


def _others(mailbox: "Calendars") -> list[tuple[str, "Calendars"]]:
    return [(email, theirs) for email, theirs in mailbox.world.all_calendars() if theirs is not mailbox]


def _invite(theirs: "Calendars", known: "tuple[Calendar, Entry] | None", entry: "Entry") -> None:
    shared = _shared(entry.event)
    if known is None:
        reminding = {name: entry.event[name] for name in ("isReminderOn", "reminderMinutesBeforeStart")}
        own = {"categories": [], "extended": {}, "responseStatus": dict(NOT_RESPONDED), "showAs": unanswered(entry.event)}
        event = shared | reminding | own
        copy = theirs.entry(event, deepcopy(entry.organizer), uid=entry.uid)
        theirs.default.file(copy)
    else:
        copy = known[1]
        copy.event = shared | {name: it for name, it in copy.event.items() if name in OWN}
        theirs.stamp(copy)
    copy.removed |= entry.removed
    copy.own = {
        day: {name: it for name, it in copy.own.get(day, {}).items() if name in OWN} | _shared(entry.own.get(day, {}))
        for day in entry.own.keys() | copy.own.keys()
    }


def unanswered(event: Event) -> str:
    """How an invitation shows until it is answered."""
    return "tentative" if event["showAs"] == "busy" else str(event["showAs"])


def _shared(event: Event) -> Event:
    """Guests are not told who has answered what."""
    part = {name: deepcopy(event[name]) for name in SHARED if name in event}
    if "attendees" in part:
        part["attendees"] = [one | {"status": dict(UNANSWERED)} for one in part["attendees"]]
    return part


def _call_off(theirs: "Calendars", known: "tuple[Calendar, Entry]") -> None:
    entry = known[1]
    if not entry.event["isCancelled"]:
        off = {"isCancelled": True, "subject": f"Canceled: {entry.event['subject']}", "showAs": "free"}
        entry.event = entry.event | off
        theirs.stamp(entry)


def answered(found: "Found", response: str, at: str) -> None:
    """What a guest has answered stands in the organizer's event."""
    copy, mailbox = found.entry, found.calendar.mailbox
    home = next((theirs for email, theirs in _others(mailbox) if email == address_of(copy.organizer)), None)
    known = home.with_uid(copy.uid) if home else None
    if home is None or known is None:
        return
    entry = known[1]
    event = series.instance(entry, found.day) if found.day else entry.event
    people = [
        one | {"status": {"response": response, "time": at}} if address_of(one) == mailbox.email.lower() else one
        for one in event["attendees"]
    ]
    if found.day:
        entry.own[found.day] = entry.own.get(found.day, {}) | {"attendees": people}
    else:
        entry.event = entry.event | {"attendees": people}
    home.stamp(entry)


def tell_change(found: "Found", before: Event | None, after: Event) -> None:
    """After a write of the organizer's: all hear of what concerns all, and of others who come or go only they themselves."""
    if not found.calendar.organizes(found.entry):
        return
    was = guests(before, found.entry.organizer) if before else []
    now = guests(after, found.entry.organizer)
    for email in now:
        if email not in was:
            _tell(found, email, "invitation", after)
        elif before and any(before.get(name) != after.get(name) for name in TOLD):
            _tell(found, email, "update", after)
    for email in was:
        if email not in now:
            _tell(found, email, "cancellation", after)


def tell_end(found: "Found", event: Event, comment: str = "") -> None:
    if found.calendar.organizes(found.entry):
        for email in guests(event, found.entry.organizer):
            _tell(found, email, "cancellation", event, comment)


def tell_answer(found: "Found", event: Event, comment: str) -> None:
    _tell(found, address_of(found.entry.organizer), "reply", event, comment)


def _tell(found: "Found", email: str, kind: str, event: Event, comment: str = "") -> None:
    notice = Notice(email, kind, found.id, event["subject"], comment)
    found.calendar.mailbox.world.notices.append(notice)
