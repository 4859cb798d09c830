"""Addresses that look like others."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from integrations.types import Address, Value
from risk.evidence import Evidence
from risk.skeletons import at_a_glance, imitates, one_edit, skeleton, slip
from risk.text import addresses_in, normal_address, shown_address

__all__ = ["Likeness", "likeness", "name_shape", "skeleton"]

How = Literal["same_skeleton", "one_edit", "punycode", "name", "plus"]

SHARED = frozenset(
    "gmail.com googlemail.com outlook.com outlook.de hotmail.com hotmail.de live.com live.de msn.com yahoo.com yahoo.de icloud.com "
    "me.com mac.com aol.com gmx.de gmx.net gmx.at gmx.ch web.de freenet.de arcor.de proton.me protonmail.com pm.me mail.com "
    "t-online.de posteo.de mailbox.org fastmail.com zoho.com yandex.com yandex.ru mail.ru qq.com 163.com".split()
)
"""Anybody can have an address there."""
TWO_PART_ENDINGS = frozenset("co.uk org.uk ac.uk com.au co.jp com.br co.in co.nz co.za com.tr com.mx co.kr com.cn com.sg".split())
BRACKETED = re.compile(r"[(\[][^)\]]{0,80}[)\]]")
BEHIND_NAME = re.compile(r"(?<=\w)\s+(?:via\b|[|/\u00b7\u2022\u2013\u2014-]\s).*$", re.IGNORECASE | re.DOTALL)
TITLES = frozenset("dr prof mr mrs ms miss mx sir herr frau dipl ing phd md jr sr".split())
YOURSELF = "yourself"
SEVERAL = 2
"""Mails sent to an address, from which on it is known for itself."""
SHORTEST_LOCAL, SHORTEST_LENGTHENED, SHORTEST_DOMAIN = 4, 3, 5
"""Characters; shorter ones resemble each other by chance. `SHORTEST_LENGTHENED`: of a local part that has a letter more or less."""


class Likeness(Value):
    """`like` is the address that `email` could be taken for, `name` whose it is. `typed`: the user's own words name just this one.

    "same_skeleton": the two look alike in most type; "one_edit": they differ by a letter, by letters alike (rn, m) or in their
    ending; "punycode": letters beyond ASCII that nothing else is known of (`like`: as it goes out); "name": somebody else's
    display name.
    """

    email: str
    like: str
    name: str = ""
    how: How
    typed: bool = False


class _Person(NamedTuple):
    """`vouched`: somebody of the user's own, not merely named in a thread or event."""

    email: str
    name: str
    vouched: bool


class _Known(NamedTuple):
    """Everybody whom an address could be taken for."""

    skeletons: Mapping[str, tuple[_Person, ...]]
    domains: Mapping[str, tuple[_Person, ...]]
    names: Mapping[str, tuple[_Person, ...]]


def likeness(address: Address, evidence: Evidence) -> Likeness | None:
    """Whom an address could be taken for; None where it is known as it stands, or like nobody's."""
    email = normal_address(address.email) or address.email.lower()
    familiar = _familiar(email, evidence)
    if familiar and not _miscalled(address, email, evidence):
        return None
    bystanders = _bystanders(evidence)
    known = _known(frozenset(_vouched(evidence)), frozenset(bystanders))
    if familiar:
        other = _anothers_name(Address(email=email, name=address.name), False, known)
        return Likeness(email=email, like=other[1].email, name=other[1].name, how="name") if other else None
    met = email in {person.email for person in bystanders} or evidence.correspondents.get(email, 0) > 0
    found = (
        _same_shape(email, known)
        or _near_miss(email, met, known)
        or _anothers_name(Address(email=email, name=address.name), met, known)
        or _odd_letters(email, met, known)
    )
    if found is None:
        return None
    how, person = found
    typed = email in evidence.named
    return Likeness(email=email, like=person.email, name=person.name, how=how, typed=typed)


def _familiar(email: str, evidence: Evidence) -> bool:
    if email in evidence.own or email in evidence.contacts or evidence.correspondents.get(email, 0) >= SEVERAL:
        return True
    return any(email in members for members in evidence.groups.values())


def _miscalled(address: Address, email: str, evidence: Evidence) -> bool:
    """Whether somebody saved goes by another name than theirs, which no mail or event gives them: then a reader takes them for
    whoever bears it."""
    saved, shape = evidence.contacts.get(email, ""), name_shape(address.name)
    if not saved or not shape or shape == name_shape(saved):
        return False
    return shape not in {name_shape(one.name) for one in _people_there(evidence) if one.email == email}


def _vouched(evidence: Evidence) -> Iterator[_Person]:
    yield from (_Person(email, YOURSELF, True) for email in evidence.own)
    yield from (_Person(email, name, True) for email, name in evidence.contacts.items())
    yield from (
        _Person(email, "", True) for members in evidence.groups.values() for email in members if email not in evidence.contacts
    )
    yield from (
        _Person(email, "", True) for email, sent in evidence.correspondents.items() if sent and email not in evidence.contacts
    )


def _bystanders(evidence: Evidence) -> tuple[_Person, ...]:
    """Who takes part in what is answered, forwarded or changed, and is not known for themselves."""
    people = _people_there(evidence)
    return tuple({one.email: _Person(one.email, one.name, False) for one in people if not _familiar(one.email, evidence)}.values())


def _people_there(evidence: Evidence) -> list[Address]:
    mails = (*evidence.mails.values(), *(mail for thread in evidence.threads.values() for mail in thread))
    people: list[Address] = [one for mail in mails for one in ((mail.sender,) if mail.sender else ()) + mail.to + mail.cc]
    for event in evidence.events.values():
        people += [attendee.address for attendee in event.attendees] + ([event.organizer] if event.organizer else [])
    return people


@lru_cache(4)
def _known(vouched: frozenset[_Person], bystanders: frozenset[_Person]) -> _Known:
    people = sorted(vouched, key=lambda one: (one.email, one.name != YOURSELF, one.name)) + sorted(bystanders)
    return _Known(
        skeletons=_grouped((skeleton(person.email), person) for person in people),
        domains=_grouped((person.email.rpartition("@")[2], person) for person in people),
        names=_grouped((name_shape(person.name), person) for person in people if person.name and person.name != YOURSELF),
    )


def _grouped(pairs: Iterable[tuple[str, _Person]]) -> Mapping[str, tuple[_Person, ...]]:
    found: dict[str, list[_Person]] = {}
    for key, person in pairs:
        found.setdefault(key, []).append(person)
    return {key: tuple(people) for key, people in found.items()}


def name_shape(name: str) -> str:
    """The same for "Anna Berg", "Berg, Anna", "Dr. Anna M. Berg", "Anna Berg (Northwind)" and "Anna Berg | Northwind"."""
    words = re.findall(r"\w+", BEHIND_NAME.sub("", BRACKETED.sub(" ", name)) or name)
    telling = [word for word in words if len(word) > 1 and word.lower() not in TITLES]
    return " ".join(sorted(re.findall(r"\w+", skeleton(" ".join(telling if len(telling) > 1 else words)))))


Found = tuple[How, _Person] | None


def _same_shape(email: str, known: _Known) -> Found:
    """A bystander's odd letters say nothing against plain ones, here and below: else anybody could make a plain address suspect."""
    for person in known.skeletons.get(skeleton(email), ()):
        if person.email != email and not (email.isascii() and (person.email.isascii() or not person.vouched)):
            return "same_skeleton", person
    return None


def _near_miss(email: str, met: bool, known: _Known) -> Found:
    """First who has the same name before the @: of all at a domain that is imitated, they are the one who is meant."""
    local, _, domain = email.rpartition("@")
    rest: Found = None
    for there, people in known.domains.items():
        near = _domains_alike(domain, there)
        if there != domain and near == "no":
            continue
        for person in people:
            other = person.email.rpartition("@")[0]
            if person.email == email or (email.isascii() and not person.vouched and not person.email.isascii()):
                continue
            if there == domain and local.partition("+")[0] == other.partition("+")[0]:
                return "plus", person
            same = local.partition("+")[0] == other.partition("+")[0] or at_a_glance(local) == at_a_glance(other)
            if there == domain and _locals_alike(local, other, met):
                return "one_edit", person
            if there != domain and same:
                return "one_edit", person
            if rest is None and there != domain and near == "any" and there not in SHARED and not met:
                rest = "one_edit", person
    return rest


def _locals_alike(one: str, other: str, met: bool) -> bool:
    """At one domain. People who are met there anyway are colleagues with like names, unless there is but a slip between them."""
    if at_a_glance(one) == at_a_glance(other):
        return True
    letters = one_edit(one, other)
    shortest = SHORTEST_LOCAL if len(one) == len(other) else SHORTEST_LENGTHENED
    if not letters or any(letter.isdigit() for letter in letters) or min(len(one), len(other)) < shortest:
        return False
    return slip(one, other) or not met


def _domains_alike(one: str, other: str) -> Literal["no", "same person", "any"]:
    """Whether the one could be taken for the other: for everybody there, or only for somebody with the same name before the @."""
    if one == other:
        return "no"
    site, genuine = _site(one), _site(other)
    if site == genuine:
        return "no"
    name, own = site.partition(".")[0], genuine.partition(".")[0]
    if name == own or f".{other}." in f".{one}.":
        return "any" if len(own) > 2 else "same person"
    if at_a_glance(name) == at_a_glance(own):
        return "any" if len(own) > 2 else "same person"
    if site.partition(".")[2] != genuine.partition(".")[2]:
        return "no"
    letters = one_edit(name, own)
    if not letters or any(letter.isdigit() for letter in letters):
        return "no"
    shortest = min(len(name), len(own))
    return "any" if shortest >= SHORTEST_DOMAIN else "same person" if shortest == SHORTEST_DOMAIN - 1 else "no"


def _site(domain: str) -> str:
    """The part of the domain that somebody registered."""
    labels = domain.split(".")
    return ".".join(labels[-3:] if ".".join(labels[-2:]) in TWO_PART_ENDINGS else labels[-2:])


def _anothers_name(address: Address, met: bool, known: _Known) -> Found:
    """A second address in one's own organisation is nobody else's, where it is met in a thread or was written to."""
    if others := addresses_in(address.name) - {address.email}:
        return "name", _Person(min(others), "", False)
    shape = name_shape(address.name)
    people = known.names.get(shape, ()) if shape else ()
    # Whoever writes calls themselves as they like: that they bear the name vouches for nothing.
    people = tuple(person for person in people if person.vouched)
    if not people or any(person.email == address.email for person in people):
        return None
    site = _site(address.email.rpartition("@")[2])
    colleague = site not in SHARED and any(_site(person.email.rpartition("@")[2]) == site for person in people)
    if met and (colleague or len(shape.split()) < 2):
        return None
    return "name", people[0]


def _odd_letters(email: str, met: bool, known: _Known) -> Found:
    """Letters beyond ASCII are a whole language's own: where the address is met anyway, only what mixes or imitates is odd."""
    if email.isascii():
        return None
    local, _, domain = email.rpartition("@")
    ours = local.isascii() and any(person.vouched for person in known.domains.get(domain, ()))
    if ours or (met and not any(map(imitates, (local, *domain.split("."))))):
        return None
    return "punycode", _Person(shown_address(email).partition(" ")[0], "", False)
