"""An event loop whose time is only what its timers say: whoever sleeps is woken in order and at once, and nobody waits in vain."""

import asyncio
from collections.abc import Coroutine
from datetime import datetime
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualTime(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        ready = self._selector.select

        def select(timeout: float | None = None) -> Any:
            found = ready(0)
            if not found and timeout is None:
                raise AssertionError("nothing is ever going to happen")
            self._now += 0.0 if found else timeout or 0.0
            return found

        self._selector.select = select

    def time(self) -> float:
        return self._now


class Time:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualTime) as runner:
        return runner.run(work)
