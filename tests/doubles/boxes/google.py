"""An account at the emulated Google, whose mails, events and contacts other programs change behind one's back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

from doubles.boxes.base import BERLIN, NAME, NOW, OWNER, Box, Boxes, CalendarBox, ContactBox, Errors, MailBox
from doubles.given import GivenContact, GivenEvent
from doubles.google import GoogleEmulator, putting
from doubles.google.calls import GoogleUser
from doubles.google.methods import METHODS
from doubles.secrets import KeptSecrets

from integrations.actions import Action, CancelEvent, CreateContact, CreateEvent, DeleteContact, MarkMail, MoveMail, UpdateContact
from integrations.common import retrying
from integrations.errors import AuthExpired, Conflict, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import (
    INBOX,
    SENT,
    ContactQuery,
    ContactRef,
    EventQuery,
    EventRef,
    MailQuery,
    MailRef,
)

OFTEN = 50
"""More often than any call is tried."""
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
    forgets = frozenset({"send_mail"})

    def deliver(self, raw: bytes, folder: str = INBOX, *, seen: bool = False, flagged: bool = False) -> None:
        putting.deliver(self._mailbox, raw, folder, seen=seen, flagged=flagged)

    def raw(self, mail_id: str) -> bytes:
        return self._mailbox.raw(mail_id)

    def remove(self, mail_id: str) -> None:
        self._mailbox.remove(mail_id)

    def file(self, mail_id: str, folder: str) -> None:
        self._mailbox.change(mail_id, add=[self._mailbox.labels.ensure(folder).id], remove=["INBOX"])

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

        async def read_only() -> None:
            self.deliver(b"From: a@x.example\r\nSubject: s\r\n\r\nb\r\n")
            mail = (await self.reader.search(MailQuery())).items[0]
            await self.writer.execute(MoveMail(account=NAME, mail=mail.ref, folder=SENT), "2" * 32)

        return {
            **self.answers(lambda: self.reader.search(MailQuery())),
            NotFound: lambda: self.reader.get(MailRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
        }


class GoogleCalendar(GoogleBox, CalendarBox):
    gone = "0123456789abcdef0123456789abcdef"

    def __init__(self, account: Account, google: GoogleEmulator, user: GoogleUser) -> None:
        super().__init__(account, google, user)
        self._calendar.zone = BERLIN.key

    def put(self, event: GivenEvent) -> None:
        putting.put_event(self._calendar, event)

    def remove(self, ref: EventRef) -> None:
        self._calendar.remove(ref.id)

    def rename(self, ref: EventRef, title: str) -> None:
        self._calendar.change(ref.id, summary=title)

    def told(self) -> list[tuple[str, str]]:
        return [(notice.to, notice.kind) for notice in self.google.world.calendars.notices]

    def state(self, ref: EventRef) -> Mapping[str, object]:
        """Without what the account itself notes down at an event."""
        changing = ("etag", "updated", "sequence")
        kept = {name: value for name, value in self._calendar.event(ref.id).items() if name not in changing}
        return kept | {"extendedProperties": kept.get("extendedProperties", {}).get("shared")}

    def parts(self, *fields: str) -> set[str]:
        return {"summary" if field == "title" else field for field in fields}

    def occupy(self, email: str, start: datetime, end: datetime) -> None:
        calendars = self.google.world.calendars
        putting.put_event(calendars.primary(email), GivenEvent("Taken", start, end))
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
    forgets = frozenset({"create_contact", "restore_contact"})

    def file(self, contact: GivenContact) -> None:
        putting.put_contact(self._book, contact)

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

        async def read_only() -> None:
            made = await self.writer.execute(EVA, "a1")
            eva = ContactRef(account=NAME, id=made.id, etag=made.etag)
            await self.writer.execute(UpdateContact(account=NAME, contact=eva, groups=("friends",)), "a2")

        return {
            **self.answers(lambda: self.reader.search(ContactQuery())),
            NotFound: lambda: self.reader.get(ContactRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
        }


@asynccontextmanager
async def opened(root: Path, name: str) -> AsyncIterator[Boxes]:
    with GoogleEmulator() as google, patch.multiple(retrying, PAUSE=0.0, LONGEST_PAUSE=0.0):
        google.world.clock = lambda: NOW
        user = google.account(OWNER)
        google.world.mail(OWNER).keeps_message_ids = False
        config = AccountConfig(name=name, kind="google", address=OWNER, settings={"endpoint": google.url})
        secrets = KeptSecrets(**{name: google.secret(user)})
        account = open_account(config, zone=BERLIN, index=root / "index", clock=lambda: NOW, secrets=secrets)
        try:
            yield Boxes(
                GoogleMail(account, google, user),
                GoogleCalendar(account, google, user),
                GoogleContacts(account, google, user),
                google.complaints,
                lambda: google.fail("unavailable", times=OFTEN),
            )
        finally:
            await account.close()
