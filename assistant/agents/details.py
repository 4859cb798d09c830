"""A contact's fields: as said by the user, as they stand on a card, and what changes."""

from collections.abc import Iterable

from assistant.agents.report import Refusal
from assistant.agents.words import fold
from integrations.common.addresses import parse_address
from integrations.types import Contact, Value

SINGLE = ("name", "nickname", "company", "title", "note")
MANY = {"email": "emails", "phone": "phones", "group": "groups"}
SAID = {
    "mail": "email", "e-mail": "email", "email address": "email", "mail address": "email", "address": "email", "telephone": "phone",
    "phone number": "phone", "number": "phone", "mobile": "phone", "cell": "phone", "organisation": "company",
    "organization": "company", "employer": "company", "job title": "title", "role": "title", "position": "title", "job": "title",
    "team": "group", "category": "group", "notes": "note", "full name": "name",
}  # fmt: skip


class Details(Value):
    name: str | None = None
    nickname: str | None = None
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    company: str | None = None
    title: str | None = None
    groups: tuple[str, ...] = ()
    note: str | None = None
    more: tuple[tuple[str, str], ...] = ()
    """Values that come beside those a card has: field and value."""
    gone: tuple[tuple[str, str], ...] = ()
    """Values that are taken off; all of a field where none is named."""


def field_called(said: str) -> str:
    name = fold(said).replace("_", " ")
    return SAID.get(name, name)


def read_details(details: Iterable[tuple[str, str]]) -> Details:
    single: dict[str, str] = {}
    many: dict[str, tuple[str, ...]] = {}
    more, gone = list[tuple[str, str]](), list[tuple[str, str]]()
    for said, value in details:
        lead, _, rest = said.partition(" ")
        field = field_called(rest if lead in ("also", "without") else said)
        if lead in ("also", "without") and field in (*MANY, *SINGLE):
            clean = _email(value) if field == "email" and lead == "also" else value.strip()
            (more if lead == "also" else gone).append((field, clean))
        elif field in MANY:
            clean = _email(value) if field == "email" else value.strip()
            many[MANY[field]] = (*many.get(MANY[field], ()), clean)
        elif field in SINGLE:
            single[field] = value.strip()
        else:
            raise Refusal("not_understood", f"A card has no field {said}; it has {', '.join((*SINGLE, *MANY))}.")
    return Details.model_validate({**single, **many, "more": more, "gone": gone})


def _email(text: str) -> str:
    address = parse_address(text)
    if address is None:
        raise Refusal("not_understood", f"{text} is no mail address.")
    return address.email


def changed(contact: Contact, details: Details) -> tuple[dict[str, object], list[str]]:
    """The fields of an UpdateContact, and each change in words. A new address or number takes the place of the first and leaves
    the others; a new group is added."""
    fields: dict[str, object] = {}
    said: list[str] = []
    for field in SINGLE:
        new, old = getattr(details, field), getattr(contact, field)
        if new is not None and new != old:
            fields[field] = new
            said.append(_from_to(field, old, new))
    for field, many in MANY.items():
        new, old = getattr(details, many), getattr(contact, many)
        after = _added(old, new) if many == "groups" else _replaced(old, new)
        if new and after != old:
            fields[many] = after
            said.append(_added_words(field, new) if many == "groups" else _from_to(field, old[0] if old else "", ", ".join(new)))
    for field, value in details.more:
        old = getattr(contact, MANY[field])
        if value not in old:
            fields[MANY[field]] = (*old, value)
            said.append(f"{field}: add {value}")
    for field, value in details.gone:
        _take_off(contact, field, value, fields, said)
    return fields, said


def _take_off(contact: Contact, field: str, value: str, fields: dict[str, object], said: list[str]) -> None:
    """A group by its name; of any other field everything."""
    if field not in MANY:
        old = getattr(contact, field)
        if old:
            fields[field] = ""
            said.append(f"{field}: remove {old}")
        return
    there = getattr(contact, MANY[field])
    gone = tuple(one for one in there if not value or fold(one) == fold(value))
    if gone:
        fields[MANY[field]] = tuple(one for one in there if one not in gone)
        said.append(f"{field}: remove {', '.join(gone)}")


def _replaced(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    kept = old if any(value in old for value in new) else old[1:]
    return tuple(dict.fromkeys((*new, *kept)))


def _added(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    there = {fold(name) for name in old}
    return (*old, *(name for name in new if fold(name) not in there))


def _added_words(field: str, new: tuple[str, ...]) -> str:
    return f"{field}: add {', '.join(new)}"


def _from_to(field: str, old: str, new: str) -> str:
    return f"{field} from {old} to {new}" if old else f"{field} to {new}"


def value_of(contact: Contact, field: str) -> str:
    """What a card says about a field, several values joined; empty where it says nothing."""
    name = field_called(field) if field != "address" else "address"
    if field == "address" and not contact.address:
        name = "email"
    values = getattr(contact, MANY.get(name, name), "")
    return values if isinstance(values, str) else ", ".join(values)
