"""Writing the contacts of a Google account, one at a time as Google asks. A contact carries the keys that it was made under."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from integrations.actions import ContactAction, CreateContact, DeleteContact, Receipt, RestoreContact, UpdateContact
from integrations.common.people import plain
from integrations.common.remote import came_to_nothing
from integrations.errors import Conflict, IntegrationError, NotFound, ReadOnly, Unknowable
from integrations.google.address_book import AddressBook
from integrations.google.contacts import person_of, read_contact
from integrations.google.google import Google
from integrations.google.people import (
    MINE,
    MY_CONTACTS,
    OF_A_CONTACT,
    READ,
    Fields,
    Person,
    card_of,
    changed,
    differing,
    etag_of,
    fields_of,
    keys_of,
    members_of,
    memberships,
    new_person,
    shows,
    source_of,
)
from integrations.types import ContactRef

UNTOLD = "Google does not tell for certain whether this contact was made; please look for it there."
CHANGED = "This contact was changed since it was read."
ANSWERED = {"personFields": READ, "sources": OF_A_CONTACT}
Undo = DeleteContact | RestoreContact


class GoogleContactWriter:
    """`clock` dates the cards kept for an undo."""

    def __init__(self, google: Google, book: AddressBook, *, account: str, clock: Callable[[], datetime]) -> None:
        self._google, self._book, self._account, self._clock = google, book, account, clock
        self._writing = asyncio.Lock()
        self._begun: set[str] = set()
        self._doubtful: set[str] = set()

    async def execute(self, action: ContactAction, key: str) -> Receipt:
        async with self._writing:
            self._begun.add(key)
            match action:
                case CreateContact():
                    return await self._create(action, key)
                case UpdateContact():
                    return await self._update(action, key)
                case DeleteContact():
                    return await self._delete(action, key)
                case RestoreContact():
                    return await self._restore(action, key)

    async def find(self, action: ContactAction, key: str) -> Receipt | None:
        if isinstance(action, CreateContact):
            return await self._find_made(action, key)
        try:
            person = await person_of(self._google, action.contact.id)
        except NotFound:
            return await self._find_gone(action, key)
        if isinstance(action, UpdateContact):
            etag = etag_of(person)
            done = etag != action.contact.etag and shows(person, action) and await self._in_groups(person, action.groups)
        else:
            done = isinstance(action, RestoreContact) and not differing(person, await self._possible(fields_of(action.vcf), person))
        return self._receipt(action, key, person) if done else None

    async def _find_gone(self, action: UpdateContact | DeleteContact | RestoreContact, key: str) -> Receipt | None:
        if isinstance(action, DeleteContact):
            return self._receipt(action, key)
        if isinstance(action, UpdateContact):
            return None
        return await self._find_made(action, key)

    async def _find_made(self, action: CreateContact | RestoreContact, key: str) -> Receipt | None:
        """A listing may lag behind by minutes, and a request that was lost may still arrive: that there is no such contact says
        nothing, unless it is known here that nothing was sent."""
        made = _made_under(key, await self._book.everybody()) or _made_under(key, self._book.people())
        if made is not None:
            return self._made(action, key, made)
        if key not in self._begun or key in self._doubtful:
            raise Unknowable(UNTOLD, self._account)
        return None

    async def _create(self, action: CreateContact, key: str) -> Receipt:
        await self._book.look()
        made = _made_under(key, self._book.people())
        if made is None:
            groups = [await self._group_to_join(name) for name in action.groups]
            made = await self._add(new_person(action, key, groups), key)
        return self._made(action, key, made)

    async def _update(self, action: UpdateContact, key: str) -> Receipt:
        person = await self._present(action.contact)
        fields = changed(person, action)
        if action.groups is not None:
            fields["memberships"] = await self._memberships(person, action.groups)
        undo = await self._undo_of(person)
        after = await self._replace(person, fields) if fields else person
        return self._receipt(action, key, after, self._restoring(after, undo))

    async def _delete(self, action: DeleteContact, key: str) -> Receipt:
        person = await self._present(action.contact)
        card = await self._undo_of(person)
        await self._google.write(lambda api: api.people.people().deleteContact(resourceName=action.contact.id))
        self._book.remove(action.contact.id)
        gone = ContactRef(account=self._account, id=action.contact.id)
        return self._receipt(action, key, None, RestoreContact(account=self._account, contact=gone, vcf=card))

    async def _restore(self, action: RestoreContact, key: str) -> Receipt:
        wanted = fields_of(action.vcf)
        try:
            person = await person_of(self._google, action.contact.id)
        except NotFound:
            if action.contact.etag:
                raise
            return await self._put_back(action, await self._possible(wanted, {}), key)
        fields = differing(person, await self._possible(wanted, person))
        if not fields:
            return self._receipt(action, key, person)
        if etag_of(person) != action.contact.etag:
            raise Conflict(CHANGED, self._account)
        undo = await self._undo_of(person)
        after = await self._replace(person, fields)
        return self._receipt(action, key, after, self._restoring(after, undo))

    async def _put_back(self, action: RestoreContact, wanted: Fields, key: str) -> Receipt:
        """As a new one: Google gives no id a second time."""
        made = _made_under(key, self._book.people())
        if made is None:
            made = await self._add({**wanted, "clientData": [*wanted.get("clientData", ()), {"key": MINE, "value": key}]}, key)
        return self._made(action, key, made)

    async def _add(self, fields: Fields, key: str) -> Person:
        doubted = key in self._doubtful
        self._doubtful.add(key)
        try:
            person = await self._google.write(lambda api: api.people.people().createContact(body=fields, **ANSWERED))
        except IntegrationError as error:
            if came_to_nothing(error) and not doubted:
                self._doubtful.discard(key)
            raise
        self._book.put(person)
        return person

    async def _replace(self, person: Person, fields: Fields) -> Person:
        """Conflict where somebody was faster."""
        source = {name: value for name, value in source_of(person).items() if name in ("type", "id", "etag")}
        body: dict[str, Any] = {"metadata": {"sources": [source]}, "etag": person.get("etag"), **fields}
        mask, id = ",".join(fields), person["resourceName"]
        after = await self._google.write(
            lambda api: api.people.people().updateContact(resourceName=id, body=body, updatePersonFields=mask, **ANSWERED)
        )
        self._book.put(after)
        return after

    async def _present(self, ref: ContactRef) -> Person:
        person = await person_of(self._google, ref.id)
        if ref.etag and ref.etag != etag_of(person):
            raise Conflict(CHANGED, self._account)
        return person

    async def _group_to_join(self, name: str) -> str:
        """Its resource name; one that isn't there yet is made."""
        return self._book.group_called(name) or await self._new_group(name)

    async def _new_group(self, name: str) -> str:
        try:
            made = await self._google.write(lambda api: api.people.contactGroups().create(body={"contactGroup": {"name": name}}))
        except Conflict as error:
            raise ReadOnly(f"Google keeps the group {name} to itself: nobody can be put in it.", self._account) from error
        self._book.add_group(made["resourceName"], name)
        return str(made["resourceName"])

    async def _memberships(self, person: Person, names: Iterable[str]) -> list[dict[str, Any]]:
        """Where a contact is kept besides the groups that are shown stays as it is."""
        await self._book.look()
        shown, present = await self._book.groups(), memberships(person)
        staying = {plain(shown[group]): group for group in present if group in shown}
        wanted = [staying.get(plain(name)) or await self._group_to_join(name) for name in names]
        kept = [group for group in present if group not in shown]
        return members_of([*(kept or [MY_CONTACTS]), *wanted])

    async def _in_groups(self, person: Person, names: Iterable[str] | None) -> bool:
        if names is None:
            return True
        await self._book.look()
        shown = await self._book.groups()
        return {plain(shown[group]) for group in memberships(person) if group in shown} == set(map(plain, names))

    async def _possible(self, fields: Fields, person: Person) -> Fields:
        """Without the groups that are no more, and those that can't be joined."""
        await self._book.look()
        present = memberships(person)
        groups = [group for group in memberships(fields) if group in present or self._book.can_join(group)]
        return {**fields, "memberships": members_of(groups or [MY_CONTACTS])}

    async def _undo_of(self, person: Person) -> str:
        return card_of(person, read_contact(person, self._account, await self._book.groups(person)), self._clock())

    def _restoring(self, after: Person, card: str) -> RestoreContact:
        return RestoreContact(account=self._account, contact=self._ref(after), vcf=card)

    def _made(self, action: CreateContact | RestoreContact, key: str, person: Person) -> Receipt:
        return self._receipt(action, key, person, DeleteContact(account=self._account, contact=self._ref(person)))

    def _ref(self, person: Person) -> ContactRef:
        return ContactRef(account=self._account, id=person["resourceName"], etag=etag_of(person))

    def _receipt(self, action: ContactAction, key: str, person: Person | None = None, *undo: Undo) -> Receipt:
        id, etag = (person["resourceName"], etag_of(person)) if person else ("", "")
        return Receipt(action=action.kind, account=self._account, key=key, id=id, etag=etag, undo=undo)


def _made_under(key: str, people: Iterable[Person]) -> Person | None:
    return next((person for person in people if key in keys_of(person)), None)
