"""One database file: readers side by side in threads, one writer at a time in a thread of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from storage import sqlite
from storage.errors import StorageError
from storage.migrations import bring_up_to_date
from storage.session import Session
from storage.sqlite import Connections

READERS = 4

T = TypeVar("T")
Work = Callable[[Session], T]


class Database:
    """Work runs outside the event loop and must return plain values. What it raises rolls the transaction back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = Connections(path, begin="BEGIN", pragmas=sqlite.READING)
        self._writer = Connections(path, begin="BEGIN IMMEDIATE", pragmas={**sqlite.WRITING, "synchronous": "NORMAL"})
        self._synced = Connections(path, begin="BEGIN IMMEDIATE", pragmas={**sqlite.WRITING, "synchronous": "FULL"})
        self._reading = ThreadPoolExecutor(READERS, "storage-reader")
        # Both kinds of write share one thread: within the process they queue here instead of polling SQLite's lock.
        self._writing = ThreadPoolExecutor(1, "storage-writer")
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
        return await self._run(self._reading, self._reader, work)

    async def write(self, work: Work[T]) -> T:
        """Committed when this returns, though the last moments may be lost if the machine loses power."""
        return await self._finish(self._run(self._writing, self._writer, work))

    def write_behind(self, work: Work[T]) -> "asyncio.Future[T]":
        """As `write`, ahead of all writes that come later; the caller goes on meanwhile."""
        return self._run(self._writing, self._writer, work)

    async def write_synced(self, work: Work[T]) -> T:
        """Committed and on disk when this returns, with every earlier write."""
        return await self._finish(self._run(self._writing, self._synced, work))

    async def close(self) -> None:
        """Waits for transactions under way."""
        if self._closed:
            return
        self._closed = True
        for executor in (self._reading, self._writing):
            await asyncio.to_thread(executor.shutdown)
        for connections in (self._reader, self._writer, self._synced):
            connections.close()

    def _run(self, executor: Executor, connections: Connections, work: Work[T]) -> "asyncio.Future[T]":
        if self._closed:
            raise StorageError(f"The database {self.path} is closed.")
        return asyncio.get_running_loop().run_in_executor(executor, self._transact, connections, work)

    def _transact(self, connections: Connections, work: Work[T]) -> T:
        with sqlite.translated(self.path), connections.transaction() as connection:
            return work(Session(connection))

    @staticmethod
    async def _finish(transaction: "asyncio.Future[T]") -> T:
        """A cancelled caller hears of it only when the transaction has ended, so that what it does next sees the outcome."""
        try:
            return await asyncio.shield(transaction)
        except asyncio.CancelledError:
            await asyncio.wait([transaction])
            raise
