"""People who want something of the user: "everyone who asked for the report", "all those who still wait for the slides"."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.gathered import topic_words
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item

ASKING = frozenset("asked asks ask asking wrote enquired inquired enquires inquires waits wait waiting waited".split())
WANTING = frozenset("requested requests request wanted wants want needed needs need".split())
BETWEEN = frozenset("has have had still also just already recently me us to know are were is was".split())
HEADS = frozenset("colleagues ones mails emails e-mails messages mail email message".split())
ONE = ("person", "mail", "email", "message")
MEANT = frozenset({"for", "about", "after"})


class Askers(NamedTuple):
    """`begin` and `end` bound the items that describe them; `topic` is what they asked `how`; `several`: all of them are meant."""

    begin: int
    end: int
    how: Literal["for", "about"]
    topic: tuple[str, ...]
    several: bool = True


def askers(items: Sequence[Item]) -> Askers | None:
    words = lows(items)
    for at in range(len(items)):
        begin = at - (words[at - 1] == "to") if at else at
        place = _head(words, at)
        if place and (found := _asked(items, words, begin, place)):
            return found._replace(several=words[at] not in ONE and words[at : at + 2] not in [["the", one] for one in ONE])
    return None


def _head(words: Sequence[str], at: int) -> int:
    """Behind "everyone who", "all of those", "all mails that"; 0 where nobody is described."""
    people = lexicon().small["people_heads"] | HEADS
    place = at + (words[at] in lexicon().small["each"])
    place += words[place : place + 1] == ["of"]
    place += words[place : place + 1] in (["the"], ["those"]) and words[place + 1 : place + 2] != [] and words[place + 1] in people
    headed = words[place : place + 1] != [] and words[place] in people
    place += headed
    if not (headed or place > at):
        return 0
    joined = words[place : place + 1] in (["who"], ["that"])
    reduced = headed and (words[place - 1] == "whoever" or words[place : place + 1] in (["asking"], ["waiting"]))
    return place + joined if joined or reduced else 0


def _asked(items: Sequence[Item], words: Sequence[str], begin: int, at: int) -> Askers | None:
    while at < len(words) and words[at] in BETWEEN:
        at += 1
    if at >= len(words) or words[at] not in ASKING | WANTING:
        return None
    wanting = words[at] in WANTING
    at += 1
    while at < len(words) and words[at] in BETWEEN:
        at += 1
    marked = words[at] if at < len(words) and words[at] in MEANT else ""
    if not (marked or wanting):
        return None
    at += bool(marked)
    end = _topic(items, words, at)
    topic = topic_words(items[at:end])
    return Askers(begin, end, "about" if marked == "about" else "for", topic) if topic else None


def _topic(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """Where it ends: at a time, or at what the answer is to say."""
    end = at
    while end < len(items) and items[end].kind in ("word", "name", "number", "quote"):
        behind = end > at
        if behind and (words[end] in ("and", "that", "saying", "by", "telling") or lexicon().markers.at(words, end)):
            break
        end += 1
    return end
