"""What a deliberation used: by agent and attempt, as the endpoints counted it."""

from collections.abc import Callable

from assistant.drafting.base import Spent
from assistant.llm.messages import Usage

PriceOf = Callable[[str, Usage], float | None]
"""(model, usage) to US dollars; None where no price is known."""


def unknown(model: str, usage: Usage) -> float | None:
    return None


class Books:
    def __init__(self, price: PriceOf = unknown) -> None:
        self._price = price
        self._entries: dict[tuple[int, str], Spent] = {}

    def add(self, agent: str, attempt: int, model: str, usage: Usage) -> None:
        """One call, also one that came to nothing."""
        before = self._entries.get((attempt, agent))
        cost = self._price(model, usage)
        if before is not None:
            cost = None if cost is None or before.cost is None else before.cost + cost
            usage = before.usage + usage
        calls = 1 + (before.calls if before else 0)
        self._entries[attempt, agent] = Spent(agent=agent, attempt=attempt, calls=calls, usage=usage, cost=cost)

    @property
    def spent(self) -> tuple[Spent, ...]:
        """By attempt, and in it in the order of the first call that was over."""
        return tuple(self._entries[key] for key in sorted(self._entries, key=lambda key: key[0]))
