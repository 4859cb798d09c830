"""Conditions on how long ago something last was: "it has been more than two weeks since I last met Tom", "if that was over ten days
ago", said as one thing that is held against a date: "my last meeting with Tom was more than two weeks ago"."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.tokens import Token, tokenise

CHECK = "check whether "
POINTING = frozenset({"it", "that", "this", "they"})
BEING = frozenset({"is", "'s", "was", "has", "been", "be", "have", "were"})
PASSED = frozenset({"has", "have", "had", "passed", "gone", "elapsed", "by"})
GONE = frozenset({"ago", "back", "old"})
IN_THE_PAST = ["in", "the", "past"]


BOUNDS = (
    (("more", "than"), "more than"), (("longer", "than"), "more than"), (("over",), "more than"), (("at", "least"), "more than"),
    (("upwards", "of"), "more than"), (("less", "than"), "less than"), (("fewer", "than"), "less than"), (("under",), "less than"),
)  # fmt: skip
LONGEST = 4
"""Words that count, and the unit."""
UNITS = frozenset({"day", "week", "month", "year", "fortnight", "days", "weeks", "months", "years", "fortnights"})


@dataclass(frozen=True, slots=True)
class Span:
    """ "more than two weeks": where it begins and ends, and its words."""

    begin: int
    end: int
    words: str


def _span_at(words: Sequence[str], at: int) -> Span | None:
    bound = next(((len(said), plain) for said, plain in BOUNDS if tuple(words[at : at + len(said)]) == said), None)
    if bound is None:
        return None
    begin = at + bound[0]
    unit = next((n for n in range(begin, min(begin + LONGEST, len(words))) if words[n] in UNITS), None)
    if unit is None or not all(word.isalnum() for word in words[begin:unit]):
        return None
    return Span(at, unit + 1, f"{bound[1]} {' '.join(words[begin : unit + 1])}")


def since_last(text: str, memory: Memory, setting: Setting) -> str:
    """The condition with what it is about and how long ago that was; as it is where it says nothing of the kind."""
    said = text.removeprefix(CHECK)
    words = [token.low for token in tokenise(said)]
    found = next((span for at in range(len(words)) if (span := _span_at(words, at)) is not None), None)
    meant = _meant(said, tokenise(said), words, found, memory, setting) if found is not None else ""
    return f"{CHECK}{meant} ago" if meant else text


def tells_time_since(items: Sequence[Item], text: str) -> bool:
    """ "it has been more than two weeks since …", "that was over ten days ago": "it" is no thing that something is done to."""
    words = [token.low for token in tokenise(text[items[0].begin : items[-1].end])] if items else []
    span = _span_at(words, begin) if (begin := _behind_pronoun(words)) else None
    return span is not None and (_ends(words, span.end) or words[span.end : span.end + 1] == ["since"])


def _behind_pronoun(words: Sequence[str]) -> int:
    at = 1 if words and words[0] in POINTING else 0
    while at and at < len(words) and words[at] in BEING:
        at += 1
    return at if at > 1 else 0


def _ends(words: Sequence[str], at: int) -> bool:
    return at == len(words) or words[at:] == IN_THE_PAST or (words[at] in GONE and at + 1 == len(words))


def _meant(text: str, tokens: Sequence[Token], words: Sequence[str], span: Span, memory: Memory, setting: Setting) -> str:
    pronoun = _behind_pronoun(words) == span.begin
    behind = span.end
    while behind < len(words) and words[behind] in PASSED:
        behind += 1
    if words[behind : behind + 1] == ["since"] and (not span.begin or pronoun):
        return _said_of(_last(text[tokens[behind].end :].strip(), setting), span.words)
    if not _ends(words, span.end):
        return ""
    if pronoun:
        return _said_of(_pointed(memory), span.words)
    begin = span.begin
    within = span.end == len(words) and words[begin - 1] in ("in", "for")
    if within or span.end < len(words):
        begin -= within
        while begin and words[begin - 1] in BEING:
            begin -= 1
        how_long = f"less{span.words[4:]}" if within and span.words.startswith("more") else span.words
        return _said_of(_last(text[: tokens[begin - 1].end], setting), how_long) if begin else ""
    return ""


def _said_of(thing: str, how_long: str) -> str:
    return f"{thing} was {how_long}" if thing else ""


def _pointed(memory: Memory) -> str:
    """What "that" was, where the message has just asked when it was."""
    there = memory.noun in ("mail", "event") and memory.thing.startswith("{")
    return f"the {memory.noun} {memory.thing}" if there else ""


def _last(text: str, setting: Setting) -> str:
    """The last meeting or mail that a clause ("I last met Tom") or a noun phrase ("my last meeting with Tom") tells of."""
    items = mark(text, setting)
    words = lows(items)
    if not items:
        return ""
    ordered = any(lexicon().orders.at(words, at) for at in range(min(3, len(words))))
    named = any((noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("mail", "event", "occasion") for at in range(len(words)))
    clause = items[0].low in lexicon().small["me"] or (items[0].kind in ("person", "name", "ref") and words[1:2] != ["'s"])
    if ordered and named and not clause:
        return text
    call = parse(f"{CHECK}{text}", setting).call if clause else None
    return _named(call) if call is not None else ""


def _named(call: Call) -> str:
    select = call.select
    people = [person.text or person.email or f"{{{person.ref}}}" for person in select.people]
    more = select.words or select.when or select.refs or call.time or call.bounds or call.together
    if not people or more:
        return ""
    whom = " and ".join(people)
    if call.operation in ("event.check", "event.find"):
        return f"my last meeting with {whom}"
    if call.operation in ("mail.check", "mail.find"):
        mine = any(person.role == "to" for person in select.people)
        return f"my last mail to {whom}" if mine else f"the last mail from {whom}"
    return ""
