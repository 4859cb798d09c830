"""Address books that are made of vCards."""

from collections.abc import Iterable
from dataclasses import dataclass

from integrations.common.contact_book import Book, Entry
from integrations.common.people import plain
from integrations.common.vcard import Card
from integrations.types import Address, Contact, Group, Skipped


@dataclass(frozen=True)
class CardEntry(Entry):
    """One card: a contact, or a group of contacts."""

    card: Card


def entry_of(card: Card, account: str, id: str, etag: str, *, sample: bool = False) -> CardEntry:
    contact = Contact(
        account=account,
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
        sample=sample,
        oddities=card.oddities,
    )
    return CardEntry(contact, card)


def book_of(entries: Iterable[CardEntry], skipped: Iterable[Skipped]) -> Book:
    everyone = list(entries)
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
    return Book(contacts, groups, tuple(skipped))


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
