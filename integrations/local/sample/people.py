"""The sample's people: who mails and events refer to, and the cards of the address book."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from integrations.common.contentline import Line, escape, prop
from integrations.types import Value


class Person(Value):
    name: str
    email: str
    nickname: str = ""
    phone: str = ""
    mobile: str = ""
    company: str = ""
    title: str = ""
    birthday: str = ""
    note: str = ""
    groups: tuple[str, ...] = ()


class People(Value):
    """By the key that mails and events use; the owner is "me"."""

    me: Person
    contacts: Mapping[str, Person]
    strangers: Mapping[str, Person]

    def __getitem__(self, key: str) -> Person:
        return self.me if key == "me" else self.contacts.get(key) or self.strangers[key]


@cache
def read_people() -> People:
    return People.model_validate(tomllib.loads((files(__package__) / "people.toml").read_text(encoding="utf-8")))


def card(key: str, person: Person) -> bytes:
    return "".join(f"{line.raw}\r\n" for line in _lines(key, person)).encode()


def _lines(key: str, person: Person) -> Iterator[Line]:
    first, _, last = person.name.removeprefix("Dr. ").rpartition(" ")
    prefix = "Dr." if person.name.startswith("Dr. ") else ""
    yield prop("BEGIN", "VCARD")
    yield prop("VERSION", "3.0")
    yield prop("UID", f"{key}.sample@northwind.example")
    yield prop("FN", escape(person.name))
    yield prop("N", f"{escape(last)};{escape(first)};;{prefix};")
    if person.nickname:
        yield prop("NICKNAME", escape(person.nickname))
    yield prop("EMAIL", escape(person.email), TYPE="INTERNET")
    if person.phone:
        yield prop("TEL", escape(person.phone), TYPE="WORK" if person.company else "VOICE")
    if person.mobile:
        yield prop("TEL", escape(person.mobile), TYPE="CELL")
    if person.company:
        yield prop("ORG", escape(person.company))
    if person.title:
        yield prop("TITLE", escape(person.title))
    if person.birthday:
        yield prop("BDAY", person.birthday)
    if person.groups:
        yield prop("CATEGORIES", ",".join(map(escape, person.groups)))
    if person.note:
        yield prop("NOTE", escape(person.note))
    yield prop("END", "VCARD")
