"""Questions to a folder of an account, which block: asked in a thread, or at once where that is shorter than the way there."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

from integrations.errors import IntegrationError
from integrations.local.disk import reading

P = ParamSpec("P")
R = TypeVar("R")
SHORT = 0.001
"""Seconds that a question may hold up everything else."""
FADING = 0.5
"""How much a long answer counts for the next question of its kind."""


class Questions:
    """`still` tells at once whether nothing has changed and nobody is at it: only then is a question known to take no longer than
    the last one of its kind. What goes wrong names the account, and is never a bare OSError."""

    def __init__(self, account: str, root: Path, still: Callable[[], bool]) -> None:
        self._account, self._root, self._still = account, root, still
        self._took: dict[str, float] = {}

    async def ask(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        with self._told():
            if self._took.get(work.__name__, math.inf) < SHORT and self._still():
                return self._answer(time.perf_counter, work, *args, **kwargs)
            # Its own time: how long it waits for others says nothing of how long it would hold them up.
            return await asyncio.to_thread(lambda: self._answer(time.thread_time, work, *args, **kwargs))

    async def ask_apart(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Always in a thread: of files of any size the last one says nothing of the next."""
        with self._told():
            return await asyncio.to_thread(work, *args, **kwargs)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            with reading(self._root):
                yield
        except IntegrationError as error:
            error.account = error.account or self._account
            raise

    def _answer(self, clock: Callable[[], float], work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        began = clock()
        try:
            return work(*args, **kwargs)
        finally:
            kind = work.__name__
            self._took[kind] = max(clock() - began, self._took.get(kind, 0.0) * FADING)
