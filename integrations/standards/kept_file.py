"""A small SQLite file of what a server has, beside the server: one that is missing, broken or of another version is begun anew."""

import asyncio
import hashlib
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from integrations.errors import Unavailable

T = TypeVar("T")

_PRAGMAS = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA busy_timeout = 10000")
_AT_ONCE = 500
"""Values in one question to SQLite."""


class KeptFile:
    """Blocking, but for `close`; safe to use from several threads, and by several processes. Raises Unavailable where the file
    can't be used just now, but not for what it need not keep. Its name begins with `kind`; `owner` is who it is kept for, by
    default the account; `what` it holds is said to people."""

    kind: ClassVar[str]
    what: ClassVar[str]
    version: ClassVar[int]
    tables: ClassVar[str]

    def __init__(self, index: Path, account: str, owner: str = "") -> None:
        slug = re.sub(r"[^\w-]+", "-", account)[:40]
        self._account = account
        self._file = index / f"{self.kind}-{slug}-{hashlib.sha256((owner or account).encode()).hexdigest()[:10]}.sqlite3"
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    def _read(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        return self._do(lambda db: db.execute(statement, parameters).fetchall())

    def _read_many(self, statement: str, values: Sequence[object], *before: object) -> Iterator[tuple[Any, ...]]:
        """`statement` ends with IN, for the values."""
        for start in range(0, len(values), _AT_ONCE):
            chunk = values[start : start + _AT_ONCE]
            yield from self._read(f"{statement}({','.join('?' * len(chunk))})", *before, *chunk)

    def _keep(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """As well as can be."""
        with suppress(Unavailable):
            self._write(work)

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def written(db: sqlite3.Connection) -> T:
            with _transaction(db):
                return work(db)

        return self._do(written)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._lock:
                return self._done(work)
        except (sqlite3.Error, OSError, OverflowError) as error:
            what = f"What is remembered of the {self.what} of the account {self._account} can't be read just now."
            raise Unavailable(what, self._account) from error

    def _done(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Once more with a new file where this one is of no use."""
        try:
            return work(self._connected())
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and not self._is_broken(error):
                raise
            self._discard()
            return work(self._connected())

    def _is_broken(self, error: sqlite3.OperationalError) -> bool:
        """Not merely locked or out of space."""
        return str(error).startswith("no such") or not self._file.exists()

    def _connected(self) -> sqlite3.Connection:
        if self._db is None:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite's own would be for everybody to read
            db = sqlite3.connect(self._file, isolation_level=None, check_same_thread=False, timeout=10)
            self._db = db
            for pragma in _PRAGMAS:
                db.execute(pragma)
            with _transaction(db):
                (version,) = db.execute("PRAGMA user_version").fetchone()
                if version not in (0, self.version):
                    raise sqlite3.DatabaseError(f"version {version}")
                for statement in self.tables.split(";\n") if version == 0 else ():
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {self.version}")
        return self._db

    def _discard(self) -> None:
        self._close()
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                Path(f"{self._file}{suffix}").unlink()

    def _close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
