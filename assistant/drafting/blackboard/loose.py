"""Objects in what a model wrote: JSON, or nearly so (single quotes, bare words, line breaks in strings, sets, a comma too many,
comments)."""

import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

_TRIES = 30
"""So many braces that open no object are looked at: each look may read to the end."""
_DEPTH = 20
_STRICT = json.JSONDecoder(strict=False)
_LATEX = re.compile(r"(?<!\\)\\[bf][a-z]")
"""\\boxed and \\frac, which JSON would read as a backspace and a form feed."""


class Found(NamedTuple):
    """The object stands in `text[start:end]`; of a set the members are keys without a value."""

    start: int
    end: int
    value: dict[str, Any]


@lru_cache(maxsize=4)
def objects(text: str) -> tuple[Found, ...]:
    """The outermost ones, in their order."""
    found: list[Found] = []
    at, tries = text.find("{"), 0
    while at >= 0 and tries < _TRIES:
        one = _strict(text, at) or _loose(text, at)
        if one is None:
            tries += 1
        else:
            found.append(one)
        at = text.find("{", one.end if one else at + 1)
    return tuple(found)


def _strict(text: str, at: int) -> Found | None:
    try:
        value, end = _STRICT.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return None if _LATEX.search(text, at, end) else Found(at, end, value)


def _loose(text: str, at: int) -> Found | None:
    reader = _Reader(text, at)
    try:
        value = reader.object(0)
    except _Odd:
        return None
    return Found(at, reader.at, value)


class _Odd(Exception):
    pass


# No longer than this, so that many beginnings of one are not each read to the end; behind a colon it is a bare address.
_COMMENT = r"(?<!:)//[^\n]{0,300}(?:\n|\Z)"
_SKIPPED = rf"(?:\s|{_COMMENT})*"
_BLANK = re.compile(_SKIPPED)
_WORD = re.compile(r"[^\s,:{}\[\]\"'](?:(?!\s//)[^,:{}\[\]\n])*")
_COMMA_IN_COMMENT = re.compile(r",[^\S\n]*\n")
_CONSTANTS = {"true": True, "false": False, "null": None, "none": None}
# A quote ends a string only where something can follow it, so that an apostrophe does not.
_FOLLOWS = rf"(?:{_SKIPPED}(?:[,:}}\]]|$)|\s*//[^\n]{{0,300}},[^\S\n]*\n)"
_STRINGS = {quote: re.compile(rf"{quote}((?:\\.|(?!{quote}{_FOLLOWS})[^\\])*){quote}", re.DOTALL) for quote in "\"'"}


class _Reader:
    """Raises _Odd where it can't go on."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at

    def object(self, depth: int) -> dict[str, Any]:
        pairs: list[tuple[str, Any, bool]] = []
        self._take("{")
        while not self._taken("}"):
            key = self._scalar()
            valued = self._taken(":")
            pairs.append((str(key), self._value(depth) if valued else None, valued))
            self._separated("}")
        if len({valued for _, _, valued in pairs}) > 1:
            raise _Odd  # words with commas in them, without quotes: better not read than by halves
        return {key: value for key, value, _ in pairs}

    def _array(self, depth: int) -> list[Any]:
        values: list[Any] = []
        self._take("[")
        while not self._taken("]"):
            values.append(self._value(depth))
            self._separated("]")
        return values

    def _value(self, depth: int) -> Any:
        if depth == _DEPTH:
            raise _Odd
        match self._next():
            case "{":
                return self.object(depth + 1)
            case "[":
                return self._array(depth + 1)
            case _:
                return self._scalar()

    def _scalar(self) -> Any:
        opening = self._next()
        found = _STRINGS.get(opening, _WORD).match(self.text, self.at)
        if found is None:
            raise _Odd
        self.at = found.end()
        if opening in _STRINGS:
            return _unescaped(found[1])
        word = found[0].strip()
        return _CONSTANTS.get(word.lower(), word)

    def _next(self) -> str:
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at
        return self.text[self.at : self.at + 1]

    def _taken(self, sign: str) -> bool:
        taken = self._next() == sign
        self.at += taken
        return taken

    def _take(self, sign: str) -> None:
        if not self._taken(sign):
            raise _Odd

    def _separated(self, end: str) -> None:
        """By a comma, which may stand last in a comment: `"x" //what it is,`."""
        start = self.at
        if self._taken(",") or self._next() == end:
            return
        if not _COMMA_IN_COMMENT.search(self.text, start, self.at):
            raise _Odd


_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_MEANT = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/"}


def _unescaped(written: str) -> str:
    def meant(escape: re.Match[str]) -> str:
        sign = escape[1]
        return chr(int(sign[1:], 16)) if len(sign) == 5 else _MEANT.get(sign, escape[0])

    return _ESCAPED.sub(meant, written)
