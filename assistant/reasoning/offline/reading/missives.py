"""What is written where no mail is named: "drop Tom a line that …", "send Eva a quick reply saying …"."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item

ARTICLES = frozenset({"a", "an", "some", "another"})
DESCRIBING = 3
"""How many words may stand between the article and the noun: "a very short friendly note"."""
FAR = 8


def missive(words: Sequence[str], at: int, classes: Sequence[str]) -> int:
    """How many words from `at` are "a quick note"; 0 where none of these nouns stands there."""
    if at >= len(words) or words[at] not in ARTICLES:
        return 0
    for place in range(at + 1, min(at + 2 + DESCRIBING, len(words))):
        if words[place] in lexicon().small["missives"]:
            return place + 1 - at + (words[place + 1 : place + 2] == ["up"])
        match = lexicon().nouns.at(words, place)
        if match is not None:
            return place + match[0] - at if match[1][0] in classes and not match[1][1] else 0
    return 0


def as_answer(items: Sequence[Item], words: Sequence[str]) -> tuple[Item, ...] | None:
    """What stands around "a reply", so that it reads as behind "reply to"; None where no reply is written."""
    for at in range(min(len(items), FAR)):
        lead = lexicon().markers.at(words, at)
        if lead is not None and lead[1] in ("saying", "asking", "for"):
            return None
        length = missive(words, at, ("reply",))
        if length and words[at + length - 1] in ("reply", "answer", "response"):
            return (*items[:at], *items[at + length :])
    return None


PUTTING = frozenset({"put", "keep", "have", "add", "take", "loop", "bring"})
NAMES = ("person", "name", "address", "ref")


def in_copy(items: Sequence[Item]) -> Sequence[Item]:
    """ "… and put Tom in copy": read as "… cc Tom"."""
    for at, item in enumerate(items):
        end = at + 1
        while end < len(items) and (items[end].kind in NAMES or items[end].low in ("and", ",")):
            end += 1
        if item.low not in PUTTING or end == at + 1 or end + 1 >= len(items) or items[end].low not in ("in", "on"):
            continue
        if (line := items[end + 1].low) in ("copy", "cc", "bcc"):
            start = at - 1 if at and items[at - 1].low in ("and", ",") else at
            marker = replace(item, low="cc" if line == "copy" else line)
            return (*items[:start], marker, *items[at + 1 : end], *items[end + 2 :])
    return items
