"""Writing the contacts of an account at a CardDAV server: a new card is named after its key, and only the version that was read
is replaced."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from integrations.actions import ContactAction, CreateContact, DeleteContact, Receipt, RestoreContact, UpdateContact
from integrations.common.card_changes import CHANGED, GONE, checked, only, same, would_change_nothing
from integrations.common.contentline import Malformed, render
from integrations.common.vcard import new_card, update_card
from integrations.errors import Conflict, InvalidResponse, NotFound
from integrations.standards.dav.addressbook import AddressBook, Gone, Stored
from integrations.types import ContactRef

NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
Undo = DeleteContact | RestoreContact


class StandardsContactWriter:
    """`clock` dates what is written."""

    def __init__(self, address_book: AddressBook, *, account: str, clock: Callable[[], datetime]) -> None:
        self._address_book, self._account, self._clock = address_book, account, clock

    async def execute(self, action: ContactAction, key: str) -> Receipt:
        with self._named():
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
        with self._named():
            if isinstance(action, CreateContact):
                there = await self._address_book.with_uid(key)
                made = await self._present(there) if there else None
                return self._made(action, key, made) if made else None
            return await self._find(action, key)

    async def _find(self, action: UpdateContact | DeleteContact | RestoreContact, key: str) -> Receipt | None:
        present = await self._present(action.contact.id)
        if present is None:
            return self._receipt(action, key) if isinstance(action, DeleteContact) else None
        if isinstance(action, UpdateContact):
            done = present.etag != action.contact.etag and would_change_nothing(present.card, action, self._clock())
        else:
            done = isinstance(action, RestoreContact) and same(present.card, only(action.vcf))
        return self._receipt(action, key, present) if done else None

    async def _create(self, action: CreateContact, key: str) -> Receipt:
        book = await self._address_book.default()
        card = new_card(action, uid=key, now=self._clock(), version=book.version)
        checked(card, action)
        try:
            made = await self._address_book.put(f"{book.path}{NOT_IN_A_NAME.sub('-', key)}.vcf", card)
        except Conflict:
            # Made before under this key: whoever asks again gets the same answer.
            there = await self._address_book.with_uid(key)
            if there is None:
                raise
            made = await self._address_book.stored(there)
        return self._made(action, key, made)

    async def _update(self, action: UpdateContact, key: str) -> Receipt:
        present = await self._as_read(action.contact)
        changed = present.card.copy()
        update_card(changed, action, now=self._clock())
        checked(changed, action, present.card)
        after = await self._address_book.put(present.id, changed, over=present)
        return self._receipt(action, key, after, self._restoring(after.id, after.etag, present))

    async def _delete(self, action: DeleteContact, key: str) -> Receipt:
        present = await self._as_read(action.contact)
        await self._address_book.delete(present)
        return self._receipt(action, key, None, self._restoring(present.id, "", present))

    async def _restore(self, action: RestoreContact, key: str) -> Receipt:
        wanted = only(action.vcf)
        present = await self._present(action.contact.id)
        if present is None:
            if action.contact.etag:
                raise NotFound(GONE, self._account)
            return self._made(action, key, await self._address_book.put(action.contact.id, wanted))
        if same(present.card, wanted):
            return self._receipt(action, key, present)
        if present.etag != action.contact.etag:
            raise Conflict(CHANGED, self._account)
        after = await self._address_book.put(present.id, wanted, over=present)
        return self._receipt(action, key, after, self._restoring(after.id, after.etag, present))

    async def _present(self, id: str) -> Stored | None:
        try:
            return await self._address_book.stored(id)
        except Gone:
            return None

    async def _as_read(self, ref: ContactRef) -> Stored:
        present = await self._address_book.stored(ref.id)
        if ref.etag and ref.etag != present.etag:
            raise Conflict(CHANGED, self._account)
        return present

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except Malformed as reason:
            raise InvalidResponse(f"This contact can't be read: {reason}.", self._account) from reason

    def _restoring(self, id: str, etag: str, before: Stored) -> RestoreContact:
        ref = ContactRef(account=self._account, id=id, etag=etag)
        return RestoreContact(account=self._account, contact=ref, vcf=render([before.card]))

    def _made(self, action: CreateContact | RestoreContact, key: str, made: Stored) -> Receipt:
        ref = ContactRef(account=self._account, id=made.id, etag=made.etag)
        return self._receipt(action, key, made, DeleteContact(account=self._account, contact=ref))

    def _receipt(self, action: ContactAction, key: str, stored: Stored | None = None, *undo: Undo) -> Receipt:
        id, etag = (stored.id, stored.etag) if stored else ("", "")
        return Receipt(action=action.kind, account=self._account, key=key, id=id, etag=etag, undo=undo)
