"""A person's name and addresses, found and taken out wherever they stand in text or in stored JSON."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from storage.tables import OutboxRow, StoredFlow, StoredPreview

FORGOTTEN = "[forgotten]"
STRUCTURE = frozenset("kind status course account conversation agent expects request level".split())
"""Fields whose words are ours and no text."""
NEITHER = r"[^\W_]"
"""A letter or digit: where one goes on, it is another word."""


class Redaction:
    """Knows a person by these words, without regard to case."""

    def __init__(self, words: Iterable[str]) -> None:
        longest_first = sorted(words, key=len, reverse=True)
        self._words = re.compile("|".join(map(_worded, longest_first)) or "(?!)", re.IGNORECASE)

    def meets(self, *texts: str) -> bool:
        return any(self._words.search(text) for text in texts)

    def meets_json(self, value: Any) -> bool:
        if isinstance(value, str):
            return self.meets(value)
        if isinstance(value, list):
            return any(map(self.meets_json, value))
        return isinstance(value, dict) and any(self.meets_json(inner) for name, inner in value.items() if name not in STRUCTURE)

    def of(self, text: str) -> str:
        return self._words.sub(FORGOTTEN, text)

    def of_json(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.of(value)
        if isinstance(value, list):
            return [self.of_json(inner) for inner in value]
        if isinstance(value, dict):
            return {name: inner if name in STRUCTURE else self.of_json(inner) for name, inner in value.items()}
        return value


def _worded(word: str) -> str:
    """An address is no part of a longer one, a name no part of an address."""
    words = r"\s+".join(map(re.escape, word.split()))
    return rf"(?<![\w.+-]){words}(?!{NEITHER})" if "@" in word else rf"(?<!{NEITHER}){words}(?!{NEITHER}|@)"


def contents_of(row: StoredFlow | StoredPreview | OutboxRow) -> Iterator[Any]:
    """What a row holds as JSON."""
    texts = (getattr(row, name, None) for name in ("action", "receipt", "body", "snapshot"))
    return (loaded(text) for text in texts if text)


def loaded(text: str) -> Any:
    """Stored JSON; None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
