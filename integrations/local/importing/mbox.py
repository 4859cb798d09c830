"""Splits an mbox of any size into its messages, holding one at a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from integrations.local.importing.sniff import ENVELOPE

MAX_MESSAGE = 200 * 2**20
_LINE = 64 * 1024
_HEADER = re.compile(rb">?(From |[!-9;-~]+[ \t]*:)")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """`raw` is None where the message is larger than MAX_MESSAGE; `end` is the offset behind it."""

    envelope: bytes
    raw: bytes | None
    end: int


def split_mbox(stream: IO[bytes]) -> Iterator[Entry]:
    """A `From ` line begins a message when it is dated, or follows an empty line, and a header comes next. `>From ` is unquoted."""
    envelope, lines, size, offset = b"", [b""], 0, 0
    for line, following in _with_next(stream):
        if line.startswith(b"From ") and _begins_message(line, lines[-1], following):
            if size or envelope:
                yield _entry(envelope, lines, size, offset)
            envelope, lines, size = line, [b""], 0
        else:
            size += len(line)
            if size <= MAX_MESSAGE:
                lines.append(line)
            else:
                lines = [line]
        offset += len(line)
    if size or envelope:
        yield _entry(envelope, lines, size, offset)


def _with_next(stream: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    line = stream.readline(_LINE)
    while line:
        following = stream.readline(_LINE)
        yield line, following
        line = following


def _begins_message(line: bytes, previous: bytes, following: bytes) -> bool:
    if not _HEADER.match(following):
        return False
    return bool(ENVELOPE.match(line)) or not previous.strip()


def _entry(envelope: bytes, lines: list[bytes], size: int, end: int) -> Entry:
    if size > MAX_MESSAGE:
        return Entry(envelope, None, end)
    raw = b"".join(lines)
    # The empty line before the next message belongs to the mbox, not to the mail.
    raw = re.sub(rb"(\r?\n)\r?\n\Z", rb"\1", raw)
    return Entry(envelope, _QUOTED.sub(rb"\1", raw) if b">From " in raw else raw, end)
