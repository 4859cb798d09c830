"""Words as a search compares them: whole ones, without regard to case and accents."""

import re
import unicodedata
from collections.abc import Sequence

_JOINED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_JOINED}]|[^\W{_JOINED}]+")


def words(text: str) -> tuple[str, ...]:
    """Scripts that put no spaces between words are taken sign by sign."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return tuple(_WORD.findall(unicodedata.normalize("NFC", bare.casefold())))


def contains(text: Sequence[str], wanted: Sequence[str]) -> bool:
    """`wanted` stands in `text` as it is, one word after the other. Signs alone are no words, and are found anywhere."""
    size = len(wanted)
    return not wanted or any(word == wanted[0] and text[start : start + size] == wanted for start, word in enumerate(text))
