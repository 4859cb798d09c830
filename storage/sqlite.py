"""Everything that is particular to SQLite: files, connections, and what its error codes mean."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from storage.errors import CorruptDatabase, DatabaseLocked, DiskFull, Duplicate, StorageError, Unwritable

BUSY_TIMEOUT_MS = 10_000


def prepare(path: Path) -> None:
    """Makes the file (0600) and, unless others use it already, its folder (0700) private; SQLite gives its -wal and -shm files the
    mode of the file."""
    with translated(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not any(path.parent.iterdir()):
            _restrict(path.parent, 0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        _restrict(path, 0o600)


def _restrict(path: Path, mode: int) -> None:
    if os.name != "posix":
        return
    status = path.stat()
    if status.st_mode & 0o777 != mode and status.st_uid == os.geteuid():
        path.chmod(mode)


def engine(path: Path, *, begin: str, connections: int = 1, **pragmas: str | int) -> Engine:
    """`begin` opens every transaction, since the driver's own implicit one starts too late to prevent lost updates."""
    made = create_engine(
        URL.create("sqlite", database=str(path)),
        pool_size=connections,
        max_overflow=0,
        connect_args={"check_same_thread": False, "timeout": BUSY_TIMEOUT_MS / 1000},
    )

    @event.listens_for(made, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        for name, value in pragmas.items():
            connection.execute(f"PRAGMA {name}={value}").close()

    @event.listens_for(made, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return made


def reader(path: Path, connections: int) -> Engine:
    return engine(path, begin="BEGIN", connections=connections, query_only="ON")


def writer(path: Path, *, synchronous: str) -> Engine:
    return engine(path, begin="BEGIN IMMEDIATE", journal_mode="WAL", synchronous=synchronous, foreign_keys="ON")


def migrator(path: Path) -> Engine:
    """Rebuilding a table would cascade into those that refer to it, so foreign keys are checked at the end instead."""
    return engine(path, begin="BEGIN IMMEDIATE", journal_mode="WAL", synchronous="FULL", foreign_keys="OFF")


def dangling_reference(connection: Connection) -> str | None:
    """The table of a row whose foreign key refers to nothing."""
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    return str(broken[0]) if broken else None


@contextmanager
def translated(path: Path) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise _explain(error.orig, path) from error
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def _unwritable(path: Path, why: str) -> StorageError:
    return Unwritable(f"The database {path} can't be written ({why}); check the folder and its permissions.")


def _explain(error: Any, path: Path) -> StorageError:
    code = getattr(error, "sqlite_errorcode", 0)
    if code in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
        return Duplicate(f"That is stored already ({error}).")
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return DiskFull(f"The disk is full, so nothing was saved to {path}; free some space and try again.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR:
            return _unwritable(path, str(error))
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return CorruptDatabase(f"The database {path} is damaged ({error}); restore a backup, or move it away to start afresh.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseLocked(f"Another program is holding the database {path}; try again when it is done.")
    return StorageError(f"The database {path} refused that: {error}.")
