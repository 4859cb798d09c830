"""A mail that is to be written and kept: "…, but don't send it yet", "… as a draft"."""

from collections.abc import Sequence

from assistant.reasoning.calls import Call
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import strip_closers
from assistant.reasoning.offline.reading.slots import lows

JOINTS = frozenset({"but", "and", ",", ".", ";", "please", "just", "only"})
LONGEST = 8
KEPT = ("mail.send", "mail.draft", "mail.reply")


def held_from(items: Sequence[Item]) -> int | None:
    """Where the words that hold a mail back begin, at the end of a clause; None where there are none. 0: they are all there is."""
    items = strip_closers(items)
    words = lows(items)
    for at in range(max(len(items) - LONGEST, 0), len(items)):
        if any(length == len(items) - at for length, _ in lexicon().polite["holding"].all_at(words, at)):
            begin = at
            while begin and words[begin - 1] in JOINTS:
                begin -= 1
            return begin if begin < at or not at or words[at] in ("without", "as") else None
    return None


def kept(call: Call) -> Call | None:
    """The same mail as a draft; None for what can't be kept as one."""
    if call.operation not in KEPT:
        return None
    field = (call.field or "reply") if call.operation == "mail.reply" else call.field
    return call.model_copy(update={"operation": "mail.draft", "field": field})
