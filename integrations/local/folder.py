"""A folder of items that other programs change too: what is in it now, and writes that are never half done."""

import errno
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from integrations.errors import NotFound, ReadOnly, Unavailable

T = TypeVar("T")
DEEPEST = 6
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
    stamp: tuple[int, ...]
    item: T


class Folder(Generic[T]):
    """What the files with one suffix under `root` hold, read again only where they changed. Safe to use from several threads."""

    def __init__(self, root: Path, suffix: str, read: Callable[[str, bytes], T]) -> None:
        self.root = root
        self.suffix = suffix
        self._read = read
        self._files: dict[str, File[T]] = {}
        self._folders: tuple[str, ...] = ()
        self.lock = threading.RLock()

    def files(self) -> Mapping[str, File[T]]:
        """All files by path, as they are now."""
        with self.lock:
            present: dict[str, File[T]] = {}
            folders: list[str] = []
            for folder, entries in self._walk():
                folders.append(folder)
                for entry in entries:
                    if (file := self._file(f"{folder}/{entry.name}" if folder != "." else entry.name, entry)) is not None:
                        present[file.path] = file
            self._files, self._folders = present, tuple(folders)
            return present

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders met by the last `files()`, "." for the root itself."""
        return self._folders

    def path(self, relative: str) -> Path:
        """Where an item lies; NotFound for what points outside the root or is no item."""
        path = (self.root / relative).resolve()
        if not path.is_relative_to(self.root.resolve()) or path.suffix.lower() != self.suffix:
            raise NotFound(f"There is no item called {relative}.")
        return path

    def content(self, relative: str) -> bytes:
        try:
            return self.path(relative).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as gone:
            raise NotFound("It does not exist any more.") from gone
        except OSError as failed:
            raise Unavailable(f"{relative} can't be read: {failed.strerror}.") from failed

    def _file(self, path: str, entry: "os.DirEntry[str]") -> File[T] | None:
        try:
            status = entry.stat()
            stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
            known = self._files.get(path)
            if known is not None and known.stamp == stamp:
                return known
            content = Path(entry.path).read_bytes()
        except FileNotFoundError:  # taken away while we looked
            return None
        except OSError:
            content = b""
        return File(path, stamp, self._read(path, content))

    def _walk(self) -> Iterator[tuple[str, list["os.DirEntry[str]"]]]:
        waiting = [("", 0)]
        while waiting:
            folder, depth = waiting.pop()
            try:
                with os.scandir(self.root / folder) as listing:
                    entries = sorted((entry for entry in listing if not entry.name.startswith(".")), key=lambda entry: entry.name)
            except OSError:
                continue
            below = [f"{folder}/{entry.name}" if folder else entry.name for entry in entries if entry.is_dir()]
            if depth < DEEPEST:
                waiting += [(name, depth + 1) for name in reversed(below)]
            yield folder or ".", [entry for entry in entries if entry.name.lower().endswith(self.suffix) and not entry.is_dir()]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Alone among the writers of this program; others don't know the lock, so look again just before replacing. NotFound where
    there is no such folder."""
    if not folder.is_dir():
        raise NotFound("It does not exist any more.")
    try:
        import fcntl
    except ImportError:  # no such locks on Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def create(path: Path, content: bytes) -> None:
    """FileExistsError where there is one already; never a half-written file."""
    with _written(path, content) as temporary:
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            with open(path, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())


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
        yield
    except FileExistsError:
        raise
    except FileNotFoundError as gone:
        raise NotFound(f"The folder {folder.name} does not exist any more.") from gone
    except OSError as failed:
        if isinstance(failed, PermissionError) or failed.errno == errno.EROFS:
            raise ReadOnly(f"The folder {folder.name} can't be written to.") from failed
        raise Unavailable(f"The folder {folder.name} can't be written to: {failed.strerror}.") from failed


def _sync(folder: Path) -> None:
    with suppress(OSError):  # some file systems can't sync a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
