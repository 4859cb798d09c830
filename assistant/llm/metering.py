"""The record of calls to a model, and whether another may be made."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Protocol
from zoneinfo import ZoneInfo

from assistant.errors import ModelError
from assistant.llm.budget import NOTHING, Balance, Budget, Spent
from assistant.llm.catalogue import Offered
from assistant.llm.client import ChatClient
from assistant.llm.endpoint import Endpoint, EndpointClient
from assistant.llm.messages import Completion, Prompt, Usage
from assistant.llm.pricing import PriceTable, unpriced
from integrations.types import Value

FLOW: ContextVar[str] = ContextVar("flow", default="")
"""The flow for which the model is asked; set by whoever runs it."""
CHARACTERS = 4
"""Of a token, where nobody has counted."""
LONGEST = 8000
"""Tokens to expect of an answer whose length nobody limits."""
COSTLY = ("timeout", "invalid", "truncated", "refused")
"""Troubles of a call for which the endpoint has worked."""
FLOWS = 256
"""Whose balances are kept at hand."""
FLOW_USED = "The budget of {used} for one task is used up; raise llm.budget.flow to go on."
DAY_USED = "Today's budget of {used} for the language model is used up; it is free again tomorrow, or raise llm.budget.day."


class ModelCall(Value):
    """One call. `cost` in US dollars, None where no price is known; `trouble` is the kind of a ModelError, or "cancelled";
    `estimated`: the endpoint told no usage, which is reckoned by characters."""

    at: datetime
    flow: str
    role: str
    model: str
    usage: Usage = Usage()
    cost: float | None = None
    seconds: float = 0.0
    trouble: str = ""
    estimated: bool = False


class Ledger(Protocol):
    """Where calls are kept."""

    def record(self, call: ModelCall) -> None:
        """Returns at once; neither waits nor raises."""

    async def spent(self, *, flow: str = "", since: datetime | None = None) -> Spent:
        """Of one flow, or of all since an instant; may lack what was recorded a moment ago."""


@dataclass(frozen=True)
class Hold:
    """What a call under way may come to, held back from others."""

    balances: tuple[Balance, ...] = ()
    expected: Spent = NOTHING


@dataclass
class Meter:
    """Lets a call pass while the budget lasts, and records it. Near a limit, calls of this process go one after another, so that
    only the last may go beyond it."""

    ledger: Ledger
    prices: PriceTable
    budget: Budget
    clock: Callable[[], datetime]
    zone: ZoneInfo
    _flows: dict[str, Balance] = field(default_factory=dict)
    _days: dict[datetime, Balance] = field(default_factory=dict)
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def admit(self, model: str, prompt: Prompt, longest: int) -> Hold:
        """Raises ModelError of the kind budget."""
        if self.budget.in_dollars and not self.prices.knows(model):
            raise ModelError(unpriced(model), "budget")
        while True:
            balances = self._balances()
            for balance in balances:
                await balance.refresh()
            for balance in balances:
                balance.check()
            if all(balance.has_room for balance in balances):
                break
            await self._ended.wait()
        if not balances:
            return Hold()
        expected = self._spent(model, Usage(prompt=_length(prompt) // CHARACTERS, completion=longest))
        for balance in balances:
            balance.held += expected
        return Hold(balances, expected)

    def settle(self, hold: Hold, call: ModelCall) -> None:
        """Records the call, and gives back what was held for it."""
        call = call.model_copy(update={"cost": self.prices.cost(call.model, call.usage)})
        spent = self._spent(call.model, call.usage)
        for balance in hold.balances:
            balance.held -= hold.expected
            balance.spent += spent
        self._ended.set()
        self._ended = asyncio.Event()
        self.ledger.record(call)

    def _spent(self, model: str, usage: Usage) -> Spent:
        return Spent(calls=1, tokens=usage.prompt + usage.completion, cost=self.prices.cost(model, usage) or 0.0)

    def _balances(self) -> tuple[Balance, ...]:
        """Of the limits that bind the flow that asks."""
        flow = FLOW.get()
        of_flow = (self._of_flow(flow),) if flow and self.budget.flow.is_set else ()
        return (*of_flow, self._of_day()) if self.budget.day.is_set else of_flow

    def _of_flow(self, flow: str) -> Balance:
        if flow not in self._flows:
            if len(self._flows) >= FLOWS:
                self._flows = {id: balance for id, balance in self._flows.items() if balance.held.calls}
            self._flows[flow] = Balance(self.budget.flow, lambda: self.ledger.spent(flow=flow), FLOW_USED)
        return self._flows[flow]

    def _of_day(self) -> Balance:
        midnight = self.clock().astimezone(self.zone).replace(hour=0, minute=0, second=0, microsecond=0)
        if midnight not in self._days:
            self._days = {midnight: Balance(self.budget.day, lambda: self.ledger.spent(since=midnight), DAY_USED)}
        return self._days[midnight]


class MeteredClient:
    """Implements ChatClient over another, whose calls are admitted and recorded under a role, however they end. `longest` is the
    most tokens that an answer has where the prompt does not say."""

    def __init__(self, client: ChatClient, role: str, meter: Meter, longest: int = LONGEST) -> None:
        self.client, self.role, self.meter, self.longest = client, role, meter, longest

    @property
    def model(self) -> str:
        return self.client.model

    async def named(self) -> str:
        return await self.client.named()

    async def complete(self, prompt: Prompt) -> Completion:
        with await self._admitted(prompt) as call:
            answer = await self.client.complete(prompt)
            call.hear(answer)
            return answer

    async def stream(self, prompt: Prompt) -> AsyncIterator[str | Completion]:
        with await self._admitted(prompt) as call:
            async for piece in self.client.stream(prompt):
                call.hear(piece)
                yield piece

    async def _admitted(self, prompt: Prompt) -> "_UnderWay":
        # A price can only be known of a model that is: an endpoint that chooses one is asked which before the first call.
        model = await self.client.named() if self.meter.budget.in_dollars else self.model
        hold = await self.meter.admit(model, prompt, prompt.longest or self.longest)
        return _UnderWay(self, prompt, hold)

    async def close(self) -> None:
        await self.client.close()


class MeteredEndpoint(MeteredClient):
    """An endpoint that is tried out: its calls are metered, what it lists costs nothing."""

    def __init__(self, client: EndpointClient, role: str, meter: Meter) -> None:
        super().__init__(client, role, meter, client.endpoint.longest)
        self._listing = client

    @property
    def endpoint(self) -> Endpoint:
        return self._listing.endpoint

    async def models(self) -> tuple[Offered, ...]:
        return await self._listing.models()


class _UnderWay:
    """A call from its beginning to its end, be it an answer, an error, or that nobody waits for it any more."""

    def __init__(self, client: MeteredClient, prompt: Prompt, hold: Hold) -> None:
        self._client, self._prompt, self._hold = client, prompt, hold
        self._flow = FLOW.get()  # a stream that is dropped is closed elsewhere
        self._heard = 0
        self._answer: Completion | None = None

    def hear(self, piece: str | Completion) -> None:
        if isinstance(piece, Completion):
            self._answer = piece
        else:
            self._heard += len(piece)

    def __enter__(self) -> "_UnderWay":
        self._began = time.monotonic()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        usage, estimated = self._usage(error)
        call = ModelCall(
            at=self._client.meter.clock(),
            flow=self._flow,
            role=self._client.role,
            model=self._client.model,
            usage=usage,
            seconds=round(time.monotonic() - self._began, 3),
            trouble=self._trouble(error),
            estimated=estimated,
        )
        self._client.meter.settle(self._hold, call)

    def _usage(self, error: BaseException | None) -> tuple[Usage, bool]:
        """With whether it is estimated."""
        if self._answer and self._answer.usage != Usage():
            return self._answer.usage, False
        if isinstance(error, ModelError) and error.kind not in COSTLY and not self._heard:
            return Usage(), False
        answered = _answered(self._answer) if self._answer else self._heard
        return Usage(prompt=_length(self._prompt) // CHARACTERS, completion=answered // CHARACTERS), True

    def _trouble(self, error: BaseException | None) -> str:
        if self._answer is None:
            return error.kind if isinstance(error, ModelError) else "cancelled"
        if self._answer.refusal or self._answer.finish == "content_filter":
            return "refused"
        return "truncated" if self._answer.finish == "length" else ""


def _length(prompt: Prompt) -> int:
    """In characters."""
    said = sum(len(one.content) + sum(len(call.arguments) for call in one.calls) for one in prompt.messages)
    tools = sum(len(tool.description) + len(json.dumps(tool.parameters)) for tool in prompt.tools)
    shape = len(json.dumps(prompt.shape.definition)) if prompt.shape and prompt.answering == "json_schema" else 0
    return said + tools + shape


def _answered(answer: Completion) -> int:
    """In characters."""
    return len(answer.text) + len(answer.refusal) + sum(len(call.name) + len(call.arguments) for call in answer.calls)
