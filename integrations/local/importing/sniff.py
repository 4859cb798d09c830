"""Tells from a file's first bytes what it holds; suffixes only break ties."""

import re
from typing import Literal

Kind = Literal["mbox", "mail", "ics", "vcf"]

HEAD = 64 * 1024
"""How many bytes are looked at."""

ENVELOPE = re.compile(rb"From \S.*\d\d:\d\d.*\b(19|20)\d\d\b")
_HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")
_KNOWN = re.compile(
    rb"(from|to|cc|subject|date|received|return-path|delivered-to|x-original-to|envelope-to|message-id|mime-version|reply-to"
    rb"|sender|content-type|in-reply-to|references|resent-\w+|status|x-[\w-]+|dkim-signature|arc-[\w-]+)[ \t]*:",
    re.IGNORECASE,
)
_FOREIGN = (
    (b"\xd0\xcf\x11\xe0", "is an Outlook message or Office document: save it as .eml first"),
    (b"!BDN", "is an Outlook data file: export it as mbox or .eml first"),
    (b"\x1f\x8b", "is a compressed archive: unpack it first"),
    (b"PK", "is a zip inside a zip: unpack it first"),
)


def plain(data: bytes) -> bytes:
    """As UTF-8 without byte order mark where one says so, else as it is."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


def kind_of(head: bytes, name: str) -> Kind | str:
    """The kind, or as one clause why it is none (any other string)."""
    for magic, reason in _FOREIGN:
        if head.startswith(magic):
            return reason
    text = plain(head).lstrip()
    if not text:
        return "is empty"
    start = text[:200].upper()
    if start.startswith(b"BEGIN:VCALENDAR") or (name.lower().endswith(".ics") and b"BEGIN:V" in text.upper()):
        return "ics"
    if start.startswith(b"BEGIN:VCARD") or (name.lower().endswith((".vcf", ".vcard")) and b"BEGIN:VCARD" in text.upper()):
        return "vcf"
    if ENVELOPE.match(text) or (text.startswith(b"From ") and name.lower().endswith(".mbox")):
        return "mbox"
    if looks_like_mail(text, lenient=name.lower().endswith(".eml")):
        return "mail"
    return "is neither mail, a calendar nor a contact"


def looks_like_mail(text: bytes, *, lenient: bool) -> bool:
    """Lenient: one header line is enough. Otherwise it must begin with headers, one of them known in mail, and few other lines."""
    block = re.split(rb"\r?\n\r?\n|\r\r", text, maxsplit=1)[0]
    lines = [line for line in block.splitlines() if line and not line[:1].isspace()]
    headers = [line for line in lines if _HEADER.match(line)]
    if lenient:
        return bool(headers)
    return bool(lines) and lines[0] in headers[:1] and 2 * len(headers) > len(lines) and any(map(_KNOWN.match, headers))
