"""The names under which agents know each other."""

from collections.abc import Callable, Iterable
from string import ascii_uppercase


def anonymous(agents: Iterable[str], name: Callable[[int], str]) -> dict[str, str]:
    """Shown names by real id. They are the same as long as the same agents are registered; `name` counts from 0."""
    return {agent: name(n) for n, agent in enumerate(sorted(agents))}


def lettered(n: int) -> str:
    letters = ascii_uppercase[n % 26]
    return f"{lettered(n // 26 - 1)}{letters}" if n >= 26 else f"Agent {letters}"


def numbered(n: int) -> str:
    return f"agent{n + 1}"
