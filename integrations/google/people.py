"""Google's people as contacts, and changes of contacts as what is written of a person."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from integrations.actions import CreateContact, UpdateContact
from integrations.common.contentline import escape, prop, render
from integrations.common.fields import Texts
from integrations.common.people import email_address
from integrations.common.vcard import CardFile, name_parts, new_card, text
from integrations.errors import InvalidResponse
from integrations.types import Contact

Person = Mapping[str, Any]
Fields = dict[str, list[dict[str, Any]]]

WRITABLE = (
    "addresses biographies birthdays calendarUrls clientData emailAddresses events externalIds genders imClients interests "
    "locales locations memberships miscKeywords names nicknames occupations organizations phoneNumbers relations sipAddresses "
    "urls userDefined"
).split()
READ = ",".join((*WRITABLE, "metadata"))
OF_A_CONTACT = ["READ_SOURCE_TYPE_CONTACT"]
"""Without what the person's own profile at Google says: that can't be changed."""
MINE = "personal-assistant"
"""The clientData that holds the keys under which a contact was made."""
MY_CONTACTS = "contactGroups/myContacts"

_MADE_BY_GOOGLE = {"metadata", "formattedType", "formattedProtocol", "canonicalForm", "displayNameLastFirst"}
_MADE_IN = {"names": {"displayName"}, "genders": {"formattedValue"}}
_UNTOLD = {"metadata", "contentType"}
"""Not a part of what an entry says."""
_CARD = "X-GOOGLE-PERSON"


class Nameless(ValueError):
    """It says neither who it is about nor how to reach them."""


def contact_of(person: Person, account: str, groups: Mapping[str, str]) -> Contact:
    """`groups`: the names of those that are shown, by resource name. Raises Nameless."""
    texts = Texts()
    emails = texts.most(dict.fromkeys(filter(None, map(email_address, _values(person, "emailAddresses")))), "emails")
    phones = texts.words(_values(person, "phoneNumbers"), "phones")
    job = next(iter(_entries(person, "organizations")), {})
    company = texts.word(_line(job.get("name")), "company")
    nickname = texts.called(next(iter(_values(person, "nicknames")), ""), emails)
    name = texts.called(_name(person), emails) or nickname or company or next(iter((*emails, *phones)), "")
    if not name:
        raise Nameless("it has neither a name nor an address")
    notes = filter(None, (str(entry.get("value", "")).strip() for entry in _entries(person, "biographies")))
    return Contact(
        account=account,
        id=person["resourceName"],
        etag=etag_of(person),
        uid=person["resourceName"],
        name=name,
        nickname=nickname,
        emails=emails,
        phones=phones,
        company=company,
        title=texts.word(_line(job.get("title")), "title"),
        groups=tuple(groups[group] for group in memberships(person) if group in groups),
        address=texts.word(next(filter(None, map(_address, _entries(person, "addresses"))), ""), "address"),
        birthday=texts.word(next(filter(None, map(_birthday, _entries(person, "birthdays"))), ""), "birthday"),
        note=texts.lines("\n".join(notes), "note"),
        oddities=texts.found,
    )


def etag_of(person: Person) -> str:
    return str(source_of(person).get("etag") or person.get("etag", ""))


def source_of(person: Person) -> Mapping[str, Any]:
    """Of the contact itself: its id, etag and updateTime. Empty for somebody who isn't among the contacts."""
    sources = person.get("metadata", {}).get("sources", ())
    return next((source for source in sources if source.get("type") == "CONTACT"), {})


def keys_of(person: Person) -> set[str]:
    """Those it was made under."""
    return {entry.get("value", "") for entry in person.get("clientData", ()) if entry.get("key") == MINE}


def memberships(person: Person) -> list[str]:
    """The groups' resource names."""
    held = (entry.get("contactGroupMembership", {}) for entry in person.get("memberships", ()))
    return [name for membership in held if (name := membership.get("contactGroupResourceName"))]


def members_of(groups: Iterable[str]) -> list[dict[str, Any]]:
    return [{"contactGroupMembership": {"contactGroupResourceName": name}} for name in dict.fromkeys(groups)]


def writable(person: Person) -> Fields:
    """All of it that can be written, as it stands."""
    return {field: held for field in WRITABLE if (held := _held(person, field))}


def new_person(action: CreateContact, key: str, groups: Iterable[str]) -> Fields:
    given = {field: value for field, value in action if value and field not in ("kind", "account", "groups")}
    update = UpdateContact.model_validate({**given, "account": action.account, "contact": {"account": action.account, "id": ""}})
    fields = {field: entries for field, entries in changed({}, update).items() if entries}
    return {**fields, "memberships": members_of([MY_CONTACTS, *groups]), "clientData": [{"key": MINE, "value": key}]}


def changed(person: Person, action: UpdateContact) -> Fields:
    """The fields that the action names, as they are to be; but for its groups. InvalidResponse for a false email."""
    for email in action.emails or ():
        if not email_address(email):
            raise InvalidResponse(f"{email} is not a mail address.", action.account)
    fields: Fields = {}
    if action.name is not None:
        family, given, *_ = name_parts(action.name)
        fields["names"] = [{"givenName": given, "familyName": family}] if action.name.strip() else []
    if action.nickname is not None:
        fields["nicknames"] = [{"value": action.nickname}] if action.nickname else []
    if action.emails is not None:
        fields["emailAddresses"] = _listed(_held(person, "emailAddresses"), action.emails, email_address)
    if action.phones is not None:
        fields["phoneNumbers"] = _listed(_held(person, "phoneNumbers"), action.phones, _dialled)
    if action.company is not None or action.title is not None:
        fields["organizations"] = _jobs(person, action)
    if action.note is not None:
        fields["biographies"] = [{"value": action.note, "contentType": "TEXT_PLAIN"}] if action.note else []
    return fields


def shows(person: Person, action: UpdateContact) -> bool:
    """Whether the fields that the action names are as they are to be; its groups aside."""
    return all(_alike(_held(person, field), entries) for field, entries in changed(person, action).items())


def differing(person: Person, fields: Fields) -> Fields:
    """Those of `fields` that the person has otherwise, empty ones among them; what the contact was made under is left as it is."""
    present = writable(person)
    wanted = {field: fields.get(field, []) for field in WRITABLE if field != "clientData"}
    return {field: entries for field, entries in wanted.items() if not _equal(entries, present.get(field, []))}


def card_of(person: Person, contact: Contact, now: datetime) -> str:
    """A vCard for people to see, which carries all that can be written of the person."""
    known = contact.model_dump(include={"account", "name", "nickname", "emails", "phones", "company", "title", "groups", "note"})
    card = new_card(CreateContact(**known), uid=contact.uid, now=now)
    card.add(prop(_CARD, escape(json.dumps(writable(person), ensure_ascii=False))))
    return render([card])


def fields_of(card: str) -> Fields:
    """What `card_of` has put there."""
    blocks = CardFile(card.encode()).cards
    held = blocks[0].get(_CARD) if len(blocks) == 1 else None
    if held is None:
        raise InvalidResponse("This contact was not kept as Google had it.")
    fields: Fields = json.loads(text(held))
    return fields


def _entries(person: Person, field: str) -> list[Mapping[str, Any]]:
    """The preferred one first."""
    return sorted(person.get(field, ()), key=lambda entry: not entry.get("metadata", {}).get("primary", False))


def _values(person: Person, field: str) -> list[str]:
    return [line for entry in _entries(person, field) if (line := _line(entry.get("value")))]


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _name(person: Person) -> str:
    for entry in _entries(person, "names"):
        parts = (entry.get("givenName", ""), entry.get("middleName", ""), entry.get("familyName", ""))
        name = _line(entry.get("displayName") or entry.get("unstructuredName") or " ".join(parts))
        if name:
            return name
    return ""


def _address(entry: Mapping[str, Any]) -> str:
    parts = ("streetAddress", "extendedAddress", "poBox", "city", "region", "postalCode", "country")
    lines = str(entry.get("formattedValue", "")).splitlines() or [entry.get(part, "") for part in parts]
    return ", ".join(line for part in lines if (line := _line(part)))


def _birthday(entry: Mapping[str, Any]) -> str:
    date = entry.get("date", {})
    if not date.get("month") or not date.get("day"):
        return _line(entry.get("text"))
    year = f"{date['year']:04}-" if date.get("year") else "--"
    return f"{year}{date['month']:02}-{date['day']:02}"


def _held(person: Person, field: str) -> list[dict[str, Any]]:
    """A field's entries without what Google itself adds to them; what is of others than the contact is left out."""
    made = _MADE_BY_GOOGLE | _MADE_IN.get(field, set())
    entries = [_kept(entry, made) for entry in person.get(field, ())]
    if field == "memberships":
        return members_of(memberships(person))
    return [entry for entry in entries if entry]


def _kept(entry: Mapping[str, Any], made: set[str]) -> dict[str, Any]:
    kept = {name: value for name, value in entry.items() if name not in made}
    return {**kept, "metadata": {"sourcePrimary": True}} if entry.get("metadata", {}).get("sourcePrimary") else kept


def _listed(present: Sequence[dict[str, Any]], values: Sequence[str], same: Callable[[str], str]) -> list[dict[str, Any]]:
    """One entry for each value. Those that stay are kept as they are; a value that takes another's place takes its kind too."""
    staying = {same(entry.get("value", "")): entry for entry in present}
    wanted = [value for value in dict.fromkeys(values) if value.strip()]
    leaving = [entry for key, entry in staying.items() if key not in set(map(same, wanted))]
    new = [value for value in wanted if same(value) not in staying]
    heirs = dict(zip(new, leaving, strict=False)) if len(new) == len(leaving) else {}
    entries = [staying.get(same(value)) or {**heirs.get(value, {}), "value": value} for value in wanted]
    return entries if not any("metadata" in entry for entry in entries[1:]) else [_unpreferred(entry) for entry in entries]


def _unpreferred(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "metadata"}


def _dialled(phone: str) -> str:
    return "".join(letter for letter in phone if letter.isdigit() or letter in "+*#") or phone


def _alike(held: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> bool:
    """What is held may say more than was asked for."""
    if len(held) != len(wanted):
        return False
    pairs = zip(held, wanted, strict=True)
    return all(has.get(name, "") == value for has, entry in pairs for name, value in entry.items() if name not in _UNTOLD)


def _equal(one: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]]) -> bool:
    """Whatever their order: Google has its own for some."""
    return sorted(map(_text, one)) == sorted(map(_text, other))


def _text(entry: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in entry.items() if name not in _UNTOLD}, sort_keys=True)


def _jobs(person: Person, action: UpdateContact) -> list[dict[str, Any]]:
    """The one that is shown has another company or title; the others stay."""
    jobs = _held({"organizations": _entries(person, "organizations")}, "organizations")
    job = dict(jobs[0]) if jobs else {}
    for name, value in (("name", action.company), ("title", action.title)):
        if value is not None:
            job[name] = value
    job = {name: value for name, value in job.items() if value != ""}
    return [job, *jobs[1:]] if set(job) - {"metadata", "type", "current"} else jobs[1:]
