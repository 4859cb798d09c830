"""How the user writes to somebody, read off the mails they sent: greeting, sign-off, length, language and tone."""

import re
from collections.abc import Callable, Sequence
from html import unescape
from statistics import median
from typing import Literal, NamedTuple, TypeVar

from assistant.reasoning.offline.saying.languages import Tone, language_of, tone_of
from assistant.reasoning.offline.saying.writing import first_name, usual_voice
from assistant.reasoning.quoting import LONGEST, Parts, parted, signs_off
from assistant.values import Voice
from integrations.types import Address, Mail

Like = Literal["person", "domain", "all", "none"]
Word = TypeVar("Word", bound=str)

MOST = 200
"""Mails that are looked at."""
ENOUGH = 3
"""Mails from which on also what they lack is a habit."""
LONGEST_SIGNATURE = 8
"""Lines."""
LONGEST_NAME = 3
"""Words."""
BREAK = re.compile(r"<br\b[^<>]*>|</(?:p|div|li|tr|h\d)>", re.IGNORECASE)
MARKUP = re.compile(r"</?[a-z][^<>]*>|\[(?:cid|image):[^\]\n]*\]", re.IGNORECASE)
DEVICE = re.compile(
    r"^(?:Sent from my|Sent with|Get Outlook for|Von meinem \w+ gesendet|Envoyé de mon|Inviato da|Enviado desde)\b", re.I
)
MARKER = re.compile(r"^(?:--|__)$")
BY_ITSELF = re.compile(
    r"^(?:accepted|declined|tentative|invitation|updated invitation|cancell?ed|automatic reply|out of office|zugesagt|abgelehnt|"
    r"abwesenheitsnotiz|automatische antwort)\b ?:|^(?:out of office|abwesend)\b",
    re.IGNORECASE,
)
GENDERED = re.compile(
    r"^(?:sehr geehrte|lieber? |cher |chère |estimad|querid|car[oa] |geachte|gentilissim)"
    r"|\b(?:mr|mrs|ms|miss|dr|prof|sir|madam|frau|herrn?|monsieur|madame|señora?|signora?|heer|mevrouw)\b",
    re.IGNORECASE,
)
EVERYBODYS = frozenset(
    "gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com me.com aol.com gmx.de gmx.net web.de "
    "t-online.de posteo.de mailbox.org proton.me protonmail.com orange.fr free.fr libero.it ziggo.nl".split()
)
"""Domains where neighbours have nothing in common."""


class Letter(NamedTuple):
    """One mail as the user wrote it; `words` counts those between greeting and closing."""

    to: tuple[Address, ...]
    greeting: str
    closing: str
    signature: str
    words: int
    language: str
    tone: Tone

    @property
    def emails(self) -> frozenset[str]:
        return frozenset(one.email for one in self.to)


def voice_of(sent: Sequence[Mail], to: Sequence[Address], me: Sequence[Address], answering: Mail | None = None) -> Voice:
    """`sent` are the user's own mails with their bodies, newest first, `me` their addresses. In the language of the mail that is
    answered, else of the mails to the same people, else of most. Where no mail tells, greeting and closing are the language's usual
    ones."""
    letters = [letter for mail in sent[:MOST] if (letter := _letter(mail, me))]
    thread = _whole(parted(_plain(answering.body))) if answering else ""
    language = language_of(thread) or _language(letters, to)
    circles = _circles([one for one in letters if one.language in (language, "")], to, tone_of(thread, language))
    nearest = circles[0][1] if circles else []
    tone = _usual([one.tone for one in nearest if one.tone]) or tone_of(thread, language)
    plain = usual_voice(to, me, language, tone)
    if not circles:
        return plain
    groups, signatures = [group for _, group in circles], _signatures(letters)
    return Voice(
        greeting=_greeting(circles, to, plain.greeting),
        closing=_telling(groups, lambda one: one.closing, plain.closing),
        signature=_telling(groups, lambda one: one.signature if one.signature in signatures else "", ""),
        words=round(median(one.words for one in next((group for group in groups if len(group) >= ENOUGH), groups[-1]))),
        language=language,
        tone=tone,
        like=circles[0][0],
        mails=len(nearest),
    )


def _letter(mail: Mail, me: Sequence[Address]) -> Letter | None:
    """None where it holds no words of the user's."""
    if BY_ITSELF.match(mail.subject) or any(part.content_type == "text/calendar" for part in mail.attachments):
        return None
    parts = _parts(_plain(mail.body), me)
    greeting, text = (parts.greeting, parts.text) if parts.greeting else _called(parts.text, mail.to)
    if not (words := len(text.split())):
        return None
    language = language_of(_whole(parts))
    closing, signature = _farewell(parts.farewell, me)
    return Letter(mail.to, greeting, closing, signature, words, language, tone_of(_whole(parts), language))


def _whole(parts: Parts) -> str:
    return "\n".join((parts.greeting, parts.text, *parts.farewell))


def _plain(body: str) -> str:
    """Without the markup that programs leave behind."""
    return unescape(MARKUP.sub("", BREAK.sub("\n", body[:LONGEST]))).replace("\u00a0", " ")


def _parts(body: str, me: Sequence[Address]) -> Parts:
    """Under whichever of the user's names it is signed."""
    return max((parted(body, name) for name in ("", *(address.name for address in me))), key=lambda parts: len(parts.farewell))


def _called(text: str, to: Sequence[Address]) -> tuple[str, str]:
    """A bare name as the greeting: "Anna," on the first line."""
    first, _, rest = text.partition("\n")
    names = {name for address in to if (name := first_name(address))}
    called = first.strip()
    return (called, rest.strip()) if called[-1:] in (",", "!", ":") and called[:-1].strip() in names else ("", text)


def _farewell(lines: Sequence[str], me: Sequence[Address]) -> tuple[str, str]:
    """The sign-off with the name, and the signature below."""
    written = [line for line in lines if line]
    device = next((at for at, line in enumerate(written) if DEVICE.match(line)), len(written))
    written = written[:device]
    at = next((at for at, line in enumerate(written) if not signs_off(line)), len(written))
    if at < len(written) and _is_name(written[at], me):
        at += 1
    return "\n".join(written[:at]), "\n".join(written[at : at + LONGEST_SIGNATURE])


def _is_name(line: str, me: Sequence[Address]) -> bool:
    words = line.strip(" -\u2013.,").split()
    names = {part.casefold() for address in me for part in address.name.split()}
    known = any(word.casefold() in names for word in words)
    return not MARKER.match(line) and len(words) <= LONGEST_NAME and (known or (len(words) == 1 and words[0].isalpha()))


def _language(letters: Sequence[Letter], to: Sequence[Address]) -> str:
    theirs = [one.language for one in letters if one.language and one.emails == {address.email for address in to}]
    return _usual(theirs or [one.language for one in letters if one.language])


def _circles(letters: Sequence[Letter], to: Sequence[Address], tone: Tone) -> list[tuple[Like, list[Letter]]]:
    """The letters to the same people, to others where they work, and to all; the nearest first, and none that is empty. Of those to
    others only the ones that fit the tone of the thread count."""
    emails, domains = {one.email for one in to}, {_domain(one.email) for one in to}
    fitting = {"formal": ("formal",), "familiar": ("familiar", ""), "": ("formal", "familiar", "")}[tone]
    alike = [one for one in letters if (len(one.to) > 1) == (len(to) > 1) and one.tone in fitting]
    shared = domains if len(domains) == 1 and not domains & EVERYBODYS else set[str]()
    circles: list[tuple[Like, list[Letter]]] = [
        ("person", [one for one in letters if one.emails == emails]),
        ("domain", [one for one in alike if {_domain(email) for email in one.emails} == shared]),
        ("all", alike),
    ]
    return [(name, circle) for name, circle in circles if circle]


def _domain(email: str) -> str:
    return email.rpartition("@")[2]


def _telling(circles: Sequence[Sequence[Letter]], of: Callable[[Letter], str], otherwise: str) -> str:
    """What is usual in the nearest circle that tells; that something is left out is a habit only from ENOUGH letters on."""
    for circle in circles:
        usual = _usual([of(one) for one in circle])
        if usual or len(circle) >= ENOUGH:
            return usual
    return otherwise


def _greeting(circles: Sequence[tuple[Like, Sequence[Letter]]], to: Sequence[Address], plain: str) -> str:
    """Greetings are left out in a long exchange: what lacks one says nothing of how others are greeted."""
    groups = [group if like == "person" else [one for one in group if one.greeting] for like, group in circles]
    return _telling(groups, lambda one: _greeting_for(one, to, plain), plain)


def _usual(values: Sequence[Word]) -> Word | Literal[""]:
    """The most frequent; of equals the first."""
    return max(values, key=values.count, default="")


def _signatures(letters: Sequence[Letter]) -> frozenset[str]:
    """What stands below the name as a rule, and is no postscript of one mail."""
    all_of_them = [one.signature for one in letters]
    return frozenset(one for one in all_of_them if one.startswith("--") or all_of_them.count(one) > 1)


def _greeting_for(letter: Letter, to: Sequence[Address], plain: str) -> str:
    """The letter's greeting for these people; `plain` where it can't be turned from one to another without guessing."""
    if letter.emails == {one.email for one in to} or not letter.greeting:
        return letter.greeting
    old, new = (first_name(people[0]) if len(people) == 1 else "" for people in (letter.to, to))
    words = re.findall(r"[\w'\u2019-]+", letter.greeting)
    named = {word for place, word in enumerate(words) if word == old or (place > 0 and word[0].isupper())}
    if not named:
        return letter.greeting
    if named != {old} or not new or GENDERED.search(letter.greeting):
        return plain
    return re.sub(rf"\b{re.escape(old)}\b", lambda _: new, letter.greeting)
