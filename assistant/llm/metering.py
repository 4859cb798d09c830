"""What calls to a model cost, who may still make one, and the record of those made."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from assistant.errors import ModelError
from assistant.llm.client import ChatClient
from assistant.llm.messages import Completion, Prompt, Usage
from integrations.types import Value

FLOW: ContextVar[str] = ContextVar("flow", default="")
"""The flow for which the model is asked; set by whoever runs it."""

MILLION = 1_000_000


class Price(Value):
    """In US dollars for a million tokens."""

    prompt: float
    completion: float
    cached: float | None = None
    """None: as much as any other token of the prompt."""

    def of(self, usage: Usage) -> float:
        cached = self.prompt if self.cached is None else self.cached
        fresh = usage.prompt - usage.cached
        return (fresh * self.prompt + usage.cached * cached + usage.completion * self.completion) / MILLION


class PriceTable(Value):
    """Prices by model; a name may end in * for all that begin so. What is not in it has no known price."""

    prices: Mapping[str, Price] = {}

    def cost(self, model: str, usage: Usage) -> float | None:
        name = model.rpartition("/")[2]
        found = next((self.prices[one] for one in (model, name) if one in self.prices), None)
        if found is None:
            families = [one for one in self.prices if one.endswith("*") and name.startswith(one[:-1])]
            found = self.prices[max(families, key=len)] if families else None
        return None if found is None else found.of(usage)


class ModelCall(Value):
    """One call. `cost` in US dollars, None where no price is known; `trouble` is the kind of a ModelError."""

    at: datetime
    flow: str
    role: str
    model: str
    usage: Usage = Usage()
    cost: float | None = None
    seconds: float = 0.0
    trouble: str = ""


class Spent(Value):
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


class Limit(Value):
    """What may be spent; None: as much as it takes."""

    cost: float | None = None
    tokens: int | None = None

    def exceeded(self, spent: Spent) -> str:
        """Which part of it is used up, in words; empty: none."""
        if self.cost is not None and spent.cost >= self.cost:
            return f"${self.cost:.2f}"
        if self.tokens is not None and spent.tokens >= self.tokens:
            return f"{self.tokens:,} tokens"
        return ""


class Budget(Value):
    flow: Limit = Limit()
    day: Limit = Limit()


class Ledger(Protocol):
    """Where calls are kept."""

    async def record(self, call: ModelCall) -> None: ...

    async def spent(self, *, flow: str = "", since: datetime | None = None) -> Spent:
        """Of one flow, or of all since an instant."""


@dataclass(frozen=True)
class Meter:
    """Lets a call pass while the budget lasts, and records it, also one that failed."""

    ledger: Ledger
    prices: PriceTable
    budget: Budget
    clock: Callable[[], datetime]
    zone: ZoneInfo

    async def admit(self) -> None:
        """Raises ModelError of the kind budget."""
        flow = FLOW.get()
        if flow and self.budget.flow != Limit() and (used := self.budget.flow.exceeded(await self.ledger.spent(flow=flow))):
            raise ModelError(f"The budget of {used} for one task is used up; raise llm.budget.flow to go on.", "budget")
        if self.budget.day == Limit():
            return
        midnight = self.clock().astimezone(self.zone).replace(hour=0, minute=0, second=0, microsecond=0)
        if used := self.budget.day.exceeded(await self.ledger.spent(since=midnight)):
            words = (
                f"Today's budget of {used} for the language model is used up; it is free again tomorrow, or raise llm.budget.day."
            )
            raise ModelError(words, "budget")

    async def record(self, role: str, model: str, usage: Usage, seconds: float, trouble: str = "") -> None:
        cost = self.prices.cost(model, usage)
        call = ModelCall(
            at=self.clock(),
            flow=FLOW.get(),
            role=role,
            model=model,
            usage=usage,
            cost=cost,
            seconds=round(seconds, 3),
            trouble=trouble,
        )
        await self.ledger.record(call)


class MeteredClient:
    """Implements ChatClient over another, whose calls are admitted and recorded under a role."""

    def __init__(self, client: ChatClient, role: str, meter: Meter) -> None:
        self.client, self.role, self.meter = client, role, meter

    @property
    def model(self) -> str:
        return self.client.model

    async def complete(self, prompt: Prompt) -> Completion:
        await self.meter.admit()
        began = time.monotonic()
        try:
            answer = await self.client.complete(prompt)
        except ModelError as error:
            await self.meter.record(self.role, self.model, Usage(), time.monotonic() - began, error.kind)
            raise
        await self.meter.record(self.role, self.model, answer.usage, time.monotonic() - began)
        return answer

    async def stream(self, prompt: Prompt) -> AsyncIterator[str | Completion]:
        await self.meter.admit()
        began = time.monotonic()
        try:
            async for piece in self.client.stream(prompt):
                if isinstance(piece, Completion):
                    await self.meter.record(self.role, self.model, piece.usage, time.monotonic() - began)
                yield piece
        except ModelError as error:
            await self.meter.record(self.role, self.model, Usage(), time.monotonic() - began, error.kind)
            raise

    async def close(self) -> None:
        await self.client.close()
