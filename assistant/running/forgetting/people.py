"""Who is meant, among everybody that the address books and what is stored know."""

import calendar
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from assistant.running.batches import BATCH, batches
from assistant.running.forgetting.redaction import contents_of
from integrations.errors import IntegrationError
from integrations.readers import Readers
from integrations.types import ContactQuery, Value
from storage import forgetting
from storage.database import Database
from storage.session import Session
from storage.tables import OutboxRow, StoredFlow, StoredPreview

SHORTEST = 3
"""Letters of a part of a name that is looked for by itself."""
TITLES = frozenset("mr mrs ms miss mx dr prof".split())
DATES = frozenset(name.casefold() for names in (calendar.month_name, calendar.day_name) for name in names)
"""By itself, such a word is no name."""
ASIDE = re.compile(r"\([^)]*\)|\[[^]]*\]|[\"“”„]")
"""What stands in a name and is none of it."""


class Person(Value):
    """`emails` in small letters; `names` in full."""

    emails: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ", ".join((*self.names[:1], *(f"<{email}>" for email in self.emails)))


async def known(database: Database, readers: Readers, user: str) -> tuple[Person, ...]:
    """Everybody with an address."""
    pairs: dict[tuple[str, str], None] = {}
    try:
        for card in (await readers.contacts.search(ContactQuery())).items:
            pairs |= {(email.casefold(), card.name): None for email in card.emails}
    except IntegrationError:  # what is stored knows most of them too
        pass
    firsts: dict[Any, Any] = {OutboxRow: 0, StoredPreview: "", StoredFlow: ""}
    for kind, first in firsts.items():
        async for batch in batches(database, first, partial(_named, kind=kind, user=user)):
            pairs |= dict.fromkeys(batch)
    return people_of(pairs)


def _named(s: Session, after: Any, kind: Any, user: str) -> tuple[Any, list[tuple[str, str]]]:
    found = forgetting.page(s, kind, after, BATCH, user_id=user)
    return found[-1].id if found else after, [pair for row in found for value in contents_of(row) for pair in people_in(value)]


class Words(NamedTuple):
    """What a person is looked for by. `names`: addresses, names of several words, and what is no word of a script with capital
    letters. `parts` of a name are as they are written in a sentence."""

    names: tuple[str, ...]
    parts: tuple[str, ...]


def words_of(person: Person, said: str, others: Iterable[Person]) -> Words:
    """With the names either way round, what was `said`, and those parts of the name that none of the others bears."""
    theirs = {part.casefold() for other in others for part in _parts(other)}
    parts = {part for part in _parts(person) if part.casefold() not in theirs}
    forms = (*person.emails, *(form for name in person.names for form in _forms(name)), said.strip())
    names = (form for form in forms if "@" in form or " " in form or (form and form.upper() == form.lower()))
    return Words(tuple(dict.fromkeys(names)), tuple(sorted(parts)))


def _forms(name: str) -> Iterator[str]:
    """A name as it is written, without titles, and the other way round."""
    yield name.strip()
    bare = " ".join(word for word in ASIDE.sub(" ", name).split() if word.strip(".,").casefold() not in TITLES)
    last, comma, first = (part.strip() for part in bare.partition(","))
    if not comma:
        first, _, last = bare.rpartition(" ")
    if first and last:
        yield from (f"{first} {last}", f"{last}, {first}")


def _parts(person: Person) -> Iterator[str]:
    """Words like "van" are parts of no name by themselves."""
    for name in person.names:
        for word in ASIDE.sub(" ", name).split():
            part = word.strip(".,;:'")
            a_name = part.islower() == name.islower() and part.casefold() not in TITLES | DATES and "@" not in part
            if a_name and len(part) >= SHORTEST:
                yield part.title() if part.islower() or part.isupper() else part


def people_in(value: Any) -> Iterator[tuple[str, str]]:
    """(address, name) of everybody with an address in stored JSON; the name may be empty."""
    if isinstance(value, list):
        for inner in value:
            yield from people_in(inner)
    elif isinstance(value, dict):
        if isinstance(email := value.get("email"), str) and email:
            yield email.casefold(), str(value.get("name") or "")
        if isinstance(emails := value.get("emails"), list):
            yield from ((str(one).casefold(), str(value.get("name") or "")) for one in emails)
        for inner in value.values():
            yield from people_in(inner)


def people_of(pairs: Iterable[tuple[str, str]]) -> tuple[Person, ...]:
    """Those who share an address or a full name are one."""
    people: list[tuple[set[str], dict[str, None]]] = []
    for email, name in pairs:
        same = [one for one in people if email in one[0] or (name and name in one[1])]
        for other in same[1:]:
            same[0][0].update(other[0])
            same[0][1].update(other[1])
            people.remove(other)
        if not same:
            people.append((set(), {}))
        emails, names = same[0] if same else people[-1]
        emails.add(email)
        if name:
            names[name] = None
    return tuple(Person(emails=tuple(sorted(emails)), names=tuple(names)) for emails, names in people)


def meant(said: str, people: Iterable[Person]) -> tuple[Person, ...]:
    """Those of that address, else those whose name has all these words."""
    wanted = said.casefold()
    exact = tuple(person for person in people if wanted in person.emails)
    if exact:
        return exact
    named = [(person, {part.casefold() for name in person.names for part in name.split()}) for person in people]
    return tuple(person for person, parts in named if set(wanted.split()) <= parts)
