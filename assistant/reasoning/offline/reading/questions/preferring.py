"""Which of the times that were shown is best: "which of these should I take?", "pick one for me", "you decide"."""

import re
from collections.abc import Sequence

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item

YOURS = frozenset({"you", "your"})
POINTERS = frozenset({"these", "those", "them"})
LEAVING = POINTERS | {"me", "us", "you", "your", "best", "better", "which"}
TAKING = frozenset({"it", "that", "this"})
FOR_ME = re.compile(r"\b(?:for|help) (?:me|us)\b", re.IGNORECASE)
"""Also where it is left out as politeness."""


def preferred(found: Clause) -> Built | None:
    """Made of nothing but the words of such a question, up to what is to be weighed: "for a call with Tom"."""
    items = found.items
    asked = items[: _asked(items)]
    words = lows([item for item in asked if item.kind != "ref"])
    if not lexicon().choosing["verdicts"] & set(words) or not (_asks(words) or _wants(words, found.text)):
        return None
    refs = tuple(item.low for item in items if item.kind == "ref")
    if not refs and not POINTERS & set(words) and any(item.time is not None for item in items):
        return None  # a time is looked for there
    return Built("event.choose", {"question": found.text.strip(), "select": Selection(refs=refs)})


def _asked(items: Sequence[Item]) -> int:
    """How many items are the question itself; 0 where something else stands in it."""
    words, choosing = lows(items), lexicon().choosing
    own = choosing["between"] | choosing["verdicts"]
    end = next((n for n, item in enumerate(items) if item.kind != "ref" and words[n] not in own), len(items))
    if end == len(items):
        return end
    tail = next((n for n in range(end - 1, max(end - 3, 0), -1) if words[n] in choosing["tails"]), end)
    tail = end if words[end] in choosing["tails"] else tail
    return tail if words[tail] in choosing["tails"] and choosing["verdicts"] & set(words[:tail]) else 0


def _asks(words: Sequence[str]) -> bool:
    """ "Which …", "what would you choose", "what's your favourite"; not "what works" nor "what do I want"."""
    if words[:1] == ["what"]:
        return bool(YOURS & set(words) or {"best", "better", "ideal"} & set(words)) or bool(POINTERS & set(words))
    return words[:1] in (["which"], ["whichever"]) or (words[:1] == ["of"] and "which" in words)


def _wants(words: Sequence[str], text: str) -> bool:
    """ "Pick one for me", "help me choose", "you decide", "suggest the best of these"; "pick that one" takes one."""
    choosers = lexicon().choosing["choosers"] & set(words[:4])
    left = LEAVING & set(words) or FOR_ME.search(text) or words[1:2] in ([], ["one"])
    return bool(choosers and left) and not TAKING & set(words)
