"""Splits mails into their parts, as the standard library's parser would (RFC 2045, 2046, 5322), but in bounded time and depth,
and without copies of what nobody reads.

The result are the standard library's messages. A mail that is attached is one message, whose own parts are not taken apart.
"""

import re
from collections.abc import Iterator
from email.errors import CloseBoundaryNotFoundDefect, NoBoundaryInMultipartDefect, StartBoundaryNotFoundDefect
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from typing import NamedTuple

from integrations.common.headers import raw_text

DEEPEST, MOST_PARTS = 20, 1000
MOST_FIELDS = 2000
"""Header fields of one part."""
_LONGEST_HEAD, _LONGEST_PART_HEAD = 250_000, 20_000
_ALL_HEADS = 400_000
_LONGEST_STRUCTURAL = 4000
_LONGEST_TEXT = 1_600_000
_STRUCTURAL = frozenset({"content-type", "content-disposition", "content-transfer-encoding", "content-id", "mime-version"})
_HEADER_LINE = re.compile(rb"(?:From |[!-9;-~]*:|[ \t])[^\r\n]*(?:\r\n?|\n|\Z)")
_GAP = re.compile(rb"(?<=\n)\r?\n|(?<=\r)\r")
_LINE_END = re.compile(rb"\r\n?|\n|\Z")
_PARSER = BytesParser(policy=compat32)


class Split(NamedTuple):
    """`deep`: parts that lie deeper than is looked; `many`: parts or header fields beyond those read, at least one where any are;
    `cut`: bytes of headers that were not read."""

    message: Message
    deep: int = 0
    many: int = 0
    cut: int = 0


def parse_message(raw: bytes) -> Message:
    return split_message(raw).message


def split_message(raw: bytes) -> Split:
    """Never an error; a mail that goes beyond the bounds is read as far as they reach."""
    splitting = _Splitting(raw)
    message = splitting.whole()
    return Split(message, splitting.deep, splitting.many, splitting.cut)


class _Multipart(NamedTuple):
    """One that is being read. `children` have begun."""

    message: Message
    boundary: bytes
    children: list[Message]


class _Splitting:
    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.deep = self.many = self.cut = 0
        self._heads = _ALL_HEADS
        self._parts = 0
        self._open: list[_Multipart] = []
        self._leaf: Message | None = None
        self._leaf_start = 0
        self._finders: dict[tuple[bytes, ...], re.Pattern[bytes]] = {}

    def whole(self) -> Message:
        message, position = self._head(0, _LONGEST_HEAD)
        self._begin(message, position)
        for start, end, index, closes in self._delimiters(position):
            self._end_part(start)
            self._close_down_to(index)
            innermost = self._open[-1]
            if closes:
                self._finish(innermost, closed=True)
                self._open.pop()
                continue
            if self._parts >= MOST_PARTS or self._heads <= 0:
                self.many += 1
                break
            part, position = self._head(self._after_repeated(end), _LONGEST_PART_HEAD)
            part.set_default_type("message/rfc822" if innermost.message.get_content_type() == "multipart/digest" else "text/plain")
            innermost.children.append(part)
            self._begin(part, position)
            self._next = position
        else:
            self._end_part(len(self.raw))
        self._close_down_to(-1)
        return message

    def _delimiters(self, position: int) -> Iterator[tuple[int, int, int, bool]]:
        """(where its line starts, where it ends, which of the open multiparts it is of, whether it closes that) of each in turn."""
        self._next = position
        while self._open:
            found = self._finder().search(self.raw, self._next)
            if not found:
                return
            index = min(at for at, one in enumerate(self._open) if one.boundary == found[1])
            self._next = found.end()
            yield found.start(), found.end(), index, bool(found[2])

    def _after_repeated(self, end: int) -> int:
        """Between two delimiters that stand next to each other there is no part."""
        while (found := self._finder().match(self.raw, end)) and found[1] == self._open[-1].boundary and found.end() > end:
            end = found.end()
        return end

    def _finder(self) -> re.Pattern[bytes]:
        boundaries = tuple(dict.fromkeys(one.boundary for one in self._open))
        if boundaries not in self._finders:
            # The longest first: one may begin another.
            each = b"|".join(map(re.escape, sorted(boundaries, key=len, reverse=True)))
            self._finders[boundaries] = re.compile(rb"--(?<![^\r\n]--)(" + each + rb")(--)?[ \t]*(?:\r\n?|\n|\Z)")
        return self._finders[boundaries]

    # Parts -----------------------------------------------------------------------------------------------------------------

    def _begin(self, part: Message, position: int) -> None:
        """A part whose head ends at `position`: either parts follow, or its content."""
        self._parts += 1
        if part.get_content_maintype() == "multipart":
            boundary = _boundary(part)
            if not boundary:
                part.defects.append(NoBoundaryInMultipartDefect())
            elif len(self._open) >= DEEPEST:
                self.deep += 1
                part.set_payload("")
                self._leaf = None
                return
            else:
                self._open.append(_Multipart(part, boundary, []))
                self._leaf, self._leaf_start = None, position
                return
        self._leaf, self._leaf_start = part, position

    def _end_part(self, end: int) -> None:
        """What stands there last has ended; the end of the line before a delimiter belongs to that."""
        if self._leaf is None:
            if self._open and not self._open[-1].children:
                self._open[-1].message.preamble = self._text(
                    self._leaf_start, min(self._before(end), self._leaf_start + _LONGEST_TEXT)
                )
            return
        stop = self._before(end) if self._open else end
        _fill(self._leaf, self.raw, self._leaf_start, max(stop, self._leaf_start))
        self._leaf = None

    def _before(self, end: int) -> int:
        if end == len(self.raw):
            return end
        return end - 2 if self.raw.endswith(b"\r\n", 0, end) else end - 1

    def _close_down_to(self, index: int) -> None:
        while len(self._open) > index + 1:
            self._finish(self._open.pop(), closed=False)

    def _finish(self, one: _Multipart, *, closed: bool) -> None:
        if one.children:
            one.message.set_payload(list[Message | str](one.children))
        else:
            one.message.defects.append(StartBoundaryNotFoundDefect())
            one.message.set_payload(one.message.preamble or "")
            one.message.preamble = None
        if not closed:
            one.message.defects.append(CloseBoundaryNotFoundDefect())

    def _text(self, start: int, end: int) -> str:
        return self.raw[start : max(start, end)].decode("ascii", "surrogateescape")

    # Heads -----------------------------------------------------------------------------------------------------------------

    def _head(self, start: int, longest: int) -> tuple[Message, int]:
        """The message with its headers, and where its content begins."""
        position, fields, stop = start, 0, min(start + min(longest, self._heads), len(self.raw))
        while position < stop and fields < MOST_FIELDS and (found := _HEADER_LINE.match(self.raw, position)) and found[0]:
            position = found.end()
            fields += found[0][:1] not in b" \t"
        read = min(position, stop)
        if (position >= stop or fields >= MOST_FIELDS) and (found := _HEADER_LINE.match(self.raw, position)) and found[0]:
            gap = _GAP.search(self.raw, position)
            end = gap.start() if gap else len(self.raw)
            self.many += 1 + self.raw.count(b"\n", position, end) if fields >= MOST_FIELDS else 0
            position = end
        self.cut += position - read
        self._heads -= read - start
        message = _PARSER.parsebytes(self.raw[start:read].rstrip(b"\r\n") + b"\n\n", headersonly=True)
        _bound(message)
        gap = _LINE_END.match(self.raw, position)
        return message, gap.end() if gap else position


def _boundary(part: Message) -> bytes:
    """Empty where none is given that anything could match."""
    try:
        given = part.get_boundary() or ""
    except (LookupError, ValueError, TypeError):
        return b""
    return given.encode("utf-8", "surrogateescape").rstrip()


def _fill(part: Message, raw: bytes, start: int, end: int) -> None:
    if part.get_content_maintype() != "message":
        part.set_payload(raw[start:end].decode("ascii", "surrogateescape"))
        return
    inner = raw[start:end]
    head = _inner_head(inner)
    message = _PARSER.parsebytes(inner[:head].rstrip(b"\r\n") + b"\n\n", headersonly=True)
    gap = _LINE_END.match(inner, head)
    message.set_payload(inner[gap.end() if gap else head :].decode("ascii", "surrogateescape"))
    part.set_payload([message])


def _inner_head(inner: bytes) -> int:
    """Where the headers of an attached mail end, as far as they are read."""
    position, fields = 0, 0
    while position < min(len(inner), _LONGEST_PART_HEAD) and fields < MOST_FIELDS:
        found = _HEADER_LINE.match(inner, position)
        if not found or not found[0]:
            break
        position, fields = found.end(), fields + 1
    return position


def _bound(message: Message) -> None:
    """What says how a part is built is short; the standard library takes time with the square of its length."""
    for name, value in list(message.raw_items()):
        if name.lower() in _STRUCTURAL and len(str(value)) > _LONGEST_STRUCTURAL:
            message.replace_header(name, raw_text(str(value))[:_LONGEST_STRUCTURAL])
