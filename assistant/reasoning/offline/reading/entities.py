"""Tokens into items: times, known people and capitalised names become one item each; quotes and addresses already are."""

from functools import lru_cache

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.reading.nouns.describing import with_descriptions
from assistant.reasoning.offline.reading.nouns.indefinite import with_heads
from assistant.reasoning.offline.reading.nouns.insiders import with_houses
from assistant.reasoning.offline.reading.nouns.oneself import as_me
from assistant.reasoning.offline.reading.nouns.subjects import with_subjects
from assistant.reasoning.offline.reading.text.items import Item, Prefer
from assistant.reasoning.offline.reading.text.names import with_names
from assistant.reasoning.offline.reading.text.tokens import tokenise
from assistant.reasoning.offline.reading.times.marking import with_times


def mark(text: str, setting: Setting, prefer: Prefer = "future") -> tuple[Item, ...]:
    """The items of `text`; times are read with `prefer` ("future" or "past") where their wording leaves that open."""
    known = _known_marks(text, setting)
    if prefer not in known:
        items = _marked(text, setting, prefer)
        timeless = all(item.time is None for item in items)
        known.update({"future": items, "past": items} if timeless else {prefer: items})
    return known[prefer]


@lru_cache(maxsize=64)
def _known_marks(text: str, setting: Setting) -> dict[Prefer, tuple[Item, ...]]:
    """What was marked of this text before."""
    return {}


def _marked(text: str, setting: Setting, prefer: Prefer) -> tuple[Item, ...]:
    items = with_houses(named(text, setting, prefer))
    return with_subjects(as_me(with_descriptions(with_heads(items), setting), setting))


def named(text: str, setting: Setting, prefer: Prefer = "future") -> tuple[Item, ...]:
    """The same with people as they are named, before what describes them is put together."""
    return with_names(with_times(tokenise(text), text, setting, prefer), setting)
