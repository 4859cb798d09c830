"""The names under which agents know each other."""

import re
from collections.abc import Callable, Iterable, Mapping
from string import ascii_uppercase


def anonymous(agents: Iterable[str], name: Callable[[int], str]) -> dict[str, str]:
    """Shown names by real id. They are the same as long as the same agents are registered; `name` counts from 0."""
    return {agent: name(n) for n, agent in enumerate(sorted(agents))}


def lettered(n: int) -> str:
    letters = ascii_uppercase[n % 26]
    return f"{lettered(n // 26 - 1)}{letters}" if n >= 26 else f"Agent {letters}"


def numbered(n: int) -> str:
    return f"agent{n + 1}"


def revealed(text: str, names: Mapping[str, str]) -> str:
    """What a model said of others, for people: with real ids."""
    real = {shown: agent for agent, shown in names.items()}
    pattern = "|".join(re.escape(shown) for shown in real)
    return re.sub(rf"\b(?:{pattern})\b", lambda found: real[found[0]], text) if pattern else text
