"""Writing the contacts of a Microsoft account. A contact carries the key that it was made under, by which it is found again."""

from asyncio import sleep as wait
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from integrations.actions import ContactAction, CreateContact, DeleteContact, Receipt, RestoreContact, UpdateContact
from integrations.errors import Conflict, NotFound
from integrations.microsoft.address_book import AddressBook, items
from integrations.microsoft.contacts import person_of, read_contact
from integrations.microsoft.errors import reads_answers
from integrations.microsoft.graph import Graph
from integrations.microsoft.keys import keyed, made_under
from integrations.microsoft.people import (
    READ,
    Fields,
    Person,
    card_of,
    carried_in,
    changed,
    differing,
    etag_of,
    new_person,
    shows,
)
from integrations.microsoft.requests import asking, sending
from integrations.types import ContactRef

if TYPE_CHECKING:
    from msgraph.graph_service_client import GraphServiceClient

CHANGED = "This contact was changed since it was read."
AT_WORK = 3.0
"""Seconds that a request may still be at work when its connection is gone."""
Undo = DeleteContact | RestoreContact


@reads_answers
class MicrosoftContactWriter:
    """`clock` dates the cards kept for an undo."""

    def __init__(self, graph: Graph, book: AddressBook, *, account: str, clock: Callable[[], datetime]) -> None:
        self._graph, self._book, self._account, self._clock = graph, book, account, clock

    async def execute(self, action: ContactAction, key: str) -> Receipt:
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
            return await self._find_made(action, key, "")
        try:
            person = await self._present(action.contact.id)
        except NotFound:
            return await self._find_gone(action, key)
        if isinstance(action, UpdateContact):
            done = etag_of(person) != action.contact.etag and shows(person, action)
        else:
            done = isinstance(action, RestoreContact) and not differing(person, carried_in(action.vcf)[0])
        return self._receipt(action, key, person) if done else None

    async def _find_gone(self, action: UpdateContact | DeleteContact | RestoreContact, key: str) -> Receipt | None:
        if isinstance(action, DeleteContact):
            return self._receipt(action, key)
        if isinstance(action, UpdateContact):
            return None
        return await self._find_made(action, key, carried_in(action.vcf)[1])

    async def _find_made(self, action: CreateContact | RestoreContact, key: str, folder: str) -> Receipt | None:
        made = await self._made_under(key, folder)
        if made is None:
            await wait(AT_WORK)
            made = await self._made_under(key, folder)
        return self._made(action, key, made) if made else None

    async def _made_under(self, key: str, folder: str) -> Person | None:
        """In this folder, or the default one. Graph filters what it stores, not an index that may lag behind."""
        try:
            found = await self._graph.pages(lambda client: asking(_of(client, folder), select=READ, filter=made_under(key)))
        except NotFound:
            return await self._made_under(key, "") if folder else None
        return next(iter(items(found)), None)

    async def _create(self, action: CreateContact, key: str) -> Receipt:
        fields = new_person(action)
        made = await self._made_under(key, "")
        if made is None:
            if action.groups:
                fields["categories"] = await self._categories(action.groups)
            made = await self._add(fields, key, "")
        return self._made(action, key, made)

    async def _update(self, action: UpdateContact, key: str) -> Receipt:
        person = await self._unchanged(action.contact)
        fields = changed(person, action)
        if action.groups is not None:
            fields["categories"] = await self._categories(action.groups)
        undo = self._card_of(person)
        after = await self._replace(person, fields) if fields else person
        return self._receipt(action, key, after, self._restoring(after, undo))

    async def _delete(self, action: DeleteContact, key: str) -> Receipt:
        person = await self._unchanged(action.contact)
        card, id = self._card_of(person), action.contact.id
        await self._graph.write(
            lambda client: client.me.contacts.by_contact_id(id).to_delete_request_information(), headers=_if_match(person)
        )
        self._book.remove(id)
        gone = ContactRef(account=self._account, id=id)
        return self._receipt(action, key, None, RestoreContact(account=self._account, contact=gone, vcf=card))

    async def _restore(self, action: RestoreContact, key: str) -> Receipt:
        wanted, folder = carried_in(action.vcf)
        try:
            person = await self._present(action.contact.id)
        except NotFound:
            if action.contact.etag:
                raise
            made = await self._made_under(key, folder) or await self._put_back(wanted, key, folder)
            return self._made(action, key, made)
        fields = differing(person, wanted)
        if not fields:
            return self._receipt(action, key, person)
        if etag_of(person) != action.contact.etag:
            raise Conflict(CHANGED, self._account)
        undo = self._card_of(person)
        after = await self._replace(person, fields)
        return self._receipt(action, key, after, self._restoring(after, undo))

    async def _put_back(self, fields: Fields, key: str, folder: str) -> Person:
        """As a new one, where its folder is still there in that: Graph brings back nothing that was deleted."""
        try:
            return await self._add(fields, key, folder)
        except NotFound:
            return await self._add(fields, key, "")

    async def _add(self, fields: Fields, key: str, folder: str) -> Person:
        person = await self._graph.write(lambda client: sending(_of(client, folder), "POST", {**fields, **keyed(key)}))
        self._book.put(person)
        return person

    async def _replace(self, person: Person, fields: Fields) -> Person:
        """Conflict where somebody was faster. The name goes along, since Outlook may else make a new one of its parts."""
        named = {"displayName": person["displayName"]} if person.get("displayName") else {}
        body, id = {**named, **fields}, person["id"]
        after = await self._graph.write(
            lambda client: sending(client.me.contacts.by_contact_id(id), "PATCH", body), headers=_if_match(person)
        )
        self._book.put(after)
        return after

    async def _present(self, id: str) -> Person:
        return await person_of(self._graph, self._book, id)

    async def _unchanged(self, ref: ContactRef) -> Person:
        person = await self._present(ref.id)
        if ref.etag and ref.etag != etag_of(person):
            raise Conflict(CHANGED, self._account)
        return person

    async def _categories(self, names: tuple[str, ...]) -> list[str]:
        """As they are written already; new ones need no making."""
        await self._book.current()
        return list(dict.fromkeys(self._book.category_called(" ".join(name.split())) for name in names if name.strip()))

    def _card_of(self, person: Person) -> str:
        return card_of(person, read_contact(person, self._account), self._clock())

    def _restoring(self, after: Person, card: str) -> RestoreContact:
        return RestoreContact(account=self._account, contact=self._ref(after), vcf=card)

    def _made(self, action: CreateContact | RestoreContact, key: str, person: Person) -> Receipt:
        return self._receipt(action, key, person, DeleteContact(account=self._account, contact=self._ref(person)))

    def _ref(self, person: Person) -> ContactRef:
        return ContactRef(account=self._account, id=person["id"], etag=etag_of(person))

    def _receipt(self, action: ContactAction, key: str, person: Person | None = None, *undo: Undo) -> Receipt:
        id, etag = (person["id"], etag_of(person)) if person else ("", "")
        return Receipt(action=action.kind, account=self._account, key=key, id=id, etag=etag, undo=undo)


def _of(client: "GraphServiceClient", folder: str) -> Any:
    """The contacts of a folder, or of the default one."""
    return client.me.contact_folders.by_contact_folder_id(folder).contacts if folder else client.me.contacts


def _if_match(person: Person) -> dict[str, str]:
    return {"If-Match": etag_of(person)}
