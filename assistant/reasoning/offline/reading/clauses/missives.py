"""What is written where no mail is named: "drop Tom a line that …", "send Eva a quick reply saying …"."""

from collections.abc import Sequence
from datetime import datetime

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item, text_of

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


OF_MAIL = frozenset({"mail", "email", "e-mail", "message", "note", "line", "reminder", "text"})


def later(items: Sequence[Item], now: datetime) -> str:
    """When a mail is to go out, where that is said and not now: "half an hour before the meeting", "tomorrow at 9"."""
    stop, _ = dictation(items)
    items = items[:stop]
    words = lows(items)
    for at in range(1, len(items)):
        if items[at].kind == "quote":
            continue
        spec, before = items[at].time, items[at - 1]
        far = spec is not None and spec.kind == "duration"
        if far and words[at + 1 : at + 2] and words[at + 1] in ("before", "after", "ahead", "prior"):
            return text_of(items[at:])
        close = words[at] in ("before", "after") and before.low in ("right", "shortly", "just", "directly", "immediately")
        if close or (words[at] in ("before", "after") and (before.kind in (*PERSONAL, "quote") or before.low in OF_MAIL)):
            return text_of(items[at - close :])
        addressed = before.kind in (*PERSONAL, "quote") or before.low in OF_MAIL | {"him", "her", "them"}
        if spec is not None and addressed and spec.kind in ("point", "range") and spec.has_time and (spec.start or now) > now:
            return items[at].text
    return ""
