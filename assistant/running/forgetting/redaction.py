"""A person's name and addresses, found and taken out wherever they stand in text or in stored JSON."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from storage.tables import OutboxRow, StoredFlow, StoredPreview

FORGOTTEN = "[forgotten]"
STRUCTURE = frozenset(
    "account act action agent answer asks conversation course decision door expects fingerprint kind level like line my_answer "
    "operation output own parts request source status strategy tone trigger user".split()
)
"""Fields whose words are ours and no text."""
NEITHER = r"[^\W_]"
"""A letter or digit: where one goes on, it is another word."""
BETWEEN = r"(?:\s+|[_.-])"
"""What stands between the words of a name, in a text or in the name of a file."""
BEFORE = r"(?:[^\W_]|[,;)&/]|\b(?:Mrs?|Ms|Dr|Prof)\.)[ \t][(\"'“„]?"
"""What stands before a word within a sentence, where a capital letter tells a name from a word."""


class Redaction:
    """Knows a person by `names`, which are addresses and names of several words, without regard to case, and by `parts` of names,
    which may be words too: by itself one is met only as it is written, within a sentence."""

    def __init__(self, names: Iterable[str], parts: Iterable[str] = ()) -> None:
        self._names = _any(map(_worded, _longest_first(names)), re.IGNORECASE)
        bare = [re.escape(part) for part in _longest_first(parts)]
        self._written = _any(rf"{BEFORE}{part}(?![\w@])" for part in bare)
        self._parts = _any((rf"(?<!\w){part}(?![\w@])" for part in bare), re.IGNORECASE)

    def names(self, value: Any) -> bool:
        """Whether an address or a name of several words stands in a text or in JSON."""
        return any(self._names.search(text) for text in _texts(value))

    def meets(self, value: Any) -> bool:
        """Whether the person does, also by part of the name."""
        return any(self._names.search(text) or self._written.search(text) for text in _texts(value))

    def of(self, text: str) -> str:
        """A text that tells of the person without the names, and without the parts however they are written."""
        return self._parts.sub(FORGOTTEN, self._names.sub(FORGOTTEN, text))

    def of_json(self, value: Any) -> Any:
        """As `of`; whatever name stands beside an address goes with it."""
        if isinstance(value, str):
            return self.of(value)
        if isinstance(value, list):
            return [self.of_json(inner) for inner in value]
        if isinstance(value, dict):
            named = {"name": FORGOTTEN} if value.get("name") and self.names([value.get("email"), value.get("emails")]) else {}
            return {name: inner if _is_ours(name, inner) else self.of_json(inner) for name, inner in value.items()} | named
        return value


def _any(patterns: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    return re.compile("|".join(patterns) or "(?!)", flags)


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=len, reverse=True)


def _worded(word: str) -> str:
    """An address is no part of a longer one, a name no part of an address."""
    if "@" in word:
        return rf"(?<![\w.+-]){re.escape(word)}(?!{NEITHER})"
    words = BETWEEN.join(map(re.escape, word.split()))
    return rf"(?<!{NEITHER}){words}(?!{NEITHER}|@)"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if not _is_ours(name, inner):
                yield from _texts(inner)


def _is_ours(name: str, value: Any) -> bool:
    return name in STRUCTURE and isinstance(value, str)


def contents_of(row: StoredFlow | StoredPreview | OutboxRow) -> Iterator[Any]:
    """What a row holds as JSON, and what was said of it."""
    texts = (getattr(row, name, None) for name in ("action", "receipt", "body", "snapshot"))
    yield from (loaded(text) for text in texts if text)
    if isinstance(row, OutboxRow):
        yield row.error


def loaded(text: str) -> Any:
    """Stored JSON; None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
