"""Outlook's contacts as ours, and changes of contacts as what is written of one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from integrations.actions import CreateContact, UpdateContact
from integrations.common.contentline import Malformed, escape, prop, render
from integrations.common.fields import Texts
from integrations.common.people import email_address, plain
from integrations.common.vcard import CardFile, name_parts, new_card, text
from integrations.errors import InvalidResponse
from integrations.microsoft.errors import MALFORMED
from integrations.types import Contact

Person = Mapping[str, Any]
Fields = dict[str, Any]

WRITABLE = (
    "assistantName birthday businessAddress businessHomePage businessPhones categories children companyName department "
    "displayName emailAddresses fileAs generation givenName homeAddress homePhones imAddresses initials jobTitle manager "
    "middleName mobilePhone nickName officeLocation otherAddress personalNotes profession spouseName surname title "
    "yomiCompanyName yomiGivenName yomiSurname"
).split()
READ = [*WRITABLE, "changeKey", "id", "parentFolderId"]

MOST_EMAILS = 3
NUMBERS = (("mobilePhone", 1), ("businessPhones", 2), ("homePhones", 2))
"""Where Outlook keeps numbers, and how many of each."""
_NAMES = ("displayName", "givenName", "surname", "middleName", "title", "generation", "yomiGivenName", "yomiSurname", "initials")
_WITHOUT_YEAR = 1604
_CARD = "X-MICROSOFT-CONTACT"


class Nameless(Malformed):
    """It says neither who it is about nor how to reach them."""


def contact_of(person: Person, account: str) -> Contact:
    """Malformed where it can't be read, Nameless where it says nothing to call it by."""
    try:
        return _contact(person, account)
    except Malformed:
        raise
    except MALFORMED as error:
        raise Malformed("Outlook's answer about it can't be read") from error


def _contact(person: Person, account: str) -> Contact:
    texts = Texts()
    written = (email_address(entry.get("address") or "") for entry in _emails(person))
    emails = texts.most(dict.fromkeys(filter(None, written)), "emails")
    phones = texts.words((number for _, number in _numbers(person)), "phones")
    company = texts.word(_line(person.get("companyName")), "company")
    nickname = texts.called(_line(person.get("nickName")), emails)
    name = texts.called(_name(person), emails) or nickname or company or next(iter((*emails, *phones)), "")
    if not name:
        raise Nameless("it has neither a name nor an address")
    address = next(filter(None, map(_address, ("homeAddress", "businessAddress", "otherAddress"), [person] * 3)), "")
    return Contact(
        account=account,
        id=person["id"],
        etag=etag_of(person),
        uid=person["id"],
        name=name,
        nickname=nickname,
        emails=emails,
        phones=phones,
        company=company,
        title=texts.word(_line(person.get("jobTitle")), "title"),
        groups=texts.words(groups_of(person), "groups"),
        address=texts.word(address, "address"),
        birthday=_birthday(person.get("birthday") or ""),
        note=texts.lines(person.get("personalNotes") or "", "note"),
        oddities=texts.found,
    )


def etag_of(person: Person) -> str:
    return str(person.get("@odata.etag") or f'W/"{person.get("changeKey", "")}"')


def groups_of(person: Person) -> tuple[str, ...]:
    """Outlook sorts contacts by categories, as it does mails."""
    return tuple(dict.fromkeys(name for one in person.get("categories") or () if (name := _line(one))))


def writable(person: Person) -> Fields:
    """All of it that can be written, as it stands."""
    return {field: held for field in WRITABLE if (held := _said(person.get(field)))}


def new_person(action: CreateContact) -> Fields:
    given = {field: value for field, value in action if value and field not in ("kind", "account")}
    update = UpdateContact.model_validate({**given, "account": action.account, "contact": {"account": action.account, "id": ""}})
    return {field: value for field, value in changed({}, update).items() if value}


def changed(person: Person, action: UpdateContact) -> Fields:
    """The fields that the action names, as they are to be, empty ones as Outlook wants to be told. InvalidResponse for a false
    email, and for more of them or of numbers than Outlook keeps."""
    fields: Fields = {}
    if action.name is not None:
        fields |= _named(person, " ".join(action.name.split()))
    if action.nickname is not None:
        fields["nickName"] = action.nickname or None
    if action.emails is not None:
        fields["emailAddresses"] = _listed_emails(person, action)
    if action.phones is not None:
        fields |= _listed_numbers(person, action)
    if action.company is not None:
        fields["companyName"] = action.company or None
    if action.title is not None:
        fields["jobTitle"] = action.title or None
    if action.groups is not None:
        fields["categories"] = list(dict.fromkeys(filter(None, map(_line, action.groups))))
    if action.note is not None:
        fields["personalNotes"] = action.note or None
    return fields


def shows(person: Person, action: UpdateContact) -> bool:
    """Whether the fields that the action names are as they are to be."""
    fields = changed(person, action)
    categories = fields.pop("categories", None)
    sorted_so = categories is None or set(map(plain, categories)) == set(map(plain, groups_of(person)))
    return sorted_so and all(_alike(person.get(field), value) for field, value in fields.items())


def differing(person: Person, fields: Fields) -> Fields:
    """Those of `fields` that the person has otherwise, empty ones among them."""
    present = writable(person)
    others = {field: fields.get(field) for field in WRITABLE if present.get(field) != fields.get(field)}
    return {field: [] if value is None and isinstance(present[field], list) else value for field, value in others.items()}


def card_of(person: Person, contact: Contact, now: datetime) -> str:
    """A vCard for people to see, which carries all that can be written of the person, and the folder it is kept in."""
    known = contact.model_dump(include={"account", "name", "nickname", "emails", "phones", "company", "title", "groups", "note"})
    card = new_card(CreateContact(**known), uid=contact.uid, now=now)
    carried = {"folder": person.get("parentFolderId", ""), "fields": writable(person)}
    card.add(prop(_CARD, escape(json.dumps(carried, ensure_ascii=False))))
    return render([card])


def carried_in(card: str) -> tuple[Fields, str]:
    """What `card_of` has put there: the fields and the folder."""
    blocks = CardFile(card.encode()).cards
    held = blocks[0].get(_CARD) if len(blocks) == 1 else None
    if held is None:
        raise InvalidResponse("This contact was not kept as Outlook had it.")
    carried = json.loads(text(held))
    return carried["fields"], carried["folder"]


def _said(value: Any) -> Any:
    """Without what says nothing."""
    if isinstance(value, Mapping):
        return {name: said for name, one in value.items() if (said := _said(one)) and not name.startswith("@")}
    if isinstance(value, list):
        return [said for one in value if (said := _said(one))]
    return value


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _emails(person: Person) -> Sequence[Mapping[str, Any]]:
    """Graph may leave empty places between them."""
    return [entry for entry in person.get("emailAddresses") or () if entry and entry.get("address")]


def _numbers(person: Person) -> list[tuple[str, str]]:
    """Each with the field it is kept in."""
    return [(field, number) for field, _ in NUMBERS for one in _several(person.get(field)) if (number := _line(one))]


def _several(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [value]


def _name(person: Person) -> str:
    parts = (person.get("givenName"), person.get("middleName"), person.get("surname"))
    return _line(person.get("displayName")) or " ".join(filter(None, map(_line, parts))) or _line(person.get("fileAs"))


def _address(field: str, person: Person) -> str:
    held = person.get(field) or {}
    town = " ".join(filter(None, (_line(held.get("postalCode")), _line(held.get("city")))))
    lines = (*str(held.get("street") or "").splitlines(), town, held.get("state"), held.get("countryOrRegion"))
    return ", ".join(filter(None, map(_line, lines)))


def _birthday(given: str) -> str:
    """Programs keep a day as midnight, or noon, of the zone they run in: the nearest midnight is that day's."""
    try:
        day = (datetime.fromisoformat(given) + timedelta(hours=11, minutes=59)).date()
    except ValueError:
        return ""
    return f"--{day:%m-%d}" if day.year == _WITHOUT_YEAR else day.isoformat()


def _named(person: Person, name: str) -> Fields:
    """What was said of the former name is gone with it."""
    family, given, *_ = name_parts(name)
    shown = " ".join(filter(None, (given, family)))
    fields: Fields = {"displayName": shown or None, "givenName": given or None, "surname": family or None}
    fields |= {field: None for field in _NAMES if field not in fields and person.get(field)}
    filed = _line(person.get("fileAs"))
    if filed and plain(filed) in _ways_of_filing(person):
        fields["fileAs"] = ", ".join(filter(None, (family, given))) if "," in filed else shown or None
    return fields


def _ways_of_filing(person: Person) -> set[str]:
    given, family = _line(person.get("givenName")), _line(person.get("surname"))
    return {plain(way) for way in (_line(person.get("displayName")), f"{family}, {given}", f"{given} {family}")}


def _listed_emails(person: Person, action: UpdateContact) -> list[dict[str, Any]]:
    """One entry for each; those that stay are kept as they are."""
    wanted = list(dict.fromkeys(action.emails or ()))
    for email in wanted:
        if not email_address(email):
            raise InvalidResponse(f"{email} is not a mail address.", action.account)
    if len(wanted) > MOST_EMAILS:
        raise InvalidResponse(f"Outlook keeps at most {MOST_EMAILS} mail addresses of a contact.", action.account)
    staying = {email_address(entry["address"]): dict(entry) for entry in _emails(person)}
    return [staying.get(email_address(email)) or {"address": email} for email in wanted]


def _listed_numbers(person: Person, action: UpdateContact) -> Fields:
    """Those that stay are kept where they are; one that takes another's place is of its kind."""
    wanted = {_dialled(number): number for number in map(_line, action.phones or ()) if number}
    places: list[tuple[str, str | None]] = []
    for field, most in NUMBERS:
        held = [_line(one) for one in _several(person.get(field)) if _line(one)][:most]
        places += [(field, number) for number in held] + [(field, None)] * (most - len(held))
    kept = {_dialled(number) for _, number in places if number} & set(wanted)
    new = [number for key, number in wanted.items() if key not in kept]
    leaving = [at for at, (_, number) in enumerate(places) if number and _dialled(number) not in kept]
    free = [at for at, (_, number) in enumerate(places) if not number or at in leaving]
    if len(new) > len(free):
        raise InvalidResponse(f"Outlook keeps at most {len(places)} phone numbers of a contact.", action.account)
    taken = dict(zip(leaving if len(new) == len(leaving) else free, new, strict=False))
    now = [(field, taken.get(at, None if at in leaving else number)) for at, (field, number) in enumerate(places)]
    by_field = {field: [number for kind, number in now if kind == field and number] for field, _ in NUMBERS}
    return {field: by_field[field] if most > 1 else next(iter(by_field[field]), None) for field, most in NUMBERS}


def _dialled(phone: str) -> str:
    return "".join(letter for letter in phone if letter.isdigit() or letter in "+*#") or phone


def _alike(held: Any, wanted: Any) -> bool:
    """What is held may say more than was asked for."""
    if isinstance(wanted, Mapping):
        return isinstance(held, Mapping) and all(_alike(held.get(name), value) for name, value in wanted.items())
    if isinstance(wanted, list):
        held = held or []
        return len(held) == len(wanted) and all(map(_alike, held, wanted))
    if isinstance(wanted, str):
        return _unbroken(held or "") == _unbroken(wanted)
    return (held or None) == (wanted or None)


def _unbroken(text: str) -> str:
    """Outlook ends lines in its own way."""
    return text.replace("\r\n", "\n").strip()
