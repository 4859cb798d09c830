"""The thread that writes. Writes that wait for it share a transaction: hundreds side by side cost little more than a few."""

import asyncio
import contextlib
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from storage import sqlite
from storage.errors import DatabaseLocked
from storage.session import Session
from storage.sqlite import Connections

MOST = 32
"""Writes in one transaction."""

T = TypeVar("T")
Work = Callable[[Session], T]


class _Waiting:
    """A write and its outcome, which its caller is told only after the commit."""

    def __init__(self, work: Work[Any]) -> None:
        self.work = work
        self.told: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.result: Any = None
        self.error: BaseException | None = None

    def tell(self) -> None:
        if self.told.done():
            return
        if self.error is not None:
            self.told.set_exception(self.error)
        else:
            self.told.set_result(self.result)


class Writer:
    """Writes keep their order. What one raises undoes what that one did, and no other's."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._shared = Connections(path, begin="BEGIN IMMEDIATE", pragmas={**sqlite.WRITING, "synchronous": "NORMAL"})
        self._synced = Connections(path, begin="BEGIN IMMEDIATE", pragmas={**sqlite.WRITING, "synchronous": "FULL"})
        # Both kinds of write have one thread: within the process they queue here instead of polling SQLite's lock.
        self._thread = ThreadPoolExecutor(1, "storage-writer")
        self._waiting: deque[_Waiting] = deque()

    def write(self, work: Work[T]) -> "asyncio.Future[T]":
        """`work` is run anew where the transaction that it shared came to nothing."""
        one = _Waiting(work)
        self._waiting.append(one)
        self._thread.submit(self._write_waiting)
        return one.told

    def write_synced(self, work: Work[T]) -> "asyncio.Future[T]":
        """After all writes that came before, in a transaction of its own that is on disk at its end."""
        return asyncio.get_running_loop().run_in_executor(self._thread, self._transact, self._synced, work)

    async def close(self) -> None:
        """Waits for all that has come."""
        await asyncio.to_thread(self._thread.shutdown)
        self._shared.close()
        self._synced.close()

    # --- in the thread

    def _write_waiting(self) -> None:
        """Called once for each write, so that none is left; an earlier call may have taken it along."""
        taken: list[_Waiting] = []
        with contextlib.suppress(IndexError):
            while len(taken) < MOST:
                taken.append(self._waiting.popleft())
        if len(taken) == 1:
            self._write_alone(taken[0])
        elif taken:
            self._write_together(taken)
        for loop in {one.told.get_loop() for one in taken}:
            with contextlib.suppress(RuntimeError):  # it is closed, so nobody listens
                loop.call_soon_threadsafe(_tell, [one for one in taken if one.told.get_loop() is loop])

    def _write_together(self, writes: Sequence[_Waiting]) -> None:
        try:
            with sqlite.translated(self._path), self._shared.transaction() as connection:
                for one in writes:
                    self._write_within(connection, one)
        except DatabaseLocked as locked:  # they have waited long enough
            for one in writes:
                one.error = locked
        except Exception:  # a full disk, or what SQLite finds only at the commit, undoes the writes of all
            for one in writes:
                self._write_alone(one)

    def _write_within(self, connection: sqlite3.Connection, one: _Waiting) -> None:
        connection.execute("SAVEPOINT one")
        try:
            with sqlite.translated(self._path):
                one.result = one.work(Session(connection))
        except BaseException as error:
            if not connection.in_transaction:  # SQLite ends it by itself where the disk is full
                raise
            connection.execute("ROLLBACK TO one")
            one.error = error
        connection.execute("RELEASE one")

    def _write_alone(self, one: _Waiting) -> None:
        try:
            one.result, one.error = self._transact(self._shared, one.work), None
        except BaseException as error:
            one.error = error

    def _transact(self, connections: Connections, work: Work[T]) -> T:
        with sqlite.translated(self._path), connections.transaction() as connection:
            return work(Session(connection))


def _tell(writes: Sequence[_Waiting]) -> None:
    for one in writes:
        one.tell()
