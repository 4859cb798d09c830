"""Names in a sentence: known people and groups, capitalised words the lexicon does not know, titles in capitals."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item, text_of
from assistant.reasoning.offline.reading.text.tokens import Kind


@dataclass(frozen=True)
class Names:
    """Names that can occur in a sentence, indexed by their first word."""

    full: dict[str, tuple[tuple[str, ...], ...]]
    parts: frozenset[str]


@lru_cache(maxsize=8)
def names_index(names: frozenset[str]) -> Names:
    words = lexicon().known
    full: dict[str, list[tuple[str, ...]]] = {}
    parts: set[str] = set()
    for name in names:
        pieces = tuple(piece.strip("(),.\"'") for piece in name.lower().split())
        if not pieces or not all(pieces) or (len(pieces) == 1 and pieces[0] in words):
            continue
        full.setdefault(pieces[0], []).append(pieces)
        if len(pieces) <= 3 and not any(piece in words or not piece.replace("-", "").isalpha() for piece in pieces):
            parts.update(piece for piece in (pieces[0], pieces[-1]) if len(piece) > 1)
    return Names({first: tuple(sorted(rows, key=len, reverse=True)) for first, rows in full.items()}, frozenset(parts))


SHOUTED = 3
"""Capitals throughout so many words are a way of typing."""


def with_names(items: Sequence[Item], setting: Setting) -> tuple[Item, ...]:
    index, groups = names_index(setting.names), names_index(setting.groups)
    if _shouted(items):
        items = [replace(item, text=item.low) if item.kind == "word" else item for item in items]
    items = [part for item in items for part in _possessive(item, index)]
    lows = [item.low if item.kind in ("word", "number", "punct") else "" for item in items]
    result: list[Item] = []
    at = 0
    while at < len(items):
        length, kind = _name_at(items, lows, at, index, groups)
        if length == 0:
            result.append(items[at])
            at += 1
            continue
        span = items[at : at + length]
        text = text_of(span)
        result.append(replace(span[0], kind=kind, text=text, low=text.lower(), end=span[-1].end))
        at += length
    return tuple(result)


def _possessive(item: Item, index: Names) -> tuple[Item, ...]:
    """ "lenas mail": a name that is known, with an s and no apostrophe."""
    name = item.low[:-1]
    if item.kind != "word" or not item.low.endswith("s") or item.low in lexicon().known or item.low in index.parts:
        return (item,)
    if name not in index.parts and (name,) not in index.full.get(name, ()):
        return (item,)
    cut = item.end - 1
    return replace(item, text=item.text[:-1], low=name, end=cut), replace(item, text="", low="'s", begin=cut)


def _shouted(items: Sequence[Item]) -> bool:
    """EVERYTHING IN CAPITALS, which then mark no names."""
    words = [item.text for item in items if item.kind == "word" and len(item.text) > 1]
    return len(words) >= SHOUTED and all(word.isupper() for word in words)


def _name_at(items: Sequence[Item], lows: Sequence[str], at: int, index: Names, groups: Names) -> tuple[int, Kind]:
    item = items[at]
    if item.kind != "word" or not item.text or item.low.startswith("'"):
        return 0, "word"
    for table in (groups, index):
        for pieces in table.full.get(item.low, ()):
            if tuple(lows[at : at + len(pieces)]) == pieces and (len(pieces) > 1 or _single(items, at, table is groups)):
                return (len(pieces) if table is groups else _extend(items, at, len(pieces))), "person"
    if item.low in index.parts and _single(items, at, False):
        return _extend(items, at, 1), "person"
    if _capital(item) and item.low not in lexicon().known and (at > 0 or item.low not in lexicon().small["names_too"]):
        return _extend(items, at, 1), "name"
    return 0, "word"


def _capital(item: Item) -> bool:
    return item.kind == "word" and item.text[:1].isupper()


def _single(items: Sequence[Item], at: int, group: bool) -> bool:
    """Whether a single known word is the name here: "Mark" and "anna" are, "mark" and "will" are verbs."""
    item, small = items[at], lexicon().small
    if group or (item.low not in small["names_too"] and item.low not in lexicon().known):
        return True
    before = items[at - 1].low if at else ""
    return _capital(item) and (
        (at == 0 and len(items) > 1 and items[1].low in small["auxiliaries"]) or before in small["person_cues"]
    )


def _extend(items: Sequence[Item], at: int, length: int) -> int:
    """A name goes on over capitalised words that follow it, "Anna Berg" where only some other Anna is known; and over a stroke
    without spaces, "Nordlys A/S"."""
    end = at + length
    while _stroke(items, end):
        end += 2
    while end < len(items) and _capital(items[end]) and not items[end].low.startswith("'"):
        word = items[end].low
        if word in lexicon().small["wh"] or word in ("i", "please") or items[end - 1].text.endswith(","):
            break
        end += 1
        while _stroke(items, end):
            end += 2
    return end - at


def _stroke(items: Sequence[Item], at: int) -> bool:
    """Whether "/S" follows what ends in one capital."""
    if at + 1 >= len(items) or items[at].low != "/" or len(items[at - 1].text) > 1 or not _capital(items[at + 1]):
        return False
    return items[at - 1].end == items[at].begin and items[at].end == items[at + 1].begin


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
