"""An account at the emulated Microsoft Graph, whose mails, events and contacts other programs change behind one's back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

from doubles.boxes.base import BERLIN, NAME, NOW, OWNER, Box, Boxes, CalendarBox, ContactBox, Errors, MailBox
from doubles.given import GivenContact, GivenEvent
from doubles.graph import GraphEmulator
from doubles.graph.calendar.putting import put_event
from doubles.graph.calls import GraphUser
from doubles.graph.contacts.putting import put_contact
from doubles.graph.ids import GONE
from doubles.graph.mail.putting import deliver
from doubles.graph.methods import ANSWERS, METHODS
from doubles.secrets import KeptSecrets

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteContact,
    MarkMail,
    MoveMail,
    RestoreEvent,
)
from integrations.common import retrying
from integrations.errors import AuthExpired, Conflict, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import INBOX, OUTBOX, ContactQuery, ContactRef, EventQuery, EventRef, MailQuery, MailRef

OFTEN = 50
"""More often than any call is tried."""
CONTACT_PARTS = {
    "name": {"displayName", "givenName", "surname", "fileAs"},
    "nickname": {"nickName"},
    "emails": {"emailAddresses"},
    "phones": {"mobilePhone", "businessPhones", "homePhones"},
    "company": {"companyName"},
    "title": {"jobTitle"},
    "groups": {"categories"},
    "note": {"personalNotes"},
}
EVENT_PARTS = {
    "title": {"subject"},
    "start": {"start", "end"},
    "end": {"end"},
    "all_day": {"isAllDay", "start", "end"},
    "description": {"body"},
    "location": {"location", "locations"},
}
CHANGING = {"@odata.etag", "changeKey", "lastModifiedDateTime", "singleValueExtendedProperties"}
"""What changes with every write, and what the account itself notes down at an event."""
YEAR = EventQuery(start=datetime(2026, 1, 1, tzinfo=BERLIN), end=datetime(2027, 1, 1, tzinfo=BERLIN))
LUNCH = CreateEvent(account=NAME, title="Lunch", start=NOW, end=NOW.replace(hour=10))
EVA = CreateContact(account=NAME, name="Eva", emails=("eva@x.example",))
LETTER = b"From: a@x.example\r\nSubject: s\r\n\r\nb\r\n"


class MicrosoftBox(Box):
    gone = GONE

    def __init__(self, account: Account, graph: GraphEmulator, user: GraphUser) -> None:
        super().__init__(account)
        self.graph, self.user = graph, user

    def lose(self, action: Action, when: Literal["before", "after"]) -> None:
        self.graph.fail("drop_before" if when == "before" else "drop_after", on=self.operation(action))

    def operation(self, action: Action) -> str:
        return METHODS[action.kind]

    def answers(self, read: Callable[[], Awaitable[object]]) -> Errors:
        """The errors that any question may be answered with."""

        async def revoked() -> None:
            self.graph.revoke(self.user)
            await read()

        async def limited() -> None:
            self.graph.fail("too_many", times=OFTEN)
            await read()

        async def out_of_order() -> None:
            self.graph.fail("unavailable", times=OFTEN)
            await read()

        async def garbled() -> None:
            self.graph.fail("garbage", times=OFTEN)
            await read()

        return {AuthExpired: revoked, RateLimited: limited, Unavailable: out_of_order, InvalidResponse: garbled}


class MicrosoftMail(MicrosoftBox, MailBox):
    forgets = frozenset({"send_mail"})

    def deliver(self, raw: bytes, folder: str = INBOX, *, seen: bool = False, flagged: bool = False) -> None:
        deliver(self._mailbox, raw, folder, seen=seen, flagged=flagged)

    def raw(self, mail_id: str) -> bytes:
        raw: bytes = self._mailbox.raw(mail_id)
        return raw

    def remove(self, mail_id: str) -> None:
        self._mailbox.remove(mail_id)

    def file(self, mail_id: str, folder: str) -> None:
        self._mailbox.file(mail_id, folder)

    @property
    def _mailbox(self) -> Any:
        return self.graph.world.mail(OWNER)

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            self.deliver(LETTER)
            mail = (await self.reader.search(MailQuery())).items[0]
            self._mailbox.change(mail.id, flag={"flagStatus": "flagged"})
            await self.writer.execute(MarkMail(account=NAME, mail=mail.ref, seen=True), "2" * 32)

        async def read_only() -> None:
            self.deliver(LETTER)
            mail = (await self.reader.search(MailQuery())).items[0]
            await self.writer.execute(MoveMail(account=NAME, mail=mail.ref, folder=OUTBOX), "2" * 32)

        return {
            **self.answers(lambda: self.reader.search(MailQuery())),
            NotFound: lambda: self.reader.get(MailRef(account=NAME, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
        }


class MicrosoftCalendar(MicrosoftBox, CalendarBox):
    def __init__(self, account: Account, graph: GraphEmulator, user: GraphUser) -> None:
        super().__init__(account, graph, user)
        self._calendar.zone = BERLIN.key
        graph.world.calendars(OWNER).keeps_declined = True  # a setting of Outlook's, off unless its user turns it on

    def operation(self, action: Action) -> str:
        match action:
            case AnswerInvitation():
                return ANSWERS[action.answer]
            case CancelEvent() if self._calendar.event(action.event.id)["attendees"]:
                return "POST /me/events/{event}/cancel"
            case RestoreEvent() if not self._calendar.found(action.event.id):
                return METHODS["create_event"]
        return super().operation(action)

    def put(self, event: GivenEvent) -> None:
        put_event(self._calendar, event)

    def remove(self, ref: EventRef) -> None:
        self._calendar.remove(self._id(ref))

    def rename(self, ref: EventRef, title: str) -> None:
        self._calendar.change(self._id(ref), subject=title)

    def _id(self, ref: EventRef) -> str:
        id: str = self._calendar.occurrence_id(ref.id, ref.recurrence) if ref.recurrence else ref.id
        return id

    def told(self) -> list[tuple[str, str]]:
        return [(notice.to, notice.kind) for notice in self.graph.world.notices]

    def state(self, ref: EventRef) -> Mapping[str, object]:
        return {name: value for name, value in self._calendar.event(self._id(ref)).items() if name not in CHANGING}

    def parts(self, *fields: str) -> set[str]:
        return set().union(*(EVENT_PARTS.get(field, {field}) for field in fields))

    def occupy(self, email: str, start: datetime, end: datetime) -> None:
        put_event(self.graph.world.calendars(email).default, GivenEvent("Taken", start, end))

    @property
    def _calendar(self) -> Any:
        return self.graph.world.calendars(OWNER).default

    @property
    def errors(self) -> Errors:
        async def conflict() -> None:
            made = await self.writer.execute(LUNCH, "a1")
            calendar = (await self.reader.calendars())[0].id
            stale = EventRef(account=NAME, calendar=calendar, id=made.id, etag=made.etag)
            self._calendar.change(made.id, subject="Dinner")
            await self.writer.execute(CancelEvent(account=NAME, event=stale), "a2")

        async def read_only() -> None:
            others = self.graph.world.calendars(OWNER).add("The boss's", owner="boss@home.example", can_edit=False)
            await self.writer.execute(LUNCH.model_copy(update={"calendar": others.id}), "a1")

        return {
            **self.answers(lambda: self.reader.events(YEAR)),
            NotFound: lambda: self.reader.get(EventRef(account=NAME, calendar=self._calendar.id, id=self.gone)),
            Conflict: conflict,
            ReadOnly: read_only,
        }


class MicrosoftContacts(MicrosoftBox, ContactBox):
    def file(self, contact: GivenContact) -> None:
        put_contact(self._book, contact)

    def state(self, contact_id: str) -> Mapping[str, object]:
        return dict(self._book.contacts[contact_id].fields)

    def parts(self, *fields: str) -> set[str]:
        return set().union(*(CONTACT_PARTS[field] for field in fields))

    def annotate(self, contact_id: str, note: str) -> None:
        self._book.change(contact_id, personalNotes=note)

    @property
    def _book(self) -> Any:
        return self.graph.world.people(OWNER)

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
            ReadOnly: "nothing in one's own address book is kept from changes",
        }


@asynccontextmanager
async def opened(root: Path, name: str) -> AsyncIterator[Boxes]:
    impatient = patch.multiple(retrying, PAUSE=0.0, LONGEST_PAUSE=0.0), patch("integrations.microsoft.contacts_writer.AT_WORK", 0.0)
    with GraphEmulator() as graph, impatient[0], impatient[1]:
        graph.world.clock = lambda: NOW
        user = graph.account(OWNER)
        config = AccountConfig(name=name, kind="microsoft", address=OWNER, settings={"endpoint": graph.url})
        secrets = KeptSecrets(**{name: graph.secret(user)})
        account = open_account(config, zone=BERLIN, index=root / "index", clock=lambda: NOW, secrets=secrets)
        try:
            yield Boxes(
                MicrosoftMail(account, graph, user),
                MicrosoftCalendar(account, graph, user),
                MicrosoftContacts(account, graph, user),
                graph.complaints,
                lambda: graph.fail("unavailable", times=OFTEN),
            )
        finally:
            await account.close()
