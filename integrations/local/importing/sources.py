"""Everything an import may read: files, what is in folders, and the members of zips, none of them opened yet."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from stat import S_ISDIR, S_ISREG
from typing import IO, Literal
from zipfile import BadZipFile, ZipFile, ZipInfo, is_zipfile

from integrations.local.still import Identity, identity

Skip = Callable[[str, str], None]

BOMB_SIZE = 100 * 2**20
BOMB_RATIO = 200
"""A zip member is refused when it is larger than this and packed tighter than any mail or calendar."""


@dataclass(frozen=True)
class Source:
    """`where` names it for people; `path` is its path inside whatever was given; `size` in bytes."""

    where: str
    path: PurePosixPath
    size: int
    modified: datetime
    open: Callable[[], IO[bytes]]


def find_sources(paths: Sequence[Path], stack: ExitStack, skip: Skip) -> Iterator[Source]:
    """`stack` keeps zips open while their members are read."""
    visited: set[Identity] = set()
    for given in paths:
        kind = _kind(given, skip)
        if kind == "folder":
            for path in _files_below(given, skip, visited):
                yield from _of_file(path, given.name / path.relative_to(given), stack, skip)
        elif kind:
            yield from _of_file(given, Path(given.name), stack, skip)


def _kind(path: Path, skip: Skip) -> Literal["folder", "file", ""]:
    """Empty, with the reason told, where it is neither."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        skip(str(path), "there is no such file or folder")
    except OSError as error:
        skip(str(path), f"could not be read: {error.strerror}")
    else:
        if S_ISDIR(mode) or S_ISREG(mode):
            return "folder" if S_ISDIR(mode) else "file"
        skip(str(path), "is neither a file nor a folder")
    return ""


def _files_below(folder: Path, skip: Skip, visited: set[Identity]) -> Iterator[Path]:
    """Each folder once; links to folders are not followed, since what they lead to may hold this one."""
    try:
        known = identity(str(folder))
        entries = [] if known in visited else sorted(folder.iterdir())
    except OSError as error:
        skip(str(folder), f"could not be read: {error.strerror}")
        return
    visited.add(known)
    for entry in entries:
        kind = _kind(entry, skip)
        if kind == "file":
            yield entry
        elif kind and entry.is_symlink():
            skip(str(entry), "is a link to a folder; name that folder itself to import it")
        elif kind:
            yield from _files_below(entry, skip, visited)


def _of_file(path: Path, shown: Path, stack: ExitStack, skip: Skip) -> Iterator[Source]:
    where = shown.as_posix()
    try:
        state = path.stat()
        if _is_zip(path):
            yield from _of_zip(stack.enter_context(ZipFile(path)), where, skip)
            return
    except (OSError, BadZipFile) as error:
        skip(where, f"could not be read: {error}")
        return
    modified = datetime.fromtimestamp(state.st_mtime, UTC)
    yield Source(where, PurePosixPath(where), state.st_size, modified, partial(_open, path))


def _open(path: Path) -> IO[bytes]:
    return path.open("rb")


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"PK" and is_zipfile(path)


def _of_zip(archive: ZipFile, where: str, skip: Skip) -> Iterator[Source]:
    members = [member for member in archive.infolist() if not member.is_dir()]
    if any(member.filename in ("[Content_Types].xml", "mimetype") for member in members):
        skip(where, "is a document, not an export of mail, calendars or contacts")
        return
    for member in members:
        inside = f"{where}: {member.filename}"
        if reason := _refusal(member):
            skip(inside, reason)
        else:
            path = PurePosixPath(member.filename)
            yield Source(inside, path, member.file_size, _modified(member), partial(archive.open, member))


def _refusal(member: ZipInfo) -> str:
    if member.flag_bits & 1:
        return "is encrypted"
    if member.file_size > BOMB_SIZE and member.file_size > BOMB_RATIO * max(member.compress_size, 1):
        return "is packed far too tightly to be mail, a calendar or contacts"
    return ""


def _modified(member: ZipInfo) -> datetime:
    try:
        return datetime(*member.date_time, tzinfo=UTC)
    except ValueError:
        return datetime(1980, 1, 1, tzinfo=UTC)
