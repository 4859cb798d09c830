"""Where the words of a mail begin that nobody but its reader shall obey."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import DICTATES, lows, strip_openers

FAR = 60
"""A verb that writes stands within so many items of the beginning."""


def dictation(items: Sequence[Item]) -> tuple[int | None, bool]:
    """Where unquoted dictation begins, and whether a colon opened it; None where nothing is dictated."""
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    offset = len(items) - len(stripped)
    words = lows(stripped)
    verbs = {
        form.verb
        for at in range(min(len(stripped), FAR))
        for _, form in lexicon().verbs.all_at(words, at)
        if form.base and (at < 2 or words[at - 1] in ("and", ",", "then", "please", "not"))
    }
    writes = verbs & DICTATES or "template" in words
    if not writes:
        return None, False
    head = lexicon().verbs.at(words, 0)
    if head is not None and head[1].verb in ("tell", "ask") and head[1].lemma != "update":
        end = _behind_people(stripped)
        if end is not None and end < len(stripped) and stripped[end].kind != "quote":
            colon = stripped[end].low == ":" and end + 1 < len(stripped)
            return (offset + end + 1, True) if colon else (offset + end, False)
    for at, item in enumerate(stripped):
        if item.kind == "punct" and item.low == ":":
            quoted = at + 1 < len(stripped) and stripped[at + 1].kind == "quote"
            return (None, False) if quoted else (offset + at + 1, True)
        match = lexicon().markers.at(words, at) if item.kind == "word" and at else None
        if match is not None and match[1] in ("saying", "asking"):
            after = at + match[0]
            if after < len(stripped) and stripped[after].low == ":":
                after += 1
            if after < len(stripped) and stripped[after].kind != "quote":
                return offset + after, False
            return None, False
    return None, False


def _behind_people(items: Sequence[Item]) -> int | None:
    at = 1
    while at < len(items) and (
        items[at].kind in ("person", "name", "address", "ref")
        or items[at].low in ("and", ",", "the", "my", "our", "her", "him", "them")
    ):
        at += 1
    return at if at > 1 else None
