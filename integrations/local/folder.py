"""A folder of items that other programs change too: what is in it now, and writes that are never half done."""

import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Generic, TypeVar

from integrations.errors import NotFound
from integrations.local.disk import reading, writing
from integrations.local.standing import Standing
from integrations.local.still import Still, Times, above, identity, times_of
from integrations.types import Skipped

T = TypeVar("T")
Stamp = tuple[int, int, int, int]
DEEPEST = 6
FEW = 100
"""So many files are looked at whenever they are asked for."""
TRUSTED = 50.0
"""A look at each of more files is good for so many times as long as it took."""
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}")


def safe_name(key: str) -> str:
    """The key, where it can name a file."""
    if not KEY.fullmatch(key):
        raise ValueError(f"{key!r} can't name a file")
    return key


@dataclass(frozen=True, slots=True)
class File(Generic[T]):
    """`path` is relative, with slashes; `stamp` changes whenever the file does."""

    path: str
    stamp: Stamp
    item: T


class Folder(Generic[T]):
    """What the files with one suffix under `root` hold, read again only where they changed. Safe to use from several threads.
    `marker` is where it is remembered that the folder was there."""

    def __init__(self, root: Path, suffix: str, read: Callable[[str, bytes], T], marker: Path | None = None) -> None:
        self.root = root
        self.standing = Standing(root, marker)
        self.suffix = suffix
        self._read = read
        self._files: dict[str, File[T]] = {}
        self._folders: tuple[str, ...] = ()
        self._unread: tuple[Skipped, ...] = ()
        self._still = Still()
        self._stamps: list[tuple[str, Stamp]] = []
        self._trusted_until = 0.0
        self.lock = threading.RLock()

    def files(self) -> Mapping[str, File[T]]:
        """All files by path, as they are now: the same object for as long as nothing changes. Unavailable where the root was there
        once and now is not, or can't be read."""
        with self.lock:
            if not self._unchanged():
                self._look()
            return self._files

    def still(self) -> bool:
        """Whether `files()` would answer at once; itself it always does. A file changed in place it passes over."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            return self._still.holds()
        finally:
            self.lock.release()

    def _unchanged(self) -> bool:
        """A file changed in place shows only in its own stamp; what comes, goes or is replaced shows in its directory's times."""
        if not self._still.holds():
            return False
        began = time.monotonic()
        if began < self._trusted_until:
            return True
        try:
            for path, stamp in self._stamps:
                if _stamp(os.stat(path)) != stamp:
                    return False
        except OSError:
            return False
        ended = time.monotonic()
        self._trusted_until = ended + TRUSTED * (ended - began) if len(self._stamps) > FEW else 0.0
        return True

    def _look(self) -> None:
        there = self.standing.look()
        present: dict[str, File[T]] = {}
        stamps: list[tuple[str, Stamp]] = []
        folders: list[str] = []
        times: dict[str, Times] = {}
        unread: list[Skipped] = []
        whole = True
        for folder, entries in self._walk(times, unread) if there else ():
            folders.append(folder)
            for entry in entries:
                file = self._file(f"{folder}/{entry.name}" if folder != "." else entry.name, entry)
                if file is None:  # a link whose target may yet appear, with no sign of it here
                    whole = False
                    continue
                present[file.path] = file
                stamps.append((entry.path, file.stamp))
        self._trusted_until = 0.0
        self._files, self._folders, self._stamps, self._unread = present, tuple(folders), stamps, tuple(unread)
        self._still.remember(times if whole and not unread else {})

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders met by the last `files()`, "." for the root itself."""
        return self._folders

    @property
    def unread(self) -> tuple[Skipped, ...]:
        """The folders below the root that the last `files()` could not look into."""
        return self._unread

    def path(self, relative: str) -> Path:
        """Where an item lies; NotFound for what points outside the root or is no item."""
        path, root = Path(os.path.realpath(self.root / relative)), Path(os.path.realpath(self.root))
        if not path.is_relative_to(root) or path.suffix.lower() != self.suffix:
            raise NotFound(f"There is no item called {relative}.")
        return path

    def content(self, relative: str) -> bytes:
        path = self.path(relative)
        with reading(path):
            try:
                return path.read_bytes()
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as gone:
                raise NotFound("It does not exist any more.") from gone

    def _file(self, path: str, entry: "os.DirEntry[str]") -> File[T] | None:
        stamp: Stamp = 0, 0, 0, 0
        try:
            status = entry.stat()
            stamp = _stamp(status)
            known = self._files.get(path)
            if known is not None and known.stamp == stamp:
                return known
            content = Path(entry.path).read_bytes() if S_ISREG(status.st_mode) else b""  # a pipe would never end
        except FileNotFoundError:  # taken away while we looked
            return None
        except OSError:
            content = b""
        return File(path, stamp, self._read(path, content))

    def _walk(self, times: dict[str, Times], unread: list[Skipped]) -> Iterator[tuple[str, list["os.DirEntry[str]"]]]:
        """Each folder once, under its own name rather than a link's; links to what holds the root are left alone."""
        waiting, links = [("", 0)], list[tuple[str, int]]()
        visited = above(self.root)
        while waiting or links:
            folder, depth = waiting.pop() if waiting else links.pop(0)
            place = os.path.join(self.root, folder)
            try:
                if (known := identity(place)) in visited:
                    continue
                times[place] = times_of(place)
                entries = _listed(place)
            except FileNotFoundError:  # taken away while we looked
                continue
            except OSError as error:
                unread.append(Skipped(where=folder or place, reason=f"the folder can't be read ({error.strerror})"))
                continue
            visited.add(known)
            if depth < DEEPEST:
                below = [(f"{folder}/{entry.name}" if folder else entry.name, entry) for entry in entries if _is_folder(entry)]
                waiting += [(name, depth + 1) for name, entry in reversed(below) if not entry.is_symlink()]
                links += [(name, depth + 1) for name, entry in below if entry.is_symlink()]
            yield folder or ".", [entry for entry in entries if entry.name.lower().endswith(self.suffix) and not _is_folder(entry)]


def _listed(place: str) -> list["os.DirEntry[str]"]:
    with os.scandir(place) as listing:
        return sorted((entry for entry in listing if not entry.name.startswith(".")), key=lambda entry: entry.name)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to where nobody may look
        return False


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Alone among the writers of this program; others don't know the lock, so look again just before replacing. NotFound where
    there is no such folder."""
    try:
        import fcntl
    except ImportError:  # no such locks on Windows
        yield
        return
    handle = _opened(folder)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _opened(folder: Path) -> int:
    try:
        with writing(folder):
            return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError as gone:
        raise NotFound("It does not exist any more.") from gone


def make(folder: Path) -> None:
    """With all that lead to it, where it is not there yet."""
    with _refusing(folder):
        folder.mkdir(parents=True, exist_ok=True)


def create(path: Path, content: bytes) -> None:
    """FileExistsError where there is one already; never a half-written file."""
    with _written(path, content) as temporary:
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            _create_in_place(path, content)


def _create_in_place(path: Path, content: bytes) -> None:
    with open(path, "xb") as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def replace(path: Path, content: bytes, *, expected: bytes) -> bool:
    """False, and nothing changed, where the file no longer holds `expected`."""
    with _written(path, content) as temporary:
        try:
            if path.read_bytes() != expected:
                return False
            os.chmod(temporary, path.stat().st_mode & 0o777)
        except FileNotFoundError:
            return False
        os.replace(temporary, path)
        return True


def remove(path: Path, *, expected: bytes) -> bool:
    """False, and nothing changed, where the file no longer holds `expected`."""
    with _refusing(path.parent):
        try:
            if path.read_bytes() != expected:
                return False
            path.unlink()
        except FileNotFoundError:
            return False
        _sync(path.parent)
        return True


@contextmanager
def _written(path: Path, content: bytes) -> Iterator[str]:
    """A synced temporary file beside `path`, gone afterwards."""
    with _refusing(path.parent):
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            yield temporary
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
        _sync(path.parent)


@contextmanager
def _refusing(folder: Path) -> Iterator[None]:
    try:
        with writing(folder):
            yield
    except FileNotFoundError as gone:
        raise NotFound(f"The folder {folder.name} does not exist any more.") from gone


def _sync(folder: Path) -> None:
    with suppress(OSError):  # some file systems can't sync a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
