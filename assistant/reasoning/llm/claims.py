"""Whether a reply tells of something done that no report tells of. Nothing was done when it is worded, so whatever could mean a
deed, or can't be understood, is refused unless a report says it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

from assistant.reasoning.llm.clauses import (
    BULLET,
    WORDS,
    Clause,
    clauses,
    flat,
    inflected,
    lines,
    named,
    pattern_of,
    plain,
    speaker_of,
    spelt_out,
    table,
    tokens,
    words_of,
)

Strictness = Literal["told", "free", "noted"]
"""told: in words of the reports only. free: in any, but no deeds, nor scraps or pointings that could mean one. noted: no deeds."""
TICK = re.compile(r"[\u2705\u2713\u2714\u2611\u221a\U0001f5f8\U0001f5f9\u2610\u2612]|\[[xX]\]")
SPACED = re.compile(r"\b(?:[^\W\d_] ){3,}[^\W\d_]\b")
_QUOTED = re.compile(r'"([^"\n]{1,2000})"')
_LISTED = re.compile(r"^\s*\d{1,3}\. .*(?: \u2013 |\d{1,2}:\d\d)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_PART = re.compile(r"(?<=[.!?])\s+|[,;] (?:and |but )?")
_DENIAL = frozenset("not nothing never none nobody no neither nor".split())
_BE = frozenset("is are was were be been being am now just currently already".split())
_CALENDAR = re.compile(
    r"\d[\d:.,/-]*(?:am|pm|st|nd|rd|th|h|k)?|today|yesterday|tomorrow|tonight|week|month|year|morning|afternoon|evening|last|next|first|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|am|pm|noon|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
)
_PICTURES = frozenset("So Sm Sk Co Cn No".split())
_PLAIN_SIGNS = frozenset("\u00b0\u00b1\u00d7\u00f7\u00a9\u00ae\u2122")
_FINITE = frozenset("is are was were am has have had do does did can could may might must should would says asks".split())
_OPENINGS = tuple(
    "also and but or so because while then however yes no ok okay well unfortunately sorry here therefore still in addition".split()
)
_SUFFIX = re.compile(r"(?:ations?|ings?|ied|ies|ers?|ed|es|s|e|y)$")


def claim(reply: str, material: str, said: str, strictness: Strictness) -> str:
    """What is wrong with the first clause that tells of a deed; empty if none does."""
    if tick := TICK.search(reply):
        return _done(tick[0])
    reports = Reports.of(material)
    text = plain(reply)
    if (spaced := SPACED.search(text)) and spaced[0] not in plain(material):
        return _done(spaced[0])
    if strange := _strange(text, plain(f"{material}\n{said}")):
        return f"“{strange}” stands in no report: write plain English, without pictures"
    judge = _Judge(reports, frozenset(_stems(tokens(spelt_out(plain(said))))), strictness)
    return next((fault for line in _unshown(text, reports) if (fault := judge.line(line))), "")


def _done(words: str) -> str:
    return f"“{words.strip(' .!')}” claims something that was not done; what a mail says stands in quotes, with who says it"


def _strange(text: str, known: str) -> str:
    """Signs, and words in letters, that English has none of: they may hide or be a claim."""
    signs = (char for char in text if char not in known and not char.isascii() and unicodedata.category(char) in _PICTURES)
    there = set(WORDS.findall(known.casefold()))
    odd = (word for word in WORDS.findall(text) if not word.isascii() and word.casefold() not in there)
    return next((one for one in (*signs, *odd) if one not in _PLAIN_SIGNS), "")


@dataclass(frozen=True)
class Unit:
    """What a sentence of the reports, or a part of it, says: its `own` words, and those that stand over it as well."""

    own: frozenset[str]
    stems: frozenset[str]
    denies: bool


@dataclass(frozen=True)
class Reports:
    """`listed` are whole lines of lists; `names` the words by which somebody or something is named."""

    flat: str
    names: frozenset[str]
    words: frozenset[str]
    stems: frozenset[str]
    listed: frozenset[str]
    units: tuple[Unit, ...]

    @classmethod
    @lru_cache(16)  # a reply that is refused is held against the same reports again
    def of(cls, material: str) -> "Reports":
        text = plain(material)
        found = tokens(spelt_out(text))
        capitals = {word.casefold().removesuffix("'s") for word in WORDS.findall(text) if word[0].isupper()}
        common = ("harmless", "function", "generic", "saying", "self")
        return cls(
            flat=f"{flat(text)} {flat(spelt_out(text))}",
            names=frozenset(capitals.difference(inflected(), *map(words_of, common))),
            words=frozenset(found),
            stems=frozenset(_stems(found)),
            listed=frozenset(flat(BULLET.sub("", line)) for line in text.split("\n") if _LISTED.match(line)),
            units=tuple(_units(text)),
        )

    def holds(self, words: str, most: int = 3) -> bool:
        """Word for word, and more than a scrap of it."""
        low = flat(words).strip(" .,!?;:\"'")
        return len(low.split()) >= most and low in self.flat

    def tell(self, content: frozenset[str], pointer: frozenset[str], denies: bool) -> bool:
        """Whether a sentence of theirs holds all of the `content`, and itself, without its heading, a word of any `pointer`."""
        found = (unit for unit in self.units if unit.denies == denies and content <= unit.stems)
        return any(not pointer or pointer & unit.own for unit in found)


def _units(text: str) -> Iterator[Unit]:
    """Every sentence of every line together with its heading, or with the head of its mail."""
    heading: frozenset[str] = frozenset()
    head: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    for line in filter(str.strip, text.split("\n")):
        stems = frozenset(_stems(tokens(spelt_out(line))))
        if re.match(r"\s*From: ", line):
            head = before | stems
        elif re.match(r"\s*(?:To|Date): ", line):
            head |= stems
        elif re.match(r"\s*\d{1,3}\. ", line):
            head = stems
        elif line.rstrip().endswith(":"):
            heading, head = stems, frozenset()
        before = stems
        sentences = _SENTENCE.split(line)
        for one, two in pairwise(sentences):  # what somebody says of "they" may be told of whom the sentence before names
            both = tokens(spelt_out(f"{one} {two}"))
            yield Unit(frozenset(), frozenset(_stems(both)) | head | heading, bool(_DENIAL & set(both)))
        for part in (*sentences, *_PART.split(line)):
            found = tokens(spelt_out(part))
            own = frozenset(_stems(found))
            yield Unit(own, own | head | heading, bool(_DENIAL & set(found)))


def _unshown(text: str, reports: Reports) -> list[str]:
    """The lines but for those of a mail that is shown under its head, of a quotation, and of a list that stands so in a report."""
    kept, headed = [], False
    below = [*text.split("\n")[1:], ""]
    for raw, after in zip(text.split("\n"), below, strict=True):
        line = BULLET.sub("", raw).strip()
        literal = bool(line) and flat(line.lstrip("> ")) in reports.flat
        subject = after.startswith("From: ") and flat(after) in reports.flat
        if literal and (headed or subject or raw.lstrip().startswith(">") or flat(line) in reports.listed):
            continue
        headed = headed or (literal and line.startswith("From: ")) or _announces(line, reports)
        kept.append(raw)
    return lines("\n".join(kept))


def _announces(line: str, reports: Reports) -> bool:
    """ "Anna wrote:" over what she wrote."""
    return line.endswith(":") and (speaker_of(line, reports.names)[0] is not None or bool(named(line, reports.names)))


@dataclass(frozen=True)
class _Judge:
    reports: Reports
    said: frozenset[str]
    strictness: Strictness

    def line(self, line: str) -> str:
        found = clauses(_QUOTED.sub(lambda quote: self._quoted(quote, line), line), self.reports.names)
        return next((fault for clause in found if (fault := self._clause(clause))), "")

    def _quoted(self, quote: re.Match[str], line: str) -> str:
        """A passage of the reports is theirs if something is said about it; other quotes are the model's own words."""
        about = len(WORDS.findall(line.replace(quote[0], "")))
        return ' "" ' if about and self.reports.holds(quote[1]) else f" {quote[1]} "

    def _clause(self, clause: Clause) -> str:
        words = clause.tokens
        if not words:
            return ""
        if odd := next((one for one in words if self._is_foreign(one)), ""):
            return f"“{odd}” is not English: answer in English, and put what is quoted in quotes"
        if clause.quoted and self.reports.holds(clause.own, 2):
            return ""
        deeds = _deeds(words, clause)
        tells = bool(pattern_of("phrases").search(clause.text)) and not self.reports.holds(clause.text, 4)
        if clause.asks and set(deeds) <= {_stem("will")} and not tells:
            return ""
        if tells or not (
            self._is_theirs(clause, words, deeds) if clause.by is not None else self._is_founded(clause, words, deeds)
        ):
            return _done(clause.text)
        return self._new(clause, words)

    def _is_foreign(self, word: str) -> bool:
        return word in words_of("foreign") and word not in self.reports.words

    def _is_theirs(self, clause: Clause, words: list[str], deeds: list[str]) -> bool:
        """What somebody is told to have said is in the reports, as far as it tells of deeds."""
        if not deeds or words_of("self") & set(words):
            return not words_of("self") & set(words)
        content = _content(words, deeds) | frozenset(_stems(clause.by or ()))
        return bool(content - _generic_stems() - set(deeds)) and self._told(content, frozenset(), words)

    def _is_founded(self, clause: Clause, words: list[str], deeds: list[str]) -> bool:
        text = pattern_of("to_me").sub(" ", clause.text)
        own = words_of("self") & set(tokens(text)) or any(one in text.casefold() for one in table()["selves"])
        if own:
            return not deeds and bool(_looking().match(text))
        if not deeds or ((head := _head(words)) == "you" and self.reports.holds(clause.text)):
            return True
        content = _content(words, deeds)
        points = head in words_of("pointing") or head in inflected()
        specific = content - _generic_stems() - set(deeds)
        if head == "you":
            specific |= frozenset(word for word in words if word.isdigit())
        by = bool(frozenset(after for word, after in pairwise(words) if word == "by") & self.reports.names)
        return not points and bool(specific) and self._told(content, frozenset() if by else specific, words)

    def _told(self, content: frozenset[str], pointer: frozenset[str], words: list[str]) -> bool:
        return self.reports.tell(content, pointer, bool(_DENIAL & set(words)))

    def _new(self, clause: Clause, words: list[str]) -> str:
        """The first word that no report has, where such words are not somebody's. The user's may be said of what is not there."""
        if self.strictness == "noted" or not self._is_bound(clause, words):
            return ""
        known = self.reports.stems | (self.said if clause.asks or (_DENIAL | words_of("self")) & set(words) else frozenset())
        new = next((one for one in words if one not in inflected() and not self._is_known(one, known)), "")
        return f"“{new}” in “{clause.text}” stands in no report: use the reports' words" if new else ""

    def _is_bound(self, clause: Clause, words: list[str]) -> bool:
        vague = _head(words) in words_of("pointing") or not _FINITE & set(words)
        if clause.by is not None:
            return clause.after and _head(words) in words_of("pointing") | words_of("generic")
        return self.strictness == "told" or vague

    def _is_known(self, word: str, known: frozenset[str]) -> bool:
        if _CALENDAR.fullmatch(word) or any(word in words_of(name) for name in ("function", "harmless", "self", "saying")):
            return True
        if _stem(word) in known:
            return True
        return "-" in word and all(self._is_known(part, known) for part in word.split("-"))


def _deeds(words: list[str], clause: Clause) -> list[str]:
    """Stems of what may be told as done; a denied deed is none."""
    denies = not pattern_of("no_denial").search(clause.text)
    found = []
    for at, word in enumerate(words):
        base = inflected().get(word)
        if base is None or at == clause.verb or (word.endswith("ing") and at and words[at - 1] not in _BE):
            continue
        near = words[max(0, at - 4) : at] + (words[at + 1 : at + 2] if base == "will" else [])
        if not (denies and _DENIAL & set(near)):
            found.append(_stem(word))
    return found


def _content(words: list[str], deeds: list[str]) -> frozenset[str]:
    """Stems of what a report must hold."""
    empty = words_of("function") | words_of("mail") | words_of("saying") | (words_of("harmless") - words_of("generic"))
    return frozenset(_stem(word) for word in words if word not in empty and not _CALENDAR.fullmatch(word)).union(deeds)


def _head(words: list[str]) -> str:
    """Whom or what a clause is about, by its first word that is more than an opening."""
    return next((word for word in words if word not in _OPENINGS), words[0])


@cache
def _generic_stems() -> frozenset[str]:
    return frozenset(_stems(words_of("generic")))


@cache
def _looking() -> re.Pattern[str]:
    what = "|".join(table()["looking"])
    return re.compile(
        rf"\W*(?:(?:{'|'.join(_OPENINGS)}),? )*(?:i|we) (?:(?:also|only|still|just|really) )*(?:{what})", re.IGNORECASE
    )


def _stems(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield _stem(word)
        if "-" in word:
            yield from _stems(word.split("-"))


def _stem(word: str) -> str:
    word = inflected().get(word, word)
    bare = _SUFFIX.sub("", word)
    bare = bare if len(bare) >= 3 else word
    return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] else bare
