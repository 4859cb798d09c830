"""Reading other programs' text without losing a byte, and creating files whose names come from other people's data."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from unicodedata import normalize

from integrations.common.contentline import Block, Line, parse
from integrations.errors import Unavailable
from integrations.local import disk
from integrations.local.folder import create
from integrations.local.importing.sniff import plain

Skip = Callable[[str, str], None]
"""Told where and why."""

UNREADABLE = (OSError, ValueError, LookupError)
"""What reading a file raises that is no calendar or card, or is damaged."""

_MAX_NAME = 100


@dataclass(frozen=True)
class Text:
    """The lines of an .ics or .vcf file; `encode` gives back the bytes they were."""

    entries: list[Line | Block]
    encoding: str

    def encode(self, text: str) -> bytes:
        return text.encode(self.encoding)

    def walk(self, name: str) -> Iterator[Block]:
        """Components of that name, but those nested in one of the same name."""
        for entry in self.entries:
            if isinstance(entry, Block):
                yield from [entry] if entry.name == name else entry.walk(name)


def read_text(data: bytes) -> Text:
    data = plain(data)
    try:
        return Text(parse(data.decode()), "utf-8")
    except UnicodeDecodeError:
        return Text(parse(data.decode("latin-1")), "latin-1")


def safe_name(text: str) -> str:
    """A file name without path or control characters; the text itself where it is one already."""
    name = re.sub(r"[^\w.@ +=-]", "_", normalize("NFC", text)).strip(" .")
    if name == text and len(name.encode()) <= _MAX_NAME:
        return name
    digest = sha256(text.encode(errors="replace")).hexdigest()
    short = name.encode()[:_MAX_NAME].decode(errors="ignore").strip(" .")
    return f"{short}-{digest[:8]}" if short else f"import-{digest[:16]}"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """What the disk refuses, as an error for people; FileExistsError is left to the caller."""
    try:
        with disk.writing(folder):
            yield
    except FileNotFoundError as error:
        raise Unavailable(f"{folder} can't be used just now: {error.strerror}.") from error


def put(folder: Path, stem: str, suffix: str, raw: bytes) -> bool:
    """Creates a file, whole or not at all; False where there is one of that name."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            create(folder / f"{stem}{suffix}", raw)
        except FileExistsError:
            return False
    return True
