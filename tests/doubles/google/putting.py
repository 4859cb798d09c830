"""Puts mails, events and contacts into an emulated account, as other programs would."""

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from doubles.given import GivenContact, GivenEvent
from doubles.google.calendar import Calendar
from doubles.google.gmail import Mailbox
from doubles.google.people import AddressBook

from integrations.types import ARCHIVE, DRAFTS, INBOX, SENT, TRASH

LABELS = {INBOX: ("INBOX",), SENT: ("SENT",), DRAFTS: ("DRAFT",), TRASH: ("TRASH",), ARCHIVE: ()}


def deliver(mailbox: Mailbox, raw: bytes, folder: str = INBOX, *, seen: bool = False, flagged: bool = False) -> None:
    """Other folders are labels, which are made where they are missing."""
    mailbox.deliver(raw, [*LABELS.get(folder, (folder,)), *["UNREAD"] * (not seen), *["STARRED"] * flagged])


def put_event(calendar: Calendar, event: GivenEvent) -> None:
    series = calendar.put(event_resource(event))
    for original, instance in event.instances:
        changes = {"status": "cancelled"} if instance.cancelled else event_resource(instance)
        wanted = ("status", "summary", "location", "description", "start", "end")
        calendar.change(_instance_id(series, original), **{name: changes[name] for name in wanted if name in changes})
    if event.cancelled:
        calendar.remove(series)


def put_contact(book: AddressBook, contact: GivenContact) -> None:
    """Groups that are missing are made."""
    known = {group.name: group.resource_name for group in book.groups.values()}
    groups = [known.get(name) or book.add_group(name) for name in contact.groups]
    book.put(person_resource(contact, ["contactGroups/myContacts", *groups]))


def _when(at: date) -> dict[str, str]:
    if not isinstance(at, datetime):
        return {"date": at.isoformat()}
    zone = at.tzinfo.key if isinstance(at.tzinfo, ZoneInfo) else "UTC"
    return {"dateTime": at.isoformat(), "timeZone": zone}


def _line(name: str, at: date) -> str:
    if not isinstance(at, datetime):
        return f"{name};VALUE=DATE:{at:%Y%m%d}"
    return f"{name}:{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _instance_id(series: str, at: date) -> str:
    return f"{series}_{at.astimezone(UTC):%Y%m%dT%H%M%SZ}" if isinstance(at, datetime) else f"{series}_{at:%Y%m%d}"


def event_resource(event: GivenEvent) -> dict[str, Any]:
    """With some of what Google knows of an event and the assistant does not."""
    rules = [
        *([f"RRULE:{event.rrule}"] if event.rrule else []),
        *(_line("RDATE", at) for at in event.rdates),
        *(_line("EXDATE", at) for at in event.without),
    ]
    people = [
        {
            "email": one.address.email,
            "displayName": one.address.name,
            "responseStatus": "needsAction" if one.answer in ("", "needs-action") else one.answer,
            **({"optional": True} if one.optional else {}),
        }
        for one in event.attendees
    ]
    organizer = {"email": event.organizer.email, "displayName": event.organizer.name} if event.organizer else None
    return {
        "summary": event.title,
        "start": _when(event.start),
        "end": _when(event.end),
        "colorId": "7",
        "reminders": {"useDefault": False, "overrides": [{"method": "popup", "minutes": 10}]},
        "extendedProperties": {"shared": {"custom": "kept as it is"}},
        **({"location": event.location} if event.location else {}),
        **({"description": event.description} if event.description else {}),
        **({"recurrence": rules} if rules else {}),
        **({"attendees": people} if people else {}),
        **({"organizer": organizer} if organizer else {}),
        **({} if event.busy else {"transparency": "transparent"}),
    }


def person_resource(contact: GivenContact, groups: list[str]) -> dict[str, Any]:
    """With some of what Google knows of a person and the assistant does not."""
    given, _, family = contact.name.rpartition(" ")
    job = {"name": contact.company, "title": contact.title, "department": "Accounting", "type": "work"}
    known = {
        "names": [{"givenName": given, "familyName": family, "phoneticGivenName": "kept"}],
        "nicknames": [{"value": contact.nickname}] if contact.nickname else [],
        "emailAddresses": [{"value": email, "type": "work"} for email in contact.emails],
        "phoneNumbers": [{"value": phone, "type": "mobile"} for phone in contact.phones],
        "organizations": [{name: value for name, value in job.items() if value}] if contact.company or contact.title else [],
        "memberships": [{"contactGroupMembership": {"contactGroupResourceName": name}} for name in groups],
        "birthdays": [{"date": _day(contact.birthday)}] if contact.birthday else [],
        "biographies": [{"value": contact.note, "contentType": "TEXT_PLAIN"}] if contact.note else [],
        "urls": [{"value": "https://north.example/", "type": "homePage"}],
        "userDefined": [{"key": "shoe size", "value": "41"}],
    }
    return {name: entries for name, entries in known.items() if entries}


def _day(written: str) -> dict[str, int]:
    day = date.fromisoformat(written)
    return {"year": day.year, "month": day.month, "day": day.day}
