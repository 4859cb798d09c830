"""One database file: readers side by side in threads, one writer at a time in a thread of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine
from sqlmodel import Session

from storage import sqlite
from storage.errors import StorageError
from storage.migrations import bring_up_to_date

READERS = 4

T = TypeVar("T")
Work = Callable[[Session], T]


class Database:
    """Work runs outside the event loop and must return plain values. What it raises rolls the transaction back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = sqlite.reader(path, READERS)
        self._writer = sqlite.writer(path, synchronous="NORMAL")
        self._synced = sqlite.writer(path, synchronous="FULL")
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
        for engine in (self._reader, self._writer, self._synced):
            engine.dispose()

    def _run(self, executor: Executor, engine: Engine, work: Work[T]) -> "asyncio.Future[T]":
        if self._closed:
            raise StorageError(f"The database {self.path} is closed.")
        return asyncio.get_running_loop().run_in_executor(executor, self._transact, engine, work)

    def _transact(self, engine: Engine, work: Work[T]) -> T:
        with sqlite.translated(self.path), Session(engine, autoflush=False) as session, session.begin():
            return work(session)

    @staticmethod
    async def _finish(transaction: "asyncio.Future[T]") -> T:
        """A cancelled caller hears of it only when the transaction has ended, so that what it does next sees the outcome."""
        try:
            return await asyncio.shield(transaction)
        except asyncio.CancelledError:
            await asyncio.wait([transaction])
            raise
