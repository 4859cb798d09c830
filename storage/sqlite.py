"""Everything that is particular to SQLite: files, connections, and what its error codes mean."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from storage.errors import CorruptDatabase, DatabaseLocked, DiskFull, Duplicate, StorageError, Unwritable

BUSY_TIMEOUT_MS = 10_000
READING = {"query_only": "ON"}
WRITING = {"journal_mode": "WAL", "foreign_keys": "ON"}


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


class Connections:
    """One connection in each thread that asks, opened when it first does. `begin` opens every transaction."""

    def __init__(self, path: Path, *, begin: str, pragmas: Mapping[str, str]) -> None:
        self._path, self._begin, self._pragmas = path, begin, pragmas
        self._mine = threading.local()
        self._opened: list[sqlite3.Connection] = []

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Committed at its end; rolled back by any exception."""
        connection = self._connection()
        connection.execute(self._begin)
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:  # SQLite ends it by itself where the disk is full
                connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Call when no thread uses them any more."""
        while self._opened:
            self._opened.pop().close()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if connection is None:
            timeout = BUSY_TIMEOUT_MS / 1000
            connection = sqlite3.connect(self._path, timeout=timeout, isolation_level=None, check_same_thread=False)
            self._opened.append(connection)
            for name, value in self._pragmas.items():
                connection.execute(f"PRAGMA {name}={value}").close()
            self._mine.connection = connection
        return connection


def reader(path: Path, connections: int) -> Engine:
    return engine(path, begin="BEGIN", connections=connections, query_only="ON")


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
    except sqlite3.Error as error:
        raise _explain(error, path) from error
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
