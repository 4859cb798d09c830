"""Address books as folders of .vcf files, as vdirsyncer and khard keep them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from integrations.common.card_book import CardEntry, book_of, entry_of
from integrations.common.contact_book import Book, Entry
from integrations.common.contentline import Malformed
from integrations.common.vcard import CardFile, etag_of, read_card, uid_of
from integrations.errors import NotFound
from integrations.local.folder import File, Folder
from integrations.local.questions import Questions
from integrations.types import Contact, ContactQuery, ContactRef, Group, Page, Skipped


@dataclass(frozen=True)
class Entries:
    """What one file holds."""

    entries: tuple[CardEntry, ...]
    skipped: tuple[Skipped, ...] = ()


class LocalContactReader:
    """`root` holds one or more folders of cards, with one card in a file or many."""

    def __init__(self, root: Path, *, account: str, sample: bool = False, marker: Path | None = None) -> None:
        self._account, self._sample = account, sample
        self._folder = Folder(root, ".vcf", self._read, marker)
        self._questions = Questions(account, root, self._folder.still)
        self._known: Mapping[str, File[Entries]] = {}
        self._unread: tuple[Skipped, ...] = ()
        self._book = Book({}, (), ())

    async def search(self, query: ContactQuery) -> Page[Contact]:
        return await self._questions.ask(self._search, query)

    async def get(self, ref: ContactRef) -> Contact:
        return (await self._questions.ask(self._entry, ref.id)).contact

    async def groups(self) -> tuple[Group, ...]:
        return (await self._questions.ask(self._current)).groups

    def _search(self, query: ContactQuery) -> Page[Contact]:
        return self._current().search(query)

    def _entry(self, id: str) -> Entry:
        contacts = self._current().contacts
        entry = contacts.get(id) or contacts.get(id.partition(".vcf#")[0] + ".vcf")
        if entry is None or (entry.contact.id != id and not id.endswith(f"#{entry.contact.uid}")):
            raise NotFound("This contact does not exist any more.", self._account)
        return entry

    def _current(self) -> Book:
        with self._folder.lock:
            files = self._folder.files()
            if files is not self._known:
                if files != self._known or self._folder.unread != self._unread:
                    held = [file.item for file in files.values()]
                    skipped = (skipped for item in held for skipped in item.skipped)
                    self._book = book_of((entry for item in held for entry in item.entries), (*self._folder.unread, *skipped))
                self._known, self._unread = files, self._folder.unread
            return self._book

    def _read(self, path: str, content: bytes) -> Entries:
        blocks = CardFile(content).cards
        if not blocks:
            reason = "it holds no vCard" if content else "it is empty or can't be opened"
            return Entries((), (Skipped(where=path, reason=reason),))
        entries: list[CardEntry] = []
        skipped: list[Skipped] = []
        for id, block in zip(card_ids(path, [uid_of(block) for block in blocks]), blocks, strict=True):
            try:
                card = read_card(block)
            except Malformed as reason:
                skipped.append(Skipped(where=id, reason=str(reason)))
                continue
            entries.append(entry_of(card, self._account, id, etag_of(block), sample=self._sample))
        return Entries(tuple(entries), tuple(skipped))


def card_ids(path: str, uids: list[str]) -> list[str]:
    """A contact's id is its file's path, with "#" and its UID where the file holds several; a UID met again is numbered."""
    if len(uids) == 1:
        return [path]
    ids = []
    for at, uid in enumerate(uids):
        before = uids[:at].count(uid)
        ids.append(f"{path}#{uid}" if not before else f"{path}#{uid}~{before + 1}")
    return ids
