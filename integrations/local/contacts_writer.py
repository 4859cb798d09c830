"""Writing contacts into folders of .vcf files: one file for each new card, named after its key."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from integrations.actions import ContactAction, CreateContact, DeleteContact, Receipt, RestoreContact, UpdateContact
from integrations.common.card_changes import CHANGED, GONE, checked, only, would_change_nothing
from integrations.common.contentline import Block, Malformed, render
from integrations.common.vcard import CardFile, etag_of, new_card, uid_of, update_card
from integrations.errors import Conflict, InvalidResponse, NotFound
from integrations.local.contacts import card_ids
from integrations.local.disk import on_behalf_of
from integrations.local.folder import Folder, create, locked, make, remove, replace, safe_name
from integrations.types import ContactRef

Undo = DeleteContact | RestoreContact


class LocalContactWriter:
    """`clock` dates what is written."""

    def __init__(
        self,
        root: Path,
        *,
        account: str,
        sample: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        marker: Path | None = None,
    ) -> None:
        self._root, self._account, self._sample, self._clock = root, account, sample, clock
        self._folder = Folder(root, ".vcf", lambda path, content: None, marker)

    async def execute(self, action: ContactAction, key: str) -> Receipt:
        with self._named():
            return await asyncio.to_thread(self._execute, action, key)

    async def find(self, action: ContactAction, key: str) -> Receipt | None:
        with self._named():
            return await asyncio.to_thread(self._find, action, key)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors say whose they are."""
        try:
            with on_behalf_of(self._account, self._root):
                yield
        except Malformed as reason:
            raise InvalidResponse(f"This contact can't be read: {reason}.", self._account) from reason

    def _execute(self, action: ContactAction, key: str) -> Receipt:
        self._folder.standing.refuse()
        if isinstance(action, CreateContact):
            return self._create(action, key)
        if isinstance(action, RestoreContact):
            return self._restore(action, key)
        return self._change(action, key)

    def _find(self, action: ContactAction, key: str) -> Receipt | None:
        self._folder.standing.look()
        if isinstance(action, CreateContact):
            name = f"{safe_name(key)}.vcf"
            found = next((path for path in self._folder.files() if path.rpartition("/")[2] == name), None)
            return self._created(action, found, key) if found else None
        ref = action.contact
        try:
            _, card = self._open(ref.id)
        except NotFound:
            return self._receipt(action, key, "", "") if isinstance(action, DeleteContact) else None
        etag = etag_of(card)
        if isinstance(action, UpdateContact):
            done = etag != ref.etag and would_change_nothing(card, action, self._clock())
        else:
            done = isinstance(action, RestoreContact) and etag == etag_of(only(action.vcf))
        return self._receipt(action, key, ref.id, etag) if done else None

    def _create(self, action: CreateContact, key: str) -> Receipt:
        folder = self._default_book()
        id = f"{safe_name(key)}.vcf" if folder == "." else f"{folder}/{safe_name(key)}.vcf"
        card = new_card(action, uid=key, now=self._clock())
        checked(card, action)
        with suppress(FileExistsError):  # created before under this key: whoever asks again gets the same answer
            create(self._folder.path(id), render([card]).encode())
        return self._created(action, id, key)

    def _created(self, action: CreateContact, id: str, key: str) -> Receipt:
        _, card = self._open(id)
        etag = etag_of(card)
        return self._receipt(action, key, id, etag, DeleteContact(account=self._account, contact=self._ref(id, etag)))

    def _default_book(self) -> str:
        """The folder with the most cards; the root where there is none."""
        make(self._root)
        paths = list(self._folder.files())
        if not paths:
            return next((folder for folder in self._folder.folders if folder != "."), ".")
        folders = [path.rpartition("/")[0] or "." for path in paths]
        return max(sorted(set(folders)), key=folders.count)

    def _change(self, action: UpdateContact | DeleteContact, key: str) -> Receipt:
        ref = action.contact
        path = self._folder.path(_file_of(ref.id))
        with locked(path.parent):
            content = self._folder.content(_file_of(ref.id))
            file, card = self._open(ref.id, content)
            if ref.etag and ref.etag != etag_of(card):
                raise Conflict(CHANGED)
            before = render([card])
            if isinstance(action, DeleteContact):
                file.remove(card)
                etag = ""
            else:
                present = card.copy()
                update_card(card, action, now=self._clock())
                checked(card, action, present)
                etag = etag_of(card)
            self._store(path, file, content)
        undo = RestoreContact(account=self._account, contact=self._ref(ref.id, etag), vcf=before)
        return self._receipt(action, key, ref.id if etag else "", etag, undo)

    def _store(self, path: Path, file: CardFile, content: bytes) -> None:
        done = replace(path, file.content, expected=content) if file.cards else remove(path, expected=content)
        if not done:
            raise Conflict(CHANGED)

    def _restore(self, action: RestoreContact, key: str) -> Receipt:
        ref = action.contact
        path = self._folder.path(_file_of(ref.id))
        wanted = only(action.vcf)
        now = self._ref(ref.id, etag_of(wanted))
        undo: Undo = DeleteContact(account=self._account, contact=now)
        with locked(path.parent):
            if not path.exists():
                if ref.etag:
                    raise NotFound(GONE)
                self._put_back(path, action.vcf)
                return self._receipt(action, key, ref.id, now.etag, undo)
            content = self._folder.content(_file_of(ref.id))
            file = CardFile(content)
            present = next((card for card in file.cards if uid_of(card) == uid_of(wanted)), None)
            if present is not None and etag_of(present) == now.etag:
                return self._receipt(action, key, ref.id, now.etag)
            if (etag_of(present) if present else "") != ref.etag:
                raise Conflict(CHANGED) if present else NotFound(GONE)
            if present:
                undo = RestoreContact(account=self._account, contact=now, vcf=render([present]))
            file.put(wanted)
            self._store(path, file, content)
        return self._receipt(action, key, ref.id, now.etag, undo)

    def _put_back(self, path: Path, vcf: str) -> None:
        try:
            create(path, vcf.encode())
        except FileExistsError as other:
            raise Conflict(CHANGED) from other

    def _open(self, id: str, content: bytes | None = None) -> tuple[CardFile, Block]:
        path = _file_of(id)
        file = CardFile(self._folder.content(path) if content is None else content)
        ids = card_ids(path, [uid_of(card) for card in file.cards])
        for own, card in zip(ids, file.cards, strict=True):
            if id in (own, f"{path}#{uid_of(card)}"):
                return file, card
        raise NotFound(GONE)

    def _ref(self, id: str, etag: str) -> ContactRef:
        return ContactRef(account=self._account, id=id, etag=etag)

    def _receipt(self, action: ContactAction, key: str, id: str, etag: str, *undo: Undo) -> Receipt:
        return Receipt(action=action.kind, account=self._account, key=key, id=id, etag=etag, undo=undo)


def _file_of(id: str) -> str:
    head, mark, _ = id.partition(".vcf#")
    return f"{head}.vcf" if mark else id
