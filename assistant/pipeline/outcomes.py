"""What a write came to, as a value and in words for people."""

from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo

from assistant.values import Outcome
from integrations.actions import (
    Action,
    CalendarAction,
    CancelEvent,
    ContactAction,
    CreateContact,
    CreateEvent,
    Receipt,
    SaveDraft,
    SendMail,
)
from integrations.errors import IntegrationError
from integrations.types import DRAFTS, SENT
from risk.operations import OPERATIONS, operation_of
from risk.text import line
from risk.times import moment_words
from storage.errors import StorageError
from storage.tables import OutboxRow

TAKEN_BACK = "It was taken back before it went out."
"""The error of a row that was held and is not to go out any more."""
UNDER_WAY = "It has begun and may still be under way; what comes of it is found out in a few minutes."
SOON = timedelta(minutes=2)
"""What goes out sooner is told in seconds."""


def waiting(action: Action, key: str, error: str) -> Outcome:
    """Nothing has gone out for certain, so it will be tried again."""
    note = f"Nothing has gone out yet; it will be tried again. {error}"  # which may end in a command
    return Outcome(action=action, status="pending", note=note, key=key)


def held_outcome(action: Action, row: OutboxRow, now: datetime, zone: tzinfo) -> Outcome:
    """It waits for its time; until then it can be taken back."""
    when = row.not_before or now
    if when - now < SOON:
        seconds = max(round((when - now).total_seconds()), 0)
        note = f'It goes out in {seconds} second{"" if seconds == 1 else "s"}; say "undo" to stop it.'
    else:
        moment = moment_words(when, zone=zone, today=now.astimezone(zone).date())
        note = f'It goes out on {moment}, by an assistant that is running then; say "undo" to take it back.'
    return Outcome(action=action, status="held", note=note, key=row.key, goes_out=when)


def outcome_of(action: Action, status: str, key: str, receipt: Receipt | None, error: str) -> Outcome:
    note = receipt.note if receipt else error
    if status == "failed" and error == TAKEN_BACK:
        status, note = "taken_back", ""
    if status == "started":
        note = UNDER_WAY
    if status == "unknown":
        note = f"It is not certain whether this happened ({error.rstrip('.')}). {what_to_check(action)} before doing it again."
    undo = receipt.undo if receipt else ()
    created = next((a.event for a in undo if isinstance(action, CreateEvent) and isinstance(a, CancelEvent)), None)
    told = {"action": action, "status": status, "note": note, "key": key, "undoable": bool(undo), "created": created}
    return Outcome.model_validate({**told, "differs": receipt.differs if receipt else ""})


def what_to_check(action: Action) -> str:
    """Where a person sees whether it happened: the beginning of a sentence."""
    match action:
        case SendMail():  # not every server files it there, and what was filed may have been deleted since
            recipient = "the recipient" if len({*action.to, *action.cc, *action.bcc}) == 1 else "one of the recipients"
            lies = f"Look for {_quoted(action.subject)} in {SENT} of {action.account}"
            return f"{lies}; if it isn't there, it may have been sent all the same, so ask {recipient}"
        case SaveDraft():
            return f"Look for {_quoted(action.subject)} in {DRAFTS} of {action.account}"
        case CreateEvent():
            return f"Look for “{line(action.title)}” in the calendar"
        case CreateContact():
            return f"Look for {line(action.name)} in your contacts"
        case _ if isinstance(action, CalendarAction):
            return "Look at the event in the calendar"
        case _ if isinstance(action, ContactAction):
            return "Look at the contact"
    return "Please check"


def _quoted(subject: str) -> str:
    return f"“{line(subject) or 'a mail without a subject'}”"


def worded(error: Exception) -> str:
    """One sentence for people, whatever was raised."""
    if isinstance(error, IntegrationError | StorageError):
        return str(error)
    why = " ".join(str(error).split())[:200]
    return f"Something unexpected went wrong ({type(error).__name__}: {why})."


def saying(outcome: Outcome, row: OutboxRow, says: Sequence[str]) -> Outcome:
    """With its clause; `says` are those of all rows by position."""
    words = says[row.position] if row.position < len(says) else OPERATIONS[operation_of(outcome.action)]
    return outcome.model_copy(update={"says": words})
