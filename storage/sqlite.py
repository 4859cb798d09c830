"""Everything that is particular to SQLite: files, connections, and what its error codes mean."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from storage.errors import CorruptDatabase, DatabaseLocked, DiskFull, Duplicate, StorageError, Unwritable
from storage.session import Session, T, Work
from storage.store import Kind

BUSY_TIMEOUT_MS = 10_000
MIGRATIONS_TAKE = 6
"""So many times as long one process waits for another that brings the database up to date."""
LEAST_ROOM = 64 * 1024
"""Octets without which SQLite can't open a database that is in use: it needs an index of its write-ahead log."""
READING = {"query_only": "ON"}
WRITING = {"journal_mode": "WAL", "foreign_keys": "ON"}
DIALECT = dialect(paramstyle="named")


class SqliteStore:
    """One file. Implements `storage.store.Store`."""

    def __init__(self, path: Path) -> None:
        self.path, self.place, self.ahead = path, str(path), timedelta()
        self._connections: Mapping[Kind, Connections] = {
            "read": Connections(path, begin="BEGIN", pragmas=READING),
            "write": Connections(path, begin="BEGIN IMMEDIATE", pragmas={**WRITING, "synchronous": "NORMAL"}),
            "synced": Connections(path, begin="BEGIN IMMEDIATE", pragmas={**WRITING, "synchronous": "FULL"}),
        }

    def revision(self) -> str | None:
        prepare(self.path)
        with translated(self.path), closing(connect(self.path, READING)) as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
                return None
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            return str(row[0]) if row else None

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        engine = migrator(self.path)
        try:
            with translated(self.path), engine.begin() as connection:
                yield connection
                self._check_references(connection)
        finally:
            engine.dispose()

    @contextmanager
    def transaction(self, kind: Kind) -> Iterator[Session]:
        with translated(self.path), self._connections[kind].transaction() as connection:
            yield Session(connection, DIALECT)

    def perform(self, kind: Kind, work: Work[T]) -> T:
        with translated(self.path), self._connections[kind].transaction() as connection:
            return work(Session(connection, DIALECT))

    def goes_on(self, session: Session, error: BaseException) -> bool:
        """SQLite ends a transaction by itself where the disk is full."""
        return bool(session.connection.in_transaction)

    def told(self, error: Exception) -> Exception:
        return _explain(error, self.path) if isinstance(error, sqlite3.Error) else error

    def compact(self, tables: Sequence[str]) -> None:
        """The whole file."""
        with translated(self.path), closing(connect(self.path, WRITING)) as connection:
            connection.execute("VACUUM")
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise DatabaseLocked(f"Another program is reading the database {self.place}; try again when it is done.")

    def close(self) -> None:
        for connections in self._connections.values():
            connections.close()

    def _check_references(self, connection: Connection) -> None:
        if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").first():
            raise CorruptDatabase(f"The database {self.place} has a row in {broken[0]} that refers to nothing; restore a backup.")


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


def connect(path: Path, pragmas: Mapping[str, str]) -> sqlite3.Connection:
    """In autocommit mode: the driver's own implicit begin comes too late to prevent lost updates."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_MS / 1000, isolation_level=None, check_same_thread=False)
    _set(connection, pragmas)
    return connection


def _set(connection: sqlite3.Connection, pragmas: Mapping[str, str]) -> None:
    for name, value in pragmas.items():
        connection.execute(f"PRAGMA {name}={value}").close()


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
            connection = connect(self._path, self._pragmas)
            self._opened.append(connection)
            self._mine.connection = connection
        return connection


def migrator(path: Path) -> Engine:
    """Rebuilding a table would cascade into those that refer to it, so foreign keys are checked at the end instead."""
    patience = MIGRATIONS_TAKE * BUSY_TIMEOUT_MS / 1000
    options = {"check_same_thread": False, "timeout": patience}
    made = create_engine(URL.create("sqlite", database=str(path)), pool_size=1, max_overflow=0, connect_args=options)

    @event.listens_for(made, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        _set(connection, {"journal_mode": "WAL", "synchronous": "FULL", "foreign_keys": "OFF"})

    @event.listens_for(made, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return made


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


def _full(path: Path) -> DiskFull:
    return DiskFull(f"The disk is full, so nothing was saved to {path}; free some space and try again.")


def _has_no_room(path: Path) -> bool:
    """On a full disk SQLite can't even open a database, which it calls an input/output error."""
    with suppress(OSError):
        return shutil.disk_usage(path.parent).free < LEAST_ROOM
    return False


def _unwritable(path: Path, why: str) -> StorageError:
    if _has_no_room(path):
        return _full(path)
    return Unwritable(f"The database {path} can't be written ({why}); check the folder and its permissions.")


def _explain(error: Any, path: Path) -> StorageError:
    code = getattr(error, "sqlite_errorcode", 0)
    if code in (sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY):
        return Duplicate(f"That is stored already ({error}).")
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return _full(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR:
            return _unwritable(path, str(error))
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return CorruptDatabase(
                f"The database {path} is damaged ({error}); put a backup back: assistant restore FILE --replace."
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseLocked(f"Another program is holding the database {path}; try again when it is done.")
    return StorageError(f"The database {path} refused that: {error}.")
