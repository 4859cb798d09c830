"""What a message would put into the address book, where every later mail looks for its addresses."""

from collections.abc import Iterator, Mapping

from integrations.actions import Action, CreateContact, UpdateContact
from integrations.types import Contact
from risk.contents import whence
from risk.evidence import Evidence, contact_before
from risk.lookalikes import name_shape
from risk.text import line, shown_address
from risk.tracing import Trace, traces_of
from risk.wishes import is_typed

Phrases = tuple[str, ...]

CALLED = {
    "address": "the address",
    "phone": "the phone number",
    "link": "the link",
    "secret_link": "the link",
    "code": "the code",
    "bank_account": "the bank account",
    "card_number": "the card number",
}


def cards(action: Action, evidence: Evidence) -> Mapping[str, Phrases]:
    """By the name of the fact, a clause for each that holds."""
    if not isinstance(action, CreateContact | UpdateContact):
        return {}
    before = contact_before(action, evidence)
    return {
        "from_message": tuple(_from_message(action, before, evidence)),
        "name_clash": tuple(_clashes(action, before, evidence)),
    }


def unsaid_address(action: Action, evidence: Evidence) -> bool:
    """Only for contacts that exist: a changed address leads every later mail elsewhere."""
    contact = contact_before(action, evidence)
    if not isinstance(action, UpdateContact) or action.emails is None or contact is None:
        return False
    old = {email.lower() for email in contact.emails}
    return any(email.lower() not in old | evidence.own and not is_typed(email.lower(), evidence) for email in action.emails)


def namesakes(action: CreateContact | UpdateContact, before: Contact | None, evidence: Evidence) -> tuple[tuple[str, str], ...]:
    """(address, name) of saved people who are called as the card newly would be, where it holds an address that is not theirs."""
    names = {name_shape(name) for name in (action.name or (before.name if before else ""), action.nickname or "") if name}
    added = {email.lower() for email in action.emails or ()}
    own = {email.lower() for email in before.emails} if before else set()
    renamed = action.name is not None or bool(action.nickname)
    if isinstance(action, UpdateContact) and not renamed:
        return ()
    called = (*evidence.contacts.items(), *evidence.called.items())
    found = tuple((email, name) for email, name in called if name and name_shape(name) in names)
    theirs = {email for email, _ in found} - own
    strange = (added | own if action.emails is None else added) - theirs
    return tuple((email, name) for email, name in found if email in theirs) if theirs and strange else ()


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def _clashes(action: CreateContact | UpdateContact, before: Contact | None, evidence: Evidence) -> Iterator[str]:
    there = namesakes(action, before, evidence)
    if there:
        old = " and ".join(shown_address(email) for email, _ in there[:3])
        new = " and ".join(shown_address(email) for email in (action.emails or (before.emails if before else ()))[:3])
        yield f"{line(there[0][1])} is in your contacts already, with {old}; this card has {new}"


def _from_message(action: CreateContact | UpdateContact, before: Contact | None, evidence: Evidence) -> Iterator[str]:
    had = {*before.emails, *before.phones} if before else set()
    for trace in traces_of(action, evidence):
        if not trace.known and trace.text not in had and not _is_expected(trace, action, evidence):
            text = shown_address(trace.text) if trace.kind == "address" else trace.text
            yield f"{CALLED.get(trace.kind, 'the text')} {line(text)} {whence(trace)}"


def _is_expected(trace: Trace, action: CreateContact | UpdateContact, evidence: Evidence) -> bool:
    """To save what the user has just told, or somebody who wrote under the name and address they wrote with, is what a new card is
    for."""
    if trace.kind != "address" or not isinstance(action, CreateContact):
        return False
    if trace.source == "own_words":
        return True
    senders = {mail.sender for mail in (*evidence.mails.values(), *evidence.read.values()) if mail.sender}
    return any(one.email == trace.text.lower() and _plain(one.name) == _plain(action.name) for one in senders)
