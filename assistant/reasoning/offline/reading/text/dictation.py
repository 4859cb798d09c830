"""Where the words of a mail begin that nobody but its reader shall obey."""

from collections.abc import Sequence
from functools import cache

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import DICTATES, strip_openers
from assistant.reasoning.offline.reading.slots import DICTATING, lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.labels import behind_way, label_at
from assistant.reasoning.offline.reading.text.unmarked import only_people, said_from, says_what_comes

WRITTEN = frozenset({"reply", "answer", "response", "note", "line", "message"})
ANSWERS = frozenset({"send", "reply", "draft", "forward"})
FAR = 60
"""A verb that writes stands within so many items of the beginning."""


def dictation(items: Sequence[Item]) -> tuple[int | None, bool]:
    """Where unquoted dictation begins, and whether a colon opened it; None where nothing is dictated."""
    if _announcing().isdisjoint(item.low for item in items):
        return None, False
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    offset = len(items) - len(stripped)
    words = lows(stripped)
    if stripped and (label := label_at(stripped, words, 0)) and label.open and label.name == "body":
        return offset + label.said, True
    verbs = {
        form.verb
        for at in range(min(len(stripped), FAR))
        if at < 2 or words[at - 1] in ("and", ",", "then", "please", "not")
        for _, form in lexicon().verbs.all_at(words, at)
        if form.base
    }
    writes = verbs & DICTATES or "template" in words
    head = lexicon().verbs.at(words, 0)
    if not writes:
        along = told_along(stripped) if head is not None and head[1].verb in TELLING else None
        unquoted = along is not None and stripped[along[1]].kind != "quote"
        return (offset + along[1], True) if along and unquoted else (None, False)
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
        if (
            verbs & ANSWERS
            and item.low == "that"
            and at
            and at + 1 < len(stripped)
            and (words[at - 1] in WRITTEN or says_what_comes(stripped, at + 1) or (at > 1 and only_people(stripped[1:at])))
        ):
            return offset + at, False
        if verbs & ANSWERS and (said := said_from(stripped, words, at)) is not None:
            return offset + said, item.kind == "punct"
        if words[at : at + 2] == ["in", "which"] and words[at + 2 : at + 3] in (["i"], ["we"], ["you"]):
            return offset + at + 2, False
        match = lexicon().markers.at(words, at) if item.kind == "word" and at else None
        if match is not None and match[1] in DICTATING and (words[at] != "and" or writes_first(words)):
            after = max(at + match[0], behind_way(stripped, words, at))
            if after < len(stripped) and stripped[after].low == ":":
                after += 1
            if after < len(stripped) and stripped[after].kind != "quote":
                return offset + after, False
            return None, False
    return None, False


TELLING = frozenset({"cancel", "accept", "decline", "tentative"})
"""What is done to an event may have words for the others along."""
SAYING = frozenset({"saying", "stating", "explaining", "adding", "mentioning"})
LEADING = frozenset({"with", "and", "a", "the", "note", "message", "comment", "text", ",", ":", "that"})


def told_along(items: Sequence[Item]) -> tuple[int, int] | None:
    """Where "saying …", ": …" or 'with the message "…"' begins behind an event, and the first of the words themselves."""
    words = lows(items)
    for at in range(1, len(items) - 1):
        said = next((n for n in range(at + (words[at] in SAYING), len(words)) if words[n] not in LEADING), len(words))
        colon = words[at] == ":" and items[at].kind == "punct"
        quoted = words[at] == "with" and said > at + 1 and said < len(items) and items[said].kind == "quote"
        if said < len(items) and (words[at] in SAYING or colon or quoted):
            return at, said
    return None


@cache
def _announcing() -> frozenset[str]:
    """Words without one of which nothing is dictated."""
    lex, writing = lexicon(), DICTATES | TELLING
    verbs = (first for first, rows in lex.verbs.by_first.items() if any(form.base and form.verb in writing for _, form in rows))
    return frozenset((*verbs, *lex.labels.by_first, "template"))


def writes_first(words: Sequence[str]) -> bool:
    """Whether "and tell him …" says what the mail before it shall hold: not behind "cancel it", which is another request."""
    forms = [form for _, form in lexicon().verbs.all_at(words, 0) if form.base]
    return not forms or any(form.verb in DICTATES for form in forms)


def _behind_people(items: Sequence[Item]) -> int | None:
    at = 1
    while at < len(items) and (
        items[at].kind in ("person", "name", "address", "ref")
        or items[at].low in ("and", ",", "the", "my", "our", "her", "him", "them", "both")
    ):
        at += 1
    return at if at > 1 else None


OWN_DEEDS = frozenset({"cancel", "decline", "delete", "move", "archive", "accept", "resize", "rename", "flag", "unflag", "restore"})
POINTED = frozenset({"it", "that", "this", "them", "those", "these"})
MODALS = frozenset({"will", "would", "can", "could", "should", "must", "shall", "may", "might", "'ll", "to", "please"})
SHORT = 8
"""Items of a deed that closes what is dictated."""


def closing_deed(items: Sequence[Item], stop: int | None) -> tuple[int, bool] | None:
    """Where "and cancel it" closes unquoted dictation, and whether it is certainly not a part of it: "tell Tom I'm ill and cancel
    the review", not "… that I will look at it and delete it"; what a reader is told "to" do is always a part of it."""
    if stop is None or stop >= len(items) or items[stop].low == "to":
        return None
    words = lows(items)
    for at in range(max(stop + 1, len(items) - SHORT), len(items) - 1):
        begin = at + 1 + (words[at + 1] in ("then", "also"))
        deeds = [n for n, form in lexicon().verbs.all_at(words, begin) if form.base and form.verb in OWN_DEEDS]
        if words[at] != "and" or not deeds or lexicon().nouns.at(words, begin) is not None or begin + deeds[0] >= len(items):
            continue
        if words[begin + deeds[0]] not in POINTED | lexicon().small["articles"] | lexicon().small["possessives_person"]:
            continue
        said = [word for n, word in enumerate(words[stop:at]) if words[stop + n + 1 : stop + n + 2] != ["not"]]
        first = lexicon().verbs.at(words, stop + (words[stop] == "that"))
        modal = bool(MODALS & set(said)) or (first is not None and first[1].base)
        if modal and begin > at + 1:
            return None
        return at, not modal
    return None
