"""One database file: readers side by side in threads, one writer at a time in a thread of its own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from storage import sqlite
from storage.errors import StorageError
from storage.migrations import bring_up_to_date
from storage.session import Session
from storage.sqlite import Connections
from storage.writer import T, Work, Writer

READERS = 4


class Database:
    """Work runs outside the event loop and must return plain values. What it raises undoes what it wrote. Work that writes may be
    run a second time; only the last counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = Connections(path, begin="BEGIN", pragmas=sqlite.READING)
        self._reading = ThreadPoolExecutor(READERS, "storage-reader")
        self._writer = Writer(path)
        self._closed = False

    @classmethod
    def open(cls, path: Path) -> "Database":
        """Creates the file where there is none, and upgrades an older one. Raises StorageError."""
        sqlite.prepare(path)
        with sqlite.translated(path):
            bring_up_to_date(path)
        return cls(path)

    async def read(self, work: Work[T]) -> T:
        """A consistent view; any write in it is refused."""
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._read, work)

    async def write(self, work: Work[T]) -> T:
        """Committed when this returns, though the last moments may be lost if the machine loses power."""
        return await self._finish(self.write_behind(work))

    def write_behind(self, work: Work[T]) -> "asyncio.Future[T]":
        """As `write`, ahead of all writes that come later; the caller goes on meanwhile."""
        self._check_open()
        return self._writer.write(work)

    async def write_synced(self, work: Work[T]) -> T:
        """Committed and on disk when this returns, with every earlier write."""
        self._check_open()
        return await self._finish(self._writer.write_synced(work))

    async def close(self) -> None:
        """Waits for transactions under way."""
        if self._closed:
            return
        self._closed = True
        await asyncio.to_thread(self._reading.shutdown)
        self._reader.close()
        await self._writer.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError(f"The database {self.path} is closed.")

    def _read(self, work: Work[T]) -> T:
        with sqlite.translated(self.path), self._reader.transaction() as connection:
            return work(Session(connection))

    @staticmethod
    async def _finish(transaction: "asyncio.Future[T]") -> T:
        """A cancelled caller hears of it only when the transaction has ended, so that what it does next sees the outcome."""
        try:
            return await asyncio.shield(transaction)
        except asyncio.CancelledError:
            await asyncio.wait([transaction])
            raise
