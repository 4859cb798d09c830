"""What tokens cost."""

from collections.abc import Mapping

from assistant.llm.messages import Usage
from integrations.types import Value

MILLION = 1_000_000


class Price(Value):
    """In US dollars for a million tokens."""

    prompt: float
    completion: float
    cached: float | None = None
    """None: as much as any other token of the prompt."""

    def of(self, usage: Usage) -> float:
        cached = self.prompt if self.cached is None else self.cached
        fresh = max(usage.prompt - usage.cached, 0)
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

    def knows(self, model: str) -> bool:
        return self.cost(model, Usage()) is not None


def unpriced(model: str) -> str:
    """What to tell where a budget in dollars meets a model without a price."""
    given = f'"{model}" = {{ prompt = 0.25, completion = 2.0 }}'
    return (
        f"A budget in US dollars needs the price of {model}; give it for a million tokens in config.toml under [llm.prices], "
        f"such as {given}, or limit the tokens instead."
    )
