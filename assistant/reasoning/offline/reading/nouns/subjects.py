"""What the subject of a mail shall hold: "whose subject contains 'X'", "with logo in the title". It becomes one item."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import Item

LEADS = frozenset({"with", "whose", "where", "having"})
HOLDS = frozenset(
    "contain contains containing include includes including has have having mention mentions mentioning says reads is starts start "
    "with begins begin".split()
)
OTHERS = frozenset({"event", "occasion", "invitation", "contact", "group"})
FILLING = frozenset({"the", "word", "words", "phrase", "term", "text", "a", "an"})
LONGEST = 6
"""Words of an unquoted subject."""


def with_subjects(items: tuple[Item, ...]) -> tuple[Item, ...]:
    words = [item.low if item.kind in ("word", "number", "punct", "name") else "\0" for item in items]
    if not _speaks_of_mails(words):
        return items
    result: list[Item] = []
    at = 0
    while at < len(items):
        found = _named_first(items, words, at) or _named_behind(items, words, at)
        if found is None:
            result.append(items[at])
            at += 1
            continue
        end, said = found
        text = " ".join(item.text for item in said)
        result.append(replace(items[at], kind="subject", text=text, low=text.lower(), end=items[end - 1].end, time=None))
        at = end
    return tuple(result)


def _speaks_of_mails(words: Sequence[str]) -> bool:
    """A contact has a title as well, and so has an event."""
    if not {"subject", "title", "subjects", "titles"} & set(words):
        return False
    nouns = {noun[1][0] for at in range(len(words)) if (noun := lexicon().nouns.at(words, at))}
    return bool(nouns & {"mail", "newsletter"}) or (bool({"everything", "anything"} & set(words)) and not nouns & OTHERS)


def _label(words: Sequence[str], at: int) -> int:
    """How many words from `at` are "the subject", "its subject line"."""
    begin = at + (at < len(words) and words[at] in lexicon().small["label_articles"])
    if words[begin : begin + 1] not in (["subject"], ["title"], ["subjects"], ["titles"]):
        return 0
    return begin + 1 + (words[begin + 1 : begin + 2] in (["line"], ["lines"])) - at


def _named_first(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[int, Sequence[Item]] | None:
    """ "whose subject contains 'X'", "with a title that mentions X"."""
    if words[at] not in LEADS or not (length := _label(words, at + 1)):
        return None
    begin = held = at + 1 + length
    begin += words[begin : begin + 1] in (["that"], ["which"])
    while begin < len(items) and words[begin] in HOLDS:
        begin += 1
    if begin == held or words[begin - 1] in ("that", "which"):
        return None
    while begin < len(items) and words[begin] in FILLING:
        begin += 1
    end = _end(items, words, begin)
    return (end, items[begin:end]) if end > begin else None


def _end(items: Sequence[Item], words: Sequence[str], begin: int) -> int:
    if begin < len(items) and items[begin].kind == "quote":
        return begin + 1
    end = begin
    while end < min(len(items), begin + LONGEST) and items[end].kind in ("word", "name", "person", "number"):
        if words[end] in ("and", "or", "but", "that", "which") or lexicon().markers.at(words, end):
            break
        end += 1
    return end


def _named_behind(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[int, Sequence[Item]] | None:
    """ "with 'X' in the subject", "that mention X in their title"."""
    begin = at + (words[at] in ("that", "which"))
    if begin >= len(items) or words[begin] not in HOLDS or words[begin] == "is":
        return None
    begin += 1
    while begin < len(items) and words[begin] in FILLING:
        begin += 1
    for end in range(begin + 1, min(len(items), begin + LONGEST) + 1):
        if words[end : end + 1] == ["in"] and (length := _label(words, end + 1)):
            return end + 1 + length, items[begin:end]
        if end < len(items) and items[end].kind in ("punct", "time"):
            break
    return None
