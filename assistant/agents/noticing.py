"""Readers that tell of the accounts that could not be read: whom a name means is looked up in many places along the way."""

from collections.abc import Sequence

from assistant.agents.report import Notes
from integrations.readers import CalendarReader, ContactReader, MailReader, Readers
from integrations.types import Contact, ContactQuery, ContactRef, Group, Page


class Noticing:
    def __init__(self, readers: Readers, notes: Notes) -> None:
        self._readers, self._notes = readers, notes

    @property
    def accounts(self) -> Sequence[str]:
        return self._readers.accounts

    @property
    def mail(self) -> MailReader:
        return self._readers.mail

    @property
    def calendar(self) -> CalendarReader:
        return self._readers.calendar

    @property
    def contacts(self) -> ContactReader:
        return _Contacts(self._readers.contacts, self._notes)


class _Contacts:
    def __init__(self, reader: ContactReader, notes: Notes) -> None:
        self._reader, self._notes = reader, notes

    async def search(self, query: ContactQuery) -> Page[Contact]:
        page = await self._reader.search(query)
        self._notes.unreached(page.skipped)
        return page

    async def get(self, ref: ContactRef) -> Contact:
        return await self._reader.get(ref)

    async def groups(self) -> tuple[Group, ...]:
        return await self._reader.groups()
