"""A raw message as a tree of parts: headers unfolded and decoded, text in UTF-8 whatever its charset was."""

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message as Parsed
from email.policy import compat32
from typing import cast

_FOLD = re.compile(r"\r?\n[ \t]*")
_ENCODED = re.compile(r"=\?[^?\s]+\?[bq]\?[^?]*\?=(?:\s+=\?[^?\s]+\?[bq]\?[^?]*\?=)*", re.IGNORECASE)
_SPECIAL = re.compile(r'[()<>\[\]:;@\\,."]')
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]+")
_ADDRESSES = frozenset({"from", "to", "cc", "bcc", "reply-to", "sender"})


@dataclass(frozen=True)
class Part:
    """`id` is empty for the message itself, then 0, 1, 1.0, …; `content` is without its transfer encoding."""

    id: str
    kind: str
    filename: str
    headers: tuple[tuple[str, str], ...]
    content: bytes
    parts: tuple["Part", ...] = ()

    @property
    def held_apart(self) -> bool:
        """Its content is fetched as an attachment, and not shown with the message."""
        return bool(self.filename) or not self.kind.startswith(("text/", "multipart/"))

    def header(self, name: str) -> str:
        return next((value for known, value in self.headers if known.lower() == name.lower()), "")

    def walk(self) -> Iterator["Part"]:
        yield self
        for part in self.parts:
            yield from part.walk()

    def shown(self) -> Iterator["Part"]:
        """The text parts, those of attached messages left out."""
        if not self.held_apart:
            yield from (self,) if not self.parts else ()
            for part in self.parts:
                yield from part.shown()


def read(raw: bytes) -> Part:
    return _part(email.message_from_bytes(raw, policy=compat32), "")


def _part(message: Parsed, number: str) -> Part:
    filename = _filename(message)
    children = cast("list[Parsed]", message.get_payload()) if message.is_multipart() else []
    return Part(
        id=number,
        kind=message.get_content_type(),
        filename=filename,
        headers=tuple((name, header_text(name, _as_written(value))) for name, value in message.raw_items()),
        content=_content(message, in_utf_8=not filename),
        parts=tuple(_part(child, f"{number}.{index}" if number else str(index)) for index, child in enumerate(children)),
    )


def _as_written(value: object) -> str:
    data = str(value).encode("utf-8", "surrogateescape")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def header_text(name: str, value: str) -> str:
    """One line, encoded words decoded; within an address a decoded name is quoted where it has to be."""

    def decoded(found: re.Match[str]) -> str:
        text = _words(found[0])
        quotes = name.lower() in _ADDRESSES and _SPECIAL.search(text)
        return '"' + re.sub(r'([\\"])', r"\\\1", text) + '"' if quotes else text

    return _CONTROL.sub(" ", _ENCODED.sub(decoded, _FOLD.sub(" ", value))).strip()


def _words(encoded: str) -> str:
    try:
        pieces = decode_header(encoded)
        return "".join(
            piece if isinstance(piece, str) else piece.decode(charset or "ascii", "replace") for piece, charset in pieces
        )
    except (HeaderParseError, ValueError, LookupError):
        return encoded


def _filename(message: Parsed) -> str:
    try:
        return header_text("", _as_written(message.get_filename() or ""))
    except (ValueError, LookupError, TypeError):
        return ""


def _content(message: Parsed, *, in_utf_8: bool) -> bytes:
    if message.get_content_maintype() == "message" and message.is_multipart():
        return b"\r\n".join(child.as_bytes() for child in cast("list[Parsed]", message.get_payload()))
    content = message.get_payload(decode=True)
    if not isinstance(content, bytes):
        return b""
    if message.get_content_maintype() != "text" or not in_utf_8:
        return content
    try:
        return content.decode(message.get_content_charset("utf-8"), "replace").encode()
    except LookupError:
        return content.decode("utf-8", "replace").encode()
