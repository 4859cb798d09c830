"""Links that let whoever has them in: to reset a password, confirm an address, sign in."""

import re
from functools import lru_cache
from html import unescape
from itertools import pairwise

from risk.code_words import either
from risk.links import place_of, placed_links

LETS_IN = re.compile(
    r"(?<![a-z])"
    + either(
        "re-?set reset-?pw reset-?pass\\w* forgot\\w* recover\\w* password passwort kennwort verif\\w+ validate "
        "confirm confirm-?(?:e-?mail|account|address|user) best(?:ae|\u00e4|%c3%a4)tigen activat\\w+ aktivier\\w+ freischalt\\w* "
        "log-?[io]n sign-?[io]n anmeld\\w+ sso oauth2? auth authenticat\\w+ magic magic-?link magic-?login one-?time\\w* "
        "einmal\\w* otp otc unlock\\w* entsperr\\w* token access-?token id-?token jwt secret "
        "oobcode passcode 2fa mfa authorize (?<=[?&])(?:session|ticket|device|code|key|nonce|sig)(?==)"
    )
    + r"(?![a-z])",
    re.IGNORECASE,
)
"""Words of a path or query."""
OUTRIGHT = re.compile(
    either(
        "re-?set forgot recover passw kennwort verif confirm activat aktivier log-?[io]n sign-?[io]n magic otp auth unlock secret "
        "2fa mfa"
    ),
    re.IGNORECASE,
)
LEAVING = re.compile(r"unsubscrib|abmelde|opt-?out|preferences|newsletter", re.IGNORECASE)
"""A token there only ends a subscription."""
CALLS = re.compile(
    r"(?:^|\.)(?:zoom\.(?:us|com)|zoomgov\.com|meet\.google\.com|teams\.(?:microsoft|live)\.com|webex\.com|whereby\.com|"
    r"meet\.jit\.si)$"
)
"""Hosts of calls: whoever is told of a call may have its link."""
SAYS_SO = re.compile(
    r"reset (?:your|the|my) |set (?:a |your |up )?(?:new )?password|password reset|forg[oe]t\w* (?:your |the )?password|magic link|"
    r"(?:verify|confirm|activate|unlock|recover|access) (?:your|the|my|this) "
    r"(?:e-?mail|account|identity|address|login|device|registration|password)|"
    r"(?:click|link|button|here|below|tap)[^.\n]{0,40} (?:sign|log)(?:ging|ing)?[ -]?in|"
    r"(?:sign|log)(?:ging|ing)?[ -]?in[^.\n]{0,40} (?:click|link|button|here|below|tap)|"
    r"one[- ]time (?:link|login)|anmeldelink|einmal-?link|passwort (?:zur\u00fcck|neu|\u00e4nder)|neues (?:passwort|kennwort)|"
    r"(?:konto|e-?mail|adresse|registrierung|anmeldung)\w*[^.\n]{0,30} (?:best\u00e4tig|aktivier|freischalt|entsperr)",
    re.IGNORECASE,
)
"""What the sentences around a link say of it."""
BEFORE, BEHIND = 240, 120
LONG = 12
"""Characters of a random value that alone make a secret link of one that the sentences around say so of."""
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@lru_cache(64)
def secret_links_in(text: str) -> tuple[str, ...]:
    """As they stand there, in that order, each once."""
    found = (
        link
        for at, link in placed_links(text)
        if _lets_in(link, f"{text[max(0, at - BEFORE) : at]} {text[at + len(link) : at + len(link) + BEHIND]}")
    )
    return tuple(dict.fromkeys(found))


def _lets_in(link: str, around: str) -> bool:
    host, tail = place_of(link)
    value = random_value(link)
    path = tail.partition("?")[0]
    if not value or (CALLS.search(host) and not OUTRIGHT.search(path)) or (LEAVING.search(path) and not OUTRIGHT.search(path)):
        return False
    return LETS_IN.search(_apart(tail)) is not None or (len(value) >= LONG and SAYS_SO.search(around) is not None)


def _apart(tail: str) -> str:
    """Words that camelCase or an underscore ties together."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", "-", tail)


def random_value(link: str) -> str:
    """The longest piece of a link that nobody would have thought up; empty where there is none."""
    pieces = (piece for piece in re.split(r"[/?#&=;:,.~]", place_of(unescape(link))[1]) if len(piece) >= 6)
    return max((piece for piece in pieces if _random(piece)), key=len, default="")


def _random(piece: str) -> bool:
    if piece.isdigit() or UUID.fullmatch(piece):
        return True
    return any(_mixed(part) for part in re.split("[-_%+]", piece)) or _mixed(re.sub("[-_%+]", "", piece), 20)


def _mixed(part: str, shortest: int = 8) -> bool:
    """Letters and digits by turns, or capitals where no word has any."""
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(part))
    upper, lower = sum(map(str.isupper, part)), sum(map(str.islower, part))
    if len(part) >= shortest and (turns >= 3 or (len(part) >= LONG and turns and set(part.lower()) <= set("0123456789abcdef"))):
        return True
    return len(part) >= max(shortest, 16) and upper >= 3 and lower >= 3 and upper * 3 >= lower
