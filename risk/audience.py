"""Who would come to read it that was not meant to: look-alike addresses, answers led elsewhere, outsiders, lists."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from integrations.actions import Action, AnswerInvitation, CreateContact, SaveDraft, SendMail, UpdateContact
from integrations.types import Address, Mail
from risk.evidence import Evidence, answered, contact_before, forwarded
from risk.lookalikes import SHARED, Likeness, likeness
from risk.provenance import Recipient, people_of
from risk.skeletons import at_a_glance
from risk.text import line, shown_address
from risk.wishes import EVERYBODY, is_named, says

Phrases = tuple[str, ...]

NEWLY = ("to", "cc", "bcc", "invited")
QUOTES = (">", "-----Original Message-----", "Begin forwarded message:", "---------- Forwarded message")


def audience(action: Action, evidence: Evidence, people: Sequence[Recipient]) -> Mapping[str, Phrases]:
    """By the name of the fact, a clause for each that holds."""
    return {
        **_likenesses(action, evidence, people),
        "reply_elsewhere": tuple(_led_elsewhere(action, evidence)),
        **_outsiders(action, evidence),
        "to_list": tuple(_to_list(action, evidence)),
        "was_bcc": tuple(_was_bcc(action, evidence)),
    }


def place_of(email: str) -> str:
    """The domain; the whole address where anybody can have one of that domain."""
    domain = email.rpartition("@")[2]
    return email if domain in SHARED else domain


def near(place: str, other: str) -> bool:
    """The same domain, or one within the other."""
    return place == other or place.endswith("." + other) or other.endswith("." + place)


# --- look-alikes


def _likenesses(action: Action, evidence: Evidence, people: Sequence[Recipient]) -> Mapping[str, Phrases]:
    found: dict[str, list[str]] = {"same_skeleton": [], "lookalike": [], "lookalike_named": []}
    newly = (*NEWLY, "told") if isinstance(action, AnswerInvitation) and action.answer != "declined" else NEWLY
    for address in (*(person.address for person in people if person.line in newly), *_of_card(action, evidence)):
        like = likeness(address, evidence)
        if like is not None:
            found[_weight(like)].append(_says(like))
    return {fact: tuple(phrases) for fact, phrases in found.items()}


def _of_card(action: Action, evidence: Evidence) -> Iterator[Address]:
    """The addresses that a card newly gets; one near its own old one is but a correction."""
    if not isinstance(action, CreateContact | UpdateContact):
        return
    before = contact_before(action, evidence)
    old = {email.lower() for email in before.emails} if before else set()
    for email in action.emails or ():
        address = Address(email=email.lower())
        like = likeness(address, evidence) if address.email not in old else None
        if like is not None and (like.how == "same_skeleton" or like.like not in old):
            yield address


def _weight(like: Likeness) -> str:
    if like.how == "same_skeleton":
        return "same_skeleton"
    return "lookalike_named" if like.typed else "lookalike"


def _says(like: Likeness) -> str:
    address, other = shown_address(like.email), shown_address(like.like) if like.like else ""
    whose = ", your own address" if like.name == "yourself" else f" of {line(like.name)}" if like.name else ""
    match like.how:
        case "same_skeleton":
            return f"{address} looks exactly like {other}{whose}, but is another address"
        case "one_edit":
            if domain := _imitated(like):
                theirs = ", your own," if like.name == "yourself" else f", that of {line(like.name)}," if like.name else ","
                return f"the domain of {address} is nearly {domain}{theirs} but another"
            return f"{address} is nearly {other}{whose}, but another address"
        case "name":
            if not like.name:
                return f"{address} goes by the name of another address, {other}"
            return f"{address} goes by the name of {line(like.name)}, whose address is {other}"
        case "plus":
            return f"{address} is a variant of {other}{whose}"
        case "punycode":
            return f"{address} is written with letters that can pass for others"


def _imitated(like: Likeness) -> str:
    """The domain, where that is all in which the two are alike."""
    (local, _, domain), (other, _, there) = like.email.rpartition("@"), like.like.rpartition("@")
    same = local.partition("+")[0] == other.partition("+")[0] or at_a_glance(local) == at_a_glance(other)
    return "" if same or domain == there else shown_address(like.like).rpartition("@")[2]


# --- answers and forwards


def _led_elsewhere(action: Action, evidence: Evidence) -> Iterator[str]:
    """Only where somebody else than the sender would be written to, and neither the address book nor the user vouches for it."""
    mail = answered(action, evidence)
    if mail is None or mail.sender is None or not isinstance(action, SendMail | SaveDraft):
        return
    sender = mail.sender
    for person in mail.reply_to:
        same = near(place_of(person.email), place_of(sender.email)) or _same_person(person.email, sender, evidence)
        if person.email in _written_to(action) - evidence.own - evidence.named and not same and not _lists(mail, person):
            apart = person.email.rpartition("@")[2] != sender.email.rpartition("@")[2]
            where = f"another {'domain' if apart else 'address'}: {shown_address(person.email)}"
            yield f"answers to this mail by {line(str(sender))} are led to {where}"


def _same_person(email: str, sender: Address, evidence: Evidence) -> bool:
    name = evidence.contacts.get(email, "").casefold()
    return bool(name) and name in (evidence.contacts.get(sender.email, "").casefold(), sender.name.casefold())


def _lists(mail: Mail, person: Address) -> bool:
    """A list leads answers to itself: it is on the mail."""
    return mail.bulk and person.email in {other.email for other in mail.to + mail.cc}


def _written_to(action: SendMail | SaveDraft) -> frozenset[str]:
    return frozenset(person.email for person in action.to + action.cc + action.bcc)


def _outsiders(action: Action, evidence: Evidence) -> Mapping[str, Phrases]:
    mail = answered(action, evidence) or forwarded(action, evidence)
    if mail is None or not isinstance(action, SendMail):
        return {}
    thread = (mail, *evidence.threads.get(mail.thread, ()))
    inside = evidence.own.union(*(people_of(one) for one in thread), (person.email for person in mail.reply_to))
    homes = {place_of(email) for email in inside}
    outside = [
        person
        for person in {person.email: person for person in action.to + action.cc + action.bcc}.values()
        if person.email not in inside and not any(near(place_of(person.email), home) for home in homes)
    ]
    asked = [person for person in outside if is_named(person, evidence)]
    carried = _carried(action, mail)
    return {
        "outsider": tuple(_says_outsider(person, action, mail) for person in outside if person not in asked),
        "outsider_named": tuple(f"{_label(person)} would get {carried} too" for person in asked if carried),
    }


def _says_outsider(person: Address, action: SendMail, mail: Mail) -> str:
    what = "the mail" if action.forward_of else "an answer to the mail"
    sender = line(str(mail.sender or "an unknown sender"))
    return f"{what} from {sender} would go to {_label(person)}, who took no part in it and whom you did not name"


def _carried(action: SendMail, mail: Mail) -> str:
    """What goes along beside the one mail, in words."""
    text = mail.body if action.forward_of else action.body
    quoted = any(said.lstrip().startswith(QUOTES) for said in text.splitlines())
    return f"what others wrote earlier in the conversation “{line(mail.subject)}”" if quoted else ""


def _label(person: Address) -> str:
    name = line(person.name)
    return f"{name} <{shown_address(person.email)}>" if name else shown_address(person.email)


# --- lists and blind copies


def _to_list(action: Action, evidence: Evidence) -> Iterator[str]:
    mail = answered(action, evidence)
    if mail is None or not mail.bulk or not isinstance(action, SendMail) or says(EVERYBODY, evidence):
        return
    sender = {mail.sender.email} if mail.sender else set()
    on_it = {person.email for person in mail.to + mail.cc + mail.reply_to} - sender - evidence.own - evidence.named
    for email in sorted(on_it & _written_to(action)):
        yield f"the mail came over a mailing list, so everybody on it may read what is written to {shown_address(email)}"


def _was_bcc(action: Action, evidence: Evidence) -> Iterator[str]:
    mail = answered(action, evidence)
    if mail is None or mail.sender is None or mail.bulk or not isinstance(action, SendMail) or mail.sender.email in evidence.own:
        return
    visible = {person.email for person in chain(mail.to, mail.cc)}
    others = _written_to(action) & visible - {mail.sender.email} - evidence.own
    if others and not visible & evidence.own:
        sender = line(str(mail.sender))
        yield f"you had a blind copy of this mail from {sender} without the others being told, and they would learn of it"
