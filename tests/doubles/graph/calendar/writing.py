"""Making, changing and deleting events."""

from typing import Any

from doubles.graph.calendar import invitations
from doubles.graph.calendar.bodies import changed_event, new_event
from doubles.graph.calendar.patterns import wrong
from doubles.graph.calendar.reading import calendar_of, found_by, told
from doubles.graph.calendar.state import Calendar, Found
from doubles.graph.calls import Call, GraphError

TAKEN = (
    "Your request can't be completed. The TransactionId specified in the request has already been used to create a different event."
)


def post(call: Call) -> tuple[int, dict[str, Any]]:
    """The same again under a transactionId that is known makes nothing, and is answered with what there is."""
    calendar, body = _editable(call, calendar_of(call)), call.body or {}
    if known := _posted(calendar, body.get("transactionId")):
        if known.entry.posted != body:
            raise GraphError(409, "ErrorDuplicateTransactionId", TAKEN)
        return 201, told(known, call)
    mailbox = calendar.mailbox
    id = calendar.file(mailbox.entry(new_event(body), calendar.person, posted=body))
    found = Found(calendar, calendar.entries[id], id)
    invitations.share(calendar, found.entry)
    invitations.tell_change(found, None, found.event)
    return 201, told(found, call)


def _posted(calendar: Calendar, transaction: str | None) -> Found | None:
    everywhere = ((one, id, entry) for one in calendar.mailbox.all.values() for id, entry in one.entries.items())
    known = (Found(one, entry, id) for one, id, entry in everywhere if entry.posted.get("transactionId") == transaction)
    return next(known, None) if transaction else None


def patch(call: Call) -> dict[str, Any]:
    """What a guest changes is changed in their own copy alone, until the organizer's next update."""
    found, body = _present(call), call.body or {}
    if body.get("transactionId", found.entry.posted.get("transactionId")) != found.entry.posted.get("transactionId"):
        raise wrong("transactionId can't be changed.")
    if found.day and body.get("recurrence"):
        raise wrong("An occurrence has no recurrence of its own.")
    before = found.event
    found.calendar.mailbox.write(found, changed_event(before, body))
    invitations.tell_change(found, before, found.event)
    return told(found, call)


def delete(call: Call) -> None:
    """Guests hear of it where the organizer does so; nobody does where a guest removes their own copy."""
    remove(_present(call))


def remove(found: Found, comment: str = "") -> None:
    event = found.event
    found.calendar.mailbox.drop(found)
    invitations.withdraw(found)
    invitations.tell_end(found, event, comment)


def _present(call: Call) -> Found:
    found = found_by(call)
    _editable(call, found.calendar)
    call.check_match(found.entry.etag)
    return found


def _editable(call: Call, calendar: Calendar) -> Calendar:
    call.world.calendars(call.user.email).check_editable(calendar)
    return calendar
