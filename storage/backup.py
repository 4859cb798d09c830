"""A backup: one file with the database as it stands at one moment, and with whatever else lies in the home."""

import errno
import os
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import IO

from pydantic import BaseModel, ValidationError
from sqlalchemy import select, update

from storage import audit
from storage.errors import BadBackup, CorruptDatabase, DiskFull
from storage.migrations import HEAD
from storage.restored import UNPACKED
from storage.sealing import holds_key, sync_folder
from storage.session import Prepared, Session, given
from storage.sqlite import SqliteStore, translated
from storage.tables import ACCOUNT, StoredAccount

FORMAT = 1
DATABASE, MANIFEST, BESIDE = "assistant.sqlite", "backup.json", "home"
"""The names in the archive: the database, what is told of the backup, and the folder of all other files."""
UNPACKING, REPLACED = ".restore-unpacking", "replaced-"
LEFT_OUT = ("index", "presence.lock", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", UNPACKING, UNPACKED)
"""What is made again by itself, or copied in another way."""
LOOKS = 3
"""How often the files of the home are listed, as long as some of them move away."""

_ACCOUNTS = Prepared(select(ACCOUNT))
_MOVE = Prepared(update(ACCOUNT).where(ACCOUNT.c.user_id == given("whose"), ACCOUNT.c.name == given("which")), ["settings"])


class Manifest(BaseModel, frozen=True):
    """`version` is the program's, `home` where it lay, `files` how many lie beside the database; `journal` says what is wrong with
    the audit journal, if anything is."""

    format: int = FORMAT
    version: str
    made: datetime
    home: Path
    files: int = 0
    journal: str = ""


def make(home: Path, file: Path, *, version: str, at: datetime) -> Manifest:
    """Writes `file`, private to its owner and checked; what is at work on the home goes on meanwhile. Raises StorageError and
    OSError; then there is no such file."""
    with room_in(file.parent), tempfile.TemporaryDirectory(prefix=f".{file.name}-", dir=file.parent) as made:
        copy, archive = Path(made) / DATABASE, Path(made) / "archive"
        copy_database(home / DATABASE, copy)
        check(copy)
        told = Manifest(version=version, made=at, home=home.absolute(), journal=journal_of(copy))
        manifest = _pack(home, copy, archive, told)
        with zipfile.ZipFile(archive) as written:
            if (damaged := written.testzip()) is not None:
                raise BadBackup(f"The backup could not be read back ({damaged} is damaged), so there is none; try another disk.")
        archive.replace(file)
        sync_folder(file.parent)
    return manifest


@contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """Raises DiskFull, which names the folder."""
    full = DiskFull(f"The disk of {folder} is full; free some space there, or choose another one.")
    try:
        yield
    except DiskFull as error:
        raise full from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise full from error
        raise


def copy_database(path: Path, to: Path) -> None:
    """As it stands at this moment, while others write to it."""
    with translated(path), closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")


def check(path: Path) -> None:
    """Raises CorruptDatabase unless SQLite finds every page and every reference whole."""
    with translated(path), closing(sqlite3.connect(path)) as connection:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
    if found != "ok" or dangling:
        what = found if found != "ok" else f"a row in {dangling[0]} refers to nothing"
        raise CorruptDatabase(f"The database is damaged ({what}); restore an earlier backup.")


def journal_of(path: Path) -> str:
    """What is wrong with the audit journal; nothing is known of an earlier version's."""
    store = SqliteStore(path)
    try:
        if store.revision() != HEAD:
            return ""
        with store.transaction("read") as session:
            return audit.verify(session).wrong
    finally:
        store.close()


def _pack(home: Path, copy: Path, to: Path, manifest: Manifest) -> Manifest:
    packed: set[Path] = set()
    with _private(to) as handle, zipfile.ZipFile(handle, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        archive.write(copy, DATABASE)
        for _ in range(LOOKS):
            if _pack_beside(home, archive, packed):
                break
        manifest = manifest.model_copy(update={"files": len(packed)})
        archive.writestr(MANIFEST, manifest.model_dump_json())
    return manifest


def _pack_beside(home: Path, archive: zipfile.ZipFile, packed: set[Path]) -> bool:
    """Whether all that was listed was still there: a mail may be moved meanwhile."""
    whole = True
    for path in _beside(home):
        if path in packed:
            continue
        try:
            archive.write(path, f"{BESIDE}/{path.relative_to(home).as_posix()}")
            packed.add(path)
        except FileNotFoundError:
            whole = False
    return whole


def _beside(home: Path) -> Iterator[Path]:
    for top in sorted(home.iterdir()):
        if top.name in LEFT_OUT or top.name.startswith(REPLACED) or holds_key(top.name):
            continue  # whoever finds a backup must not sign in with it
        paths = (path for path in (top, *sorted(top.rglob("*"))) if not _is_index(path.relative_to(home)))
        yield from (path for path in paths if path.is_file() or _is_empty_folder(path))


def _is_index(path: Path) -> bool:
    """Of one of the users, who each have a folder."""
    return path.parts[0] == "users" and path.parts[2:3] == ("index",)


def _is_empty_folder(path: Path) -> bool:
    """Such as Maildir's new and tmp, without which it is none."""
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


@contextmanager
def _private(path: Path) -> Iterator[IO[bytes]]:
    """A new file of the owner's alone, on disk at the end."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "w+b") as handle:
        yield handle
        handle.flush()
        os.fsync(handle.fileno())


# --- restoring


def holds_data(home: Path) -> bool:
    """Whether anything lies there that a restore would have to put aside."""
    return home.is_dir() and any(not _stays(path) for path in home.iterdir())


def unpack(file: Path, home: Path) -> tuple[Manifest, Path]:
    """The backup's content in a folder of its own in the home, which is as it was otherwise. Raises BadBackup and OSError."""
    folder = home / UNPACKING
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _manifest(archive, file)
            for member in archive.infolist():
                _extract(archive, member, folder)
    # NotImplementedError is how zipfile tells of a compression that it doesn't know.
    except (zipfile.BadZipFile, zlib.error, KeyError, ValidationError, EOFError, NotImplementedError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise BadBackup(f"{file} is no backup of this program, or it is damaged; choose another.") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return manifest, folder


def _manifest(archive: zipfile.ZipFile, file: Path) -> Manifest:
    manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    if manifest.format > FORMAT:
        raise newer(file)
    return manifest


def newer(file: Path) -> BadBackup:
    return BadBackup(f"The backup {file} was made by a newer version of this program; upgrade the program to restore it.")


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> None:
    name = PurePosixPath(member.filename)
    if name == PurePosixPath(MANIFEST):
        return
    inner = name.relative_to(BESIDE) if name.parts[0] == BESIDE else name
    if inner.is_absolute() or ".." in inner.parts or (name.parts[0] != BESIDE and name != PurePosixPath(DATABASE)):
        raise zipfile.BadZipFile(member.filename)
    to = folder / inner
    _make_private(to if member.is_dir() else to.parent)
    if member.is_dir():
        return
    with archive.open(member) as source, _private(to) as target:
        shutil.copyfileobj(source, target)


def move_accounts(s: Session, old: Path, new: Path) -> None:
    """Folders below the former home are below the new one."""
    for account in s.every(StoredAccount, _ACCOUNTS):
        moved = {name: _moved(value, old, new) for name, value in account.settings.items()}
        if moved != account.settings:
            s.changed(_MOVE, whose=account.user_id, which=account.name, settings=moved)


def _moved(value: str, old: Path, new: Path) -> str:
    return str(new / Path(value).relative_to(old)) if Path(value).is_relative_to(old) else value


def _make_private(folder: Path) -> None:
    """With its parents, which Path.mkdir would leave open to others."""
    if not folder.exists():
        _make_private(folder.parent)
        folder.mkdir(mode=0o700)


def put_in_place(unpacked: Path, home: Path, at: datetime) -> Path | None:
    """Where what lay in the home before is now, if anything did. Whoever opens the home before this has ended is refused; after an
    interruption everything is in the home, in the folder of what was replaced, or still where it was unpacked."""
    ready = home / UNPACKED
    interrupted = ready.exists()
    aside = _aside(home, at) if interrupted or holds_data(home) else None
    if aside and interrupted:
        _move(ready, aside / UNPACKED)
    unpacked.rename(ready)
    sync_folder(home)
    for path in sorted(home.iterdir()) if aside else ():
        if aside and not _stays(path):
            _move(path, aside / path.name)
    for path in sorted(ready.iterdir()):
        _move(path, home / path.name)
    sync_folder(home)
    ready.rmdir()
    return aside


def _stays(path: Path) -> bool:
    kept = path.name in ("presence.lock", UNPACKING, UNPACKED) or holds_key(path.name)
    return kept or path.name.startswith(REPLACED)


def _aside(home: Path, at: datetime) -> Path:
    name = f"{REPLACED}{at.astimezone(UTC):%Y%m%d-%H%M%S}"
    names = chain([name], (f"{name}-{n}" for n in count(2)))
    folder = next(home / name for name in names if not (home / name).exists())
    folder.mkdir(mode=0o700)
    return folder


def _move(path: Path, to: Path) -> None:
    path.rename(to)
