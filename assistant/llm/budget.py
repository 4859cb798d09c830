"""How much may be spent on language models, and how much of it is left."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from assistant.errors import ModelError
from integrations.types import Value

FRESH = 5.0
"""Seconds for which what was read of the ledger is taken to hold but for this process' own calls."""


class Spent(Value):
    """`cost` in US dollars."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(calls=self.calls + other.calls, tokens=self.tokens + other.tokens, cost=self.cost + other.cost)

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(calls=self.calls - other.calls, tokens=self.tokens - other.tokens, cost=self.cost - other.cost)

    def at_least(self, other: "Spent") -> "Spent":
        return Spent(calls=max(self.calls, other.calls), tokens=max(self.tokens, other.tokens), cost=max(self.cost, other.cost))


NOTHING = Spent()


class Limit(Value):
    """What may be spent; None: as much as it takes."""

    cost: float | None = None
    tokens: int | None = None

    @property
    def is_set(self) -> bool:
        return self.cost is not None or self.tokens is not None

    def exceeded(self, spent: Spent) -> str:
        """Which part of it is used up, in words; empty: none."""
        if self.cost is not None and spent.cost >= self.cost:
            return f"${self.cost:.2f}" if self.cost >= 0.01 else f"${self.cost:g}"
        if self.tokens is not None and spent.tokens >= self.tokens:
            return f"{self.tokens:,} tokens"
        return ""


class Budget(Value):
    flow: Limit = Limit()
    day: Limit = Limit()

    @property
    def in_dollars(self) -> bool:
        return self.flow.cost is not None or self.day.cost is not None


@dataclass
class Balance:
    """What was spent under one limit, and what the calls under way may come to. The ledger is read at first, and again every few
    seconds for what other processes spend meanwhile: together they may go beyond the limit by as much as they spend in that time.
    `words` tell that it is used up, with {used} for what."""

    limit: Limit
    read: Callable[[], Awaitable[Spent]]
    words: str
    spent: Spent = NOTHING
    held: Spent = NOTHING
    _read_at: float | None = None
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def refresh(self) -> None:
        if self._is_fresh:
            return
        async with self._reading:
            if not self._is_fresh:
                # A call that ended during the reading may not be in what was read, but is in the sum.
                self.spent = (await self.read()).at_least(self.spent)
                self._read_at = time.monotonic()

    @property
    def _is_fresh(self) -> bool:
        return self._read_at is not None and time.monotonic() - self._read_at < FRESH

    def check(self) -> None:
        """Raises ModelError of the kind budget."""
        if used := self.limit.exceeded(self.spent):
            raise ModelError(self.words.format(used=used), "budget")

    @property
    def has_room(self) -> bool:
        """Whether one more call may begin before those under way have ended. The last may go beyond the limit."""
        return not self.held.calls or not self.limit.exceeded(self.spent + self.held)
