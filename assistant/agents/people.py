"""Who is meant: from a name, a group, an address or an earlier result to addresses."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from assistant.agents.base import Desk
from assistant.agents.describing import Description, cards_of, described, fits
from assistant.agents.report import Notes, Refusal, ask, not_found
from assistant.agents.words import contact_label, fold, listing, names, tokens
from assistant.reasoning.calls import Person, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.names import Names, names_index
from assistant.values import Data
from integrations.actions import SaveDraft, SendMail
from integrations.common.addresses import parse_address
from integrations.types import Address, Contact, ContactQuery, Correspondent, Event, Group, Mail

GROUP_WORDS = frozenset(
    "each every member the all everyone everybody in on of from my our team group list members people colleagues".split()
)
SELF = frozenset({"me", "myself", "i", "us"})


async def addresses_of(people: Iterable[Person], desk: Desk, notes: Notes, *, with_me: bool = False) -> tuple[Address, ...]:
    """Everybody once, in the order named. The user is left out of groups and earlier results unless `with_me`."""
    people, found = tuple(people), dict[str, Address]()
    for person in (one for one in people if one.role != "except"):
        for address in await resolve(person, desk, notes):
            named = bool(person.email) or fold(person.text) in SELF
            if with_me or named or address.email not in desk.me:
                found.setdefault(address.email, address)
    gone = await left_out(people, found.values(), desk, notes)
    return tuple(address for address in found.values() if address.email not in gone)


async def left_out(people: Iterable[Person], among: Iterable[Address], desk: Desk, notes: Notes) -> frozenset[str]:
    """The addresses of those who are to get nothing."""
    found = {address.email: address for address in among}
    everybody = frozenset(found)
    for person in (one for one in people if one.role == "except"):
        _leave_out(person, await _left_out(person, tuple(found.values()), desk, notes), found, notes)
    return everybody - frozenset(found)


async def _left_out(person: Person, among: Iterable[Address], desk: Desk, notes: Notes) -> tuple[Address, ...]:
    """Whoever is to be left out is looked for among the others first: nobody else can be meant."""
    if person.text and not (person.email or person.ref):
        there = tuple(one for one in among if set(tokens(person.text)) <= set(tokens(f"{one.name} {one.email.partition('@')[0]}")))
        if len(there) == 1:
            return there
    return await resolve(person, desk, notes)


def _leave_out(person: Person, those: tuple[Address, ...], found: dict[str, Address], notes: Notes) -> None:
    gone = [found.pop(one.email) for one in those if one.email in found]
    notes.caution(f"without {names(gone)}" if gone else f"{person.text or person.email} is not among them anyway")


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
    who = described(person.text)
    if who is not None and who.all and not await find_group(person.text, desk):
        return await _everyone(person.text, desk, notes)
    contacts = await candidates(person.text, desk)
    if any(_is_called(contact, person.text) for contact in contacts):
        return (await _address_of(_only(contacts, person.text, desk), desk, notes),)
    if group := await find_group(person.text, desk):
        return group.members
    if contacts:
        return (await _address_of(_only(contacts, person.text, desk), desk, notes),)
    return (await _correspondent(who.name if who else person.text, desk),)


async def _everyone(text: str, desk: Desk, notes: Notes) -> tuple[Address, ...]:
    """All whose cards fit a description; who has no address is told of."""
    cards = await candidates(text, desk)
    if not cards:
        raise not_found(f"I found nobody among your contacts who is “{text}”.", name=text)
    if silent := [card.name for card in cards if not card.emails]:
        notes.limit(f"no mail address for {', '.join(silent)}")
    return tuple(Address(email=card.emails[0], name=card.name) for card in cards if card.emails)


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
    if (who := described(name)) is not None:
        if not who.name:
            cards = await cards_of(who, desk)
            if not cards and who.job and who.company:
                cards = await cards_of(Description(job=f"{who.job} {who.company}", all=who.all), desk)
            return _merged(cards)
        return [card for card in await candidates(who.name, desk) if fits(card, who)]
    parts = tokens(name)
    found = list((await desk.readers.contacts.search(ContactQuery(name=name))).items)
    if not found and len(parts) > 1:
        some = (await desk.readers.contacts.search(ContactQuery(name=parts[0]))).items
        found = [c for c in some if set(parts) <= set(_words(c))]
    if not found and (kin := next((words for words in lexicon().kin.values() if fold(name) in words), None)):
        called = [await desk.readers.contacts.search(ContactQuery(name=word)) for word in sorted(kin)]
        return _merged([card for page in called for card in page.items if any(_is_called(card, word) for word in kin)])
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
    addresses: dict[str, set[str]] = {}
    for contact in sorted(contacts, key=lambda c: not c.emails):
        name, emails = fold(contact.name), set(contact.emails)
        if name not in addresses or (emails and not emails & addresses[name]):
            kept.append(contact)
            addresses.setdefault(name, set()).update(emails)
    return kept


def _only(contacts: Sequence[Contact], name: str, desk: Desk) -> Contact:
    if len(contacts) == 1:
        return contacts[0]
    chosen = desk.settled(name)
    firsts = Counter(c.emails[0] for c in contacts if c.emails)
    for contact in contacts:
        if chosen and chosen in (*contact.emails, _value(contact, firsts)):
            return contact
    choices = [(contact_label(c), _value(c, firsts)) for c in contacts]
    raise ask(name, f"Which {name} do you mean?", choices)


def _value(contact: Contact, firsts: Mapping[str, int]) -> str:
    """The first address, where nobody else among them has the same."""
    first = contact.emails[0] if contact.emails else ""
    return first if first and firsts[first] == 1 else f"{contact.account}/{contact.id}"


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
        if near := near_names(name, desk):
            raise ask(name, f"I know nobody called {name}. Do you mean {listing(near, MOST_NEAR)}?", [(one, one) for one in near])
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


MOST_NEAR = 3


def near_names(name: str, desk: Desk) -> list[str]:
    """Names of people that this may be a slip of: each of its words is close to one of theirs."""
    words = tokens(name)
    if not words or max(map(len, words)) < 4:
        return []
    parts = names_index(desk.setting.names).parts
    close = [set(get_close_matches(word, parts, n=20, cutoff=0.75)) for word in words]
    if not all(close):
        return []
    return [known for known in sorted(desk.setting.names) if all(near & set(known.lower().split()) for near in close)][:MOST_NEAR]


def _is_known(text: str, index: Names) -> bool:
    words = tuple(text.lower().split())
    return text.lower() in index.parts or words in index.full.get(words[0], ()) or described(text) is not None


def respelt(selection: Selection, desk: Desk, notes: Notes) -> Selection | None:
    """The same with a mistyped name put right, where just one is near; said as a guess. None where nobody is near."""
    index, people = names_index(desk.setting.names), list(selection.people)
    for place, person in enumerate(people):
        if person.text and not (person.email or person.ref) and not _is_known(person.text, index):
            near = near_names(person.text, desk)
            if len(near) == 1:
                people[place] = person.model_copy(update={"text": near[0]})
                notes.guess(f"I know nobody called {person.text}; taken for {near[0]}")
    return selection.model_copy(update={"people": tuple(people)}) if people != list(selection.people) else None


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
        cards = list((await desk.readers.contacts.search(ContactQuery(company=_house(name)))).items)
    emails = tuple(dict.fromkeys(email for card in cards for email in card.emails))
    return emails or await _partly_called(name, desk)


def _house(name: str) -> str:
    """ "City Planning" of "the City Planning people"."""
    words = name.split()
    while len(words) > 1 and words[-1].lower() in lexicon().small["houses"] | lexicon().small["somebody"]:
        words.pop()
    return " ".join(words)


async def _partly_called(name: str, desk: Desk) -> tuple[str, ...]:
    """Correspondents whose name or address has the word in it: "the bank" writes as Nordbank."""
    words = [word for word in tokens(name) if word not in GROUP_WORDS and len(word) > 3]
    if not words:
        return ()
    seen = (c.address for c in await desk.readers.mail.correspondents() if c.address.email not in desk.me)
    return tuple(a.email for a in seen if all(word in fold(f"{a.name} {a.email}") for word in words))


def _result(ref: str, desk: Desk) -> Data:
    data = desk.results.get(ref)
    if data is None:
        what = "nothing was shown before" if ref.startswith("shown") else f"there is no result {ref}"
        raise Refusal("not_found", f"I can't tell whom you mean: {what}.", ref=ref)
    return data


def of_result(ref: str, desk: Desk) -> tuple[Address, ...]:
    data, me = _result(ref, desk), desk.me
    people = [
        *data.addresses,
        *(Address(email=c.emails[0], name=c.name) for c in data.contacts if c.emails and not data.addresses),
        *(a for mail in data.mails for a in _other_side(mail, me)),
        *(a for event in data.events if not data.addresses for a in _in_event(event)),
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


async def by_address(people: Iterable[Person], desk: Desk) -> tuple[Person, ...]:
    """The same people by their addresses, as far as a name has just one."""
    found = []
    for person in people:
        emails = await names_to_addresses(person.text, desk) if person.text and not (person.email or person.ref) else ()
        found.append(Person(email=emails[0], role=person.role) if len(emails) == 1 else person)
    return tuple(found)
