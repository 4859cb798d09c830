"""Whether directories have stayed as they were when they were last read, told by their times."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

COARSE_NS, FINE_NS = 2_000_000_000, 50_000_000
"""How old a directory's time must be before no change can hide in the same tick: on file systems that keep whole seconds, else."""
Times = tuple[int, int, int]
Identity = tuple[int, int]


class Still:
    """Remembers a reading. What changes within a file does not show in its directory's times."""

    def __init__(self) -> None:
        self._times: Mapping[str, Times] = {}

    def holds(self) -> bool:
        """False too where it can't be told."""
        try:
            return bool(self._times) and all(times_of(path) == times for path, times in self._times.items())
        except OSError:
            return False

    def remember(self, times: Mapping[str, Times]) -> None:
        """Of all directories that were read, each taken just before; nothing is remembered while one of them is too new."""
        self._times = times if all(settled(changed) for changed, *_ in times.values()) else {}

    def forget(self) -> None:
        self._times = {}


def times_of(path: str) -> Times:
    """When it changed, in ns, comes first."""
    status = os.stat(path)
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def identity(path: str) -> Identity:
    """The same for every way to one folder."""
    status = os.stat(path)
    return status.st_dev, status.st_ino


def above(root: Path) -> set[Identity]:
    """The folders that hold `root`, as far as they can be told."""
    found: set[Identity] = set()
    with suppress(OSError, RuntimeError):
        for parent in root.resolve().parents:
            found.add(identity(str(parent)))
    return found


def settled(changed: int) -> bool:
    """Whether another change since would show as another time."""
    tick = COARSE_NS if changed % 1_000_000_000 == 0 else FINE_NS
    return abs(time.time_ns() - changed) > tick
