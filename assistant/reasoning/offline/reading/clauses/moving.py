"""Clauses that change when an event is, and how long: moved, made longer or shorter, traded for another's time."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.nouns.states import compared_length
from assistant.reasoning.offline.reading.parsed import Built, span_of, span_of_parts
from assistant.reasoning.offline.reading.slots import Parts, Slot, cut, is_personal, lows, without_nouns
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.moments import duration_of, merged
from assistant.reasoning.offline.reading.times.sametime import weeks_ahead, without_same_time

NEW_TIME = frozenset({"to", "until", "till", "start", "begin"})


def move(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    """ "move my 3pm to 4pm on Thursday", "push it back an hour", "reschedule lunch with Tom for Friday"."""
    built = Built("event.move")
    kept, same = without_same_time(_with_start(rest))
    kept, day_after = _without_day_after(kept)
    parts = cut(clause.text, _without_direction(kept), dictates=False)
    fresh = _first_new(clause, parts, same=same, day_after=day_after)
    old = parts.times if fresh is None else parts.times[:fresh]
    new = [] if fresh is None else parts.times[fresh:]
    built.fields["time"] = merged(new)
    length = duration_of(parts.times)
    if day_after >= 0:
        built.fields["shift"] = timedelta(days=1)
    elif same and (weeks := weeks_ahead(merged(new), clause.now)):
        built.fields["time"], built.fields["shift"] = None, weeks
    elif length is not None:
        built.fields["shift"] = -length if _earlier(form, rest) else length
    chosen = [
        slot for slot in parts.slots if slot.marker not in ("by", "to", "from") or (slot.marker == "from" and is_personal(slot))
    ]
    select = gather(Parts(chosen, list(old)), "event")
    if clause.text and any(item.low in ("earlier", "later") for item in rest):
        select.words = [word for word in select.words if word.lower() not in ("earlier", "later")]
    built.fields["select"] = select.selection(merged(old))
    built.thing = span_of_parts(chosen, [timed for timed in old if timed.spec.kind != "duration"])
    return built


BEGINNING = frozenset({"starting", "beginning", "starts", "begins", "start", "begin"})
RESTATING = frozenset({",", "so", "then", "it", "thus", "that", "means", "meaning", "at", "from", "is"})


def _with_start(items: Sequence[Item]) -> list[Item]:
    """ "by an hour, so starting at eight" as "by an hour to eight"."""
    for at in range(1, len(items)):
        spec = items[at].time
        begins = items[at].low.partition(" ")[0] in BEGINNING or items[at - 1].low in BEGINNING | {"at", "from"}
        if spec is None or not spec.has_time or spec.start is None or not begins:
            continue
        begin = at
        while begin and items[begin - 1].low in BEGINNING | RESTATING:
            begin -= 1
        if begin < at and items[begin].low in RESTATING - {"at", "from"}:
            to = replace(items[begin], kind="word", low="to", text="to")
            exact = replace(items[at], time=spec.model_copy(update={"kind": "point", "stop": None}))
            return [*items[:begin], to, exact, *items[at + 1 :]]
    return list(items)


def _first_new(clause: Clause, parts: Parts, *, same: bool, day_after: int) -> int | None:
    """Which of the times is the first of the new ones; those before tell which event is meant, as does a lone day beside "to the
    day after"."""
    moments = [timed for timed in parts.times if timed.spec.kind != "duration"]
    led = next((timed for timed in moments if timed.marker in NEW_TIME), None)
    if led is None and len(moments) > 1 and clause.text[: moments[1].begin].rstrip().endswith((" for", " at", " on")):
        led = moments[1]
    if led is None and len(moments) == 1 and moments[0].marker == "for" and _has_object(parts):
        led = moments[0]
    if led is None and same and moments and day_after < 0:
        led = moments[-1]
    if led is None and day_after >= 0:
        led = next((timed for timed in parts.times if timed.begin > day_after), None)
    return None if led is None else parts.times.index(led)


def _without_day_after(items: Sequence[Item]) -> tuple[list[Item], int]:
    """ "to the day after" is one day later, at its own time or another: the rest, and where it began; -1 where it is not said."""
    words = lows(items)
    at = next((n for n in range(len(words)) if words[n : n + 2] == ["day", "after"]), None)
    if at is None or (at + 2 < len(items) and items[at + 2].low in ("tomorrow", "that", "it", "this")):
        return list(items), -1
    begin = at - 1 if words[at - 1 : at] == ["the"] else at
    begin = begin - 1 if words[begin - 1 : begin] == ["to"] else begin
    return [*items[:begin], *items[at + 2 :]], items[begin].begin


def _has_object(parts: Parts) -> bool:
    return any(item.kind != "punct" for item in parts.object)


def _without_direction(rest: Sequence[Item]) -> list[Item]:
    return [item for item in rest if not (item.kind == "word" and item.low in ("back", "forward", "earlier", "later", "out"))]


def _earlier(form: Form, rest: Sequence[Item]) -> bool:
    words = {item.low for item in rest}
    return "earlier" in words or "forward" in words or "forward" in form.lemma or form.lemma in ("advance", "shorten")


def resize(clause: Clause, form: Form, rest: Sequence[Item]) -> Built:
    """ "to 45 minutes" sets the length, "by 15 minutes" changes it; a time of day behind "until" is a new end. The start stays
    where it is, said or not."""
    built = Built("event.resize")
    rest, _ = without_same_time(rest)
    if (times := factor_of(form, rest)) is not None:
        built.fields["factor"], span = times
        rest = [*rest[: span[0]], *rest[span[1] :]]
    rest = with_end([item for n, item in enumerate(rest) if not is_verb_of_length(rest, n)])
    kept = [item for n, item in enumerate(rest) if item.low not in ("longer", "shorter", "long") or compared_length(rest, n)]
    parts = cut(clause.text, kept, dictates=False)
    words = {item.low for n, item in enumerate(rest) if not compared_length(rest, n) and not _compares(rest, n)}
    length = next((timed for timed in parts.times if timed.spec.kind == "duration"), None)
    relative = form.lemma in ("extend", "shorten", "lengthen", "prolong") or form.verb == "add" or words & {"longer", "shorter"}
    if length is not None and length.spec.duration is not None:
        if relative and length.marker != "to":
            minus = form.lemma == "shorten" or "shorter" in words
            built.fields["shift"] = -length.spec.duration if minus else length.spec.duration
        else:
            built.fields["duration"] = length.spec.duration
    end = [timed for timed in parts.times if timed.marker in NEW_TIME and timed.spec.kind != "duration"]
    if end:
        built.fields["time"] = merged(end)
    old = [timed for timed in parts.times if timed not in end and timed.spec.kind != "duration"]
    slots = [Slot("", slot.items) if form.verb == "add" and slot.marker == "to" else slot for slot in parts.slots]
    chosen = [slot for slot in slots if slot.marker != "to"]
    chosen = [without_nouns(slot, OF_LENGTH + (EXTRA if form.verb == "add" else ())) for slot in chosen]
    found = gather(Parts(chosen, old), "event")
    if (compared := next((item.low for n, item in enumerate(rest) if _compares(rest, n)), "")) and built.fields.get("duration"):
        length_now = built.fields["duration"]
        found.select["lasting"] = (length_now, LONGEST) if compared == "longer" else (timedelta(), length_now)
    built.fields["select"] = found.selection(merged(old))
    built.thing = span_of_parts(chosen, old)
    return built


LONGEST = timedelta(days=3650)


OF_LENGTH, EXTRA = ("length", "duration", "long"), ("extra", "another", "more", "additional")


def _compares(items: Sequence[Item], at: int) -> bool:
    """ "the longer meetings": those that are longer than they are to be."""
    noun = lexicon().nouns.at(lows(items), at + 1) if items[at].low in ("longer", "shorter") else None
    return noun is not None and noun[1][0] in ("event", "occasion")


TRADING = frozenset({"swap", "swap out", "exchange", "switch", "trade", "interchange", "swap around"})


TRADED = frozenset(
    """the start starting end times time slots slot places hours positions order of for between around over their its two both with
    each other""".split()
)
"""What may stand before the events whose times are traded."""


def trades(form: Form, rest: Sequence[Item]) -> bool:
    """Whether two events, or both of one selection, are to change places."""
    if form.lemma not in TRADING or "to" in lows(rest) or not rest:
        return False
    words = lows(rest)
    timely = bool({"times", "slots", "places"} & set(words[:4]))
    nouns = [noun[1][0] for at in range(len(rest)) if (noun := lexicon().nouns.at(words, at))]
    return timely or bool({"event", "occasion"} & set(nouns)) or any(item.kind == "ref" for item in rest)


def trade(clause: Clause, rest: Sequence[Item]) -> Built:
    """The two events, each for itself or both in one selection ("my first and last meeting on Friday")."""
    built = Built("event.swap")
    words = lows(rest)
    begin = next((n for n, item in enumerate(rest) if item.kind not in ("word", "number") or item.low not in TRADED), len(rest))
    begin = begin - 1 if begin and words[begin - 1] in ("the", "both") else begin
    joints = (n for n in range(begin + 1, len(rest) - 1) if words[n] in ("and", "with", "for"))
    joint = next((n for n in joints if _another(rest, words, n + 1)), None)
    one = _event(clause, rest[begin:joint])
    if joint is None:
        built.fields["select"] = one.model_copy(update={"each": not one.order})
    else:
        other = _event(clause, rest[joint + 1 :])
        built.fields["select"] = one if one.when or not other.when else one.model_copy(update={"when": other.when})
        built.fields["beside"] = other if other.when or not one.when else other.model_copy(update={"when": one.when})
    built.thing = span_of(rest[begin:])
    return built


def _another(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """Whether an event of its own is named here, not more of the one before."""
    if items[at].kind in ("quote", "ref"):
        return True
    named = items[at].kind == "name" or words[at] in lexicon().small["articles"]
    return named and any(item.kind not in ("punct",) for item in items[at + 1 : at + 2])


def _event(clause: Clause, items: Sequence[Item]) -> Selection:
    parts = cut(clause.text, items, dictates=False)
    return gather(parts, "event").selection(merged(parts.times))


def is_verb_of_length(items: Sequence[Item], at: int) -> bool:
    """ "make the review last an hour": the verb, which is no order."""
    spec = items[at + 1].time if items[at].low in ("last", "take", "run") and at + 1 < len(items) else None
    return spec is not None and spec.kind == "duration"


def with_end(items: Sequence[Item]) -> list[Item]:
    """ "until 5" as "to 5": the new end, and no more of what stands before."""
    spots = [at for at in range(len(items) - 1) if items[at].low in ("until", "till") and items[at + 1].time is not None]
    return [replace(item, low="to", text="to") if at in spots else item for at, item in enumerate(items)]


def factor_of(form: Form, items: Sequence[Item]) -> tuple[float, tuple[int, int]] | None:
    """ "double it", "make it twice as long", "cut it in half": the factor, and the items that say it."""
    multiples = lexicon().multiples
    if (verb := multiples.at([form.lemma], 0)) is not None:
        return verb[1], (0, 0)
    found = factor_said(items)
    return found if found is not None and found[1][0] else None


def factor_said(items: Sequence[Item]) -> tuple[float, tuple[int, int]] | None:
    """ "Twice as long", "double the length" anywhere among the items."""
    words = lows(items)
    found = next(((at, match) for at in range(len(items)) if (match := lexicon().multiples.at(words, at))), None)
    return (found[1][1], (found[0], found[0] + found[1][0])) if found else None
