"""Whether a reply tells of something done that no report tells of. Nothing was done when it is worded, so whatever could mean a
deed, or can't be understood, is refused unless a report says it."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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
from assistant.reasoning.llm.evidence import DENIAL, Reports, Unit, stem, stems, told_done

Strictness = Literal["told", "free", "noted"]
"""told: in words of the reports only. free: in any, but no deeds, nor scraps or pointings that could mean one. noted: no deeds."""
TICK = re.compile(r"[\u2705\u2713\u2714\u2611\u221a\U0001f5f8\U0001f5f9\u2610\u2612]|\[[xX]\]")
SPACED = re.compile(r"\b(?:[^\W\d_] ){3,}[^\W\d_]\b")
_QUOTED = re.compile(r'"([^"\n]{1,2000})"')
_BE = frozenset("is are was were be been being am now just currently already".split())
_CALENDAR = re.compile(
    r"\d[\d:.,/-]*(?:am|pm|st|nd|rd|th|h|k)?|today|yesterday|tomorrow|tonight|week|month|year|morning|afternoon|evening|last|next|first|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|am|pm|noon|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*"
)
_PICTURES = frozenset("So Sm Sk Co Cn No".split())
_PLAIN_SIGNS = frozenset("\u00b0\u00b1\u00d7\u00f7\u00a9\u00ae\u2122")
_FINITE = frozenset("is are was were am has have had do does did can could may might must should would says asks".split())
_EXCEPT = frozenset("other others else further more except but besides only".split())
_FINDING = frozenset("find found finds see saw seen have no none".split())
_NOT = re.compile(r"\b(?:not|no|never)\b", re.IGNORECASE)
_DEMAND = re.compile(r"\W*(?:please\b|you must\b)", re.IGNORECASE)
PREVIEWS = re.compile(
    r"\bpreviews?\b|\bawait(?:s|ing) your (?:approval|confirmation)"
    r"|\b(?:say|type|reply with|answer with|write|enter)(?: just| simply)?:? [\"'\u201c\u2018*`]{0,4}"
    r"(?:approve|yes|confirm|execute|go ahead)\b"
    r"|\b(?:approve|confirm) (?:it|this|that|the (?:proposal|plan|preview|draft))\b",
    re.IGNORECASE,
)
_OPENINGS = tuple(
    "also and but or so because while then however yes no ok okay well unfortunately sorry here therefore still in addition".split()
)


def claim(reply: str, material: str, said: str, strictness: Strictness) -> str:
    """What is wrong with the first clause that tells of a deed; empty if none does."""
    if tick := TICK.search(reply):
        return _done(tick[0])
    reports = Reports.of(material)
    text = plain(reply)
    if (spaced := SPACED.search(text)) and spaced[0] not in plain(material):
        return _done(spaced[0])
    if not text.isascii() and (strange := _strange(text, plain(f"{material}\n{said}"))):
        return f"“{strange}” stands in no report: write plain English, without pictures"
    judge = _Judge(reports, frozenset(stems(tokens(spelt_out(plain(said))))), strictness)
    return next((fault for line in _unshown(text, reports) if (fault := judge.line(line))), "")


def _done(words: str) -> str:
    return f"“{words.strip(' .!')}” claims something that was not done; what a mail says stands in quotes, with who says it"


def _strange(text: str, known: str) -> str:
    """Signs, and words in letters, that English has none of: they may hide or be a claim."""
    seen = set(known)
    signs = (char for char in text if char not in seen and not char.isascii() and unicodedata.category(char) in _PICTURES)
    there = set(WORDS.findall(known.casefold()))
    odd = (word for word in WORDS.findall(text) if not word.isascii() and word.casefold() not in there)
    return next((one for one in (*signs, *odd) if one not in _PLAIN_SIGNS), "")


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
        length = len(WORDS.findall(line))
        own = _QUOTED.sub(lambda quote: self._quoted(quote, length), line)
        found = tuple(clauses(own, self.reports.names))
        return next((fault for clause in found if (fault := self._clause(clause))), "") or self._approval(own, found)

    def _quoted(self, quote: re.Match[str], length: int) -> str:
        """A passage of the reports is theirs if something is said about it in the line of that `length` in words; other quotes
        are the model's own words."""
        about = len(WORDS.findall(quote[1])) < length
        end = "." if quote[1][-1] in ".!?" else ""
        return f' ""{end} ' if about and self.reports.holds(quote[1]) else f" {quote[1]} "

    def _approval(self, line: str, found: tuple[Clause, ...]) -> str:
        """A preview that there is none of, or a word that would approve one: only reports may speak of it, and somebody in them."""
        asked = PREVIEWS.search(" ".join(line.split()))
        if asked is None or (flat(asked[0]) in self.reports.flat and all(one.by is not None for one in _around(asked[0], found))):
            return ""
        return f"“{asked[0]}” speaks of a preview, and there is none; what a mail says stands in quotes, with who says it"

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
        if clause.asks and set(deeds) <= {stem("will")} and not tells:
            return ""
        if tells or not (
            self._is_theirs(clause, words, deeds) if clause.by is not None else self._is_founded(clause, words, deeds)
        ):
            return _done(clause.text)
        return self._untold(clause, words, deeds) or self._new(clause, words)

    def _untold(self, clause: Clause, words: list[str], deeds: list[str]) -> str:
        """What stands in the reports word by word, and yet is not what they say."""
        if self.strictness != "told":
            return ""
        if clause.by is None and _DEMAND.match(pattern_of("to_me").sub("", clause.text)):
            return f"“{clause.text}” demands something: say who asks for it"
        own = words_of("self") & set(words)
        if not (deeds or own) and not self._finished(clause, words):
            return _done(clause.text)
        if DENIAL & set(words) and clause.by is None and not self._denied(clause, words):
            return f"“{clause.text}” denies something that no report denies"
        return ""

    def _finished(self, clause: Clause, words: list[str]) -> bool:
        """Whether the reports tell what it tells as done, of something that it names."""
        done = self._done(clause, words)
        about = _content(words, []) - _generic_stems() - done - frozenset(stems(clause.by or ()))
        units = (unit for unit in self.reports.units if done <= unit.done and unit.denies == bool(DENIAL & set(words)))
        nothing = _head(words) in DENIAL and not about
        return not done or nothing or any(2 * len(about & (unit.own | unit.over)) >= len(about) for unit in units)

    def _denied(self, clause: Clause, words: list[str]) -> bool:
        """Whether the reports deny it, or found nothing of what was asked for; what names nothing in particular needs neither."""
        if pattern_of("no_denial").search(clause.text) or _EXCEPT & set(words):
            return True
        bare = flat(_NOT.sub(" ", clause.text))
        if self.reports.holds(bare) and not self.reports.holds(clause.text):
            return False
        done = self._done(clause, words)
        if words_of("self") & set(words) and (done or not _FINDING & set(words)):
            return True
        about = _content(words, []) - _generic_stems() - words_of("self") - (done if _head(words) in DENIAL else frozenset())
        named = frozenset(stems(word for word in words if word not in words_of("function")))
        return not about or any(self._denies(unit, about, named) for unit in self.reports.units if unit.denies)

    def _denies(self, unit: Unit, about: frozenset[str], named: frozenset[str]) -> bool:
        """Where it denies nothing in particular, it does so of what the user asked for."""
        general = _generic_stems() & unit.own
        if unit.own <= _vague_stems() and (not general or named & _generic_stems() <= general):
            return about <= unit.own | unit.over | self.said
        return bool(named & unit.own) and unit.holds(about)

    def _done(self, clause: Clause, words: list[str]) -> frozenset[str]:
        """Stems of what it tells as done. What somebody wants or asks is not."""
        wanting = words_of("awaiting") | (words_of("wanting") if clause.by is not None else frozenset())
        others = [word for at, word in enumerate(words) if at != clause.verb or word in wanting]
        return frozenset(map(stem, told_done(others, wanting)))

    def _is_foreign(self, word: str) -> bool:
        return word in words_of("foreign") and word not in self.reports.words

    def _is_theirs(self, clause: Clause, words: list[str], deeds: list[str]) -> bool:
        """What somebody is told to have said is in the reports, as far as it tells of deeds."""
        if not deeds or words_of("self") & set(words):
            return not words_of("self") & set(words)
        if clause.verb > 0 and words[0] in inflected():
            return False
        content = _content(words, deeds) | frozenset(stems(clause.by or ()))
        return bool(content - _generic_stems() - set(deeds)) and self._told(clause, content, frozenset(), words)

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
        specific |= frozenset(word for word in words if word.isdigit() and (head == "you" or len(word) > 4))
        by = bool(frozenset(after for word, after in pairwise(words) if word == "by") & self.reports.names)
        return not points and bool(specific) and self._told(clause, content, frozenset() if by else specific, words)

    def _told(self, clause: Clause, content: frozenset[str], pointer: frozenset[str], words: list[str]) -> bool:
        return self.reports.tell(content, pointer, self._done(clause, words) & content, bool(DENIAL & set(words)))

    def _new(self, clause: Clause, words: list[str]) -> str:
        """The first word that no report has, where such words are not somebody's. The user's may be said of what is not there."""
        if self.strictness == "noted" or not self._is_bound(clause, words):
            return ""
        known = self.reports.stems | (self.said if clause.asks or (DENIAL | words_of("self")) & set(words) else frozenset())
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
        if stem(word) in known:
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
        if not (denies and DENIAL & set(near)):
            found.append(stem(word))
    return found


def _content(words: list[str], deeds: list[str]) -> frozenset[str]:
    """Stems of what a report must hold."""
    empty = words_of("function") | words_of("mail") | words_of("saying") | (words_of("harmless") - words_of("generic"))
    return frozenset(stem(word) for word in words if word not in empty and not _CALENDAR.fullmatch(word)).union(deeds)


def _head(words: list[str]) -> str:
    """Whom or what a clause is about, by its first word that is more than an opening."""
    return next((word for word in words if word not in _OPENINGS), words[0])


@cache
def _generic_stems() -> frozenset[str]:
    return frozenset(stems(words_of("generic")))


@cache
def _vague_stems() -> frozenset[str]:
    """Of what names nothing in particular."""
    return _generic_stems().union(*(stems(words_of(name)) for name in ("function", "harmless", "self")))


def _around(words: str, found: tuple[Clause, ...]) -> Iterator[Clause]:
    """The clauses that hold a part of these words."""
    inside = set(tokens(words))
    return (clause for clause in found if inside & set(tokens(clause.own)))


@cache
def _looking() -> re.Pattern[str]:
    what = "|".join(table()["looking"])
    return re.compile(
        rf"\W*(?:(?:{'|'.join(_OPENINGS)}),? )*"
        rf"(?:(?:(?:here|this|that) is )?(?:what|all|everything)(?: that)? )?"
        rf"(?:i|we) (?:(?:also|only|still|just|really) )*(?:{what})",
        re.IGNORECASE,
    )
