"""Where the words of a mail begin that nobody but its reader shall obey."""

from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import Item
from assistant.reasoning.offline.reading.frames import DICTATES, strip_openers
from assistant.reasoning.offline.reading.labels import behind_way, label_at
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.unmarked import only_people, said_from, says_what_comes

WRITTEN = frozenset({"reply", "answer", "response", "note", "line", "message"})
ANSWERS = frozenset({"send", "reply", "draft", "forward"})
FAR = 60
"""A verb that writes stands within so many items of the beginning."""


def dictation(items: Sequence[Item]) -> tuple[int | None, bool]:
    """Where unquoted dictation begins, and whether a colon opened it; None where nothing is dictated."""
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    offset = len(items) - len(stripped)
    words = lows(stripped)
    if stripped and (label := label_at(stripped, words, 0)) and label.open and label.name == "body":
        return offset + label.said, True
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
        way = end
        end = behind_way(stripped, words, end) if end is not None else None
        told = end == way or (end is not None and words[end : end + 1] == ["that"])
        if end is not None and told and end < len(stripped) and stripped[end].kind != "quote":
            colon = stripped[end].low == ":" and end + 1 < len(stripped)
            return (offset + end + 1, True) if colon else (offset + end, False)
    at = -1
    while (at := at + 1) < len(stripped):
        item = stripped[at]
        if (label := label_at(stripped, words, at)) is not None:
            if label.name == "body":
                return (offset + label.said, True) if label.open else (None, False)
            at = label.end - 1
            continue
        if item.kind == "punct" and item.low == ":" and not (at + 1 < len(stripped) and label_at(stripped, words, at + 1)):
            quoted = at + 1 < len(stripped) and stripped[at + 1].kind == "quote"
            return (None, False) if quoted else (offset + at + 1, True)
        if verbs & ANSWERS and item.low == "that" and at and at + 1 < len(stripped) and (
            words[at - 1] in WRITTEN or says_what_comes(stripped, at + 1) or (at > 1 and only_people(stripped[1:at]))
        ):
            return offset + at, False
        if verbs & ANSWERS and (said := said_from(stripped, words, at)) is not None:
            return offset + said, item.kind == "punct"
        match = lexicon().markers.at(words, at) if item.kind == "word" and at else None
        if match is not None and match[1] in ("saying", "asking") and (words[at] != "and" or writes_first(words)):
            after = at + match[0]
            if after < len(stripped) and stripped[after].low == ":":
                after += 1
            if after < len(stripped) and stripped[after].kind != "quote":
                return offset + after, False
            return None, False
    return None, False


def writes_first(words: Sequence[str]) -> bool:
    """Whether "and tell him …" says what the mail before it shall hold: not behind "cancel it", which is another request."""
    forms = [form for _, form in lexicon().verbs.all_at(words, 0) if form.base]
    return not forms or any(form.verb in DICTATES for form in forms)


def _behind_people(items: Sequence[Item]) -> int | None:
    at = 1
    while at < len(items) and (
        items[at].kind in ("person", "name", "address", "ref")
        or items[at].low in ("and", ",", "the", "my", "our", "her", "him", "them")
    ):
        at += 1
    return at if at > 1 else None
