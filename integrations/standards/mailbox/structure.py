"""A mail without its attachments, put together from what a server tells of it: its headers, how it is built, and some of its text.

The one parser of mails then reads it, so that a listing says of it what a look at the whole mail would.
"""

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from integrations.common.mime import Parsed, read_message
from integrations.errors import InvalidResponse

Told = Sequence[object]
"""A list in a server's answer: of texts, numbers, None and further lists."""

DEEPEST, MOST_PARTS = 50, 1000
_BREAKS = re.compile(rb"[\r\n\0]+")
_TOKEN = re.compile(rb"[A-Za-z0-9!#$&+.^_*%'-]{1,80}")


class Part(NamedTuple):
    """`number` as IMAP counts, empty for a multipart that is the whole; `kind` in lower case; `size` in bytes as it is sent."""

    number: str
    kind: bytes
    parameters: tuple[tuple[bytes, bytes], ...]
    disposition: bytes
    names: tuple[tuple[bytes, bytes], ...]
    content_id: bytes
    encoding: bytes
    size: int
    children: tuple["Part", ...]

    @property
    def leaves(self) -> Iterator["Part"]:
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves

    @property
    def decoded_size(self) -> int:
        """As near as can be told: to a byte or two, where lines are 76 characters long."""
        if self.encoding != b"base64":
            return self.size
        return max(0, (self.size - 2 * (self.size // 78)) // 4 * 3 - 1)

    @property
    def may_be_text(self) -> bool:
        return self.kind in (b"text/plain", b"text/html") and self.disposition != b"attachment" and self.size > 0


# What the server tells -----------------------------------------------------------------------------------------------


def part_of(told: object) -> Part:
    """Of a BODYSTRUCTURE. InvalidResponse where it is none."""
    try:
        part = _part(told, "", 0)
        if sum(1 for _ in part.leaves) > MOST_PARTS:
            raise ValueError("too many parts")
        return part
    except (ValueError, TypeError, IndexError) as error:
        raise InvalidResponse("The server's account of how a mail is built can't be read.") from error


def _part(told: object, number: str, depth: int) -> Part:
    if not isinstance(told, list | tuple) or not told or depth > DEEPEST:
        raise ValueError("no part")
    if isinstance(told[0], list | tuple):
        return _multipart(told, number, depth)
    kind = _text(told[0]).lower() + b"/" + _text(told[1]).lower()
    after = _rest(told, kind)
    disposition, names = _disposition(after[1] if len(after) > 1 else None)
    return Part(
        number=number or "1",
        kind=kind,
        parameters=_pairs(told[2]),
        disposition=disposition,
        names=names,
        content_id=_text(told[3]),
        encoding=_text(told[5]).lower(),
        size=_number(told[6]),
        children=(),
    )


def _multipart(told: Told, number: str, depth: int) -> Part:
    inner = [one for one in told if isinstance(one, list | tuple)]
    count = next((index for index, one in enumerate(told) if not isinstance(one, list | tuple)), len(told))
    children = tuple(
        _part(child, f"{number}.{index}" if number else str(index), depth + 1) for index, child in enumerate(inner[:count], start=1)
    )
    subtype = _text(told[count]).lower() if count < len(told) else b"mixed"
    parameters = _pairs(told[count + 1]) if count + 1 < len(told) else ()
    return Part(number, b"multipart/" + subtype, parameters, b"", (), b"", b"", 0, children)


def _rest(told: Told, kind: bytes) -> Told:
    """What follows the fields that every part of its kind has: digest, disposition, language, place."""
    return told[{b"text": 8, b"message": 10 if kind == b"message/rfc822" else 7}.get(kind.partition(b"/")[0], 7) :]


def _disposition(told: object) -> tuple[bytes, tuple[tuple[bytes, bytes], ...]]:
    if not isinstance(told, list | tuple) or not told:
        return b"", ()
    return _text(told[0]).lower(), _pairs(told[1] if len(told) > 1 else None)


def _pairs(told: object) -> tuple[tuple[bytes, bytes], ...]:
    if not isinstance(told, list | tuple):
        return ()
    texts = [_text(one) for one in told]
    return tuple(zip(texts[::2], texts[1::2], strict=False))


def _text(value: object) -> bytes:
    if value is None or isinstance(value, list | tuple):
        return b""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def _number(value: object) -> int:
    text = _text(value)
    return int(text) if text.isdigit() and len(text) < 16 else 0


# Put together again --------------------------------------------------------------------------------------------------


def parsed(header: bytes, part: Part, texts: Mapping[str, bytes]) -> Parsed:
    """`texts`: what is to be read of its parts, by number, as they are sent. InvalidResponse where it can't be read."""
    try:
        whole = read_message(b"\r\n".join((header.rstrip(b"\r\n"), *_lines(part, texts, _boundary()))))
    except Exception as error:  # whatever the standard parser trips over in it
        raise InvalidResponse(f"the mail is malformed ({type(error).__name__}: {error})") from error
    sizes = {leaf.number: leaf.decoded_size for leaf in part.leaves}
    attachments = tuple(one.model_copy(update={"size": sizes.get(one.part, one.size)}) for one in whole.attachments)
    return whole.model_copy(update={"attachments": attachments})


@cache
def _boundary() -> bytes:
    """Which no mail can hold, since nobody knows it; always the same, or the parser would make its expressions anew for each."""
    return secrets.token_hex(12).encode()


def _lines(part: Part, texts: Mapping[str, bytes], boundary: bytes) -> Iterator[bytes]:
    inner = boundary + part.number.encode()
    kept = [pair for pair in part.parameters if pair[0].lower() != b"boundary"]
    yield _value(b"Content-Type", part.kind, [*kept, (b"boundary", inner)] if part.children else kept)
    if part.disposition:
        yield _value(b"Content-Disposition", part.disposition, part.names)
    if part.content_id:
        yield b"Content-ID: " + _BREAKS.sub(b" ", part.content_id)
    if _TOKEN.fullmatch(part.encoding):
        yield b"Content-Transfer-Encoding: " + part.encoding
    yield b""
    yield b"" if part.children else texts.get(part.number, b"")
    for child in part.children:
        yield b"--" + inner
        yield from _lines(child, texts, boundary)
    if part.children:
        yield b"--" + inner + b"--"


def _value(name: bytes, value: bytes, pairs: Sequence[tuple[bytes, bytes]]) -> bytes:
    given = [b'%s="%s"' % (key, _quoted(text)) for key, text in pairs if _TOKEN.fullmatch(key)]
    return b"%s: %s" % (name, b"; ".join((_BREAKS.sub(b" ", value), *given)))


def _quoted(text: bytes) -> bytes:
    return _BREAKS.sub(b" ", text).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
