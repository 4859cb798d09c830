"""Titles that are written in capitals: how far they go."""

from collections.abc import Sequence

from assistant.reasoning.offline.reading.entities import Item

TITLE_JOINTS = frozenset({"of", "and", "&", "the", "for", "de"})
"""Small words that a title in capitals goes on over."""


def within_title(items: Sequence[Item], at: int) -> bool:
    """Inside a run of capitalised words: "Board of Directors", "Lunch & Learn", "Monday Check-in"."""
    if items[at].kind == "time":
        return _capitalised(items[at]) and at + 1 < len(items) and _capitalised(items[at + 1]) and items[at + 1].kind != "time"
    if items[at].low not in TITLE_JOINTS or at == 0 or not (_capitalised(items[at - 1]) or items[at - 1].low in TITLE_JOINTS):
        return False
    end = at
    while end < len(items) and items[end].low in TITLE_JOINTS:
        end += 1
    goes_on = end < len(items) and _capitalised(items[end]) and items[end].kind != "time"
    return goes_on and (items[end].kind != "person" or items[at].low == "of")


def _capitalised(item: Item) -> bool:
    return item.text[:1].isupper() and item.kind in ("word", "name", "person", "time", "number")
