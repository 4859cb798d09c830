"""Reading the contacts of a Microsoft account."""

import re
from typing import Any

from integrations.common.contentline import Malformed
from integrations.errors import InvalidResponse, NotFound
from integrations.microsoft.address_book import AddressBook
from integrations.microsoft.errors import reads_answers
from integrations.microsoft.graph import Graph
from integrations.microsoft.people import READ, Person, contact_of
from integrations.microsoft.requests import asking
from integrations.types import Contact, ContactQuery, ContactRef, Group, Page

GONE = "This contact does not exist any more."
_ID = re.compile(r"[\w+/=-]*\w[\w+/=-]*", re.ASCII)


@reads_answers
class MicrosoftContactReader:
    def __init__(self, graph: Graph, book: AddressBook, *, account: str) -> None:
        self._graph, self._book, self._account = graph, book, account

    async def search(self, query: ContactQuery) -> Page[Contact]:
        return (await self._book.current()).search(query)

    async def get(self, ref: ContactRef) -> Contact:
        return read_contact(await person_of(self._graph, self._book, ref.id), self._account)

    async def groups(self) -> tuple[Group, ...]:
        return (await self._book.current()).groups


def read_contact(person: Person, account: str) -> Contact:
    """InvalidResponse where it can't be read, or says nothing that it could be called by."""
    try:
        return contact_of(person, account)
    except Malformed as reason:
        raise InvalidResponse(f"This contact can't be read: {reason}.", account) from reason


async def person_of(graph: Graph, book: AddressBook, id: str) -> dict[str, Any]:
    """As Outlook has it now. NotFound where it is gone, which may mean that it lies among the deleted things."""
    if not _ID.fullmatch(id):
        raise NotFound(GONE, graph.account)
    try:
        person = await graph.read(lambda client: asking(client.me.contacts.by_contact_id(id), select=READ))
    except NotFound as error:
        raise NotFound(GONE, graph.account) from error
    if not await book.holds(person):
        raise NotFound(GONE, graph.account)
    return person
