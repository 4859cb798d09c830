"""Where nothing has all the words that were said: what has the most of them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from assistant.agents.picking import key
from assistant.agents.words import fold, listing
from assistant.reasoning.calls import Selection
from integrations.types import Event, Mail

I = TypeVar("I", Mail, Event)  # noqa: E741
LONG = 3
"""Letters of a word that can tell anything."""


def is_loose(selection: Selection) -> bool:
    """Several words of which none was quoted, and nothing said of all that there are."""
    words = selection.words
    return len(words) > 1 and not any(" " in word for word in words) and not (selection.each or selection.refs or selection.without)


async def nearest(words: Sequence[str], look: Callable[[str], Awaitable[Sequence[I]]]) -> tuple[tuple[I, ...], str]:
    """The items that have the most of the words, and a clause that says so; nothing where that is less than half of them."""
    telling = [word for word in dict.fromkeys(fold(word) for word in words) if len(word) >= LONG]
    items: dict[str, I] = {}
    held: dict[str, list[str]] = {}
    for word in telling:
        for item in await look(word):
            items.setdefault(key(item), item)
            held.setdefault(key(item), []).append(word)
    most = max((len(has) for has in held.values()), default=0)
    if most * 2 < len(telling) or not most:
        return (), ""
    best = [name for name, has in held.items() if len(has) == most]
    has = [f"“{word}”" for word in held[best[0]]]
    lacks = [f"“{word}”" for word in telling if word not in held[best[0]]]
    if not lacks:
        return tuple(items[name] for name in best), f"words too short to tell anything were left out; this has {listing(has)}"
    return tuple(items[name] for name in best), f"nothing has {listing(lacks)} too; this has {listing(has)}"
