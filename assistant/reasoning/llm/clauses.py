"""A reply cut into clauses, each with whose words it tells."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from tomllib import loads
from typing import Any

WORDS = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
BULLET = re.compile(r"^[ \t]*(?:[-\u2022+*]|\d{1,3}[.)]|#{1,6})[ \t]+")
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u0060\u00b4\u2032", "'"))
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'))
_POINTS = str.maketrans({"\u3002": ".", "\uff61": ".", "\u2026": "\n"})
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_DASHES = re.compile("[\u2010\u2011]")
_MARKDOWN = re.compile(r"\*\*|__|(?<!\w)[*_~]+(?=\S)|(?<=\S)[*_~]+(?!\w)")
_SHORT = tuple(
    (re.compile(pattern, re.IGNORECASE), long)
    for pattern, long in (
        (r"\b(ca)n't\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"(?<=[a-z])n't\b", " not"),
        (r"\bcannot\b", "can not"),
        (r"\bI'?ve\b", "I have"),
        (r"\bI'?m\b", "I am"),
        (r"(?<=[a-z])'ve\b", " have"),
        (r"(?<=[a-z])'ll\b", " will"),
        (r"(?<=[a-z])'re\b", " are"),
        (r"(?<=[a-z])'d\b", " would"),
        (r"\b(it|that|he|she|there|here|what|who|everything|all|this)'s\b", r"\1 is"),
        (r"\b([ap])\.\s?m\b\.?", r"\1m"),
        (r"\b(mr|mrs|ms|dr|prof|no|st|e\.g|i\.e)\.", r"\1"),
    )
)
_SHORTENED = re.compile(r"['.]|\b(?:cannot|ive|im)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n")
_CLAUSE = re.compile(
    r"(;)\s|(?:(,)|(\s[\u2013\u2014-])|(:)(?=\s)|[.!?]$)\s*(?:(and|but|or|so|because|while|then)\s)?|\s(and|but|so|because|while|then)\s",
    re.IGNORECASE,
)
_BEFORE_A_NOUN = frozenset("to from with of about is are and".split())
_NO_SPEAKER = frozenset("be been was were got is are to you".split())
_FINITE = frozenset("is are was were am has have had do does did can could may might must should would".split())
MOST_SHARED = 12
"""Words of a subject that two clauses share."""
_SERIES = re.compile(r"\b(\w+ed|sent|told|done|made)(?:, \w+){0,6},? or \w+\b", re.IGNORECASE)


@cache
def words_of(name: str) -> frozenset[str]:
    return frozenset(str(table()[name]).split())


@cache
def table() -> dict[str, Any]:
    return loads(files(__package__).joinpath("claims.toml").read_text("utf-8"))


@cache
def pattern_of(name: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b{one}\b" for one in table()[name]), re.IGNORECASE)


@cache
def inflected() -> dict[str, str]:
    """The infinitive of each word that tells a deed as done or under way."""
    forms = {form: base for base in words_of("doing") for form in _forms(base)}
    return forms | {form: base for form, _, base in (pair.partition("=") for pair in words_of("irregular"))}


def _forms(base: str) -> tuple[str, ...]:
    if base.endswith("e"):
        return (f"{base}d", f"{base[:-1]}ing")
    if base.endswith("y") and base[-2] not in "aeo":
        return (f"{base[:-1]}ied", f"{base}ing")
    return (f"{base}ed", f"{base}ing", f"{base}{base[-1]}ed", f"{base}{base[-1]}ing")


@lru_cache(256)  # many words are held against the same reports
def plain(text: str) -> str:
    """In the characters that a keyboard has, as far as there are such; without markdown and what can't be seen."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).translate(_QUOTES).translate(_POINTS)
        text = _FOREIGN.sub(lambda found: "" if _is_unseen(found[0]) else found[0], text)
    text = text.replace("`", "'")
    text = re.sub(r"[^\S\n]+", " ", re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", _DASHES.sub("-", text)))
    return _MARKDOWN.sub("", text)


def _is_unseen(char: str) -> bool:
    return char == "\u115f" or unicodedata.category(char) in ("Cf", "Mn")


def spelt_out(text: str) -> str:
    """ "Don't" as "do not", "I'll" as "I will", "3 p.m." as "3 pm"."""
    if not _SHORTENED.search(text):
        return text
    for pattern, long in _SHORT:
        text = pattern.sub(long, text)
    return text


def flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def tokens(text: str) -> list[str]:
    return [word.casefold().removesuffix("'s") for word in WORDS.findall(text)]


@dataclass(frozen=True)
class Clause:
    """`own` is what stands there, `text` that with a subject it shares. `by` are the words for who is told to have said it, None
    where nobody is; `verb` is the place of that saying. `after`: it goes on after somebody's words; `quoted`: it does so after a
    colon."""

    text: str
    own: str
    by: frozenset[str] | None = None
    verb: int = -1
    after: bool = False
    quoted: bool = False
    asks: bool = False

    @property
    def tokens(self) -> list[str]:
        return tokens(self.text)


def lines(text: str) -> list[str]:
    """Without bullets; a line that goes on in the middle of a sentence belongs to the one before."""
    found: list[str] = []
    for line in text.split("\n"):
        bare = BULLET.sub("", line).strip()
        if found and bare[:1].islower() and bare == line.strip() and not found[-1].endswith((".", "!", "?", ":")):
            found[-1] += f" {bare}"
        elif bare:
            found.append(bare)
    return found


def clauses(line: str, names: frozenset[str]) -> Iterator[Clause]:
    """`names` are the words by which the reports name somebody. "Anna, Slides: …" announces her words in this
    sentence, and further on what she wrote word for word."""
    announced = False
    for sentence in _SENTENCE.split(spelt_out(line)):
        lead, colon, rest = sentence.partition(": ")
        by = named(lead, names) if colon and rest.strip() else frozenset()
        if not by:
            yield from (replace(clause, quoted=announced) for clause in _sentence(sentence, names))
            continue
        announced = True
        yield from (replace(clause, quoted=True) for clause in _sentence(lead, names))
        for clause in _sentence(rest, names):
            yield replace(clause, by=clause.by or by, quoted=True)


def named(lead: str, names: frozenset[str]) -> frozenset[str]:
    found = (word.removesuffix("'s") for word in WORDS.findall(lead) if word[0].isupper())
    return (frozenset(map(str.casefold, found)) - words_of("labels")) & names


def _sentence(sentence: str, names: frozenset[str]) -> Iterator[Clause]:
    asks = sentence.rstrip(" \"'").endswith("?") and bool(set(tokens(sentence)[:2]) & words_of("asking"))
    parts = _parts(_SERIES.sub(r"\1", sentence))
    by = (_said_after(parts[-1][1], names) or None) if parts else None
    before = ""
    for sign, part in parts:
        speaker, verb = speaker_of(part, names)
        if sign in (";", "so") and speaker is None:
            by = None
        whole = part if _said_after(part, names) else f"{_left_out(before, part)} {part}".strip()
        if whole != part:
            speaker, verb = speaker_of(whole, names)
        yield Clause(whole, part, by if speaker is None else speaker, verb, after=speaker is None and by is not None, asks=asks)
        if speaker is not None and not _aside(part):
            by = speaker
        before = whole


def _left_out(before: str, part: str) -> str:
    """The subject that a clause shares with the one before: of "booked it" in "Tom moved and booked it", of "which is off"."""
    words, first = before.split(), (tokens(part) or [""])[0]
    if first in ("which", "who"):
        start = max((at for at, word in enumerate(words[:-1], 1) if word.casefold() in _BEFORE_A_NOUN), default=0)
        return " ".join(words[start:][-MOST_SHARED:])
    if first not in inflected() and first not in words_of("saying"):
        return ""
    verbs = (at for at, word in enumerate(tokens(before)) if word in inflected() or word in _FINITE or word in words_of("saying"))
    return " ".join(words[: next(verbs, 0)])


def _parts(sentence: str) -> list[tuple[str, str]]:
    """Each clause with what joins it to the one before."""
    parts, start, sign = [], 0, ""
    for found in _CLAUSE.finditer(sentence):
        if part := sentence[start : found.start()].strip():
            parts.append((sign, part))
        start, sign = found.end(), (found[6] or found[5] or found[1] or found[2] or "").casefold()
    if part := sentence[start:].strip():
        parts.append((sign, part))
    return parts


def _aside(part: str) -> bool:
    """ "As Anna asked" tells nothing of what follows."""
    return (tokens(part) or [""])[0] in ("as", "like", "since", "because", "when", "after", "before", "just")


def _said_after(part: str, names: frozenset[str]) -> frozenset[str]:
    """Who is named in "…, says Anna Kowalski", "…, Anna writes" or "…, according to Anna"; nobody where more is said."""
    first, *others = tokens(part) or [""]
    if first == "according" and others[:1] == ["to"]:
        return frozenset(others[1:]) & names if set(others[1:]) - {"the", "mail", "email"} <= names else frozenset()
    if others and others[-1] in words_of("saying") and {first, *others[:-1]} <= names:
        return frozenset((first, *others[:-1]))
    return frozenset(others) if first in words_of("saying") and set(others) <= names else frozenset()


def speaker_of(part: str, names: frozenset[str]) -> tuple[frozenset[str] | None, int]:
    """Who says something in this clause, and which word says so. Nobody who is the assistant, the user or told something."""
    found = tokens(part)
    if found[:2] == ["according", "to"]:
        return (named(part, names) or None), -1
    for at, word in enumerate(found[:10]):
        before = found[:at]
        if word not in words_of("saying") or not before or before[-1] in _NO_SPEAKER:
            continue
        if word in words_of("telling") and found[at + 1 : at + 2] != ["you"]:
            continue
        if set(before) & words_of("self"):
            return None, -1
        who = frozenset(before) & names
        if who or set(before) & words_of("sources"):
            return who, at
    return None, -1
