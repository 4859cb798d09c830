"""Who runs a flow, and whether anybody else is at work on this home."""

import asyncio
import os
import time
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import IO
from uuid import uuid4

from assistant.errors import FlowError

LEASE = timedelta(seconds=30)
"""How long a flow stays its owner's without a word from it."""
BEAT = LEASE / 3
"""How often the owner of running flows gives such a word."""
LOOK = 0.25
"""Seconds between two looks at whether another process wants one of them to stop."""
PATIENCE, PAUSE = 60.0, 0.02
"""Seconds: how long to wait for another assistant that is starting here, and between two looks."""


def owner_name() -> str:
    """Unique for each opened assistant."""
    return uuid4().hex


class Presence:
    """A shared lock on the home for as long as an assistant is open; the kernel drops it when the process dies."""

    def __init__(self, home: Path) -> None:
        self._path = home / "presence.lock"
        self._file: IO[str] | None = None

    def enter(self) -> bool:
        """Whether nobody else is there: then whatever is unfinished was left by a crash. Where locks can't be had, False."""
        try:
            import fcntl
        except ImportError:
            return False
        self._file = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+")
        return self._lock(fcntl.LOCK_EX)

    @property
    def known(self) -> bool:
        """Whether it can be told who is there: where locks can be had."""
        return self._file is not None

    async def settle(self) -> None:
        """Lets others in, once what was left over has been taken care of; waits while somebody else is at that. FlowError when
        they don't come to an end."""
        if self._file is None:
            return
        import fcntl

        giving_up = time.monotonic() + PATIENCE
        while not self._lock(fcntl.LOCK_SH) and self._file is not None:
            if time.monotonic() > giving_up:
                raise FlowError("Another assistant has been starting on these data for a long time; try again when it is done.")
            await asyncio.sleep(PAUSE)

    def _lock(self, kind: int) -> bool:
        import fcntl

        if self._file is None:
            return False
        try:
            fcntl.flock(self._file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # this file system has no locks
            self.leave()
            return False
        return True

    def leave(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class Slot:
    """One of the numbered places for workers on this machine, held for as long as the process lives."""

    def __init__(self, home: Path) -> None:
        """Takes the first that is free. FlowError where locks can't be had."""
        try:
            import fcntl
        except ImportError as missing:
            raise FlowError("Workers need a system with file locks, such as Linux or macOS.") from missing
        for number in count(1):
            self.number = number
            self._file = os.fdopen(os.open(home / f"worker-{number}.lock", os.O_RDWR | os.O_CREAT, 0o600), "r+")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                self._file.close()

    def leave(self) -> None:
        self._file.close()
