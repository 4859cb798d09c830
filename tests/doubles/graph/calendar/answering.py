"""Answering an invitation, and calling a meeting off."""

from typing import Any

from doubles.graph.calendar import invitations
from doubles.graph.calendar.bodies import Event
from doubles.graph.calendar.reading import found_by
from doubles.graph.calendar.state import Found
from doubles.graph.calendar.times import utc
from doubles.graph.calendar.writing import remove
from doubles.graph.calls import Call, GraphError, Handler

SHOWN_AS = {"accepted": "busy", "tentativelyAccepted": "tentative", "declined": "free"}
Done = tuple[int, dict[str, Any] | None]


def answer(response: str) -> Handler:
    def handle(call: Call) -> Done:
        found, body = found_by(call), call.body or {}
        found.calendar.mailbox.check_editable(found.calendar)
        sending = body.get("SendResponse") is not False
        _check(found, sending)
        event, at = found.event, utc(call.world.now())
        _take(found, {"responseStatus": {"response": response, "time": at}, "showAs": SHOWN_AS[response]})
        if sending:
            invitations.answered(found, response, at)
            invitations.tell_answer(found, event, body.get("Comment") or "")
        if response == "declined" and not found.calendar.mailbox.keeps_declined:
            found.calendar.mailbox.drop(found)
        return 202, None

    return handle


def cancel(call: Call) -> Done:
    found = found_by(call)
    if not found.calendar.organizes(found.entry):
        raise _refused("You need to be an organizer to cancel a meeting.")
    found.calendar.mailbox.check_editable(found.calendar)
    remove(found, (call.body or {}).get("Comment") or "")
    return 202, None


def _check(found: Found, sending: bool) -> None:
    if found.calendar.organizes(found.entry):
        raise _refused("You can't respond to this meeting because you're the meeting organizer.")
    if sending and not found.event["responseRequested"]:
        raise _refused("The meeting organizer hasn't requested a response.")


def _take(found: Found, said: Event) -> None:
    """An answer to a series is one to all of its instances."""
    entry = found.entry
    if found.day:
        entry.own[found.day] = entry.own.get(found.day, {}) | said
    else:
        entry.event = entry.event | said
        entry.own = {day: {name: it for name, it in own.items() if name not in said} for day, own in entry.own.items()}
    found.calendar.mailbox.stamp(entry)


def _refused(reason: str) -> GraphError:
    return GraphError(400, "ErrorInvalidRequest", f"Your request can't be completed. {reason}")
