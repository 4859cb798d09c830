"""Address books as folders of .vcf files, as vdirsyncer and khard keep them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from integrations.common.contact_book import Book, Entry
from integrations.common.contentline import Malformed
from integrations.common.people import plain
from integrations.common.vcard import Card, CardFile, etag_of, read_card, uid_of
from integrations.errors import NotFound
from integrations.local.folder import File, Folder
from integrations.local.questions import Questions
from integrations.types import Address, Contact, ContactQuery, ContactRef, Group, Page, Skipped


@dataclass(frozen=True)
class CardEntry(Entry):
    """One card: a contact, or a group of contacts."""

    card: Card


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
                    self._book = _book((file.item for file in files.values()), self._folder.unread)
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
            entries.append(CardEntry(self._contact(card, id, etag_of(block)), card))
        return Entries(tuple(entries), tuple(skipped))

    def _contact(self, card: Card, id: str, etag: str) -> Contact:
        return Contact(
            account=self._account,
            id=id,
            etag=etag,
            uid=card.uid,
            name=card.name,
            nickname=card.nickname,
            emails=card.emails,
            phones=card.phones,
            company=card.company,
            title=card.title,
            groups=card.categories,
            address=card.address,
            birthday=card.birthday,
            note=card.note,
            sample=self._sample,
        )


def card_ids(path: str, uids: list[str]) -> list[str]:
    """A contact's id is its file's path, with "#" and its UID where the file holds several; a UID met again is numbered."""
    if len(uids) == 1:
        return [path]
    ids = []
    for at, uid in enumerate(uids):
        before = uids[:at].count(uid)
        ids.append(f"{path}#{uid}" if not before else f"{path}#{uid}~{before + 1}")
    return ids


def _book(files: Iterable[Entries], unread: tuple[Skipped, ...]) -> Book:
    held = list(files)
    everyone = [entry for entries in held for entry in entries.entries]
    people = [entry for entry in everyone if not entry.card.group]
    by_uid = {plain(entry.card.uid): entry for entry in people}
    by_email = {email: entry for entry in people for email in entry.card.emails}
    members: dict[str, tuple[str, dict[str, Address]]] = {}
    told: dict[str, list[str]] = {}
    for entry in people:
        for category in entry.card.categories:
            _join(members, category, _address_of(entry))
    for entry in everyone:
        if not entry.card.group:
            continue
        _join(members, entry.card.name, None)
        for member in entry.card.members:
            person = by_uid.get(plain(member)) or by_email.get(member)
            address = _address_of(person) if person else Address(email=member) if "@" in member and ":" not in member else None
            _join(members, entry.card.name, address)
            if person:
                told.setdefault(person.contact.id, []).append(entry.card.name)
    groups = tuple(Group(name=name, members=tuple(found.values())) for _, (name, found) in sorted(members.items()))
    people.sort(key=lambda entry: (plain(entry.card.name), entry.contact.id))
    contacts = {entry.contact.id: _with_groups(entry, told.get(entry.contact.id, [])) for entry in people}
    return Book(contacts, groups, (*unread, *(skipped for entries in held for skipped in entries.skipped)))


def _join(members: dict[str, tuple[str, dict[str, Address]]], group: str, address: Address | None) -> None:
    _, found = members.setdefault(plain(group), (group, {}))
    if address:
        found.setdefault(address.email, address)


def _address_of(entry: CardEntry) -> Address | None:
    return Address(email=entry.card.emails[0], name=entry.card.name) if entry.card.emails else None


def _with_groups(entry: CardEntry, names: list[str]) -> Entry:
    if not names:
        return entry
    groups = tuple(dict.fromkeys((*entry.contact.groups, *names)))
    return Entry(entry.contact.model_copy(update={"groups": groups}))
