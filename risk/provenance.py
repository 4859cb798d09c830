"""Whom an action reaches, and where each of their addresses came from."""

import re
from collections.abc import Iterator
from typing import Literal

from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    CreateEvent,
    RestoreEvent,
    SaveDraft,
    SendMail,
    UpdateEvent,
)
from integrations.types import Address, Event, Mail, Value
from risk.evidence import Evidence, answered, event_before
from risk.text import addresses_in, mentions, shown_address, stands_in
from risk.text import line as shown

Line = Literal["to", "cc", "bcc", "invited", "removed", "told"]

SPOKEN_TO = r"\b(?:to|with|and|or|tell|ask|invite|answer|message|e-?mail|write|remind|thank)\s+"


class Recipient(Value):
    """`origin` says in words where the address came from ("your contacts", "you wrote it", "sent the mail you answer",
    "group Marketing team"); `known` is False for one that only a stranger's text named, or nobody."""

    address: Address
    line: Line
    origin: str
    known: bool


def reached(action: Action, evidence: Evidence) -> tuple[Recipient, ...]:
    """Everybody else whom the action reaches or takes out, each once. Your own address is among the recipients of a mail only."""
    found: dict[str, Recipient] = {}
    there = _emails_there(event_before(action, evidence))
    for line, address in _lines(action, evidence):
        mail = line in ("to", "cc", "bcc")
        if address.email not in found and (mail or address.email not in evidence.own):
            origin, known = origin_of(address, line, action, evidence, there)
            found[address.email] = Recipient(address=address, line=line, origin=origin, known=known)
    return tuple(found.values())


def _lines(action: Action, evidence: Evidence) -> Iterator[tuple[Line, Address]]:
    match action:
        case SendMail() | SaveDraft():
            yield from (("to", address) for address in action.to)
            yield from (("cc", address) for address in action.cc)
            yield from (("bcc", address) for address in action.bcc)
        case CreateEvent():
            yield from (("invited", address) for address in action.attendees)
        case UpdateEvent():
            yield from _lines_of_update(action, evidence)
        case CancelEvent() | AnswerInvitation():
            event = event_before(action, evidence)
            yield from (("told", address) for address in _told(action, event, evidence))
        case RestoreEvent():
            event = event_before(action, evidence)
            yield from (("told", address) for address in others_in(event, evidence.own))
            yield from (("told", Address(email=email)) for email in addresses_in_ics(action.ics))


def _lines_of_update(action: UpdateEvent, evidence: Evidence) -> Iterator[tuple[Line, Address]]:
    event = event_before(action, evidence)
    there = {address.email: address for address in others_in(event, evidence.own)}
    yield from (("invited", address) for address in action.add_attendees if address.email not in there)
    yield from (("removed", there.get(email, Address(email=email))) for email in action.remove_attendees)
    yield from (("told", address) for address in there.values())


def _told(action: CancelEvent | AnswerInvitation, event: Event | None, evidence: Evidence) -> tuple[Address, ...]:
    if isinstance(action, AnswerInvitation):
        return (event.organizer,) if event and event.organizer else ()
    if leaves(action, event):
        return ()
    return others_in(event, evidence.own)


def leaves(action: Action, event: Event | None) -> bool:
    """Whether a guest takes the own copy out of the own calendar: the organiser's event stands, and nobody hears of it."""
    return isinstance(action, CancelEvent) and event is not None and event.guest


def others_in(event: Event | None, own: frozenset[str]) -> tuple[Address, ...]:
    """Who else is in the event. An organiser without attendees only published it and hears of nothing."""
    if event is None or not event.attendees:
        return ()
    people = [attendee.address for attendee in event.attendees]
    if event.organizer:
        people.insert(0, event.organizer)
    return tuple({person.email: person for person in people if person.email not in own}.values())


def addresses_in_ics(ics: str) -> frozenset[str]:
    """Of those who attend, as a calendar object names them."""
    lines = re.sub(r"\r?\n[ \t]", "", ics).replace("=", " ").splitlines()
    return frozenset().union(*(addresses_in(line) for line in lines if line.upper().startswith("ATTENDEE")))


def _emails_there(event: Event | None) -> frozenset[str]:
    return frozenset(attendee.address.email for attendee in event.attendees) if event else frozenset()


def origin_of(address: Address, line: Line, action: Action, evidence: Evidence, there: frozenset[str]) -> tuple[str, bool]:
    """Where the address came from, the strongest source first, and whether that makes it known. `there`: who attends the event."""
    email = address.email
    if email in evidence.own:
        return "yourself", True
    if stands_in(email, evidence.words) and email in evidence.named:
        return "you wrote it", True
    if email in evidence.named:
        return "you wrote it earlier", True
    vouched = (
        _from_event(email, line, action, evidence, there)
        or _from_address_book(email, evidence)
        or _from_mail_answered(email, action, evidence)
        or _from_exchange(address, evidence)
    )
    if vouched is None and any(stands_in(email, words) for words in (evidence.words, *evidence.said)):
        return "you mentioned it, but not as somebody to write to", False
    return vouched or (_named_by(email, evidence), False)


def _from_event(email: str, line: Line, action: Action, evidence: Evidence, there: frozenset[str]) -> tuple[str, bool] | None:
    if line in ("told", "removed"):
        event = event_before(action, evidence)
        if event and event.organizer and event.organizer.email == email:
            return f"organises “{shown(event.title)}”", True
        if event and email in there:
            return f"already in “{shown(event.title)}”", True
        if isinstance(action, RestoreEvent):
            return "was in the event before", True
    return None


def _from_address_book(email: str, evidence: Evidence) -> tuple[str, bool] | None:
    groups = [name for name, members in evidence.groups.items() if email in members]
    said = [name for name in groups if set(_parts(evidence.words)).issuperset(_parts(name))]
    if said:
        return f"group {shown(said[0])}", True
    if email in evidence.contacts:
        return "your contacts", True
    return (f"group {shown(groups[0])}", True) if groups else None


def _from_mail_answered(email: str, action: Action, evidence: Evidence) -> tuple[str, bool] | None:
    mail = answered(action, evidence)
    if mail is None:
        return None
    if mail.sender and email == mail.sender.email:
        return "sent the mail you answer", True
    # A reply-to elsewhere is how answers are led to somebody else: the sender alone vouches for it, whoever else it was sent to.
    led = email in {person.email for person in mail.reply_to}
    if led and not _at_senders_domain(email, mail) and not evidence.correspondents.get(email):
        return "answers to this mail are led there, to another domain", False
    if email in {person.email for person in mail.to + mail.cc}:
        return "on the mail you answer", True
    if led:
        return "the reply-to address of the mail you answer", True
    if any(email in people_of(earlier) and _counts(earlier, mail, evidence) for earlier in evidence.threads.get(mail.thread, ())):
        return "in the thread you answer", True
    return None


def _counts(earlier: Mail, mail: Mail, evidence: Evidence) -> bool:
    """Whether a mail of the thread says who takes part: anybody can have one of theirs sorted into it."""
    by = earlier.sender.email if earlier.sender else ""
    answered_too = mail.sender is not None and by == mail.sender.email
    return answered_too or by in evidence.own or by in evidence.contacts or bool(evidence.correspondents.get(by))


def _at_senders_domain(email: str, mail: Mail) -> bool:
    domain = email.rpartition("@")[2]
    home = mail.sender.email.rpartition("@")[2] if mail.sender else ""
    return bool(home) and (domain == home or domain.endswith("." + home))


def people_of(mail: Mail) -> set[str]:
    senders = (mail.sender,) if mail.sender else ()
    return {person.email for person in (*senders, *mail.to, *mail.cc)}


def _from_exchange(address: Address, evidence: Evidence) -> tuple[str, bool] | None:
    """Anybody can write to the user and under any name: such a sender is known only where the user names them."""
    written = evidence.correspondents.get(address.email)
    if written is None:
        return None
    if written > 0:
        return "you have written to them", True
    saved = {name.casefold() for name in evidence.contacts.values()}
    if address.name and address.name.casefold() in saved:
        return f"has written to you under the name of your contact {shown(address.name)}, from another address", False
    namesake = any(_first(name) == _first(address.name) for name in saved)
    full = address.name if len(_parts(address.name)) > 1 else ""
    return "has written to you", any(_speaks_to(evidence.words, name) for name in (full, "" if namesake else _first(address.name)))


def _named_by(email: str, evidence: Evidence) -> str:
    """What was read may name it in a link or as a reply-to, too."""
    for mail in (*evidence.mails.values(), *evidence.read.values()):
        by = who(mail.sender)
        if email in people_of(mail) or stands_in(email, mail.subject) or stands_in(email, mail.body or mail.snippet):
            return f"only named in a mail by {by}"
        if email in {person.email for person in mail.reply_to}:
            return f"only named as the reply-to address of a mail by {by}"
        if mentions(email, mail.body):
            return f"only named in a link of a mail by {by}"
    for event in (*evidence.events.values(), *evidence.read_events.values()):
        text = f"{event.title}\n{event.location}\n{event.description}"
        people = {there.address.email for there in event.attendees} | ({event.organizer.email} if event.organizer else set())
        if email in people or mentions(email, text):
            own = event.organizer is None or event.organizer.email in evidence.own
            return f"only named in the event “{shown(event.title)}”" + ("" if own else f" by {who(event.organizer)}")
    return "not in your contacts and not in what you wrote"


def who(person: Address | None) -> str:
    """Whose mail or event it is, by name and with an address that can't pass for another's."""
    if person is None:
        return "an unknown sender"
    email = shown_address(person.email)
    return f"{shown(person.name)} <{email}>" if person.name else email


def _parts(name: str) -> list[str]:
    return re.findall(r"\w+", name.casefold())


def _first(name: str) -> str:
    return next(iter(_parts(name)), "")


def _speaks_to(words: str, name: str) -> bool:
    """Whether the words say that name as somebody's: a display name like "Email Service" must not match "email the service"."""
    called = r"\W+".join(map(re.escape, _parts(name)))
    return bool(called) and re.search(SPOKEN_TO + called + r"\b", words.casefold()) is not None
