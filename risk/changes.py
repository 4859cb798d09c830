"""What an action changes, before and after, in words for people."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteContact,
    DeleteDraft,
    DeleteTemplate,
    MarkMail,
    MoveMail,
    RestoreContact,
    RestoreEvent,
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import INBOX, Address, Event, Value
from risk.cards import namesakes
from risk.evidence import Evidence
from risk.provenance import addresses_in_ics, leaves
from risk.text import line
from risk.times import DASH, moment_words, span_words

UNKNOWN = "not known"
LEFT = "gone from your calendar only"
ANSWERS = {"needs-action": "not answered", "accepted": "accepted", "declined": "declined", "tentative": "maybe", "": "not answered"}
CONTACT_FIELDS = {
    "name": "Name",
    "nickname": "Nickname",
    "emails": "Address",
    "phones": "Phone",
    "company": "Company",
    "title": "Title",
    "groups": "Groups",
    "note": "Note",
}


class Change(Value):
    """One field before and after, in words for people."""

    field: str
    before: str
    after: str


def changes_of(action: Action, evidence: Evidence) -> tuple[Change, ...]:
    """One per field that really changes; empty for what only adds something new, but for a card called like another."""
    return tuple(change for change in _changes(action, evidence) if change.before != change.after)


def contents_of(action: Action) -> dict[str, str]:
    """What a new thing would hold, by field; empty for an action that changes something."""
    match action:
        case SendMail() | SaveDraft():
            return {"Subject": action.subject, "Text": action.body} | _goes_out(action)
        case CreateEvent():
            time = span_words(action.start, action.end, action.all_day, zone=action.start.tzinfo or UTC, today=date.min)
            return {
                "Title": action.title,
                "Time": time,
                "Place": action.location,
                "Notes": action.description,
                "Repeats": action.rrule,
            }
        case CreateContact():
            return {label: _plain(getattr(action, name)) for name, label in CONTACT_FIELDS.items()}
        case SaveTemplate():
            return {"Name": action.name, "Subject": action.subject, "Text": action.body}
    return {}


def _goes_out(action: SendMail | SaveDraft) -> dict[str, str]:
    when = action.send_at if isinstance(action, SendMail) else None
    return {"Goes out": moment_words(when, zone=when.tzinfo or UTC, today=date.min) if when else "at once"}


def _changes(action: Action, evidence: Evidence) -> Iterator[Change]:
    match action:
        case MoveMail() | MarkMail() | DeleteDraft():
            yield from _of_mail(action, evidence)
        case UpdateEvent() | CancelEvent() | AnswerInvitation() | RestoreEvent():
            yield from _of_event(action, evidence)
        case UpdateContact() | DeleteContact() | RestoreContact():
            yield from _of_contact(action, evidence)
        case CreateContact():
            if there := namesakes(action, None, evidence):
                old, new = _plain(tuple(email for email, _ in there)), _plain(action.emails)
                yield Change(field=f"{line(there[0][1])} in your contacts", before=old, after=f"another card, with {new}")
        case SaveTemplate():
            if action.name in evidence.templates:
                yield Change(field="Text", before=evidence.templates[action.name], after=action.body)
        case DeleteTemplate():
            yield Change(field="Template", before=evidence.templates.get(action.name, action.name), after="deleted")


def _of_mail(action: MoveMail | MarkMail | DeleteDraft, evidence: Evidence) -> Iterator[Change]:
    mail = evidence.mail(action.mail)
    if isinstance(action, DeleteDraft):
        yield Change(field="Draft", before=(mail.subject or "(no subject)") if mail else UNKNOWN, after="deleted")
    elif isinstance(action, MoveMail):
        yield Change(field="Folder", before=_folder(mail.folder) if mail else UNKNOWN, after=_folder(action.folder))
    else:
        if action.seen is not None:
            yield _state("Read", None if mail is None else not mail.unread, action.seen, ("unread", "read"))
        if action.flagged is not None:
            yield _state("Flag", None if mail is None else mail.flagged, action.flagged, ("not flagged", "flagged"))


def _state(field: str, before: bool | None, after: bool, words: tuple[str, str]) -> Change:
    return Change(field=field, before=UNKNOWN if before is None else words[before], after=words[after])


def _folder(name: str) -> str:
    return "Inbox" if name == INBOX else name


def _of_event(action: UpdateEvent | CancelEvent | AnswerInvitation | RestoreEvent, evidence: Evidence) -> Iterator[Change]:
    event = evidence.event(action.event)
    whole = f"{event.title}, {_when(event, evidence)}" if event else UNKNOWN
    match action:
        case CancelEvent():
            series = event is not None and (event.series or bool(event.rrule)) and action.event.recurrence is None
            leaving = leaves(action, event)
            yield Change(field="Series" if series else "Event", before=whole, after=LEFT if leaving else "cancelled")
            yield from _untold(action) if leaving else _comment(action)
        case AnswerInvitation():
            before = ANSWERS[event.my_answer] if event else UNKNOWN
            yield Change(field="Your answer", before=before, after=ANSWERS[action.answer])
            yield from _comment(action)
        case RestoreEvent():
            people = sorted(addresses_in_ics(action.ics) - evidence.own)
            after = "as it was before" + (f", with {', '.join(people)}" if people else "")
            yield Change(field="Event", before=whole if event else "not in the calendar", after=after)
        case UpdateEvent():
            yield from _of_update(action, event, evidence)


def _comment(action: CancelEvent | AnswerInvitation) -> Iterator[Change]:
    if action.comment:
        yield Change(field="Message", before="", after=action.comment)


def _untold(action: CancelEvent) -> Iterator[Change]:
    if action.comment:
        yield Change(field="Message", before=action.comment, after="told to nobody")


def _of_update(action: UpdateEvent, event: Event | None, evidence: Evidence) -> Iterator[Change]:
    if action.title is not None:
        yield Change(field="Title", before=event.title if event else UNKNOWN, after=action.title)
    if any(value is not None for value in (action.start, action.end, action.all_day)):
        yield Change(field="Time", before=_when(event, evidence) if event else UNKNOWN, after=_new_time(action, event, evidence))
    if action.location is not None:
        yield Change(field="Place", before=event.location if event else UNKNOWN, after=action.location)
    if action.description is not None:
        yield Change(field="Notes", before=event.description if event else UNKNOWN, after=action.description)
    if action.add_attendees or action.remove_attendees:
        yield _attendees(action, event)


def _attendees(action: UpdateEvent, event: Event | None) -> Change:
    before = {there.address.email: there.address for there in event.attendees} if event else {}
    added = {address.email: address for address in action.add_attendees}
    after = {email: address for email, address in {**added, **before}.items() if email not in action.remove_attendees}
    return Change(field="Attendees", before=_people(before.values()) if event else UNKNOWN, after=_people(after.values()))


def _people(addresses: Iterable[Address]) -> str:
    return ", ".join(sorted(str(address) for address in addresses)) or "nobody"


def _new_time(action: UpdateEvent, event: Event | None, evidence: Evidence) -> str:
    start = action.start or (event.start if event else None)
    end = action.end or (event.end if event else None)
    all_day = action.all_day if action.all_day is not None else bool(event and event.all_day)
    if start is None or end is None:
        return f" {DASH} ".join(_span(moment, moment, False, evidence) if moment else UNKNOWN for moment in (start, end))
    return _span(start, end, all_day, evidence)


def _when(event: Event, evidence: Evidence) -> str:
    return _span(event.start, event.end, event.all_day, evidence)


def _span(start: datetime, end: datetime, all_day: bool, evidence: Evidence) -> str:
    return span_words(start, end, all_day, zone=evidence.local, today=evidence.now.astimezone(evidence.local).date())


def _of_contact(action: UpdateContact | DeleteContact | RestoreContact, evidence: Evidence) -> Iterator[Change]:
    contact = evidence.contact(action.contact)
    if isinstance(action, UpdateContact):
        for name, label in CONTACT_FIELDS.items():
            if (value := getattr(action, name)) is not None:
                yield Change(field=label, before=_plain(getattr(contact, name)) if contact else UNKNOWN, after=_plain(value))
        return
    whole = ", ".join(filter(None, (contact.name, *contact.emails, *contact.phones))) if contact else UNKNOWN
    if isinstance(action, DeleteContact):
        yield Change(field="Contact", before=whole, after="deleted")
    else:
        yield Change(field="Contact", before=whole if contact else "not in your contacts", after="as it was before")


def _plain(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
