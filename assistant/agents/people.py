"""Who is meant: from a name, a group, an address or an earlier result to addresses."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from assistant.agents.base import Desk
from assistant.agents.report import Notes, Refusal, ask, not_found
from assistant.agents.words import contact_label, fold, tokens
from assistant.reasoning.calls import Person
from assistant.values import Data
from integrations.actions import SaveDraft, SendMail
from integrations.common.addresses import parse_address
from integrations.types import Address, Contact, ContactQuery, Correspondent, Event, Group, Mail

GROUP_WORDS = frozenset("the all everyone everybody in on of from my our team group list members people colleagues".split())
SELF = frozenset({"me", "myself", "i", "us"})


async def addresses_of(people: Iterable[Person], desk: Desk, notes: Notes, *, with_me: bool = False) -> tuple[Address, ...]:
    """Everybody once, in the order named. The user is left out of groups and earlier results unless `with_me`."""
    found: dict[str, Address] = {}
    for person in people:
        for address in await resolve(person, desk, notes):
            named = bool(person.email) or fold(person.text) in SELF
            if with_me or named or address.email not in desk.me:
                found.setdefault(address.email, address)
    return tuple(found.values())


async def resolve(person: Person, desk: Desk, notes: Notes) -> tuple[Address, ...]:
    """One address for a person, several for a group or an earlier result; NotFound or a question otherwise."""
    if person.email:
        return (_typed(person),)
    if person.ref:
        return of_result(person.ref, desk)
    if fold(person.text) in SELF:
        return desk.setting.me[:1] or tuple(Address(email=email) for email in list(desk.addresses.values())[:1])
    if chosen := desk.settled(person.text):
        if "@" in chosen:
            return (await _named(chosen, desk),)
        if fold(chosen) != fold(person.text):
            return await resolve(Person(text=chosen), desk, notes)
    contacts = await candidates(person.text, desk)
    if any(_is_called(contact, person.text) for contact in contacts):
        return (await _address_of(_only(contacts, person.text, desk), desk, notes),)
    if group := await find_group(person.text, desk):
        return group.members
    if contacts:
        return (await _address_of(_only(contacts, person.text, desk), desk, notes),)
    return (await _correspondent(person.text, desk),)


def _typed(person: Person) -> Address:
    address = parse_address(person.email)
    if address is None:
        raise Refusal("not_understood", f"{person.email} is no mail address.")
    return Address(email=address.email, name=person.text)


async def one_contact(person: Person, desk: Desk) -> Contact:
    """The card of exactly one person, for a change to it."""
    if person.ref:
        cards = _result(person.ref, desk).contacts
        if len(cards) == 1:
            return cards[0]
        emails = [address.email for address in of_result(person.ref, desk)]
        found = [c for email in emails[:2] for c in (await desk.readers.contacts.search(ContactQuery(email=email))).items]
        return _only(found, person.text or "that person", desk) if found else _no_card(", ".join(emails))
    if person.email:
        found = list((await desk.readers.contacts.search(ContactQuery(email=person.email))).items)
        return _only(found, person.email, desk) if found else _no_card(person.email)
    found = await candidates(person.text, desk)
    return _only(found, person.text, desk) if found else _no_card(person.text, desk)


def _no_card(who: str, desk: Desk | None = None) -> Contact:
    near = _nearest(who, desk) if desk else ""
    raise not_found(f"{who} is not in your contacts.{near}", name=who)


async def candidates(name: str, desk: Desk) -> list[Contact]:
    """The contacts that fit a name best: called exactly so, else with every part of it as a whole word, else as a beginning."""
    if not name:
        return []
    parts = tokens(name)
    found = list((await desk.readers.contacts.search(ContactQuery(name=name))).items)
    if not found and len(parts) > 1:
        some = (await desk.readers.contacts.search(ContactQuery(name=parts[0]))).items
        found = [c for c in some if set(parts) <= set(_words(c))]
    exact = [c for c in found if _is_called(c, name)]
    whole = [c for c in found if set(parts) <= set(_words(c))]
    starts = [c for c in found if all(any(word.startswith(part) for word in _words(c)) for part in parts)]
    return _merged(exact or whole or starts)


def _is_called(contact: Contact, name: str) -> bool:
    wanted = fold(name)
    return wanted in {fold(contact.name), *(fold(nick) for nick in contact.nickname.split(",") if nick.strip())}


def _words(contact: Contact) -> list[str]:
    return tokens(f"{contact.name} {contact.nickname} {' '.join(contact.emails)}")


def _merged(contacts: Sequence[Contact]) -> list[Contact]:
    """Cards of one person (same name with a common address, or one of them without any) count once."""
    kept: list[Contact] = []
    for contact in sorted(contacts, key=lambda c: not c.emails):
        same = (c for c in kept if fold(c.name) == fold(contact.name))
        if not any(not contact.emails or set(contact.emails) & set(c.emails) for c in same):
            kept.append(contact)
    return kept


def _only(contacts: Sequence[Contact], name: str, desk: Desk) -> Contact:
    if len(contacts) == 1:
        return contacts[0]
    chosen = desk.settled(name)
    for contact in contacts:
        if chosen and chosen in (*contact.emails, _value(contact, contacts)):
            return contact
    choices = [(contact_label(c), _value(c, contacts)) for c in contacts]
    raise ask(name, f"Which {name} do you mean?", choices)


def _value(contact: Contact, among: Sequence[Contact]) -> str:
    first = contact.emails[0] if contact.emails else ""
    shared = sum(bool(c.emails) and c.emails[0] == first for c in among) > 1
    return first if first and not shared else f"{contact.account}/{contact.id}"


async def _address_of(contact: Contact, desk: Desk, notes: Notes) -> Address:
    """The address most written to, else the card's first."""
    if not contact.emails:
        written = [c for c in await desk.readers.mail.correspondents(contact.name) if c.address.email not in desk.me]
        if not written:
            raise not_found(f"Your card of {contact.name} has no mail address.", name=contact.name)
        notes.guess(f"{contact.name}'s card has no address; {written[0].address.email} is from your mail")
        return Address(email=written[0].address.email, name=contact.name)
    if len(contact.emails) == 1:
        return Address(email=contact.emails[0], name=contact.name)
    sent = {c.address.email: c.sent for c in await desk.readers.mail.correspondents(contact.name)}
    return Address(email=max(contact.emails, key=lambda email: sent.get(email, 0)), name=contact.name)


async def _named(email: str, desk: Desk) -> Address:
    cards = (await desk.readers.contacts.search(ContactQuery(email=email, limit=5))).items
    name = next((card.name for card in cards if email in card.emails), "")
    return Address(email=email.lower(), name=name)


async def _correspondent(name: str, desk: Desk) -> Address:
    found = [c for c in await desk.readers.mail.correspondents(name) if c.address.email not in desk.me] if name else []
    exact = [c for c in found if fold(c.address.name) == fold(name)]
    people = _by_person(exact or found)
    if not people:
        raise not_found(f"I found nobody called {name} in your contacts or mail.{_nearest(name, desk)}", name=name)
    if len(people) == 1:
        return people[0].address
    choices = [(_exchanged(c), c.address.email) for c in people]
    raise ask(name, f"Which {name} do you mean?", choices)


def _by_person(found: Sequence[Correspondent]) -> list[Correspondent]:
    """Several addresses under one full name are one person; the one most written to stands for it."""
    people: dict[str, Correspondent] = {}
    for one in sorted(found, key=lambda c: (c.sent, c.received), reverse=True):
        name = fold(one.address.name)
        people.setdefault(name if " " in name else one.address.email, one)
    return list(people.values())


def _exchanged(one: Correspondent) -> str:
    return f"{one.address} ({one.received} mails from them, {one.sent} to them)"


def _nearest(name: str, desk: Desk) -> str:
    known = {fold(n): n for n in desk.setting.names}
    near = [known[n] for n in get_close_matches(fold(name), known, n=3, cutoff=0.7)]
    return f" Names like it: {', '.join(near)}." if near else ""


async def find_group(name: str, desk: Desk) -> Group | None:
    """ "the marketing team" finds Marketing, Marketing team and marketing-team."""
    groups = await desk.readers.contacts.groups()
    exact = next((g for g in groups if fold(g.name) == fold(name)), None)
    if exact or not groups:
        return exact
    wanted = _essence(name)
    fitting = [g for g in groups if _essence(g.name) == wanted] if wanted else []
    if not wanted:
        said = set(tokens(name)) & {"team", "group", "list"}
        fitting = [g for g in groups if said & set(tokens(g.name))]
    return fitting[0] if len(fitting) == 1 else None


def _essence(name: str) -> frozenset[str]:
    return frozenset(tokens(name)) - GROUP_WORDS


async def names_to_addresses(name: str, desk: Desk) -> tuple[str, ...]:
    """Every address that a name could stand for, for searching: nobody has to be asked there."""
    if chosen := desk.settled(name):
        return (chosen,) if "@" in chosen else (name, chosen)
    if group := await find_group(name, desk):
        return tuple(member.email for member in group.members)
    cards = await candidates(name, desk)
    if not cards:
        cards = list((await desk.readers.contacts.search(ContactQuery(company=name))).items)
    return tuple(dict.fromkeys(email for card in cards for email in card.emails))


def _result(ref: str, desk: Desk) -> Data:
    data = desk.results.get(ref)
    if data is None:
        what = "nothing was shown before" if ref == "shown" else f"there is no result {ref}"
        raise Refusal("not_found", f"I can't tell whom you mean: {what}.", ref=ref)
    return data


def of_result(ref: str, desk: Desk) -> tuple[Address, ...]:
    data, me = _result(ref, desk), desk.me
    people = [
        *data.addresses,
        *(Address(email=c.emails[0], name=c.name) for c in data.contacts if c.emails and not data.addresses),
        *(a for mail in data.mails for a in _other_side(mail, me)),
        *(a for event in data.events for a in _in_event(event)),
        *(a for p in data.proposals if isinstance(p.action, SendMail | SaveDraft) for a in p.action.to),
    ]
    if not people:
        raise not_found("What I found before names nobody with a mail address.", ref=ref)
    return tuple({person.email: person for person in reversed(people)}.values())[::-1]


def _other_side(mail: Mail, me: frozenset[str]) -> tuple[Address, ...]:
    if mail.sender and mail.sender.email not in me:
        return (mail.sender,)
    return mail.to


def _in_event(event: Event) -> tuple[Address, ...]:
    organizer = (event.organizer,) if event.organizer else ()
    return organizer + tuple(a.address for a in event.attendees)
