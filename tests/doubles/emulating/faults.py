"""Ways to fail on purpose, each so many times."""

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from doubles.emulating.wire import Answer, Dropped

FaultT = TypeVar("FaultT", bound=str)
TRIES = 4
"""As often as a question is asked again."""


@dataclass
class Planned(ABC, Generic[FaultT]):
    """`on` is the id of a method or operation, "oauth.token" or the like, or None for every one of the APIs; `after` so many calls
    were let through. `seconds` of a slow one, or of the Retry-After of too_many and unavailable. `then` is planned once all of it
    has come."""

    fault: FaultT
    on: str | None
    times: int = 1
    after: int = 0
    seconds: float | None = None
    then: "Planned[FaultT] | None" = None

    def begin(self, method: str) -> None:
        """Dropped, or the API's own error, where the call shall not take effect."""
        if self.fault == "drop_before":
            raise Dropped
        if error := self.error(method):
            raise error

    async def end(self, answer: Answer) -> Answer:
        """What is told of a call that took effect."""
        if self.fault == "drop_after":
            raise Dropped
        if self.fault == "slow":
            await asyncio.sleep(self.seconds or 0)
        return Answer(200, b'{"id": "', answer.headers) if self.fault == "garbage" else answer

    @abstractmethod
    def error(self, method: str) -> Exception | None:
        """As the API words it; None where this fault is none that the API tells."""

    @property
    def when(self) -> dict[str, str]:
        """The header that says when to come again."""
        seconds = 1 if self.seconds is None and self.fault == "too_many" else self.seconds
        return {} if seconds is None else {"retry-after": f"{seconds:g}"}


class Faults(Generic[FaultT]):
    def __init__(self) -> None:
        self._planned: list[Planned[FaultT]] = []

    def plan(self, planned: Planned[FaultT]) -> None:
        self._planned.append(planned)

    def next(self, method: str) -> Planned[FaultT] | None:
        """What this call shall meet; the first that was planned for it comes first."""
        for planned in self._planned:
            if planned.on == method or (planned.on is None and not method.startswith("oauth.")):
                if planned.after:
                    planned.after -= 1
                    return None
                planned.times -= 1
                if not planned.times:
                    self._planned.remove(planned)
                    self._planned += [planned.then] if planned.then else []
                return planned
        return None

    @property
    def left(self) -> int:
        """How many are still to come."""
        return sum(planned.times for planned in self._planned)
