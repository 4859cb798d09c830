"""What an IMAP server answers, read into values: FETCH, LIST, SEARCH and what stands in brackets."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import Any, NamedTuple

Piece = bytes | tuple[bytes, bytes]
"""As imaplib gives them: a line, or the part of a line before a literal and the literal."""
Row = dict[str, Any]
"""What is told of one message, under the names it was asked by, in upper case and without PEEK."""

DEEPEST, MOST_UIDS = 60, 5_000_000
HIGHEST_UID = 2**32 - 1
_TOKEN = re.compile(
    rb"""\ *(?:
    (?P<open>\() | (?P<close>\)) |
    "(?P<quoted>[^"\\]*(?:\\.[^"\\]*)*)" |
    (?P<literal>~?\{\d+\+?\}\Z) |
    (?P<atom>(?:[^\s()"\[{]|\[[^\]]*\])+)
    )\ *""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DATE = re.compile(r"\s*(\d{1,2})-(\w{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-]\d{4})", re.ASCII)
_SET = re.compile(r"\d+(:\d+)?(,\d+(:\d+)?)*", re.ASCII)
_NUMBER = re.compile(rb"0|[1-9]\d{0,19}")
_LINE_BREAK = re.compile(r"[\r\n\0]")


class Garbled(ValueError):
    """It is not what the standard says."""


class Listed(NamedTuple):
    """A line of LIST; `path` is the name as it was sent, `attributes` in lower case, such as "\\noselect"."""

    path: str
    delimiter: str
    attributes: frozenset[str]


# Values --------------------------------------------------------------------------------------------------------------


def values(pieces: Iterable[Piece]) -> list[Any]:
    """Atoms become str, strings bytes, numbers int, NIL None, and what stands in parentheses a list."""
    top: list[Any] = []
    stack = [top]
    for kind, value in _tokens(pieces):
        if kind == "open":
            if len(stack) > DEEPEST:
                raise Garbled("too deep")
            inner: list[Any] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif kind == "close":
            stack.pop()
            if not stack:
                raise Garbled("closed too often")
        else:
            stack[-1].append(value)
    if len(stack) > 1:
        raise Garbled("not closed")
    return top


def _tokens(pieces: Iterable[Piece]) -> Iterator[tuple[str, Any]]:
    for piece in pieces:
        line, literal = piece if isinstance(piece, tuple) else (piece, None)
        at = 0
        while at < len(line):
            found = _TOKEN.match(line, at)
            if not found:
                raise Garbled("not a value")
            at, kind = found.end(), str(found.lastgroup)
            if kind == "quoted":
                yield kind, _ESCAPED.sub(rb"\1", found[kind])
            elif kind == "atom":
                yield kind, _atom(found[kind])
            elif kind != "literal":
                yield kind, None
            elif literal is None:
                raise Garbled("no literal")
        if literal is not None:
            yield "literal", literal


def _atom(text: bytes) -> str | int | None:
    if _NUMBER.fullmatch(text):
        return int(text)
    return None if text.upper() == b"NIL" else text.decode("latin-1")


# FETCH ---------------------------------------------------------------------------------------------------------------


def rows_of(data: Sequence[Piece | None]) -> list[Row]:
    """One for each message, in the order in which they were first told of; what is told of none by its UID is left out."""
    rows: dict[int, Row] = {}
    for response in _responses(data):
        row = _row(values(response))
        if "UID" in row:
            rows.setdefault(row["UID"], {}).update(row)
    return list(rows.values())


def _responses(data: Sequence[Piece | None]) -> Iterator[list[Piece]]:
    """A response ends with the first line that leads into no literal."""
    current: list[Piece] = []
    for piece in data:
        if piece is None:
            continue
        current.append(piece)
        if isinstance(piece, bytes):
            yield current
            current = []
    if current:
        raise Garbled("not ended")


def _row(response: list[Any]) -> Row:
    """From its number and one list of names and values."""
    if len(response) != 2 or not isinstance(response[1], list) or len(response[1]) % 2:
        raise Garbled("no message")
    told = response[1]
    row: Row = {}
    for name, value in zip(told[::2], told[1::2], strict=True):
        if not isinstance(name, str):
            raise Garbled("no name")
        key = name.upper().replace('"', "")
        row[key] = _READ[key](value) if key in _READ else value
    return row


def _number(value: Any) -> int:
    if not isinstance(value, int):
        raise Garbled("no number")
    return value


def _uid(value: Any) -> int:
    if not 0 < _number(value) <= HIGHEST_UID:
        raise Garbled("no UID")
    return int(value)


def _modseq(value: Any) -> int:
    return _number(value[0] if isinstance(value, list) and value else value)


def _flags(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise Garbled("no flags")
    return [str(flag) for flag in value if flag is not None]


def _moment(value: Any) -> datetime:
    return moment(value.decode("ascii", "replace") if isinstance(value, bytes) else "")


_READ = {"UID": _uid, "RFC822.SIZE": _number, "MODSEQ": _modseq, "FLAGS": _flags, "INTERNALDATE": _moment}


def moment(text: str) -> datetime:
    """From " 1-Feb-2024 09:00:00 +0100"; aware. Its months are English wherever this runs."""
    found = _DATE.fullmatch(text)
    try:
        if found:
            day, month, year, hour, minute, second, zone = found.groups()
            time = int(hour), int(minute), int(second)
            return datetime(int(year), _MONTHS.index(month.capitalize()) + 1, int(day), *time, tzinfo=_zone(zone))
    except (ValueError, OverflowError):
        pass
    raise Garbled("no date")


@cache
def _zone(text: str) -> tzinfo:
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[3:]))
    return timezone(-offset if text[0] == "-" else offset)


def internal_date(date: datetime) -> str:
    """What `moment` reads; seconds are the least that it tells."""
    return f"{date.day:02d}-{_MONTHS[date.month - 1]}-{date.year:04d} {date:%H:%M:%S %z}"[:26]


# Sets of UIDs --------------------------------------------------------------------------------------------------------


def uids_of(text: str) -> list[int]:
    """From "1:3,7", in that order; a range may be written backwards."""
    if not _SET.fullmatch(text):
        raise Garbled("no set")
    uids: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition(":")
        low, high = sorted((_bounded(first), _bounded(last or first)))
        if high - low + len(uids) >= MOST_UIDS:
            raise Garbled("too many")
        uids.extend(range(low, high + 1))
    return uids


def _bounded(text: str) -> int:
    if len(text) > 10 or int(text) > HIGHEST_UID:
        raise Garbled("no UID")
    return int(text)


def sets_of(uids: Iterable[int], longest: int, most: int) -> Iterator[str]:
    """Sets such as "1:3,7" in rising order, each at most so many characters long and of at most `most` UIDs."""
    part, size, number = list[str](), 0, 0
    for low, high in _ranges(sorted(set(uids)), most):
        text = str(low) if low == high else f"{low}:{high}"
        if part and (size + len(text) >= longest or number + high - low >= most):
            yield ",".join(part)
            part, size, number = [], 0, 0
        part.append(text)
        size, number = size + len(text) + 1, number + high - low + 1
    if part:
        yield ",".join(part)


def _ranges(uids: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    start = 0
    for at in range(1, len(uids) + 1):
        if at == len(uids) or uids[at] != uids[at - 1] + 1 or at - start == most:
            yield uids[start], uids[at - 1]
            start = at


def found_by(data: Sequence[Piece | None]) -> list[int]:
    """The UIDs of SEARCH or SORT, in the order they were given; lines of a few UIDs each are one answer."""
    told = b" ".join(piece for piece in data if isinstance(piece, bytes))
    if told.count(b" ") > MOST_UIDS:
        raise Garbled("too many")
    words = told.partition(b"(")[0].split()  # (MODSEQ n) may follow
    if not all(map(_NUMBER.fullmatch, words)):
        raise Garbled("no UIDs")
    return list(map(int, words))


def found_in_sets(data: Sequence[Piece | None]) -> list[int]:
    """The UIDs of ESEARCH, told as ALL."""
    sets = []
    for piece in data:
        told = values([piece]) if piece else []
        words = [str(word).upper() for word in told]
        if "ALL" in words[:-1]:
            sets.append(str(told[words.index("ALL") + 1]))
    return uids_of(",".join(sets)) if sets else []


def vanished_in(data: Sequence[Piece | None]) -> set[int]:
    """Of "(EARLIER) 1:3,7" or "1:3,7"."""
    sets = [piece.rpartition(b" ")[2].decode("ascii", "replace") for piece in data if isinstance(piece, bytes)]
    return set(uids_of(",".join(sets))) if sets else set()


# Folders -------------------------------------------------------------------------------------------------------------


def listed_in(data: Sequence[Piece | None]) -> list[Listed]:
    """Names that can't be read, or not be said again, are left out: such folders can't be opened anyway."""
    listed = []
    for response in _responses(data):
        try:
            attributes, delimiter, path, *_ = values(response)
            if not _LINE_BREAK.search(name := _text(path)):
                listed.append(Listed(name, _text(delimiter), frozenset(str(one).lower() for one in attributes)))
        except (Garbled, TypeError, ValueError):
            continue
    return listed


def prefixes_in(data: Sequence[Piece | None]) -> tuple[tuple[str, str] | None, frozenset[str]]:
    """Of NAMESPACE: prefix and delimiter of the user's own folders, None where it tells of none; the prefixes of other people's
    and of shared ones."""
    try:
        own, *others = values([piece for piece in data if piece])
        first = (_text(own[0][0]), _text(own[0][1])) if own else None
        theirs = frozenset(_text(one[0]) for namespace in others if namespace for one in namespace)
    except (Garbled, TypeError, ValueError, IndexError):
        return None, frozenset()
    return first, theirs - {"", first[0] if first else ""}


def statuses_in(data: Sequence[Piece | None]) -> dict[str, dict[str, int]]:
    """Of STATUS: by the folder's path, numbers by name."""
    statuses = {}
    for response in _responses(data):
        path, told = values(response)
        statuses[_text(path)] = {str(name).upper(): _number(value) for name, value in zip(told[::2], told[1::2], strict=True)}
    return statuses


def _text(value: Any) -> str:
    """A name as it was sent, whether as an atom or a string; empty for NIL."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if value is None or isinstance(value, str | int):
        return str("" if value is None else value)
    raise Garbled("no name")
