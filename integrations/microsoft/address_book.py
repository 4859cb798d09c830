"""All contacts of an account at hand. Graph can't search contacts; a listing of each folder tells everything, and later only what
has changed."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from integrations.common.contact_book import Book, Entry
from integrations.common.contentline import Malformed
from integrations.common.people import plain
from integrations.errors import NotFound
from integrations.microsoft.graph import Graph
from integrations.microsoft.people import READ, Person, contact_of
from integrations.microsoft.requests import asking
from integrations.types import Address, Contact, Group, Skipped

if TYPE_CHECKING:
    from kiota_abstractions.request_information import RequestInformation
    from msgraph.graph_service_client import GraphServiceClient

IN_A_PAGE = {"Prefer": "odata.maxpagesize=500"}
DEFAULT = ""
"""In place of the default folder's id, which Graph doesn't list."""
NOT_KEPT = {"Recipient Cache", "GAL Contacts", "PeopleCentricConversation Buddies"}
"""Folders of Outlook's own, for those who were written to or are in the company: nobody has put them there."""


@dataclass
class _Folder:
    """Its contacts by id, and the link that leads to what has changed since."""

    people: dict[str, Person] = field(default_factory=dict)
    since: str = ""


class AddressBook:
    """The reader's and the writer's."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._folders: dict[str, _Folder] = {}
        self._book: Book | None = None
        self._changes = 0
        self._looking, self._begun, self._looked = asyncio.Lock(), 0, 0

    async def current(self) -> Book:
        await self.look()
        while self._book is None:
            changes = self._changes
            book = await asyncio.to_thread(book_of, tuple(self.people().values()), self._graph.account)
            if changes == self._changes:
                self._book = book
        return self._book

    async def look(self) -> None:
        """Takes in what has changed, unless somebody has done so since this was asked."""
        asked = self._begun
        async with self._looking:
            if self._looked > asked:
                return
            self._begun += 1
            ids = await self._folder_ids()
            folders = await asyncio.gather(*(self._news(id) for id in ids))
            self._take(dict(zip(ids, folders, strict=True)))
            self._looked = self._begun

    def people(self) -> Mapping[str, Person]:
        """As they were looked at last, or written since; by id."""
        return {id: person for folder in self._folders.values() for id, person in folder.people.items()}

    async def holds(self, person: Person) -> bool:
        """Whether it is in one of the folders: what was deleted can still be read by its id."""
        if not self._is_near(person):
            await self.look()
        return self._is_near(person)

    def category_called(self, name: str) -> str:
        """As it is written where there is one already."""
        held = self._book.groups if self._book else ()
        return next((group.name for group in held if plain(group.name) == plain(name)), name)

    def put(self, person: Person) -> None:
        """As it was just written."""
        at = person.get("parentFolderId") or DEFAULT
        self._folders.setdefault(at if at in self._folders else DEFAULT, _Folder()).people[person["id"]] = person
        self._changed()

    def remove(self, id: str) -> None:
        for folder in self._folders.values():
            folder.people.pop(id, None)
        self._changed()

    def _is_near(self, person: Person) -> bool:
        at = person.get("parentFolderId")
        held = self._folders.get(DEFAULT, _Folder()).people.values()
        return at in self._folders or any(one.get("parentFolderId") == at for one in held)

    def _changed(self) -> None:
        self._book = None
        self._changes += 1

    async def _folder_ids(self) -> list[str]:
        found, below = [DEFAULT], await self._below(DEFAULT)
        while below:
            found += below
            below = [id for ids in await asyncio.gather(*map(self._below, below)) for id in ids]
        return found

    async def _below(self, folder: str) -> list[str]:
        def build(client: "GraphServiceClient") -> "RequestInformation":
            folders = client.me.contact_folders
            builder = folders.by_contact_folder_id(folder).child_folders if folder else folders
            return asking(builder, select=["id", "displayName"], top=100)

        try:
            listed = items(await self._graph.pages(build))
        except NotFound:  # gone since its parent was asked
            return []
        return [one["id"] for one in listed if one.get("displayName") not in NOT_KEPT]

    async def _news(self, id: str) -> _Folder:
        """The folder as it is now; empty where it has just gone."""
        held = self._folders.get(id, _Folder())
        if held.since:
            with suppress(NotFound):  # too long ago for Graph
                return _after(held.people, await self._graph.pages_from(held.since, headers=IN_A_PAGE))
        try:
            return _after({}, await self._all_of(id))
        except NotFound:
            return _Folder()

    async def _all_of(self, id: str) -> list[dict[str, Any]]:
        def build(client: "GraphServiceClient") -> "RequestInformation":
            me = client.me
            builder = me.contact_folders.by_contact_folder_id(id).contacts if id else me.contacts
            return asking(builder.delta, select=READ)

        return await self._graph.pages(build, headers=IN_A_PAGE)

    def _take(self, folders: dict[str, _Folder]) -> None:
        before, self._folders = self.people(), folders
        if self._book is None or self.people() != before:
            self._changed()


def items(pages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [item for page in pages for item in page.get("value", ())]


def _after(people: Mapping[str, Person], pages: Sequence[Mapping[str, Any]]) -> _Folder:
    """What is told of somebody may be only what has changed."""
    now = dict(people)
    for item in items(pages):
        if "@removed" in item:
            now.pop(item["id"], None)
        else:
            now[item["id"]] = {**now.get(item["id"], {}), **item}
    return _Folder(now, pages[-1].get("@odata.deltaLink", ""))


def book_of(people: Iterable[Person], account: str) -> Book:
    contacts: list[Contact] = []
    skipped: list[Skipped] = []
    for person in people:
        try:
            contacts.append(contact_of(person, account))
        except Malformed as reason:
            skipped.append(Skipped(where=person["id"], reason=str(reason)))
    contacts.sort(key=lambda contact: (plain(contact.name), contact.id))
    return Book({contact.id: Entry(contact) for contact in contacts}, _groups(contacts), tuple(skipped))


def _groups(contacts: Iterable[Contact]) -> tuple[Group, ...]:
    """A category is the same whatever its case."""
    held: dict[str, tuple[str, dict[str, Address]]] = {}
    for contact in contacts:
        for name in contact.groups:
            _, members = held.setdefault(plain(name), (name, {}))
            for email in contact.emails[:1]:
                members.setdefault(email, Address(email=email, name=contact.name))
    return tuple(Group(name=name, members=tuple(members.values())) for _, (name, members) in sorted(held.items()))
