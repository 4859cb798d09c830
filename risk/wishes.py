"""What the user's own words speak of, for the rules that hang on it: plain English and German words, no grammar.

They only ever soften a rule (from a refusal to a preview, from a higher level to a mere warning), and what they soften is still
told.
"""

import re
from collections.abc import Iterable

from integrations.types import Address, Mail
from risk.evidence import Evidence
from risk.text import normal_address

SECRETS = (
    r"codes?|passcodes?|pass\s?words?|passphrases?|pins?|otp|2fa|tokens?|keys?|credentials?|log-?ins?|sign-?ins?|links?"
    r"|kennwort|passwort|zugang\w*"
)
LINKS = r"links?|urls?|web\s?(?:site|page)s?|sites?|pages?|docs?|documents?|forms?|articles?|zoom|teams|meet|dial-in|seite|dokument"
DETAILS = r"phones?|numbers?|mobiles?|call|cell|address(?:es)?|e-?mails?|contacts?|details?|reach|telefon\w*|nummer|adresse"
ACCOUNTS = r"ibans?|bics?|bank\w*|accounts?|cards?|credit|konto\w*|\w*karten?"
EVERYBODY = r"all|every(?:one|body)|both|lists?|groups?|team|reply-all|alle|allen"
FORWARDS = r"forward\w*|fwd|pass\w*|shar(?:e|es|ed|ing)|weiterleit\w*|leite"
SENDS = (
    rf"{FORWARDS}|b?cc|invite\w*|sen[dt]\w*|repl(?:y|ies|ied|ying)|answer\w*|respond\w*|writ\w*|e-?mail\w*|tell\w*|cop(?:y|ies)"
    r"|schick\w*|antwort\w*"
)
ARRANGES = r"schedul\w*|book\w*|meet\w*|arrang\w*|plan\w*|set|creat\w*|add\w*|put|make|termin\w*"
DELETES = (
    r"delet\w*|trash\w*|bin|remov\w*|eras\w*|discard\w*|destroy\w*|purg\w*|wip\w*|throw\w*|clear\w*|clean\w*|rid"
    r"|l(?:ö|oe)sch\w*|papierkorb"
)

LITTLE = frozenset("the and for you not all new our his her der die das und mail team".split())
"""What names of firms begin with, and sentences are full of."""

COMMON = frozenset("your this that with from have about will what when here there mail message code reply answer please".split())
"""In subjects and in requests alike, so that they name no mail."""


def speaks_of(words: str, evidence: Evidence) -> bool:
    """Whether any of the words stands in what the user has said in this conversation."""
    return any(_holds(words, said) for said in (evidence.words, *evidence.said))


def says(words: str, evidence: Evidence) -> bool:
    """The same for this turn alone."""
    return _holds(words, evidence.words)


def says_both(one: str, other: str, evidence: Evidence) -> bool:
    """Whether a single message of the user's names both: two requests made apart are no request for both at once."""
    return any(_holds(one, said) and _holds(other, said) for said in (evidence.words, *evidence.said))


def _holds(words: str, said: str) -> bool:
    return re.search(rf"\b(?:{words})\b", said, re.IGNORECASE) is not None


def is_typed(email: str, evidence: Evidence) -> bool:
    """Whether the user gave just this address as somebody to reach or to write down."""
    return email in evidence.named or normal_address(email) in evidence.named


def is_named(person: Address, evidence: Evidence) -> bool:
    """Whether the words of this turn, or an earlier message that speaks of sending, name somebody: by address, by a name saved for
    it, or by a group it is in.

    A name that the proposal gives counts only where the address bears it out, since whoever proposes can write any name.
    """
    if is_typed(person.email, evidence):
        return True
    messages = (evidence.words, *(said for said in evidence.said if _holds(SENDS, said)))
    return any(_names(person, _parts(said), evidence) for said in messages)


def _names(person: Address, said: list[str], evidence: Evidence) -> bool:
    email = person.email
    groups = [name for name, members in evidence.groups.items() if email in members]
    if any(_within(_parts(name), said) for name in groups):
        return True
    first = next(iter(_parts(person.name)), "")
    borne_out = (first,) if len(first) > 2 and first in _parts(email.partition("@")[0].replace("_", " ")) else ()
    return any(_calls(name, said) for name in (evidence.contacts.get(email, ""), evidence.called.get(email, ""), *borne_out))


def speaks_of_mail(mail: Mail, evidence: Evidence) -> bool:
    """Whether the words of this turn could mean this mail: by a word of its subject, or by its sender."""
    said = set(_parts(evidence.words))
    telling = {part for part in _parts(mail.subject) if len(part) > 3 and part not in COMMON}
    return bool(said & telling) or (mail.sender is not None and is_named(mail.sender, evidence))


def _calls(name: str, said: list[str]) -> bool:
    parts = _parts(name)
    return bool(parts) and any(len(part) > 2 and part not in LITTLE and part in said for part in (parts[0], parts[-1]))


def _within(parts: Iterable[str], said: list[str]) -> bool:
    wanted = set(parts)
    return bool(wanted) and wanted <= set(said)


def _parts(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
