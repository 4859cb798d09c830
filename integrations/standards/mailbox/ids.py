"""What a mail at IMAP is called here: by what no move between folders and no renumbering of a folder changes."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

SEEN, FLAGGED, ANSWERED, DELETED = "\\seen", "\\flagged", "\\answered", "\\deleted"
"""Flags, in lower case."""
OWN_FIELDS = ("MESSAGE-ID", "DATE", "FROM", "TO", "SUBJECT")
"""The headers that tell mails apart which came in the same second and have the same size."""
IDENTITY = f"INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS ({' '.join(OWN_FIELDS)})]"
_ID = re.compile(r"(\d{1,11})-(\d{1,11})-([\w-]{16})", re.ASCII)
_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:(.*)", re.DOTALL)
_FOLD = re.compile(rb"\r?\n(?=[ \t])")
_LETTERS = {SEEN: "S", FLAGGED: "F"}


class Parts(NamedTuple):
    """`seconds` since 1970 at which the server took the mail in, its `size` in bytes there."""

    seconds: int
    size: int
    digest: str

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)


def mail_id(moment: datetime, size: int, header: bytes) -> str:
    """`header`: at least the fields in OWN_FIELDS, as they are in the mail."""
    found: dict[bytes, list[bytes]] = {}
    for name, value in _fields(header):
        found.setdefault(name, []).append(b" ".join(value.split()))
    told = b"\n".join(b"%s:%s" % (name, value) for name in map(str.encode, OWN_FIELDS) for value in found.get(name, ()))
    digest = base64.urlsafe_b64encode(hashlib.sha256(told).digest()[:12]).decode()
    return f"{seconds_of(moment)}-{size}-{digest}"


def seconds_of(moment: datetime) -> int:
    """Never before 1970: a server may have taken in a mail at any time."""
    return max(0, int(moment.timestamp()))


def _fields(header: bytes) -> Iterator[tuple[bytes, bytes]]:
    for line in _FOLD.sub(b"", header).splitlines():
        if field := _FIELD.fullmatch(line):
            yield field[1].upper(), field[2]


def parts_of(id: str) -> Parts | None:
    """None where it is no id of ours."""
    found = _ID.fullmatch(id)
    return Parts(int(found[1]), int(found[2]), found[3]) if found else None


def belongs(id: str, moment: datetime, size: int) -> bool:
    """Whether a mail of this date and size may be the one so called."""
    return id.startswith(f"{seconds_of(moment)}-{size}-")


def etag(folder: str, flags: Iterable[str]) -> str:
    """Of the folder, by its name here, and those flags that people set."""
    return f"{folder}:{''.join(sorted(_LETTERS[flag] for flag in set(map(str.lower, flags)) if flag in _LETTERS))}"


def state_of(tag: str) -> tuple[str, str]:
    """(folder, letters of flags) of an etag; both empty where it is empty."""
    folder, _, letters = tag.rpartition(":")
    return folder, letters
