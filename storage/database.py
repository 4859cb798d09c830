"""One database: readers side by side in threads, one writer at a time in a thread of its own."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

from storage.errors import StorageError
from storage.migrations import bring_up_to_date
from storage.session import T, Work
from storage.sqlite import SqliteStore
from storage.store import Store
from storage.writer import Writer

READERS = 4


class Database:
    """Work runs outside the event loop and must return plain values. What it raises undoes what it wrote. Work may be run a second
    time; only the last counts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reading = ThreadPoolExecutor(READERS, "storage-reader")
        self._writer = Writer(store)
        self._closed = False

    @classmethod
    def open(cls, place: Path | str) -> "Database":
        """A file, or a server's postgresql:// address. Makes the tables where there are none, and upgrades older ones. Raises
        StorageError."""
        store = store_at(place)
        bring_up_to_date(store)
        return cls(store)

    @property
    def shared(self) -> bool:
        """Whether processes on other machines may use it too: then a lock of this machine says nothing about who is at work."""
        return self.path is None

    @property
    def ahead(self) -> timedelta:
        """By so much the clock that all its users share is ahead of this machine's, as of the last write; nothing for a file."""
        return self._store.ahead

    @property
    def place(self) -> str:
        """Its name for people: without a password."""
        return self._store.place

    @property
    def path(self) -> Path | None:
        """The file; None on a server."""
        return self._store.path

    async def read(self, work: Work[T]) -> T:
        """A consistent view; any write in it is refused."""
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._store.perform, "read", work)

    async def write(self, work: Work[T]) -> T:
        """Committed when this returns, though the last moments may be lost if the machine loses power."""
        return await self.finished(self.write_behind(work))

    def write_behind(self, work: Work[T]) -> "asyncio.Future[T]":
        """As `write`, ahead of all writes that come later; the caller goes on meanwhile."""
        self._check_open()
        return self._writer.write(work)

    async def write_synced(self, work: Work[T]) -> T:
        """Committed and on disk when this returns, with every earlier write."""
        self._check_open()
        return await self.finished(self._writer.write(work, synced=True))

    async def compact(self, tables: Sequence[str] = ()) -> None:
        """Nothing of what was deleted is left in unused parts of the files. It may take seconds. On a server it is done for these
        tables alone, and whoever uses one of them waits."""
        self._check_open()
        await asyncio.to_thread(self._store.compact, tables)

    async def close(self) -> None:
        """Waits for transactions under way."""
        if self._closed:
            return
        self._closed = True
        await asyncio.to_thread(self._reading.shutdown)
        await self._writer.close()
        self._store.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError(f"The database {self.place} is closed.")

    @staticmethod
    async def finished(transaction: "asyncio.Future[T]") -> T:
        """What `write_behind` came to. A cancelled caller hears of it only when the transaction has ended, so that what it does
        next sees the outcome."""
        try:
            return await asyncio.shield(transaction)
        except asyncio.CancelledError:
            await asyncio.wait([transaction])
            raise


def store_at(place: Path | str) -> Store:
    """As `Database.open`, with the tables as they are."""
    if not isinstance(place, str) or not place.startswith(("postgresql://", "postgres://")):
        return SqliteStore(Path(place))
    try:
        from storage.postgres import PostgresStore
    except ImportError as missing:
        raise StorageError("PostgreSQL needs further packages: pip install -e '.[cluster]'") from missing
    return PostgresStore(place)
