"""Reading the contacts of an account at a CardDAV server."""

from integrations.common.card_changes import GONE
from integrations.errors import NotFound
from integrations.standards.dav.addressbook import AddressBook
from integrations.types import Contact, ContactQuery, ContactRef, Group, Page


class StandardsContactReader:
    def __init__(self, address_book: AddressBook, *, account: str) -> None:
        self._address_book, self._account = address_book, account

    async def search(self, query: ContactQuery) -> Page[Contact]:
        return (await self._address_book.current()).search(query)

    async def get(self, ref: ContactRef) -> Contact:
        entry = (await self._address_book.current()).contacts.get(ref.id)
        if entry is None:
            raise NotFound(GONE, self._account)
        return entry.contact

    async def groups(self) -> tuple[Group, ...]:
        return (await self._address_book.current()).groups
