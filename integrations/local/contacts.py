"""Address books as folders of .vcf files, as vdirsyncer and khard keep them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path

from integrations.common.contentline import Malformed
from integrations.common.people import is_person, parts, plain
from integrations.common.vcard import Card, CardFile, etag_of, read_card, uid_of
from integrations.errors import NotFound
from integrations.local.folder import File, Folder
from integrations.local.questions import Questions
from integrations.types import Address, Contact, ContactQuery, ContactRef, Group, Page, Skipped


@dataclass(frozen=True)
class Entry:
    """One card: a contact, or a group of contacts."""

    card: Card
    contact: Contact

    @cached_property
    def parts(self) -> tuple[frozenset[str], ...]:
        """The words of each of the names and addresses."""
        return tuple(map(parts, (self.contact.name, self.contact.nickname, *self.contact.emails)))

    @cached_property
    def text(self) -> str:
        contact = self.contact
        known = (contact.name, contact.nickname, contact.company, contact.title, contact.note, contact.address)
        return plain("\n".join((*known, *contact.emails, *contact.phones, *contact.groups)))


@dataclass(frozen=True)
class Entries:
    """What one file holds."""

    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True)
class Book:
    """All cards by id, in the order of names; a contact's groups are told by the groups' own cards too."""

    contacts: Mapping[str, Entry]
    groups: tuple[Group, ...]
    skipped: tuple[Skipped, ...]

    @cached_property
    def _entries(self) -> tuple[Entry, ...]:
        return tuple(self.contacts.values())

    @cached_property
    def _by_word(self) -> Mapping[str, list[int]]:
        """The places of those who have a word in a name or address."""
        places: dict[str, list[int]] = {}
        for place, entry in enumerate(self._entries):
            for word in frozenset().union(*entry.parts):
                places.setdefault(word, []).append(place)
        return places

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return tuple(sorted(self._by_word))

    def called(self, name: str) -> Iterator[Sequence[Entry]]:
        """Those called so by whole parts of name, nickname or address, then those whose parts begin so; all for no name."""
        if not name.strip():
            yield self._entries
        elif "@" in name:
            yield [entry for entry in self._entries if is_person(name, (), entry.contact.emails)]
        elif wanted := parts(name):
            having = self._having(frozenset(self._by_word.get(part, ())) for part in wanted)
            yield [entry for entry in having if any(wanted <= words for words in entry.parts)]
            yield self._having(self._places_of(part) for part in wanted)

    def _having(self, places: Iterable[frozenset[int]]) -> list[Entry]:
        return [self._entries[place] for place in sorted(frozenset.intersection(*places))]

    def _places_of(self, beginning: str) -> frozenset[int]:
        """Of those who have a word that begins so."""
        begin = bisect_left(self._words, beginning)
        words = takewhile(lambda word: word.startswith(beginning), islice(self._words, begin, None))
        return frozenset(place for word in words for place in self._by_word[word])

    @cached_property
    def everybody(self) -> Page[Contact]:
        found = tuple(entry.contact for entry in self.contacts.values())
        return Page(items=found, total=len(found), skipped=self.skipped)


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
        book = self._current()
        if query.limit >= len(book.contacts) and query == ContactQuery(limit=query.limit):
            return book.everybody
        fitting = ([entry for entry in called if _matches(entry, query)] for called in book.called(query.name))
        found = next((entries for entries in fitting if entries), [])
        return Page(items=tuple(entry.contact for entry in found[: query.limit]), total=len(found), skipped=book.skipped)

    def _entry(self, id: str) -> Entry:
        contacts = self._current().contacts
        entry = contacts.get(id) or contacts.get(id.partition(".vcf#")[0] + ".vcf")
        if entry is None or (entry.contact.id != id and not id.endswith(f"#{entry.card.uid}")):
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
        entries: list[Entry] = []
        skipped: list[Skipped] = []
        for id, block in zip(card_ids(path, [uid_of(block) for block in blocks]), blocks, strict=True):
            try:
                card = read_card(block)
            except Malformed as reason:
                skipped.append(Skipped(where=id, reason=str(reason)))
                continue
            entries.append(Entry(card, self._contact(card, id, etag_of(block))))
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


def _matches(entry: Entry, query: ContactQuery) -> bool:
    contact = entry.contact
    return (
        _within(query.email, contact.emails)
        and (not query.phone or _has_phone(query.phone, contact.phones))
        and _within(query.company, (contact.company,))
        and _within(query.title, (contact.title,))
        and _within(query.group, contact.groups)
        and all(plain(word) in entry.text for word in query.words)
    )


def _within(asked: str, values: Iterable[str]) -> bool:
    return not asked or any(plain(asked) in plain(value) for value in values)


def _has_phone(asked: str, phones: Iterable[str]) -> bool:
    digits = _digits(asked)
    return bool(digits) and any(digits in _digits(phone) for phone in phones)


def _digits(phone: str) -> str:
    """A leading 0 stands for the country code, so it says nothing."""
    return "".join(letter for letter in phone if letter.isdigit()).lstrip("0")


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


def _address_of(entry: Entry) -> Address | None:
    return Address(email=entry.card.emails[0], name=entry.card.name) if entry.card.emails else None


def _with_groups(entry: Entry, names: list[str]) -> Entry:
    if not names:
        return entry
    groups = tuple(dict.fromkeys((*entry.contact.groups, *names)))
    return Entry(entry.card, entry.contact.model_copy(update={"groups": groups}))
