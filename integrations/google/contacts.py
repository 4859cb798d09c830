"""Reading the contacts of a Google account."""

import re
from collections.abc import Mapping
from typing import Any

from integrations.errors import InvalidResponse, NotFound
from integrations.google.address_book import AddressBook
from integrations.google.google import Google
from integrations.google.people import OF_A_CONTACT, READ, Nameless, Person, contact_of, source_of
from integrations.types import Contact, ContactQuery, ContactRef, Group, Page

GONE = "This contact does not exist any more."
_ID = re.compile(r"people/[^/]+")


class GoogleContactReader:
    def __init__(self, google: Google, book: AddressBook, *, account: str) -> None:
        self._google, self._book, self._account = google, book, account

    async def search(self, query: ContactQuery) -> Page[Contact]:
        return (await self._book.current()).search(query)

    async def get(self, ref: ContactRef) -> Contact:
        person = await person_of(self._google, ref.id)
        return read_contact(person, self._account, await self._book.groups(person))

    async def groups(self) -> tuple[Group, ...]:
        return (await self._book.current()).groups


def read_contact(person: Person, account: str, groups: Mapping[str, str]) -> Contact:
    """InvalidResponse where it says nothing that it could be called by."""
    try:
        return contact_of(person, account, groups)
    except Nameless as reason:
        raise InvalidResponse(f"This contact can't be read: {reason}.", account) from reason


async def person_of(google: Google, id: str) -> dict[str, Any]:
    """As Google has it now. NotFound where it is gone, or isn't one of the contacts."""
    if not _ID.fullmatch(id):
        raise NotFound(GONE, google.account)
    try:
        person = await google.read(lambda api: api.people.people().get(resourceName=id, personFields=READ, sources=OF_A_CONTACT))
    except NotFound as error:
        raise NotFound(GONE, google.account) from error
    if not source_of(person):
        raise NotFound(GONE, google.account)
    return person
