"""Readers for one step. They tell of the accounts that could not be read, since whom a name means is looked up in many places
along the way; and ask only once for what is asked for in many places."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from assistant.agents.report import Notes
from integrations.readers import CalendarReader, ContactReader, MailReader, Readers
from integrations.types import Busy, Calendar, Contact, ContactQuery, ContactRef, Event, EventQuery, EventRef, Group, Page

T = TypeVar("T")


class Noticing:
    def __init__(self, readers: Readers, notes: Notes) -> None:
        self._readers = readers
        once = _Once()
        self._calendar = _Calendar(readers.calendar, once)
        self._contacts = _Contacts(readers.contacts, once, notes)

    @property
    def accounts(self) -> Sequence[str]:
        return self._readers.accounts

    @property
    def mail(self) -> MailReader:
        return self._readers.mail

    @property
    def calendar(self) -> CalendarReader:
        return self._calendar

    @property
    def contacts(self) -> ContactReader:
        return self._contacts


class _Once:
    def __init__(self) -> None:
        self._answers: dict[Hashable, Any] = {}

    async def ask(self, what: Hashable, look: Callable[[], Awaitable[T]]) -> T:
        if what not in self._answers:
            self._answers[what] = await look()
        answer: T = self._answers[what]
        return answer


class _Calendar:
    def __init__(self, reader: CalendarReader, once: _Once) -> None:
        self._reader, self._once = reader, once

    async def calendars(self) -> tuple[Calendar, ...]:
        return await self._once.ask("calendars", self._reader.calendars)

    async def events(self, query: EventQuery) -> Page[Event]:
        return await self._once.ask(query, lambda: self._reader.events(query))

    async def get(self, ref: EventRef) -> Event:
        return await self._reader.get(ref)

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        return await self._reader.invitations(now)

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        return await self._once.ask(("busy", tuple(emails), start, end), lambda: self._reader.busy(emails, start, end))


class _Contacts:
    def __init__(self, reader: ContactReader, once: _Once, notes: Notes) -> None:
        self._reader, self._once, self._notes = reader, once, notes

    async def search(self, query: ContactQuery) -> Page[Contact]:
        page = await self._once.ask(query, lambda: self._reader.search(query))
        self._notes.unreached(page.skipped)
        return page

    async def get(self, ref: ContactRef) -> Contact:
        return await self._reader.get(ref)

    async def groups(self) -> tuple[Group, ...]:
        return await self._once.ask("groups", self._reader.groups)
