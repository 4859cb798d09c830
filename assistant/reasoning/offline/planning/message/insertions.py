"""What is put in between in a request: politeness between commas ("…, will you, …"), the one that is meant ("…, the one about
brick, …"), a mail that is not to go out yet, and that one mail is enough."""

from collections.abc import Sequence
from itertools import pairwise

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import DICTATES, strip_openers
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import Item

PAUSES = frozenset({",", "-", "\u2013", "\u2014", "(", ")"})
ENDS = frozenset({".", "!", "?", ";"})
OPENING = frozenset({":"})
"""What opens the words of a mail."""
JOINING = frozenset({"so", "and", "but", "or", "then", "i", "we", "he", "she", "it", "they", "this", "that"})
TIME = "\0"
"""What stands for a time among the words."""
SPLICED = frozenset({"about", "from", "with", "by", "to", "on", "at", "in", "of"})
NOT_TO_SEND = frozenset({"send", "draft"})


def without_insertions(text: str, setting: Setting) -> str:
    """The text without them, up to the words that are quoted or dictated."""
    if not any(pause in text for pause in PAUSES):
        return text
    while (shorter := _shortened(text, setting)) is not None:
        text = shorter
    return text


def _shortened(text: str, setting: Setting) -> str | None:
    """Without the first insertion; None where there is none."""
    items = mark(text, setting)
    stop, _ = dictation(items)
    pauses = [n for n, item in enumerate(items) if item.kind == "punct" and item.low in PAUSES | ENDS | OPENING]
    for begin, end in pairwise((*pauses, len(items))):
        if stop is not None and begin > stop:
            return None
        inserted = items[begin + 1 : end]
        if items[begin].low in ENDS | OPENING or not begin or not inserted:
            continue
        last = end == len(items) or items[end].low in ENDS | OPENING
        words = lows(inserted)
        if _unsent(words) and "draft" in lows(items[:begin]) and last:
            return _spliced(text, items, begin, end)
        if _unsent(words) and (drafted := _drafted(text, items, begin, end)) is not None:
            return drafted
        if _in_one_mail(words) or (not last and _polite([word for item in inserted for word in item.low.split()])):
            return _spliced(text, items, begin, end)
        if (one := _which_one(words)) and not any(item.low in ENDS for item in inserted):
            return _spliced(text, items, begin, end, text[inserted[one].begin : inserted[-1].end])
    return None


def _polite(words: Sequence[str]) -> bool:
    polite = lexicon().polite
    return any(length == len(words) for kind in ("closers", "inserted") for length, _ in polite[kind].all_at(words, 0))


def _in_one_mail(words: Sequence[str]) -> bool:
    return any(length == len(words) for length, _ in lexicon().polite["in_one_mail"].all_at(words, 0))


def _which_one(words: Sequence[str]) -> int:
    """ "the one about brick", "I mean the one from yesterday": where what tells it apart begins; 0 where nothing does."""
    at = 2 if list(words[:2]) == ["i", "mean"] else 0
    the_one = words[at : at + 1] in (["the"], ["that"]) and words[at + 1 : at + 2] in (["one"], ["ones"])
    told = len(words) > at + 2 and (words[at + 2] in SPLICED or words[at + 2] == TIME)
    return at + 2 if the_one and told else 0


def _unsent(words: Sequence[str]) -> bool:
    """ "but please don't send it yet"."""
    while words and words[0] in ("but", "and", "please", "just"):
        words = words[1:]
    return any(length == len(words) for length, _ in lexicon().polite["holding"].all_at(words, 0))


def _drafted(text: str, items: Sequence[Item], begin: int, end: int) -> str | None:
    """ "Write, but don't send, a note": a draft is written."""
    stripped, _ = strip_openers(items[:begin], lexicon().polite["openers"])
    forms = [(n, form) for n, form in lexicon().verbs.all_at(lows(stripped), 0) if form.base and form.verb in DICTATES]
    written = next((n for n, form in forms if form.verb in NOT_TO_SEND), 0)
    if not written or end >= len(items) or len(stripped) == 0:
        return None
    object_before = text[stripped[written - 1].end : items[begin - 1].end]
    return f"{text[: stripped[0].begin]}draft{object_before} {text[items[end].end :].lstrip()}"


def _spliced(text: str, items: Sequence[Item], begin: int, end: int, kept: str = "") -> str:
    """The text around an insertion, joined by nothing but what was `kept` of it."""
    before = text[: items[begin].begin].rstrip()
    kept = f" {kept}" if kept else ""
    if end >= len(items):
        return f"{before}{kept}"
    if items[end].low in ENDS | OPENING:
        return f"{before}{kept}{text[items[end].begin :]}"
    pause = "," if end + 1 < len(items) and items[end + 1].low in JOINING else ""
    return f"{before}{kept}{pause} {text[items[end].end :].lstrip()}"
