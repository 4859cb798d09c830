"""Who is named: the persons of a person's place, with where they stand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assistant.reasoning.calls import Person
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item, text_of

Role = Literal["any", "from", "to", "with"]
APART = 3
"""What stands so many characters apart has something else in between and names nobody together."""
SEPARATORS = frozenset({"and", ",", "&", "or", "plus", ";"})


@dataclass(frozen=True, slots=True)
class Named:
    """A person in the text, with where the name stands."""

    person: Person
    begin: int
    end: int


def people_in(items: Sequence[Item], role: Role = "any") -> tuple[Named, ...]:
    """The persons of a person's place: any words there name somebody ("the client", "marketing team")."""
    found: list[Named] = []
    group: list[Item] = []
    for item in (*items, None):
        if item is None or item.low in SEPARATORS:
            if (named := _person(group, role)) is not None:
                found.append(named)
            group = []
        elif (group and item.begin > group[-1].end + APART) or (
            item.kind in ("person", "ref") and group and group[-1].kind in ("person", "ref", "address")
        ):
            if (named := _person(group, role)) is not None:
                found.append(named)
            group = [item]
        else:
            group.append(item)
    return tuple(found)


def _person(group: Sequence[Item], role: Role) -> Named | None:
    small = lexicon().small
    ref = next((item for item in group if item.kind == "ref"), None)
    if ref is not None:
        return Named(Person(ref=ref.low, role=role), ref.begin, ref.end)
    address = next((item for item in group if item.kind == "address"), None)
    kept = [
        item
        for item in group
        if item.kind in ("word", "name", "person", "number")
        and not (
            item.kind == "word"
            and item.low
            in small["articles"] | {"please", "'s", "both", "all", "also", "only", "just", "too", "me", "i", "of", "back", "long"}
        )
    ]
    text = text_of(kept)
    if address is not None:
        begin = min((item.begin for item in (*kept, address)), default=address.begin)
        return Named(Person(text=text, email=address.low, role=role), begin, address.end)
    if not kept or (len(kept) == 1 and (kept[0].kind == "number" or kept[0].low in lexicon().numbers)):
        return None
    first = group[0] if group[0].low in small["articles"] else kept[0]
    return Named(Person(text=text, role=role), first.begin, kept[-1].end)


def in_role(people: Sequence[Named], role: Role) -> list[Named]:
    """The same people, all in one role."""
    return [replace(named, person=_at_home(named.person, role).model_copy(update={"role": role})) for named in people]


AT_HOME = re.compile(
    r"^(?:(?:the )?(?:people|guys|folks?|lot|somebody|someone|anybody|anyone) )?(?:over )?(?:at|from) (?=\S)", re.IGNORECASE
)
"""The "people at" of "the people at Brandt Bau", who are known by where they work."""


def _at_home(person: Person, role: Role) -> Person:
    short = AT_HOME.sub("", person.text) if role == "from" else person.text
    return person if short == person.text else person.model_copy(update={"text": short})


def distinct(people: Sequence[Named]) -> tuple[Person, ...]:
    return tuple(dict.fromkeys(named.person for named in people))


def is_job(word: str) -> bool:
    """ "manager", "engineers": what somebody is by profession."""
    jobs = lexicon().small["jobs"]
    return word in jobs or (word.endswith("s") and word[:-1] in jobs)
