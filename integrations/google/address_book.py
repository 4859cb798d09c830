"""All contacts of an account at hand. Google's own search finds the beginnings of names and addresses only, thirty at most, and for
minutes not what has just been written; a listing tells everything, and later only what has changed."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from integrations.common.contact_book import Book, Entry
from integrations.common.people import plain
from integrations.errors import NotFound
from integrations.google.google import Apis, Google
from integrations.google.people import MY_CONTACTS, OF_A_CONTACT, READ, Nameless, Person, contact_of, memberships, source_of
from integrations.types import Address, Contact, Group, Skipped

IN_A_PAGE = 1000
OLD_KINDS = {"contactGroups/family", "contactGroups/friends", "contactGroups/coworkers"}
"""Groups of Google's own that people have sorted contacts into, and can no more; the others say where a contact is kept."""
OPEN = {MY_CONTACTS, "contactGroups/starred"}
"""Groups of Google's own that a contact can be put in."""


class _News:
    """Pages of a listing: `of_all` contacts, or of those that have changed."""

    def __init__(self, pages: Sequence[Mapping[str, Any]], *, of_all: bool) -> None:
        self.people = [person for page in pages for person in page.get("connections", ())]
        self.since: str = pages[-1].get("nextSyncToken", "")
        self.of_all = of_all


class AddressBook:
    """The reader's and the writer's. What was written here counts even while Google's listings don't show it yet."""

    def __init__(self, google: Google) -> None:
        self._google = google
        self._people: dict[str, Person] = {}
        self._written: dict[str, Person] = {}
        self._removed: set[str] = set()
        self._groups: dict[str, str] = {}
        self._listed: set[str] = set()
        self._since = ""
        self._book: Book | None = None
        self._changes = 0
        self._looking, self._begun, self._looked = asyncio.Lock(), 0, 0

    async def current(self) -> Book:
        await self.look()
        while self._book is None:
            changes = self._changes
            held = (tuple(self._people.values()), dict(self._groups), self._google.account)
            book = await asyncio.to_thread(book_of, *held)
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
            groups, news = await asyncio.gather(self._shown_groups(), self._news())
            if groups != self._groups or news.people or news.of_all:
                self._groups = groups
                self._changed()
            self._take(news)
            self._looked = self._begun

    async def everybody(self) -> list[Person]:
        """Listed anew, as Google has it now."""
        pages = await self._google.pages(lambda api, token: _listing(api, pageToken=token))
        return [person for page in pages for person in page.get("connections", ())]

    async def groups(self, of: Person | None = None) -> Mapping[str, str]:
        """The names of those that are shown, by resource name; as they were looked at last, if that tells of all groups of this
        person."""
        if not self._looked or (of and not self._listed.issuperset(memberships(of))):
            await self.look()
        return self._groups

    def group_called(self, name: str) -> str | None:
        """The resource name of the one that a contact can be put in, as they were looked at last."""
        own = {called: id for id, called in self._groups.items() if id not in OLD_KINDS}
        return own.get(name) or next((id for called, id in own.items() if plain(called) == plain(name)), None)

    def can_join(self, group: str) -> bool:
        return group in OPEN or (group in self._groups and group not in OLD_KINDS)

    def add_group(self, id: str, name: str) -> None:
        self._groups[id] = name
        self._listed.add(id)
        self._changed()

    def people(self) -> Iterable[Person]:
        """As they were looked at last."""
        return self._people.values()

    def put(self, person: Person) -> None:
        """As it was just written."""
        self._people[person["resourceName"]] = self._written[person["resourceName"]] = person
        self._changed()

    def remove(self, id: str) -> None:
        self._people.pop(id, None)
        self._written.pop(id, None)
        self._removed.add(id)
        self._changed()

    def _changed(self) -> None:
        self._book = None
        self._changes += 1

    async def _news(self) -> _News:
        if self._since:
            with suppress(NotFound):  # too long ago for Google
                return _News(await self._pages(self._since), of_all=False)
        return _News(await self._pages(""), of_all=True)

    async def _pages(self, since: str) -> list[dict[str, Any]]:
        return await self._google.pages(
            lambda api, token: _listing(api, pageToken=token, requestSyncToken=True, syncToken=since or None)
        )

    async def _shown_groups(self) -> dict[str, str]:
        pages = await self._google.pages(
            lambda api, token: api.people.contactGroups().list(pageSize=IN_A_PAGE, pageToken=token, groupFields="name,groupType")
        )
        found = [group for page in pages for group in page.get("contactGroups", ())]
        self._listed = {group["resourceName"] for group in found}
        return {
            group["resourceName"]: group.get("formattedName") or group.get("name", "")
            for group in found
            if group.get("groupType") == "USER_CONTACT_GROUP" or group["resourceName"] in OLD_KINDS
        }

    def _take(self, news: _News) -> None:
        before, self._since = self._people, news.since
        self._people = {} if news.of_all else dict(before)
        for person in news.people:
            id, metadata = person["resourceName"], person.get("metadata", {})
            for former in (id, *metadata.get("previousResourceNames", ())):
                self._people.pop(former, None)
            latest = max(person, before.get(id, person), key=_time)
            if latest is person:
                self._written.pop(id, None)
            if not metadata.get("deleted") and id not in self._removed:
                self._people[id] = latest
        self._people = self._written | self._people


def book_of(people: Iterable[Person], groups: Mapping[str, str], account: str) -> Book:
    contacts: list[Contact] = []
    skipped: list[Skipped] = []
    held: dict[str, dict[str, Address]] = {id: {} for id in groups if id not in OLD_KINDS}
    for person in people:
        try:
            contact = contact_of(person, account, groups)
        except Nameless as reason:
            skipped.append(Skipped(where=person["resourceName"], reason=str(reason)))
            continue
        contacts.append(contact)
        for id in groups.keys() & set(memberships(person)):
            members = held.setdefault(id, {})
            if contact.emails:
                members.setdefault(contact.emails[0], Address(email=contact.emails[0], name=contact.name))
    contacts.sort(key=lambda contact: (plain(contact.name), contact.id))
    told = [Group(name=groups[id], members=_in_order(members, contacts)) for id, members in held.items()]
    told.sort(key=lambda group: plain(group.name))
    return Book({contact.id: Entry(contact) for contact in contacts}, tuple(told), tuple(skipped))


def _in_order(members: Mapping[str, Address], contacts: Iterable[Contact]) -> tuple[Address, ...]:
    """As the contacts are."""
    return tuple(members[email] for contact in contacts for email in contact.emails[:1] if email in members)


def _listing(api: Apis, **further: Any) -> Any:
    return (
        api.people.people()
        .connections()
        .list(resourceName="people/me", personFields=READ, sources=OF_A_CONTACT, pageSize=IN_A_PAGE, **further)
    )


def _time(person: Person) -> datetime:
    given = source_of(person).get("updateTime", "")
    return datetime.fromisoformat(given) if given else datetime.min.replace(tzinfo=UTC)
