"""An account at the emulated Google, whose mails, events and contacts other programs change behind one's back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch
from zoneinfo import ZoneInfo

from doubles.boxes.base import (
    BERLIN,
    NAME,
    NOW,
    OWNER,
    Box,
    Boxes,
    CalendarBox,
    ContactBox,
    Errors,
    GivenContact,
    GivenEvent,
    MailBox,
)
from doubles.google import GoogleEmulator
from doubles.google.calls import GoogleUser
from doubles.google.methods import METHODS
from doubles.secrets import KeptSecrets

from integrations.actions import Action, CancelEvent, CreateContact, CreateEvent, DeleteContact, MarkMail
from integrations.errors import AuthExpired, Conflict, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable
from integrations.google import retrying
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import (
    ARCHIVE,
    DRAFTS,
    INBOX,
    SENT,
    TRASH,
    ContactQuery,
    ContactRef,
    EventQuery,
    EventRef,
    MailQuery,
    MailRef,
)

OFTEN = 50
"""More often than any call is tried."""
WRITES_ANYTHING = "whoever signs in may write all of this"
LABELS = {INBOX: ("INBOX",), SENT: ("SENT",), DRAFTS: ("DRAFT",), TRASH: ("TRASH",), ARCHIVE: ()}
PERSON_PARTS = {
    "name": "names",
    "nickname": "nicknames",
    "emails": "emailAddresses",
    "phones": "phoneNumbers",
    "company": "organizations",
    "title": "organizations",
    "groups": "memberships",
    "note": "biographies",
}
YEAR = EventQuery(start=datetime(2026, 1, 1, tzinfo=BERLIN), end=datetime(2027, 1, 1, tzinfo=BERLIN))
LUNCH = CreateEvent(account=NAME, title="Lunch", start=NOW, end=NOW.replace(hour=10))
EVA = CreateContact(account=NAME, name="Eva", emails=("eva@x.example",))


class GoogleBox(Box):
    def __init__(self, account: Account, google: GoogleEmulator, user: GoogleUser) -> None:
        super().__init__(account)
        self.google, self.user = google, user

    def lose(self, action: Action, when: Literal["before", "after"]) -> None:
        self.google.fail("drop_before" if when == "before" else "drop_after", on=METHODS[action.kind])

    def answers(self, read: Callable[[], Awaitable[object]]) -> Errors:
        """The errors that any question may be answered with."""

        async def revoked() -> None:
            self.google.revoke(self.user)
            await read()

        async def limited() -> None:
            self.google.fail("too_many", times=OFTEN)
            await read()

        async def out_of_order() -> None:
            self.google.fail("unavailable", times=OFTEN)
            await read()

        async def garbled() -> None:
            self.google.fail("garbage", times=OFTEN)
            await read()

        return {AuthExpired: revoked, RateLimited: limited, Unavailable: out_of_order, InvalidResponse: garbled}


class GoogleMail(GoogleBox, MailBox):
    gone = "19aa0000deadbeef"

    def deliver(self, raw: bytes, folder: str = INBOX, *, seen: bool = False, flagged: bool = False) -> None:
        labels = [*LABELS.get(folder, (folder,)), *["UNREAD"] * (not seen), *["STARRED"] * flagged]
        self._mailbox.deliver(raw, labels)

    def raw(self, mail_id: str) -> bytes:
        return self._mailbox.raw(mail_id)

    def remove(self, mail_id: str) -> None:
        self._mailbox.remove(mail_id)

    @property
    def _mailbox(self) -> Any:
        return self.google.world.mail(OWNER)

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            self.deliver(b"From: a@x.example\r\nSubject: s\r\n\r\nb\r\n")
            mail = (await self.reader.search(MailQuery())).items[0]
            self._mailbox.change(mail.id, add=["STARRED"])
            await self.writer.execute(MarkMail(account=NAME, mail=mail.ref, seen=True), "2" * 32)

        return {
            **self.answers(lambda: self.reader.search(MailQuery())),
            NotFound: lambda: self.reader.get(MailRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: WRITES_ANYTHING,
        }


class GoogleCalendar(GoogleBox, CalendarBox):
    gone = "0123456789abcdef0123456789abcdef"

    def __init__(self, account: Account, google: GoogleEmulator, user: GoogleUser) -> None:
        super().__init__(account, google, user)
        self._calendar.zone = BERLIN.key

    def put(self, event: GivenEvent) -> None:
        series = self._calendar.put(_resource(event))
        for original, instance in event.instances:
            changes = {"status": "cancelled"} if instance.cancelled else _resource(instance)
            wanted = ("status", "summary", "start", "end")
            self._calendar.change(_instance_id(series, original), **{name: changes[name] for name in wanted if name in changes})
        if event.cancelled:
            self._calendar.remove(series)

    def remove(self, ref: EventRef) -> None:
        self._calendar.remove(ref.id)

    def state(self, ref: EventRef) -> Mapping[str, object]:
        """Without what the account itself notes down at an event."""
        changing = ("etag", "updated", "sequence")
        kept = {name: value for name, value in self._calendar.event(ref.id).items() if name not in changing}
        return kept | {"extendedProperties": kept.get("extendedProperties", {}).get("shared")}

    def parts(self, *fields: str) -> set[str]:
        return {"summary" if field == "title" else field for field in fields}

    def occupy(self, email: str, start: datetime, end: datetime) -> None:
        calendars = self.google.world.calendars
        calendars.primary(email).put(_resource(GivenEvent("Taken", start, end)))
        calendars.share(email, "default", "freeBusyReader")

    @property
    def _calendar(self) -> Any:
        return self.google.world.calendars.primary(OWNER)

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            made = await self.writer.execute(LUNCH, "a1")
            stale = EventRef(account=NAME, calendar=OWNER, id=made.id, etag=made.etag)
            self._calendar.change(made.id, summary="Dinner")
            await self.writer.execute(CancelEvent(account=NAME, event=stale), "a2")

        async def read_only() -> None:
            calendars = self.google.world.calendars
            others = calendars.add("boss@home.example", "The boss's")
            calendars.share(others.id, OWNER, "reader")
            await self.writer.execute(LUNCH.model_copy(update={"calendar": others.id}), "a1")

        return {
            **self.answers(lambda: self.reader.events(YEAR)),
            NotFound: lambda: self.reader.get(EventRef(account=NAME, calendar=OWNER, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
        }


class GoogleContacts(GoogleBox, ContactBox):
    gone = "people/c404404"

    def file(self, contact: GivenContact) -> None:
        known = {group.name: group.resource_name for group in self._book.groups.values()}
        groups = [known.get(name) or self._book.add_group(name) for name in contact.groups]
        self._book.put(_person(contact, ["contactGroups/myContacts", *groups]))

    def state(self, contact_id: str) -> Mapping[str, object]:
        """Without what the account itself notes down at a contact."""
        return {name: value for name, value in self._book.contacts[contact_id].fields.items() if name != "clientData"}

    def parts(self, *fields: str) -> set[str]:
        return {PERSON_PARTS[field] for field in fields}

    def annotate(self, contact_id: str, note: str) -> None:
        self._book.change(contact_id, biographies=[{"value": note, "contentType": "TEXT_PLAIN"}])

    @property
    def _book(self) -> Any:
        return self.google.world.people(OWNER)

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            made = await self.writer.execute(EVA, "a1")
            self.annotate(made.id, "meanwhile")
            stale = ContactRef(account=NAME, id=made.id, etag=made.etag)
            await self.writer.execute(DeleteContact(account=NAME, contact=stale), "a2")

        return {
            **self.answers(lambda: self.reader.search(ContactQuery())),
            NotFound: lambda: self.reader.get(ContactRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: WRITES_ANYTHING,
        }


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


def _resource(event: GivenEvent) -> dict[str, Any]:
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


def _person(contact: GivenContact, groups: list[str]) -> dict[str, Any]:
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


@asynccontextmanager
async def opened(root: Path) -> AsyncIterator[Boxes]:
    with GoogleEmulator() as google, patch.multiple(retrying, PAUSE=0.0, LONGEST_PAUSE=0.0):
        google.world.clock = lambda: NOW
        user = google.account(OWNER)
        config = AccountConfig(name=NAME, kind="google", address=OWNER, settings={"endpoint": google.url})
        secrets = KeptSecrets(**{NAME: google.secret(user)})
        account = open_account(config, zone=BERLIN, index=root / "index", clock=lambda: NOW, secrets=secrets)
        try:
            yield Boxes(
                GoogleMail(account, google, user),
                GoogleCalendar(account, google, user),
                GoogleContacts(account, google, user),
                google.complaints,
            )
        finally:
            await account.close()
