"""Stands in for what an account has not got: reading finds nothing, writing says so."""

from collections.abc import Sequence
from datetime import datetime
from typing import NoReturn

from integrations.errors import NotFound, ReadOnly
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


class NoMail:
    async def search(self, query: MailQuery) -> Page[Mail]:
        return Page[Mail](total=0)

    async def get(self, ref: MailRef) -> Mail:
        raise NotFound("This account has no mail.", ref.account)

    async def thread(self, thread: str) -> tuple[Mail, ...]:
        return ()

    async def attachment(self, ref: MailRef, part: str) -> bytes:
        raise NotFound("This account has no mail.", ref.account)

    async def correspondents(self, name: str = "") -> tuple[Correspondent, ...]:
        return ()

    async def folders(self) -> tuple[str, ...]:
        return ()

    async def changes(self, since: str = "") -> Changes:
        return Changes(cursor="0")


class NoCalendar:
    async def calendars(self) -> tuple[Calendar, ...]:
        return ()

    async def events(self, query: EventQuery) -> Page[Event]:
        return Page[Event](total=0)

    async def get(self, ref: EventRef) -> Event:
        raise NotFound("This account has no calendar.", ref.account)

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        return ()

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        return tuple(Busy(email=email, unknown="this account has no calendar") for email in emails)


class NoContacts:
    async def search(self, query: ContactQuery) -> Page[Contact]:
        return Page[Contact](total=0)

    async def get(self, ref: ContactRef) -> Contact:
        raise NotFound("This account has no contacts.", ref.account)

    async def groups(self) -> tuple[Group, ...]:
        return ()


class Unwritable:
    """`what` is missing: mail, calendars or contacts."""

    def __init__(self, account: str, what: str) -> None:
        self._account = account
        self._what = what

    async def execute(self, action: object, key: str) -> NoReturn:
        raise ReadOnly(f"The account {self._account} has no {self._what} folder.", self._account)

    async def find(self, action: object, key: str) -> None:
        return None
