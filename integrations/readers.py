"""How anything is read. A reader cannot write. All raise the errors of `integrations.errors`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from integrations.types import (
    Busy,
    Calendar,
    Changes,
    Contact,
    ContactQuery,
    ContactRef,
    Correspondent,
    Event,
    EventQuery,
    EventRef,
    Group,
    Mail,
    MailQuery,
    MailRef,
    Page,
)


class MailReader(Protocol):
    async def search(self, query: MailQuery) -> Page[Mail]:
        """Mails without `body`; `total` counts all matches."""

    async def get(self, ref: MailRef) -> Mail:
        """With `body`; NotFound where it is gone. The etag in `ref` is ignored; a moved mail is found by its id."""

    async def thread(self, thread: str) -> tuple[Mail, ...]:
        """All mails of a thread with `body`, oldest first."""

    async def attachment(self, ref: MailRef, part: str) -> bytes: ...

    async def correspondents(self, name: str = "") -> tuple[Correspondent, ...]:
        """People mail was exchanged with, the most frequent first; `name` matches whole parts of a name or address."""

    async def folders(self) -> tuple[str, ...]: ...

    async def changes(self, since: str = "") -> Changes:
        """What has happened since that cursor; without one only the cursor as of now."""


class CalendarReader(Protocol):
    async def calendars(self) -> tuple[Calendar, ...]: ...

    async def events(self, query: EventQuery) -> Page[Event]: ...

    async def get(self, ref: EventRef) -> Event:
        """The instance when `ref.recurrence` is set, else the event or the series' first; NotFound where it is gone."""

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        """Events from `now` on that the owner has not answered."""

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        """One for each, in order: what of [start, end) these people have no time for, as far as this account may see it."""


class ContactReader(Protocol):
    async def search(self, query: ContactQuery) -> Page[Contact]: ...

    async def get(self, ref: ContactRef) -> Contact: ...

    async def groups(self) -> tuple[Group, ...]: ...


class Readers(Protocol):
    """What one account, or all accounts together, can read. A missing capability is a reader that finds nothing."""

    @property
    def accounts(self) -> Sequence[str]: ...

    @property
    def mail(self) -> MailReader: ...

    @property
    def calendar(self) -> CalendarReader: ...

    @property
    def contacts(self) -> ContactReader: ...
