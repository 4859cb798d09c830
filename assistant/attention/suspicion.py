"""Marks of a mail that wants to deceive. Each mark is a reason for people; none proves anything."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from assistant.attention.brands import BRANDS
from assistant.reasoning.offline.saying import cues
from integrations.types import Address, Mail

_SHARED = frozenset(
    "gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com me.com aol.com gmx.de gmx.net web.de proton.me "
    "protonmail.com mail.com t-online.de posteo.de mailbox.org fastmail.com".split()
)
"""Anybody can have an address there."""
_TWO_PART_ENDINGS = frozenset("co.uk org.uk ac.uk com.au co.jp com.br co.in co.nz co.za com.tr com.mx".split())
_LOOK_ALIKES = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("0", "o"), ("1", "l"), ("3", "e"), ("5", "s"), ("i", "l"))
_PRESSURE = cues.any_of(
    r"(?:urgent|immediate(?:ly)?|act now|action required|final (?:notice|warning|reminder)|last chance)\b",
    r"within (?:the next )?\d+ hours",
    r"account (?:has been|is|was|will be) (?:suspended|locked|closed|limited|blocked|disabled|deactivated|restricted)",
    r"(?:verify|confirm|update|validate) your (?:account|identity|password|payment|billing|bank|details|login|information)",
    r"unusual (?:activity|sign-?in|login)",
)
_SECURITY_WORDS = frozenset(
    "account accounts alert alerts auth billing customer help id info login mail my online pay payment safe secure security "
    "service services signin support team update verification verify web".split()
)
_SHORTEST_IMITATED = 5
"""Characters of a name; shorter ones resemble each other by chance."""


class Mark(NamedTuple):
    """`weight` 2 tells by itself, 1 only together with another."""

    words: str
    weight: int


def suspicious(mail: Mail, known: frozenset[str]) -> tuple[str, ...]:
    """`known` are the addresses of contacts and of people written to."""
    return tuple(mark.words for mark in marks(mail, known))


def marks(mail: Mail, known: frozenset[str]) -> tuple[Mark, ...]:
    if mail.sender is None:
        unclear = any(odd.kind == "unclear" for odd in mail.oddities)
        return (Mark("its sender line names nobody, or several at once", 2),) if unclear else ()
    if mail.sender.email in known:
        return ()
    identity = tuple(_about_identity(mail.sender, _sites(known)))
    return identity if mail.bulk else (*identity, *_about_content(mail, mail.sender, known))


def _about_identity(sender: Address, sites: frozenset[str]) -> Iterator[Mark]:
    host = sender.email.rpartition("@")[2]
    if imitated := _imitated(host, sites):
        yield Mark(f"{host} looks like {imitated}, but is not", 2)
    elif brand := _claimed_brand(sender.name, host):
        yield Mark(f"calls itself {brand}, but writes from {host}", 2)
    if (shown := cues.MAIL_ADDRESS.search(sender.name)) and shown.group().lower() != sender.email:
        yield Mark(f"shows the address {shown.group()}, but writes from {sender.email}", 2)


def _about_content(mail: Mail, sender: Address, known: frozenset[str]) -> Iterator[Mark]:
    site = _site(sender.email)
    elsewhere = [to.email for to in mail.reply_to if _site(to.email) != site and to.email not in known]
    if elsewhere:
        yield Mark(f"answers would go to {elsewhere[0]}, not to {sender.email}", 1)
    text = f"{mail.subject}\n{mail.body or mail.snippet}"
    stranger = site in _SHARED or site not in _sites(known)
    if stranger and cues.LINK.search(text) and _PRESSURE.search(text):
        yield Mark("an unknown sender who urges you to follow a link", 1)


def _site(email: str) -> str:
    """The part of the address or host that somebody registered."""
    labels = email.rpartition("@")[2].split(".")
    return ".".join(labels[-3:] if ".".join(labels[-2:]) in _TWO_PART_ENDINGS else labels[-2:])


@lru_cache(maxsize=8)
def _sites(known: frozenset[str]) -> frozenset[str]:
    return frozenset(_site(email) for email in known)


@lru_cache(maxsize=4096)
def _imitated(host: str, sites: frozenset[str]) -> str | None:
    """The known or well-known site that this host resembles without belonging to it."""
    genuine = (sites | _BRAND_SITES) - _SHARED
    site = _site(host)
    if site in genuine or site in _SHARED:
        return None
    return next((own for own in sorted(genuine) if f".{own}." in f".{host}" or _resembles(site, own)), None)


def _resembles(site: str, genuine: str) -> bool:
    name, own = site.partition(".")[0], genuine.partition(".")[0]
    if len(own) < _SHORTEST_IMITATED or name == own:
        return False
    return _folded(name) == _folded(own) or _one_edit(name, own) or _dressed_up(name, own)


def _dressed_up(name: str, own: str) -> bool:
    """ "paypal-login" """
    parts = set(name.split("-"))
    return own in parts and parts - {own} <= _SECURITY_WORDS


def _folded(name: str) -> str:
    for written, read in _LOOK_ALIKES:
        name = name.replace(written, read)
    return name.replace("-", "")


def _one_edit(one: str, other: str) -> bool:
    """Whether a letter was added, dropped, replaced, or swapped with its neighbour."""
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def _claimed_brand(name: str, host: str) -> str | None:
    claimed = _BORROWED.match(name)
    brand = claimed and next(brand for brand in BRANDS if brand.lower() == claimed.group().lower())
    return brand if brand and _site(host) not in BRANDS[brand] else None


_BORROWED = re.compile(rf"(?:{'|'.join(map(re.escape, BRANDS))})\b", re.IGNORECASE)
_BRAND_SITES = frozenset(site for sites in BRANDS.values() for site in sites)
