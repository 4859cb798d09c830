"""One user's address book, in plain objects."""

import itertools
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from doubles.google.calls import ApiError
from doubles.google.people.fields import Person, checked, groups_of, in_group, shown

if TYPE_CHECKING:
    from doubles.google.world import World

MINE = "contactGroups/myContacts"
SYSTEM_GROUPS = {
    "myContacts": "My Contacts",
    "starred": "Starred",
    "friends": "Friends",
    "family": "Family",
    "coworkers": "Coworkers",
    "blocked": "Blocked",
    "all": "All",
    "chatBuddies": "Chat contacts",
}
"""By name, and as they are shown."""
JOINABLE = ("contactGroups/myContacts", "contactGroups/starred")
"""The system groups that somebody can be added to."""


@dataclass
class Contact:
    """`fields` as stored, without metadata; `version` grows with every change of anything in this book."""

    resource_name: str
    fields: Person
    version: int
    updated: datetime
    deleted: bool = False
    kind: str = "CONTACT"

    @property
    def etag(self) -> str:
        return f"%EgUBAgMJLjcaBAECBQci{self.version:06d}"

    @property
    def source(self) -> Person:
        """Of the contact itself; its etag is another than the person's."""
        id = f"{int(self.resource_name.partition('/c')[2]):016x}"
        return {"type": self.kind, "id": id, "etag": f"#src{self.version:06d}", "updateTime": timestamp(self.updated)}

    def shown(self, wanted: frozenset[str]) -> Person:
        person: Person = {"resourceName": self.resource_name, "etag": self.etag}
        if self.deleted:
            return person | {"metadata": {"sources": [self.source], "objectType": "PERSON", "deleted": True}}
        if "metadata" in wanted:
            person["metadata"] = {"sources": [self.source], "objectType": "PERSON"}
        return person | shown(self.fields, wanted, self.source)


@dataclass
class Group:
    resource_name: str
    name: str
    updated: datetime
    version: int
    system: bool = False
    client_data: list[Person] | None = None
    deleted: bool = False


class AddressBook:
    """`contacts` and `groups` by resource name, deleted ones too; `others`: whom mail was exchanged with, not kept."""

    def __init__(self, email: str, world: "World") -> None:
        self.email, self.world = email, world
        self.contacts: dict[str, Contact] = {}
        self.others: dict[str, Contact] = {}
        self.groups: dict[str, Group] = {}
        self.searchable: dict[str, Contact] = {}
        """What a search sees: the contacts as they were when it was last warmed up."""
        self.searchable_others: dict[str, Contact] = {}
        self.oldest_sync = 0
        """Sync tokens of before this version have expired."""
        self.versions = itertools.count(1)
        self._frozen: tuple[int, dict[str, Contact]] | None = None
        self._numbers = itertools.count(1001)
        for name in SYSTEM_GROUPS:
            self._group(f"contactGroups/{name}", name, system=True)

    # Somebody else's program

    def put(self, person: Person) -> str:
        """Adds a person resource to "my contacts" unless it names groups. The resource name."""
        return self.add(person).resource_name

    def change(self, resource_name: str, **fields: Any) -> None:
        """Replaces whole fields, as `emailAddresses=[…]`; an empty list removes one."""
        self.replace(self.contact(resource_name), fields)

    def remove(self, resource_name: str) -> None:
        contact = self.contact(resource_name)
        contact.fields, contact.deleted = {}, True
        self._touch(contact)

    def add_other(self, person: Person) -> str:
        """Somebody whom mail was exchanged with."""
        contact = self._new("otherContacts", checked(person), "OTHER_CONTACT")
        self.others[contact.resource_name] = contact
        return contact.resource_name

    def add_group(self, name: str) -> str:
        return self._group(f"contactGroups/{next(self._numbers):x}", name).resource_name

    def hold_back(self) -> None:
        """From now on listings don't show what is written, as they may not for minutes; getting a person does."""
        self._frozen = next(self.versions), deepcopy(self.contacts)

    def catch_up(self) -> None:
        self._frozen = None

    def expire_sync_tokens(self) -> None:
        self.oldest_sync = next(self.versions)

    # The API's side

    def contact(self, resource_name: str) -> Contact:
        contact = self.contacts.get(resource_name)
        if contact is None or contact.deleted:
            raise ApiError(404, "notFound", "Requested entity was not found.")
        return contact

    def group(self, resource_name: str) -> Group:
        group = self.groups.get(resource_name)
        if group is None or group.deleted:
            raise ApiError(404, "notFound", "Requested entity was not found.")
        return group

    def listed(self) -> tuple[int, dict[str, Contact]]:
        """What a listing sees, and the version that it is of."""
        return self._frozen or (next(self.versions), self.contacts)

    def living(self) -> list[Contact]:
        return [contact for contact in self.contacts.values() if not contact.deleted]

    def members(self, group: str) -> list[Contact]:
        return [contact for contact in self.living() if group in groups_of(contact.fields)]

    def add(self, person: Person) -> Contact:
        fields = checked(person)
        fields.setdefault("memberships", [in_group(MINE)])
        self._check_groups(fields)
        contact = self._new("people", fields, "CONTACT")
        self.contacts[contact.resource_name] = contact
        return contact

    def replace(self, contact: Contact, changes: Person) -> None:
        """Fields named are replaced as a whole."""
        kept = {name: items for name, items in contact.fields.items() if name not in changes}
        fields = kept | checked(changes)
        self._check_groups(fields)
        contact.fields = fields
        self._touch(contact)

    def warm_up(self) -> None:
        self.searchable = {contact.resource_name: deepcopy(contact) for contact in self.living()}

    def warm_up_others(self) -> None:
        self.searchable_others = deepcopy(self.others)

    def _check_groups(self, fields: Person) -> None:
        for name in groups_of(fields):
            if name not in self.groups or self.groups[name].deleted:
                raise ApiError(400, "invalid", f"There is no contact group {name}.")

    def _new(self, kind: str, fields: Person, source: str) -> Contact:
        name = f"{kind}/c{next(self._numbers)}"
        return Contact(name, fields, next(self.versions), self._now(), kind=source)

    def _touch(self, contact: Contact) -> None:
        contact.version, contact.updated = next(self.versions), self._now()

    def _group(self, resource_name: str, name: str, *, system: bool = False) -> Group:
        group = Group(resource_name, name, self._now(), next(self.versions), system)
        self.groups[resource_name] = group
        return group

    def _now(self) -> datetime:
        return self.world.now().astimezone(UTC)


def timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
