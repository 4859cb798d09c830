"""Who runs a flow, and whether anybody else is at work on this home."""

import os
from datetime import timedelta
from pathlib import Path
from typing import IO
from uuid import uuid4

LEASE = timedelta(seconds=60)
"""How long a flow stays its owner's without a word from it."""


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
        alone = True
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            alone = False
        return alone

    def settle(self) -> None:
        """Let others in, once what was left over has been taken care of."""
        if self._file is not None:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_SH)

    def leave(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
