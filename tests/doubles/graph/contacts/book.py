"""One user's contacts and their folders, in plain objects."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from doubles.graph import ids
from doubles.graph.calls import GraphError, not_found
from doubles.graph.contacts.fields import EMPTY, named, taken
from doubles.graph.deltas import Journal

if TYPE_CHECKING:
    from doubles.graph.world import World

DEFAULT = "contacts"
DELETED = "deleteditems"
RECOVERABLE = "recoverableitemsdeletions"


@dataclass(eq=False)
class Contact:
    """`entry` is the id that it has where it lies; `fields` under Graph's names, without what is made up by the store; `extended`
    single values by the ids of their properties."""

    id: str
    folder: str
    created: datetime
    modified: datetime
    fields: dict[str, Any] = field(default_factory=dict)
    extended: dict[str, str] = field(default_factory=dict)
    change_key: str = field(default_factory=ids.change_key)
    entry: str = field(default_factory=ids.entry)

    @property
    def etag(self) -> str:
        return f'W/"{self.change_key}"'

    def shown(self, *, immutable: bool = True) -> dict[str, Any]:
        """All there is, extended properties among it."""
        kept = [{"id": name, "value": value} for name, value in self.extended.items()]
        return {
            "@odata.etag": self.etag,
            "id": self.id if immutable else self.entry,
            "createdDateTime": f"{self.created:%Y-%m-%dT%H:%M:%SZ}",
            "lastModifiedDateTime": f"{self.modified:%Y-%m-%dT%H:%M:%SZ}",
            "changeKey": self.change_key,
            "parentFolderId": self.folder,
            **EMPTY,
            **deepcopy(self.fields),
            "singleValueExtendedProperties": kept,
        }


@dataclass(eq=False)
class Folder:
    """`parent` is empty for the default one."""

    id: str
    name: str
    parent: str
    journal: Journal = field(default_factory=Journal)


class AddressBook:
    """`folders` by id, the default one first."""

    def __init__(self, email: str, world: "World") -> None:
        self.email, self._world = email, world
        self.contacts: dict[str, Contact] = {}
        self.folders: dict[str, Folder] = {}
        self.default = self.add_folder("Contacts")

    def add_folder(self, name: str, parent: str = "") -> str:
        """Below the default one unless told otherwise."""
        folder = Folder(ids.entry(), name, parent or getattr(self, "default", ""))
        self.folders[folder.id] = folder
        return folder.id

    def folder(self, wanted: str) -> Folder:
        """By its id, or the default one by its well-known name."""
        if wanted.lower() == DEFAULT:
            return self.folders[self.default]
        if wanted not in self.folders:
            ids.check(wanted)
            raise not_found()
        return self.folders[wanted]

    def children(self, parent: str) -> list[Folder]:
        return [folder for folder in self.folders.values() if folder.parent == parent]

    def contact(self, wanted: str) -> Contact:
        """By either of its ids; also one that lies in Deleted Items."""
        found = self.contacts.get(wanted) or next((one for one in self.contacts.values() if one.entry == wanted), None)
        if found is None:
            ids.check(wanted)
            raise not_found()
        return found

    def inside(self, folder: str) -> Iterator[Contact]:
        return (contact for contact in list(self.contacts.values()) if contact.folder == folder)

    def put(self, fields: Mapping[str, Any], folder: str = "") -> str:
        """Its id; in the default folder unless told otherwise."""
        now = self._world.now()
        contact = Contact(ids.new(), folder or self.default, now, now)
        self.contacts[contact.id] = contact
        self._set(contact, fields)
        return contact.id

    def change(self, wanted: str, **fields: Any) -> None:
        self._set(self.contact(wanted), fields)

    def move(self, wanted: str, folder: str) -> None:
        contact = self.contact(wanted)
        if contact.folder in self.folders:
            self.folders[contact.folder].journal.remove(wanted, "changed" if folder in self.folders else "deleted")
        contact.folder, contact.entry = folder, ids.entry()
        self._changed(contact)

    def remove(self, wanted: str) -> None:
        """To Deleted Items; from there to where only whoever recovers things looks, and where nothing is deleted."""
        known, contact = self._world.mail(self.email).folders.known, self.contact(wanted)
        if contact.folder == known(RECOVERABLE).id:
            raise GraphError(403, "ErrorCannotDeleteObject", "Object cannot be deleted.")
        self.move(contact.id, known(RECOVERABLE if contact.folder == known(DELETED).id else DELETED).id)

    def expire_sync_tokens(self) -> None:
        for folder in self.folders.values():
            folder.journal.forget()

    def _set(self, contact: Contact, fields: Mapping[str, Any]) -> None:
        """What is null or empty is kept no more. The names are put together anew where one of their parts is told without the
        whole."""
        new = taken(fields)
        extended = new.pop("singleValueExtendedProperties", None) or []
        new = named({**contact.fields, **new}, told=new)
        contact.fields = {name: value for name, value in new.items() if value not in (None, "", [])}
        contact.extended |= {one["id"]: one["value"] for one in extended}
        self._changed(contact)

    def _changed(self, contact: Contact) -> None:
        contact.change_key, contact.modified = ids.change_key(), self._world.now()
        if contact.folder in self.folders:
            self.folders[contact.folder].journal.touch(contact.id)
