"""What the contacts agent does with cards: finding, addresses, groups, adding, changing, deleting."""

from assistant.agents.base import Desk
from assistant.agents.details import Details, changed, read_details, value_of
from assistant.agents.people import candidates, find_group, one_contact, resolve
from assistant.agents.picking import ordered, referred, to_act_on
from assistant.agents.report import AlreadySo, Notes, Refusal, not_found
from assistant.agents.words import contact_label, contains, first_name, fold, listing, names, tokens
from assistant.reasoning.calls import Call, Person, Selection
from assistant.values import Data, Proposal
from integrations.actions import CreateContact, DeleteContact, UpdateContact
from integrations.types import Address, Contact, ContactQuery, Value

MOST_LISTED = 100


class Contacts(Value):
    items: tuple[Contact, ...]
    heading: str


async def select_contacts(selection: Selection, desk: Desk, notes: Notes) -> Contacts:
    heading = describe(selection)
    if selection.refs:
        earlier = referred(selection, desk).contacts
        found = [c for c in earlier if _fits(c, selection)] if earlier else await _behind(selection, desk)
    elif selection.people:
        found = [c for person in selection.people for c in await _called(person, desk) if _fits(c, selection)]
    else:
        found = await _searched(selection, desk, notes)
    for one in selection.without:
        gone = {c.id for c in (await select_contacts(one, desk, Notes())).items}
        if not gone & {c.id for c in found}:
            notes.limit(f"none of them is to be left out: I found no {describe(one)}")
        found = [c for c in found if c.id not in gone]
    if selection.lacking:
        found = [c for c in found if not value_of(c, selection.lacking)]
    once = list({(c.account, c.id): c for c in found}.values())
    return Contacts(items=ordered(once, selection), heading=heading)


async def _called(person: Person, desk: Desk) -> list[Contact]:
    """Everybody who could be meant; what the user settled counts."""
    if person.ref:
        return await _behind(Selection(refs=(person.ref,)), desk)
    chosen = desk.settled(person.text)
    if email := person.email or (chosen if "@" in chosen else ""):
        return list((await desk.readers.contacts.search(ContactQuery(email=email))).items)
    found = await candidates(chosen or person.text, desk)
    if found:
        return found
    group = await find_group(person.text, desk)
    return await _by_emails({member.email for member in group.members}, desk) if group else []


async def _behind(selection: Selection, desk: Desk) -> list[Contact]:
    """The cards of the people in an earlier result."""
    emails = {a.email for ref in selection.refs for a in await resolve(Person(ref=ref), desk, Notes())}
    return await _by_emails(emails, desk)


async def _by_emails(emails: set[str], desk: Desk) -> list[Contact]:
    if not emails:
        return []
    everybody = (await desk.readers.contacts.search(ContactQuery())).items
    return [card for card in everybody if emails & set(card.emails)]


async def _searched(selection: Selection, desk: Desk, notes: Notes) -> list[Contact]:
    query = ContactQuery(company=selection.company, title=selection.title, group="", words=selection.words)
    members: set[str] | None = None
    if selection.group:
        group = await find_group(selection.group, desk)
        if group is None:
            raise await _no_group(selection.group, desk)
        members = {member.email for member in group.members}
    page = await desk.readers.contacts.search(query)
    notes.skipped(page.skipped)
    found = [c for c in page.items if members is None or members & set(c.emails)]
    if found or not selection.company:
        return found
    return await _like_company(selection, desk, notes)


async def _like_company(selection: Selection, desk: Desk, notes: Notes) -> list[Contact]:
    """ "Acme" stands on the card where "Acme Corporation" was said, or only in the address."""
    first = tokens(selection.company)[:1]
    if not first or len(first[0]) < 3:
        return []
    everybody = (await desk.readers.contacts.search(ContactQuery(title=selection.title))).items
    found = [c for c in everybody if first[0] in tokens(f"{c.company} {' '.join(e.partition('@')[2] for e in c.emails)}")]
    if found:
        notes.guess(f'no card says "{selection.company}"; these are the nearest')
    return found


def _fits(contact: Contact, selection: Selection) -> bool:
    return (
        contains([selection.company], contact.company)
        and contains([selection.title], contact.title)
        and contains(selection.words, " ".join((contact.name, contact.company, contact.title, contact.note)))
    )


def describe(selection: Selection) -> str:
    parts = ["contacts"]
    if people := [person.text or person.email for person in selection.people if not person.ref]:
        parts = [f"contacts called {listing(people)}"]
    for word, part in (("at", selection.company), ("in", selection.group), ("with the title", selection.title)):
        parts += [f"{word} {part}"] if part else []
    if selection.words:
        parts.append(f"with {listing(selection.words)}")
    if selection.lacking:
        parts.append(f"without {selection.lacking}")
    if selection.without:
        parts.append(f"without {listing([describe(one) for one in selection.without])}")
    return " ".join(parts)


async def _no_group(name: str, desk: Desk) -> Refusal:
    there = [group.name for group in await desk.readers.contacts.groups()]
    return not_found(f"There is no group called {name}; {f'your groups: {listing(there, 12)}' if there else 'you have none'}.")


async def find(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await select_contacts(call.select, desk, notes)
    items = found.items
    if not items and call.select.people:
        return await _only_in_mail(call, desk, notes, found.heading)
    data = Data(kind="contacts", contacts=items[:MOST_LISTED], total=len(items), heading=found.heading)
    if not call.field or not items:
        return data
    lines = [(c, value_of(c, call.field)) for c in items[:MOST_LISTED]]
    for contact, value in lines:
        if not value:
            notes.limit(f"{contact.name}'s card has no {call.field}")
    said = "\n".join(f"{contact.name}: {value}" for contact, value in lines if value)
    return data.model_copy(update={"kind": "text", "text": said}) if said else data


async def _only_in_mail(call: Call, desk: Desk, notes: Notes, heading: str) -> Data:
    """Somebody without a card may still be known from mail."""
    seen: dict[str, Address] = {}
    for person in call.select.people:
        known = await desk.readers.mail.correspondents(person.text or person.email) if person.text or person.email else ()
        seen |= {c.address.email: c.address for c in known if c.address.email not in desk.me}
    if not seen:
        return Data(kind="contacts", total=0, heading=heading)
    notes.limit("not in your contacts; known from your mail only")
    return Data(kind="addresses", addresses=tuple(seen.values())[:MOST_LISTED], total=len(seen), heading=heading)


async def address(call: Call, desk: Desk, notes: Notes) -> Data:
    """Exactly one person's address for each name; a group gives all of its members."""
    people = call.select.people or call.to
    if not people:
        raise Refusal("not_understood", "Tell me whose address you need.")
    found = {a.email: a for person in people for a in await resolve(person, desk, notes)}
    everybody = tuple(found.values())
    cards = await _by_emails(set(found), desk)
    who = listing([person.text or person.email or names(everybody) for person in people])
    return Data(kind="addresses", addresses=everybody, contacts=tuple(cards), total=len(everybody), heading=f"address of {who}")


async def count(call: Call, desk: Desk, notes: Notes) -> Data:
    found = await select_contacts(call.select, desk, notes)
    return Data(kind="count", count=len(found.items), total=len(found.items), heading=found.heading)


async def group(call: Call, desk: Desk, notes: Notes) -> Data:
    """The members of a group with their addresses; a company's or a title's people where there is no such group."""
    name = call.select.group or next((p.text for p in call.select.people if p.text), "") or call.select.company
    if not name:
        groups = await desk.readers.contacts.groups()
        lines = [f"{g.name}: {names(g.members)}" for g in groups]
        return Data(kind="text", text="\n".join(lines), heading="your groups", total=len(lines))
    found = await find_group(name, desk)
    if found is not None:
        cards = tuple(await _by_emails({member.email for member in found.members}, desk))
        heading = f"members of {found.name}"
        return Data(kind="addresses", addresses=found.members, contacts=cards, total=len(found.members), heading=heading)
    members = await _colleagues(name, desk)
    if not members:
        raise await _no_group(name, desk)
    notes.guess(f'there is no group "{name}"; these people have it as their company or title')
    return Data(kind="addresses", addresses=members, total=len(members), heading=f"people of {name}")


async def _colleagues(name: str, desk: Desk) -> tuple[Address, ...]:
    company = (await desk.readers.contacts.search(ContactQuery(company=name))).items
    cards = company or (await desk.readers.contacts.search(ContactQuery(title=name))).items
    return tuple(Address(email=card.emails[0], name=card.name) for card in cards if card.emails)


async def add(call: Call, desk: Desk, notes: Notes) -> Data:
    details = read_details(call.details)
    name = details.name or next((p.text for p in (*call.select.people, *call.to) if p.text), "")
    if not name and details.emails:
        name = _name_from(details.emails[0])
        notes.guess(f'the name "{name}", from the address')
    if name and not details.emails and not details.phones:
        name, details = await _from_mail(name, details, desk, notes)
    if not name:
        raise Refusal("not_understood", "Tell me the name and what to note: add a contact: Eva Klein, eva@klein.example.")
    await _say_if_known(name, details, desk, notes)
    fields = details.model_dump(exclude={"name", "more", "gone"}, exclude_none=True)
    action = CreateContact.model_validate({"account": _account(desk), "name": name, **fields})
    what = listing([*details.emails, *details.phones, *(v for v in (details.company, details.title) if v)], 6)
    return _one(Proposal(action=action, says=f"add {name} to your contacts{f': {what}' if what else ''}"))


async def _from_mail(name: str, details: Details, desk: Desk, notes: Notes) -> tuple[str, Details]:
    """The full name and the address of somebody without a card who has written, where it can be but one."""
    known = [c.address for c in await desk.readers.mail.correspondents(name) if c.address.email not in desk.me]
    fitting = [one for one in known if set(tokens(name)) <= set(tokens(one.name))]
    if len(fitting) != 1:
        return name, details
    notes.guess(f"the address {fitting[0].email}, from your mail")
    return fitting[0].name, details.model_copy(update={"emails": (fitting[0].email,)})


def _account(desk: Desk) -> str:
    account = next(iter(desk.addresses), None) or next(iter(desk.readers.accounts), None)
    if account is None:
        raise Refusal("refused", "There is no account to keep contacts in; add one first.")
    return account


def _name_from(email: str) -> str:
    parts = email.partition("@")[0].replace("_", ".").split(".")
    return " ".join(part.capitalize() for part in parts if part) or first_name(Address(email=email))


async def _say_if_known(name: str, details: Details, desk: Desk, notes: Notes) -> None:
    for email in details.emails:
        for card in (await desk.readers.contacts.search(ContactQuery(email=email))).items:
            notes.caution(f"{card.name} already has the address {email}")
    if any(fold(card.name) == fold(name) for card in await candidates(name, desk)):
        notes.caution(f"you already have a contact called {name}")


async def update(call: Call, desk: Desk, notes: Notes) -> Data:
    details = read_details(call.details)
    changes, so_already = [], []
    for contact in await _meant(call, desk, notes):
        if not call.details:
            raise Refusal("not_understood", f"Tell me what to change on {contact.name}'s card.")
        fields, said = changed(contact, details)
        if not fields:
            so_already.append(contact)
            continue
        action = UpdateContact.model_validate({"account": contact.account, "contact": contact.ref, **fields})
        changes.append(Proposal(action=action, says=f"change {contact.name}'s {listing(said)}", before=contact))
    cards = listing([f"{contact.name}'s card" for contact in so_already])
    words = f"{cards} {'says' if len(so_already) == 1 else 'say'} so already"
    if not changes:
        raise AlreadySo(f"{words}.", so_already)
    if so_already:
        notes.caution(words)
    return Data(kind="proposals", proposals=tuple(changes))


async def delete(call: Call, desk: Desk, notes: Notes) -> Data:
    proposals = (
        Proposal(action=DeleteContact(account=c.account, contact=c.ref), says=f"delete the contact {contact_label(c)}", before=c)
        for c in await _meant(call, desk, notes)
    )
    return Data(kind="proposals", proposals=tuple(proposals))


async def _meant(call: Call, desk: Desk, notes: Notes) -> tuple[Contact, ...]:
    """The cards to change, as they are now."""
    select = call.select
    if select.people and not (select.each or select.order or select.company or select.title or select.group):
        return tuple([await one_contact(person, desk) for person in select.people])
    found = await select_contacts(select, desk, notes)
    if not (select.people or select.words or select.company or select.title or select.group or select.refs):
        raise Refusal("not_understood", "Tell me whose card you mean.")
    return to_act_on(found.items, select, desk, noun="contact", wording=found.heading, label=contact_label)


def _one(proposal: Proposal) -> Data:
    return Data(kind="proposals", proposals=(proposal,))
