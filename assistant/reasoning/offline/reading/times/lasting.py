"""How long something is to be: "last an hour", "twice as long", "until 5"."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.slots import lows


def is_verb_of_length(items: Sequence[Item], at: int) -> bool:
    """ "make the review last an hour": the verb, which is no order."""
    spec = items[at + 1].time if items[at].low in ("last", "take", "run") and at + 1 < len(items) else None
    return spec is not None and spec.kind == "duration"


def with_end(items: Sequence[Item]) -> list[Item]:
    """ "until 5" as "to 5": the new end, and no more of what stands before."""
    spots = [at for at in range(len(items) - 1) if items[at].low in ("until", "till") and items[at + 1].time is not None]
    return [replace(item, low="to", text="to") if at in spots else item for at, item in enumerate(items)]


def factor_of(form: Form, items: Sequence[Item]) -> tuple[float, tuple[int, int]] | None:
    """ "double it", "make it twice as long", "cut it in half": the factor, and the items that say it."""
    multiples = lexicon().multiples
    if (verb := multiples.at([form.lemma], 0)) is not None:
        return verb[1], (0, 0)
    words = lows(items)
    found = next(((at, match) for at in range(len(items)) if (match := multiples.at(words, at))), None)
    return (found[1][1], (found[0], found[0] + found[1][0])) if found and found[0] else None
