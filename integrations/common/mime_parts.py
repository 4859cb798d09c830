"""The parts of a mail: which hold content, what is attached, and what they are called."""

import binascii
from collections.abc import Iterator
from email.generator import BytesGenerator
from email.message import Message
from io import BytesIO
from typing import cast

from integrations.common.headers import decode_header, raw_text
from integrations.common.invisible import visible
from integrations.common.mime_parsing import DEEPEST
from integrations.common.oddities import Finds
from integrations.types import Attachment

SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_LARGE = 1_000_000
"""Characters of a part from which on its size is counted without decoding it."""
_CHUNK = 1 << 20
_NO_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
_LONGEST_NAME = 500


def children(part: Message) -> list[Message]:
    return cast("list[Message]", part.get_payload())


def leaves(part: Message, number: str = "", inside: str = "", depth: int = 0) -> Iterator[tuple[str, Message, str]]:
    """The parts that hold content: its number as IMAP counts, the part, the type of what it stands in."""
    kind = part.get_content_type()
    if not kind.startswith("multipart/") or not part.is_multipart() or depth > DEEPEST:
        yield number or "1", part, inside
        return
    for index, child in enumerate(children(part), start=1):
        yield from leaves(child, f"{number}.{index}" if number else str(index), kind, depth + 1)


def content_of(part: Message) -> bytes:
    if part.is_multipart() and part.get_content_maintype() == "message":
        return b"\n".join(map(flat, children(part)))
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _stored(part: Message) -> object:
    """Its payload as it stands in the mail; the standard library's way to it decodes it."""
    return vars(part)["_payload"]


def beginning_of(part: Message, most: int) -> tuple[bytes, bool]:
    """(the first bytes of its content, whether that is all), without decoding the rest."""
    payload = _stored(part)
    if not isinstance(payload, str) or len(payload) <= most:
        return content_of(part), True
    short = Message()
    for name in ("Content-Type", "Content-Transfer-Encoding"):
        if name in part:
            short[name] = part[name]
    end = payload.rfind("\n", 0, most * 2)
    short.set_payload(payload[: end if end > most else most * 2])
    content = content_of(short)
    if len(content) > most:
        content = content[: max(content.rfind(b"\n", most // 2, most), most // 2)]
    return content, False


def size_of(part: Message) -> int:
    """Of its content, in bytes; of a large one to a few bytes."""
    if part.is_multipart() and part.get_content_maintype() == "message":
        inner = children(part)
        known = [_stored(child) for child in inner]
        if sum(len(text) for text in known if isinstance(text, str)) > _LARGE:
            heads = sum(len(name) + len(str(value)) + 3 for child in inner for name, value in child.raw_items())
            return heads + sum(len(text) + 1 for text in known if isinstance(text, str))
        return len(content_of(part))
    payload = _stored(part)
    encoding = str(part.get("content-transfer-encoding", "")).strip().lower()
    if not isinstance(payload, str) or len(payload) <= _LARGE or encoding == "quoted-printable":
        return len(content_of(part))
    return _decoded_size(payload) if encoding == "base64" else len(payload)


def _decoded_size(payload: str) -> int:
    signs = 0
    for start in range(0, len(payload), _CHUNK):
        signs += len(payload[start : start + _CHUNK].encode("ascii", "replace").translate(None, _NO_BASE64))
    return signs * 3 // 4


class _Verbatim(BytesGenerator):
    """Writes headers and content as they were read, whatever they hold."""

    _fp: BytesIO

    def write(self, s: str) -> None:
        self._fp.write(s.encode("utf-8", "surrogateescape"))

    def _write_headers(self, msg: Message) -> None:
        for name, value in msg.raw_items():
            self.write(f"{name}: {plain_lines(str(value))}\n")
        self.write("\n")

    def _handle_message(self, msg: Message) -> None:
        """A mail that is attached to an attached one is a text to us."""
        stored = _stored(msg)
        for inner in stored if isinstance(stored, list) else ():
            self.write(flat(inner).decode("utf-8", "surrogateescape"))
        if isinstance(stored, str):
            self.write(stored)

    _handle_message_delivery_status = _handle_message


def flat(message: Message) -> bytes:
    out = BytesIO()
    _Verbatim(out, mangle_from_=False).flatten(message)
    return out.getvalue()


def plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def filename_of(part: Message) -> str:
    """As it stands there, decoded; empty where none is given."""
    stated = [(name, str(value)) for name, value in part.raw_items() if name.lower() in ("content-disposition", "content-type")]
    for name, value in stated:
        if not value.isascii():
            part.replace_header(name, raw_text(value))  # or the standard parser loses its bytes
    if not any("name" in value.lower() for _, value in stated):
        return ""
    try:
        name = part.get_filename() or ""
    except (LookupError, ValueError, TypeError, binascii.Error):
        return ""
    return decode_header(raw_text(name))


def safe_name(filename: str) -> str:
    """Of one file, in no folder."""
    return visible(filename).replace("/", "_").replace("\\", "_")[:_LONGEST_NAME]


def is_attachment(part: Message, inside: str) -> bool:
    disposition = part.get_content_disposition()
    kind = part.get_content_type()
    if kind in SIGNATURES:
        return False
    if inside == "multipart/related" and disposition != "attachment" and "content-id" in part:
        return False  # a picture the HTML shows
    if disposition == "attachment" or safe_name(filename_of(part)):
        return True
    return not kind.startswith(("text/", "multipart/")) or kind == "text/calendar"


def attachment(number: str, part: Message, finds: Finds) -> Attachment:
    kind = part.get_content_type()
    ending = {"message/rfc822": ".eml", "text/calendar": ".ics"}.get(kind, "")
    name = safe_name(finds.line(filename_of(part), "attachment")) or f"part-{number}{ending}"
    return Attachment(part=number, filename=name, content_type=kind, size=size_of(part))
