"""What every provider's boxes can do, and the things that somebody else's program puts into them."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal, NoReturn
from zoneinfo import ZoneInfo

import pytest
from doubles.given import GivenContact, GivenEvent

from integrations.actions import Action
from integrations.errors import IntegrationError, Unknowable
from integrations.readers import CalendarReader, ContactReader, MailReader
from integrations.registry import Account
from integrations.types import INBOX, Contact, ContactQuery, Event, EventQuery, EventRef
from integrations.writers import CalendarWriter, ContactWriter, MailWriter

NAME, OWNER = "acc", "me@home.example"
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)

Provoke = Callable[[], Awaitable[object]]
Errors = Mapping[type[IntegrationError], Provoke | str]


class Box(ABC):
    """`gone` is an id such as the provider gives, of nothing. `forgets`: the kinds of writes of which it can't always tell that
    they never happened."""

    gone: str
    forgets: frozenset[str] = frozenset()

    def __init__(self, account: Account) -> None:
        self.account = account
        self.name = account.config.name
        self.owner = account.config.address

    @property
    def lacks(self) -> Mapping[str, str]:
        """Beside the account's own: `connection`, where nothing can get lost on the way."""
        return self.account.lacks  # type: ignore[return-value]

    def needs(self, capability: str) -> None:
        """Skips the test where there is none, with the reason."""
        if reason := self.lacks.get(capability):
            self.skip(reason)

    def skip(self, reason: str) -> NoReturn:
        """In these words only what a provider can't do is skipped; `.ci/run` passes over them."""
        pytest.skip(f"NOT AT {self.account.config.kind}: {reason}")

    @property
    @abstractmethod
    def errors(self) -> Errors:
        """What brings about each error of the design, by a real answer; or why nothing can."""

    async def never_happened(self, action: Action, key: str) -> None:
        """Fails where the writer finds it, or can't tell though it could."""
        try:
            found = await self.writer.find(action, key)  # type: ignore[attr-defined]
        except Unknowable:
            assert action.kind in self.forgets
        else:
            assert found is None

    def lose(self, action: Action, when: Literal["before", "after"]) -> None:
        """The connection of this write is lost before or after it takes effect."""
        raise AssertionError(f"{type(self).__name__} has no connection that could be lost.")


class MailBox(Box):
    @property
    def reader(self) -> MailReader:
        return self.account.readers.mail

    @property
    def writer(self) -> MailWriter:
        return self.account.writers.mail

    @abstractmethod
    def deliver(self, raw: bytes, folder: str = INBOX, *, seen: bool = False, flagged: bool = False) -> None:
        """A folder that is missing is made; "/" divides nested ones."""

    @abstractmethod
    def raw(self, mail_id: str) -> bytes: ...

    @abstractmethod
    def remove(self, mail_id: str) -> None:
        """For good."""

    @abstractmethod
    def file(self, mail_id: str, folder: str) -> None:
        """Moves it from the inbox to another folder, which is there."""


class CalendarBox(Box):
    @property
    def reader(self) -> CalendarReader:
        return self.account.readers.calendar

    @property
    def writer(self) -> CalendarWriter:
        return self.account.writers.calendar

    async def between(self, start: datetime, end: datetime, **query: tuple[str, ...]) -> tuple[Event, ...]:
        return (await self.reader.events(EventQuery(start=start, end=end, **query))).items

    async def all(self) -> tuple[Event, ...]:
        return await self.between(NOW - timedelta(days=400), NOW + timedelta(days=400))

    async def only(self) -> Event:
        (event,) = await self.all()
        return event

    async def on(self, day: int, month: int = 11) -> list[Event]:
        start = datetime(2026, month, day, tzinfo=BERLIN)
        return list(await self.between(start, start + timedelta(days=1)))

    @abstractmethod
    def parts(self, *fields: str) -> set[str]:
        """What of `state` says what these fields of an event do."""

    @abstractmethod
    def put(self, event: GivenEvent) -> None: ...

    @abstractmethod
    def remove(self, ref: EventRef) -> None: ...

    @abstractmethod
    def state(self, ref: EventRef) -> Mapping[str, object]:
        """All that the provider keeps of it, by the provider's names, but etags, revisions and times of change."""

    @abstractmethod
    def rename(self, ref: EventRef, title: str) -> None:
        """Another title for the event, or the one instance."""

    def told(self) -> list[tuple[str, str]]:
        """Whom the provider has sent mail about events, and which: invitation, update, cancellation or reply."""
        raise AssertionError(f"{type(self).__name__} tells nobody anything.")

    def occupy(self, email: str, start: datetime, end: datetime) -> None:
        """Somebody else has no time then, which the account may know."""
        raise AssertionError(f"{type(self).__name__} knows of nobody else's time.")


class ContactBox(Box):
    @property
    def reader(self) -> ContactReader:
        return self.account.readers.contacts

    @property
    def writer(self) -> ContactWriter:
        return self.account.writers.contacts

    async def find(self, **query: object) -> list[str]:
        return [contact.name for contact in (await self.reader.search(ContactQuery.model_validate(query))).items]

    async def all(self) -> tuple[Contact, ...]:
        return (await self.reader.search(ContactQuery())).items

    async def only(self) -> Contact:
        (contact,) = await self.all()
        return contact

    @abstractmethod
    def file(self, contact: GivenContact) -> None:
        """Groups that are missing are made."""

    @abstractmethod
    def state(self, contact_id: str) -> Mapping[str, object]:
        """As CalendarBox.state."""

    @abstractmethod
    def parts(self, *fields: str) -> set[str]:
        """What of `state` says what these fields of a contact do."""

    @abstractmethod
    def annotate(self, contact_id: str, note: str) -> None:
        """Changes the note."""


@dataclass
class Boxes:
    """One account. `complaints` are what its service found wrong with how it was used; `cut_off` puts it out of reach."""

    mail: MailBox
    calendar: CalendarBox
    contacts: ContactBox
    complaints: list[str] = field(default_factory=list)
    cut_off: Callable[[], None] = lambda: None
