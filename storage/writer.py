"""The thread that writes. Writes that wait for it share a transaction: hundreds side by side cost little more than a few."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from storage.errors import DatabaseLocked, Unreachable
from storage.session import Session, T, Work
from storage.store import Store

MOST = 32
"""Writes in one transaction."""


class _Waiting:
    """A write and its outcome, which its caller is told only after the commit."""

    def __init__(self, work: Work[Any], kind: Literal["write", "synced"]) -> None:
        self.work, self.kind = work, kind
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

    def __init__(self, store: Store) -> None:
        self._store = store
        # All writes have one thread: within the process they queue here instead of polling a lock of the database.
        self._thread = ThreadPoolExecutor(1, "storage-writer")
        self._waiting: deque[_Waiting] = deque()

    def write(self, work: Work[T], *, synced: bool = False) -> "asyncio.Future[T]":
        """`work` is run anew where the transaction that it shared came to nothing. A synced one is on disk at its end, with all
        writes that came before."""
        one = _Waiting(work, "synced" if synced else "write")
        self._waiting.append(one)
        self._thread.submit(self._write_waiting)
        return one.told

    async def close(self) -> None:
        """Waits for all that has come."""
        await asyncio.to_thread(self._thread.shutdown)

    # --- in the thread

    def _write_waiting(self) -> None:
        """Called once for each write, so that none is left; an earlier call may have taken it along."""
        taken = self._taken()
        if len(taken) == 1:
            self._write_alone(taken[0])
        elif taken:
            self._write_together(taken)
        for loop in {one.told.get_loop() for one in taken}:
            with contextlib.suppress(RuntimeError):  # it is closed, so nobody listens
                loop.call_soon_threadsafe(_tell, [one for one in taken if one.told.get_loop() is loop])

    def _taken(self) -> list[_Waiting]:
        """The next ones of one kind."""
        taken: list[_Waiting] = []
        while self._waiting and len(taken) < MOST and self._waiting[0].kind == (taken or self._waiting)[0].kind:
            taken.append(self._waiting.popleft())
        return taken

    def _write_together(self, writes: Sequence[_Waiting]) -> None:
        try:
            with self._store.transaction(writes[0].kind) as session:
                for one in writes:
                    self._write_within(session, one)
        except (DatabaseLocked, Unreachable) as error:  # they have waited long enough
            for one in writes:
                one.error = error
        except Exception:  # a full disk, or what the database finds only at the commit, undoes the writes of all
            for one in writes:
                self._write_alone(one)

    def _write_within(self, session: Session, one: _Waiting) -> None:
        session.connection.execute("SAVEPOINT one")
        try:
            one.result = one.work(session)
        except BaseException as error:
            if not self._store.goes_on(session, error):
                raise
            session.connection.execute("ROLLBACK TO one")
            one.error = self._store.told(error) if isinstance(error, Exception) else error
        session.connection.execute("RELEASE one")

    def _write_alone(self, one: _Waiting) -> None:
        try:
            one.result, one.error = self._store.perform(one.kind, one.work), None
        except BaseException as error:
            one.error = error


def _tell(writes: Sequence[_Waiting]) -> None:
    for one in writes:
        one.tell()
