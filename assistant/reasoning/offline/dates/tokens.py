"""A sentence as tokens with offsets, spelling slips set right."""

import re
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from assistant.reasoning.offline.dates.lexicon import MISSPELLINGS, REAL_WORDS, SPELLED

TOKEN = re.compile(r"\d+|[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\S")
PADDING = 6


def _deletions(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(len(word))]


def _slips() -> dict[str, str]:
    """Every spelling of a word of time that misses a letter, doubles one, or swaps two neighbours."""
    found: dict[str, str] = {}
    for word in SPELLED:
        swapped = [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(1, len(word) - 1)]
        doubled = [word[: i + 1] + word[i:] for i in range(len(word))]
        for slip in (*_deletions(word)[1:], *swapped, *doubled):
            found.setdefault(slip, word)
    for word in (*SPELLED, *REAL_WORDS):
        found.pop(word, None)
    return found | MISSPELLINGS


SLIPS = {slip: word for slip, word in _slips().items() if len(slip) >= 6 or slip in MISSPELLINGS}


class Sentence:
    """Tokens of a text, and what resolves them. Reading beyond the end gives the empty word."""

    __slots__ = (
        "begins", "business_hours", "day_first", "ends", "now", "numbers", "past", "raw", "read", "size", "today", "words", "zone"
    )  # fmt: skip

    def __init__(
        self, text: str, now: datetime, zone: ZoneInfo, *, past: bool, business_hours: bool, day_first: bool | None
    ) -> None:
        self.raw: list[str] = []
        self.begins: list[int] = []
        self.ends: list[int] = []
        for match in TOKEN.finditer(text):
            self.raw.append(match.group())
            self.begins.append(match.start())
            self.ends.append(match.end())
        self.size = len(self.raw)
        self.words: list[str] = [_normal(token) for token in self.raw] + [""] * PADDING
        self.numbers: list[int | None] = [_digits(token) for token in self.raw] + [None] * PADDING
        self.now = now.astimezone(zone)
        self.zone = zone
        self.today: date = self.now.date()
        self.past = past
        self.business_hours = business_hours
        self.day_first = day_first
        self.read: dict[tuple[str, int, bool], Any] = {}  # what was read at a token before: rules ask again and again

    def before(self, i: int) -> str:
        return self.words[i - 1] if i > 0 else ""

    def glued(self, i: int) -> bool:
        """No space between token i and the one before it."""
        return 0 < i < self.size and self.begins[i] == self.ends[i - 1]

    def capital(self, i: int) -> bool:
        return i < self.size and self.raw[i][0].isupper()

    def skip(self, i: int, words: frozenset[str]) -> int:
        return i + 1 if self.words[i] in words else i

    def looking_back(self) -> "Sentence":
        """The same sentence, where an unnamed year or week is the last one."""
        if self.past:
            return self
        other = Sentence.__new__(Sentence)
        for name in Sentence.__slots__:
            setattr(other, name, getattr(self, name))
        other.past = True
        other.read = {}
        return other


def _normal(token: str) -> str:
    word = token.lower()
    if "\u2019" in word:
        word = word.replace("\u2019", "'")
    return SLIPS.get(word, word)


def _digits(token: str) -> int | None:
    return int(token) if token.isdecimal() and len(token) <= 8 else None
