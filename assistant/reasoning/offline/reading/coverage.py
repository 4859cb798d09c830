"""What nothing took up of a request that would change something: no part of it is passed over in silence."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from assistant.reasoning.calls import Call
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.clauses import riders
from assistant.reasoning.offline.reading.clauses.missives import missive
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.nouns.beside import BEGINS, ENDS
from assistant.reasoning.offline.reading.nouns.selecting import OVERLAPS
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import NAMED, Item
from assistant.reasoning.offline.reading.unheld import Written, unheld

WORD = re.compile(r"\w+")
PLACE = re.compile(r"\{[a-z]+\}")
TIMING = frozenset({"when", "time", "duration", "shift", "prefer", "gap", "lasting"})


def accounted(found: Parse) -> Parse:
    """The same, uncertain and with the words that found no place, where it would write."""
    call = found.call
    if call is None or not criteria.writes(call.operation) or found.reading.unread:
        return found
    left = tuple(dict.fromkeys(_whole(found.clause.text, item) for item in _left(found, call)))
    if not left:
        return found
    return Parse(
        found.clause, found.reading.model_copy(update={"unread": left, "certain": False}), found.recipients, found.thing, found.verb
    )


def _whole(text: str, item: Item) -> str:
    """The word as written, "can't" for its "n't"."""
    return (
        text[text.rfind(" ", 0, item.begin) + 1 : item.begin] + item.text
        if item.text.startswith("n") and "'" in item.text
        else item.text
    )


def _left(found: Parse, call: Call) -> Iterator[Item]:
    items = found.clause.items
    if call.operation == "template.save" or PLACE.search(found.clause.text):
        return
    dictated = dictation(items)[0]
    ends = (dictated, riders.held_from(items), riders.guarded_from(items) if call.guarded else None)
    items = items[: min((end for end in ends if end is not None), default=None)]
    yield from unheld(Written(found.clause.text, items, found.clause.items, dictated, call, found.recipients))
    yield from _without_place(items, call)


def _without_place(items: Sequence[Item], call: Call) -> Iterator[Item]:
    """Words that weigh and are neither said by the call nor read with a phrase of the lexicon."""
    values = call.model_dump(exclude_defaults=True)
    said = " ".join(_texts(values)).casefold()
    words = frozenset(WORD.findall(said))
    referring = any(item.kind in ("ref", "address") for item in items)
    placed: frozenset[int] | None = None
    for at, item in enumerate(items):
        if item.kind == "time":
            taken = _timed(values) or item.low.removeprefix("about ") in said
        elif item.kind in NAMED:
            taken = referring or _said(item, words)
        elif item.kind == "word" and item.text and item.text[0].isalpha() and _weighs(item):
            placed = _placed(items) | _of_missive(items, call) if placed is None else placed
            owned = referring and at > 0 and items[at - 1].low == "'s"
            taken = at in placed or owned or _relates(item, call) or (_said(item, words) and not _mistaken(item, values))
        else:
            taken = True
        if not taken:
            yield item


def _relates(item: Item, call: Call) -> bool:
    """ "overlapping", "ends when": read as how one event stands to another."""
    return (item.low in OVERLAPS and call.select.overlapping is not None) or (call.beside is not None and item.low in BEGINS | ENDS)


def _mistaken(item: Item, values: Any) -> bool:
    """A word that narrows and was taken for a name."""
    return item.low in lexicon().small["weighty"] and _among_people(values, item.low)


def _said(item: Item, words: frozenset[str]) -> bool:
    return all(word in words for word in WORD.findall(item.low))


def _among_people(value: Any, word: str) -> bool:
    """Whether a word ended up in somebody's name."""
    if isinstance(value, dict):
        return any(
            word in str(inner).casefold().split() for key, inner in value.items() if key == "text" and "kind" not in value
        ) or any(_among_people(inner, word) for inner in value.values())
    return isinstance(value, list | tuple) and any(_among_people(inner, word) for inner in value)


def _weighs(item: Item) -> bool:
    """A word that the lexicon doesn't know, or that turns around or narrows what stands beside it."""
    return item.low in lexicon().small["weighty"] or item.low not in lexicon().known


def _placed(items: Sequence[Item]) -> frozenset[int]:
    """Where phrases of the lexicon stand, with which such a word has been read."""
    lex, words = lexicon(), lows(items)
    tables = (
        lex.states, lex.exceptions, lex.from_the_end, lex.superlatives, lex.verbs, lex.conditions, lex.orders, lex.bounds,
        lex.labels, lex.multiples,
        lex.polite["openers"], lex.polite["closers"],
    )  # fmt: skip
    taken = {n for table in tables for at in range(len(items)) for size, _ in table.all_at(words, at) for n in range(at, at + size)}
    excepted = excepting.span(items)
    taken.update(range(excepted[0], excepted[1]) if excepted else ())
    taken.update(n for n in range(*(excepted[1:] if excepted else (0, 0))) if words[n] in lex.small["excepted"])
    taken -= {n for n in range(2, len(items)) if words[n] == "not" and _of_another(items, n)}
    return frozenset(taken | {n for n in range(1, len(items) - 1) if words[n] == "not" and _parts_times(items, n)})


def _of_missive(items: Sequence[Item], call: Call) -> frozenset[int]:
    """The words of "a short note", "a few lines", which tell of what is written no more than that it is a mail."""
    if call.operation not in ("mail.send", "mail.draft", "mail.reply", "mail.forward"):
        return frozenset()
    words = lows(items)
    return frozenset(n for at in range(len(items)) for n in range(at, at + missive(words, at, ("mail", "reply"))))


def _of_another(items: Sequence[Item], at: int) -> bool:
    """ "… that Tom hasn't answered": what is said of somebody else is no state of the user's."""
    who = items[at - 2]
    return items[at - 1].low in lexicon().small["auxiliaries"] and (
        who.kind in NAMED or who.low in lexicon().small["pronouns_person"]
    )


def _parts_times(items: Sequence[Item], at: int) -> bool:
    """ "Monday, not Tuesday", "this week, but not on Friday"."""
    return items[at + 1].kind == "time" and any(item.kind == "time" for item in items[:at])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _timed(value: Any) -> bool:
    """Whether a time or a length was taken up anywhere."""
    if isinstance(value, dict):
        return bool(TIMING & value.keys()) or any(map(_timed, value.values()))
    return isinstance(value, list | tuple) and any(map(_timed, value))
