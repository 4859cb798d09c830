"""What "it", "her", "that mail" and "the second one" stand for, put into the words of the instruction."""

from collections.abc import Callable, Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.attendants import attendants
from assistant.reasoning.offline.planning.talk.instances import instance
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.planning.talk.ones import one_of_day
from assistant.reasoning.offline.planning.talk.pronouns import people_shown, person_or_thing, possessive, together
from assistant.reasoning.offline.planning.talk.retiming import behind_shown
from assistant.reasoning.offline.planning.talk.thattime import (
    at_same_time,
    at_that_time,
    moves,
    on_day_spoken_of,
    overlapped,
    then,
    time_pointed_at,
    without_then,
)
from assistant.reasoning.offline.planning.talk.things import (
    beyond,
    both,
    demonstrative,
    each_other,
    field_changed,
    its,
    left_over,
    more_of_it,
    of_two,
    one_described,
    original,
    others,
    ours,
    placed,
    pronoun,
    series,
)
from assistant.reasoning.offline.reading import particles
from assistant.reasoning.offline.reading.clauses.cards import field_at
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.nouns import excepting
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.sametime import same_time

WORKS_ON = {"event": frozenset({"make", "move", "resize", "accept", "decline", "tentative", "cancel", "invite", "uninvite"}),
            "mail": frozenset({"archive", "forward", "reply", "flag", "unflag", "mark"})}  # fmt: skip


def _wanted(items: Sequence[Item], words: Sequence[str]) -> str:
    """What the verb that opens the sentence works on."""
    stripped, _ = strip_openers(items, lexicon().polite["openers"])
    stripped = particles.joined(stripped, lows(stripped), 0) or stripped
    verbs = {form.verb for _, form in lexicon().verbs.all_at(lows(stripped), 0)} if stripped else set()
    return next((noun for noun, of_noun in WORKS_ON.items() if verbs & of_noun), "")


def resolve(text: str, memory: Memory) -> str:
    """`text` with its pronouns and demonstratives replaced; dictated and quoted words stay."""
    text = instance(at_that_time(left_over(text), memory), memory)
    items = mark(text, memory.request.setting)
    stop, _ = dictation(items)
    if stop is None and (rest := without_then(text, items)):
        text, items = rest, mark(rest, memory.request.setting)
    dated = on_day_spoken_of(text, items[stop].begin if stop is not None else len(text), memory)
    if dated != text:
        text, items = dated, mark(dated, memory.request.setting)
        stop, _ = dictation(items)
    limit = stop - (items[stop - 1].low == "that") if stop else len(strip_closers(items))
    edits: list[tuple[int, int, str]] = []
    at = len(items) - len(strip_openers(items, lexicon().polite["openers"])[0])
    words = lows(items)
    memory.wanted, memory.before = _wanted(items, words), memory.person
    left_out, kept = excepting.span(items), same_time(items)
    while at < limit:
        if (kept is not None and kept[0] <= at < kept[1]) or (items[at].text == "IT" and not text.isupper()):
            at += 1
            continue
        if left_out is not None and left_out[1] <= at < left_out[2] and _of_what_is_named(items, words, at):
            at += 1
            continue
        taken, replacement = _at(items, words, at, memory)
        if replacement:
            edits.append((items[at].begin, items[at + taken - 1].end, replacement))
        named = items[at].kind in ("person", "name") or (items[at].kind == "address" and not _is_new_value(items, at))
        if named and not _in_title(items, words, at):
            memory.people = together(items, at, memory)
            memory.person = items[at].text
        at += max(taken, 1)
    edits.extend([] if kept is not None and moves(text, memory) else at_same_time(items, memory))
    for begin, end, replacement in sorted(edits, reverse=True):
        text = text[:begin] + replacement + text[end:]
    return text


def _is_new_value(items: Sequence[Item], at: int) -> bool:
    """ "Tom's email address to tom@acme.example": what a card shall hold is nobody spoken of."""
    return any(item.kind == "person" for item in items[:at]) and field_at(items[:at])[0] in ("email", "address")


def _in_title(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "a call named Data Strategy": the words behind "named", up to a time or another marker, are nobody."""
    for n in range(at - 1, -1, -1):
        marker = lexicon().markers.at(words, n) if items[n].kind == "word" else None
        if items[n].time is not None or items[n].kind == "punct":
            return False
        if marker is not None:
            return bool(marker[1] == "called")
    return False


def _of_what_is_named(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "except the last one", "except those from Anna": they are some of what the sentence has named."""
    return items[at].kind in ("word", "number") and (words[at] in ("the", "one", "ones", "those", "that", "this"))


Pointing = Callable[[Sequence[Item], Sequence[str], int, Memory], tuple[int, str] | None]
"""How many items a pronoun takes and what it is replaced by; (0, "") where it stays, None where it is of another kind."""


def _after_shown(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    return behind_shown(words, at, memory.request)


def _attendants(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    return attendants(items, words, at, memory.thing, memory.noun)


KINDS: tuple[Pointing, ...] = (
    _after_shown, each_other, of_two, then, overlapped, more_of_it, others, placed, beyond, one_described, _attendants,
    people_shown,
    field_changed, demonstrative, ours, series, possessive, both, its, person_or_thing, original, pronoun,
)  # fmt: skip
"""In the order in which they are tried."""


def _at(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str]:
    """How many items a pronoun at `at` takes, and what it is replaced by."""
    if (time := time_pointed_at(items, words, at, memory)) is not None:
        return time
    if (one := one_of_day(items, words, at)) is not None and memory.shown is not None and memory.shown.events:
        return one.taken, memory.one_words(one)
    if items[at].kind not in ("word", "number"):
        return 0, ""
    ways = (kind(items, words, at, memory) for kind in KINDS)
    return next((found for found in ways if found is not None), (0, ""))
