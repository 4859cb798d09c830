"""Misspelt words of the lexicon: "emials", "tuseday", "cancle". Names, quotes and dictated words are never touched."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Operation
from assistant.reasoning.offline.criteria import writes
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.names import names_index
from assistant.reasoning.offline.reading.text.tokens import Token, tokenise

SHORT = 4
"""In words of so few letters only two neighbours may be swapped: they resemble too many others."""
LONG = 6
"""In shorter nouns a letter left out or put in makes too many other words: "tiles" are no titles."""
VOWELS = frozenset("aeiouy")
LEADS = frozenset({",", "and", "then", "please", "to", ".", "!", "?", ":", ";", "otherwise", "just"})
BEFORE_NAMES = frozenset("from to with tell ask invite by email mail and cc bcc".split())


@dataclass(frozen=True, slots=True)
class Correction:
    wrong: str
    right: str
    begin: int
    end: int
    leads: bool = False
    """Whether it stands where a request begins."""

    @property
    def is_verb(self) -> bool:
        lex = lexicon()
        return lex.verbs.at([self.right], 0) is not None and (self.leads or lex.nouns.at([self.right], 0) is None)


@lru_cache(maxsize=64)
def corrected(text: str, setting: Setting) -> tuple[str, tuple[Correction, ...]]:
    """The text with what was misspelt put right, and what that was."""
    found = tuple(_corrections(tokenise(text), setting))
    if not found:
        return text, ()
    put_right = _applied(text, found)
    items = mark(put_right, setting)
    start, _ = dictation(items)
    if start is not None and start < len(items):
        limit = items[start].begin
        shift, kept = 0, list[Correction]()
        for one in found:
            if one.begin + shift < limit:
                kept.append(one)
            shift += len(one.right) - len(one.wrong)
        found = tuple(kept)
    return _applied(text, found), found


def guessed(slips: Sequence[Correction], operation: Operation) -> tuple[str, ...]:
    """What a write rests on where its own verb was misspelt."""
    return tuple(f"“{one.wrong}” means “{one.right}”" for one in slips if one.is_verb and writes(operation))


def kept_as_said(slips: Sequence[Correction], call: Call | None) -> tuple[Correction, ...]:
    """Those that ended in words which are written down as they are: a title, a place, a note."""
    if call is None or not writes(call.operation):
        return ()
    free = " ".join((call.title, call.location, call.subject, *(value for _, value in call.details))).casefold().split()
    return tuple(one for one in slips if one.right.casefold() in free)


def without(text: str, slips: Sequence[Correction], kept: Sequence[Correction]) -> str:
    """The text put right, but for what is kept."""
    return _applied(text, [one for one in slips if one not in kept])


def respelt(text: str, slips: Sequence[Correction]) -> str:
    """An instruction with its misspelt verbs as the user wrote them, so that whoever carries it out says that it guesses."""
    for one in slips:
        if one.is_verb:
            wrong = one.wrong.capitalize() if text.startswith(one.right.capitalize()) else one.wrong
            text = re.sub(rf"\b{one.right}\b", wrong, text, count=1, flags=re.IGNORECASE)
    return text


def _applied(text: str, corrections: Sequence[Correction]) -> str:
    for one in reversed(corrections):
        right = one.right.capitalize() if one.wrong[:1].isupper() else one.right
        text = text[: one.begin] + right + text[one.end :]
    return text


def _corrections(tokens: Sequence[Token], setting: Setting) -> Iterator[Correction]:
    names, groups = names_index(setting.names), names_index(setting.groups)
    people = names.parts | groups.parts | set(names.full) | set(groups.full)
    known, slips = vocabulary(), lexicon().slips
    for at, token in enumerate(tokens):
        word = token.low
        if token.kind == "word" and _is_slip(token, at) and word not in known and word not in people:
            leads = not at or tokens[at - 1].low in LEADS
            yield Correction(token.text, slips[word], token.begin, token.end, leads=leads)
            continue
        if token.kind != "word" or not token.text.isalpha() or word in known or word in people or len(word) < 3:
            continue
        if token.text[:1].isupper() and (at > 0 or not token.text[1:].islower()):
            continue
        if any(word.endswith(end) and word.removesuffix(end) in known for end in ("s", "es", "ed", "ing")):
            continue
        right = nearest_word(word)
        if not right or (len(word) < SHORT and right not in ("the", "and", "you", "her")):
            continue
        leads = not at or tokens[at - 1].low in LEADS
        if min(len(word), len(right)) < LONG and _slips(word, right) > 1 and not (leads or right in known_times() | _no_names()):
            continue
        if token.text[:1].isupper() and lexicon().verbs.at([right], 0) is None and right not in lexicon().small["wh"]:
            continue
        before = tokens[at - 1].low if at else ""
        if before in BEFORE_NAMES and right not in known_times() | _no_names():
            continue
        yield Correction(token.text, right, token.begin, token.end, leads=not at or before in LEADS)


def _is_slip(token: Token, at: int) -> bool:
    """A word that stands in the table as it is; in capitals only where a sentence begins."""
    return token.low in lexicon().slips and (token.text.islower() or (not at and token.text.istitle()))


@cache
def _no_names() -> frozenset[str]:
    """What stands behind "from" and "with" and is nobody: articles, and "attachments"."""
    states = {word for rows in lexicon().states.by_first.values() for row, _ in rows for word in row}
    return lexicon().small["articles"] | states


@cache
def known_times() -> frozenset[str]:
    return lexicon().small["days"] | lexicon().small["time_words"]


@cache
def vocabulary() -> frozenset[str]:
    """Every single word that the grammar knows, and words that only look like a misspelt one."""
    lex = lexicon()
    phrases = (lex.verbs, lex.facts, lex.nouns, lex.markers, lex.states, lex.orders, lex.folders, lex.connectors)
    words = {word for table in phrases for rows in table.by_first.values() for row, _ in rows for word in row}
    return frozenset(words | lex.known | known_times() | lex.small["spelt_right"] | lex.small["names_too"] | set(lex.fields))


@cache
def _targets() -> dict[str, tuple[str, ...]]:
    """What may have been meant, by first letter."""
    table: dict[str, list[str]] = {}
    for word in vocabulary() - lexicon().small["spelt_right"]:
        if word.isalpha() and len(word) >= 3:
            table.setdefault(word[0], []).append(word)
    return {first: tuple(sorted(words)) for first, words in table.items()}


@lru_cache(maxsize=512)
def nearest_word(word: str) -> str:
    """The one word of the lexicon that this is a slip of; empty where there is none, or several."""
    firsts = {word[0], word[1]}
    near = [(mistakes, other) for first in firsts for other in _targets().get(first, ()) if (mistakes := _slips(word, other))]
    if not near:
        return ""
    least = min(mistakes for mistakes, _ in near)
    best = [other for mistakes, other in near if mistakes == least]
    stems = {other.rstrip("s") for other in best}
    return best[0] if len(best) == 1 else min(best, key=len) if len(stems) == 1 and not word.endswith("s") else ""


def _slips(word: str, other: str) -> int:
    """How far `word` is a slip of the pen for `other`: 1 for two neighbours swapped or a letter doubled, 2 for a letter left out or
    put in, 3 for one vowel in another's place; 0 where it is none."""
    if abs(len(word) - len(other)) > 1 or (word[0] != other[0] and word[:2] != other[1::-1]):
        return 0
    if _swapped(word, other):
        return 1
    if _inflected(*sorted((word, other), key=len)):
        return 0
    if _single(word) == _single(other) and min(len(word), len(other)) >= SHORT:
        return 1
    if min(len(word), len(other)) <= SHORT:
        return 0
    if len(word) != len(other):
        return 2 if _one_more(*sorted((word, other), key=len)) else 0
    differing = [(a, b) for a, b in zip(word, other, strict=True) if a != b]
    return 3 if len(differing) == 1 and set(differing[0]) <= VOWELS else 0


def _inflected(short: str, long: str) -> bool:
    """Another form of one word: "agree" and "agreed", "recipient" and "recipients"."""
    return long == f"{short}s" or (short.endswith("e") and long == f"{short}d")


def _swapped(word: str, other: str) -> bool:
    at = next((n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), -1)
    return (
        len(word) == len(other) and at >= 0 and word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]
    )


def _single(word: str) -> str:
    """Every doubled letter once."""
    return "".join(letter for n, letter in enumerate(word) if n == 0 or letter != word[n - 1])


def _one_more(short: str, long: str) -> bool:
    return any(long[:n] + long[n + 1 :] == short for n in range(1, len(long)))
