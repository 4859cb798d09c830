"""Searching an address book whose contacts are all at hand: what a ContactQuery means, for every provider."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile

from integrations.common.people import is_person, parts, plain
from integrations.types import Contact, ContactQuery, Group, Page, Skipped


@dataclass(frozen=True)
class Entry:
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
class Book:
    """All contacts by id, in the order of names."""

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

    def search(self, query: ContactQuery) -> Page[Contact]:
        if query.limit >= len(self.contacts) and query == ContactQuery(limit=query.limit):
            return self.everybody
        fitting = ([entry for entry in called if _matches(entry.contact, entry.text, query)] for called in self.called(query.name))
        found = next((entries for entries in fitting if entries), [])
        return Page(items=tuple(entry.contact for entry in found[: query.limit]), total=len(found), skipped=self.skipped)


def _matches(contact: Contact, text: str, query: ContactQuery) -> bool:
    return (
        _within(query.email, contact.emails)
        and (not query.phone or _has_phone(query.phone, contact.phones))
        and _within(query.company, (contact.company,))
        and _within(query.title, (contact.title,))
        and _within(query.group, contact.groups)
        and all(plain(word) in text for word in query.words)
    )


def _within(asked: str, values: Iterable[str]) -> bool:
    return not asked or any(plain(asked) in plain(value) for value in values)


def _has_phone(asked: str, phones: Iterable[str]) -> bool:
    digits = _digits(asked)
    return bool(digits) and any(digits in _digits(phone) for phone in phones)


def _digits(phone: str) -> str:
    """A leading 0 stands for the country code, so it says nothing."""
    return "".join(letter for letter in phone if letter.isdigit()).lstrip("0")
