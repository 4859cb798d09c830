"""Files mails into a Maildir++, each once: its name is made from its content, so that a later import finds it."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from hashlib import sha256
from pathlib import Path, PurePosixPath

from integrations.errors import Conflict
from integrations.local.importing.placement import place
from integrations.local.maildir import SPECIAL, Folder, deliver, disk_errors, folder_for, folders

_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n|\r\r")
_OUR_NAME = re.compile(r"^\d+\.([0-9a-f]{40})\.import")
_STABLE = ("message-id", "date", "from", "to", "cc", "subject", "content-type")
_MESSAGE_ID = re.compile(rb"^message-id[ \t]*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_HEAD = 16 * 1024


class MailFiler:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: set[str] = set()
        self._others: dict[bytes, list[Path]] = defaultdict(list)
        for path in _mails_in(root):
            if ours := _OUR_NAME.match(path.name):
                self._known.add(ours[1])
            else:
                self._others[_handle(_head_of(path))].append(path)

    def take(self, raw: bytes, path: PurePosixPath, fallback: datetime) -> bool:
        """False where it is there already. `path` is that of the file it came in; `fallback` dates a mail without a date."""
        headers = _headers(raw)
        identity = _identity(raw, headers)
        if identity in self._known or any(_is(identity, other) for other in self._others.get(_handle(raw), ())):
            return False
        placement = place(headers, path)
        seconds = int((_date(headers) or fallback).timestamp())
        try:
            there = deliver(self._folder(placement.folder), f"{seconds}.{identity}.import", placement.flags, raw)
        except Conflict:  # another import put it there meanwhile
            return False
        # Mail programs date by it what has no date of its own.
        os.utime(there.path, (seconds, seconds))
        self._known.add(identity)
        return True

    def _folder(self, name: str) -> Folder:
        if name in SPECIAL:
            return folder_for(self._root, name)
        path = self._root / f".{name.replace('/', '.')}"
        with disk_errors(path):
            for part in ("cur", "new", "tmp"):
                (path / part).mkdir(parents=True, exist_ok=True)
            (path / "maildirfolder").touch()
        return Folder(name, path)


def _mails_in(root: Path) -> Iterator[Path]:
    for folder in folders(root):
        for part in ("cur", "new"):
            if (folder.path / part).is_dir():
                yield from (Path(entry) for entry in os.scandir(folder.path / part) if entry.is_file())


def _head_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError:
        return b""


def _headers(raw: bytes) -> Mapping[str, str]:
    """The first value of each header, by lower-cased name."""
    end = _END_OF_HEADERS.search(raw)
    parsed = BytesHeaderParser().parsebytes(raw[: end.start()] + b"\n\n" if end else raw[: 64 * _HEAD])
    headers: dict[str, str] = {}
    for name, value in parsed.raw_items():
        headers.setdefault(name.lower(), " ".join(str(value).split()))
    return headers


def _handle(raw: bytes) -> bytes:
    """By what a mail is looked for among those of other programs, found without parsing it."""
    end = _END_OF_HEADERS.search(raw)
    found = _MESSAGE_ID.search(raw, 0, end.start() if end else len(raw))
    return found[1] if found else b""


def _identity(raw: bytes, headers: Mapping[str, str]) -> str:
    """The same for every copy of a mail: without the traces of its transport, its flags, labels and line ends."""
    end = _END_OF_HEADERS.search(raw)
    body = raw[end.end() :] if end else b""
    digest = sha256()
    for name in _STABLE:
        digest.update(f"{name}:{headers.get(name, '')}\n".encode(errors="surrogateescape"))
    if not any(name in headers for name in _STABLE):
        digest.update(raw[: end.start()] if end else raw)
    digest.update(body.replace(b"\r\n", b"\n").strip(b"\n"))
    return digest.hexdigest()[:40]


def _is(identity: str, path: Path) -> bool:
    try:
        raw = path.read_bytes()
    except OSError:
        return False
    return _identity(raw, _headers(raw)) == identity


def _date(headers: Mapping[str, str]) -> datetime | None:
    received = headers.get("received", "").rpartition(";")[2]
    for text in (headers.get("date", ""), received):
        try:
            date = parsedate_to_datetime(text.strip())
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        if 1970 < date.year < 2200:
            return date
    return None
