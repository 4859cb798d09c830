"""What a user typed, as a query that SQLite's full-text index (FTS5, unicode61) accepts whatever it holds."""

import re
import unicodedata
from collections.abc import Iterable

_TOKEN = re.compile(r"[^\W_]+")
_UNSEGMENTED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
"""Scripts written without spaces between words, of which the index knows only whole runs."""


def phrase(text: str) -> str:
    """`text` as one quoted phrase; empty where the index has no token for any of it."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"' if _TOKEN.search(text) else ""


def needs_scan(text: str) -> bool:
    """True where the index alone can't tell: symbols aren't in it ("C++", an emoji), nor words of unsegmented scripts."""
    return bool(_UNSEGMENTED.search(text)) or any(unicodedata.category(character)[0] == "S" for character in text)


def is_indexed(text: str) -> bool:
    """True where the index finds at least every match."""
    return bool(_TOKEN.search(text)) and not _UNSEGMENTED.search(text)


def match_all(terms: Iterable[tuple[str, str]]) -> str:
    """The MATCH expression for (column, text) pairs, column empty for any; empty if the index can't help with any of them."""
    phrases = ((column, phrase(text)) for column, text in terms if is_indexed(text))
    return " AND ".join(f"{column} : {quoted}" if column else quoted for column, quoted in phrases)


def match_parts(name: str) -> str:
    """The MATCH expression for parts of a name in any order ("Berg, Anna", "anna berg"); empty where nothing is left."""
    return " AND ".join(filter(None, (phrase(part) for part in name.replace(",", " ").split())))


def like_anywhere(text: str) -> str:
    r"""The LIKE pattern (ESCAPE '\') for text that contains `text`."""
    return "%" + re.sub(r"([%_\\])", r"\\\1", text) + "%"
