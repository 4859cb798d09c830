"""Free time asked for: with whom, how long, when and when not, what is preferred, how far apart, how many."""

from collections.abc import Sequence
from datetime import timedelta

from assistant.reasoning.calls import Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.parsed import Built
from assistant.reasoning.offline.reading.slots import Timed, cut, lows
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.times.moments import LEFT_OUT, duration_of, merged
from assistant.reasoning.offline.reading.times.stretches import midday

PREFERRING = frozenset("preferably ideally prefer preferred preference rather best".split())
APART = frozenset("between buffer gap break padding apart around spacing".split())
EITHER = frozenset({"gap", "break"})
"""The free time itself, where nothing else is said to be as long."""
AROUND_A_GAP = frozenset("meetings events them calls appointments before after each time my the and other".split())
SPARED = frozenset("keep keeping avoid avoiding except not during over leave leaving skip skipping without protect".split())
SOONEST = frozenset("first next earliest soonest asap".split())
SLOT_WORDS = frozenset("slots times options openings windows gaps suggestions alternatives proposals choices".split())
COMING = timedelta(days=7)
REACH = 3
"""Words between a number and what it counts."""


def slots(clause: Clause, rest: Sequence[Item]) -> Built:
    built = Built("event.slots")
    items, preferred = _without_preference(list(rest))
    items, gap = _without_gap(items)
    items, lunch = _without_lunch(items, clause)
    number = _number(items)
    items = [item for item in items if item.low not in ("free", "available", "only")]
    parts = cut(clause.text, items, dictates=False)
    people = [named for slot in parts.of("with", "for") if _personal(slot.items) for named in people_in(_who(slot.items))]
    people += list(people_in([item for item in parts.object if item.kind in PERSONAL or item.low == "and"]))
    built.fields["to"] = tuple(named.person for named in people)
    built.fields["time"] = merged(_wanted([*parts.times, *lunch], clause))
    built.fields["duration"] = duration_of(parts.times)
    built.fields["gap"], built.fields["prefer"] = gap, preferred
    if number:
        built.fields["select"] = Selection(order="first", number=number)
    return built


def _wanted(times: list[Timed], clause: Clause) -> list[Timed]:
    """Where only what to leave out was said, it is left out of the coming days."""
    left_out = [timed for timed in times if timed.marker in LEFT_OUT]
    if clause.now is None or not left_out or any(timed not in left_out and timed.spec.kind != "duration" for timed in times):
        return times
    today = clause.now.replace(hour=0, minute=0, second=0, microsecond=0)
    coming = TimeSpec(kind="range", start=today, stop=today + COMING, has_date=True)
    return [Timed("", coming, 0, 0), *times]


def _personal(items: Sequence[Item]) -> bool:
    return any(item.kind in PERSONAL or item.low in lexicon().small["pronouns_person"] for item in items)


def _without_preference(items: list[Item]) -> tuple[list[Item], TimeSpec | None]:
    """ "preferably in the afternoon", "ideally before 11", "I'd prefer Tuesday"."""
    at = next((n for n, item in enumerate(items) if item.kind == "word" and item.low in PREFERRING), None)
    if at is None:
        return items, None
    times = [n for n in range(at + 1, min(at + REACH, len(items))) if items[n].kind == "time"]
    spec = items[times[0]].time if times else None
    if spec is None or spec.kind not in ("point", "range"):
        return items, None
    begin = at
    while begin and items[begin - 1].low in (",", "and", "but", "i", "'d", "we", "would", "i'd", "we'd", "with", "a"):
        begin -= 1
    return [*items[:begin], *items[times[0] + 1 :]], spec


def _without_gap(items: list[Item]) -> tuple[list[Item], timedelta | None]:
    """ "with 15 minutes between meetings", "a 10 minute buffer", "a gap of half an hour"."""
    lengths = [item for item in items if item.time is not None and item.time.kind == "duration"]
    the_only = lengths[0] if len(lengths) == 1 else None
    for at, item in enumerate(items):
        if item.time is None or item not in lengths:
            continue
        behind = next((n for n in range(at + 1, min(at + REACH, len(items))) if items[n].low in APART), None)
        before = next((n for n in range(max(at - REACH, 0), at) if items[n].low in APART), None)
        apart = item is not the_only or any(items[n].low not in EITHER for n in (behind, before) if n is not None)
        if (behind is None and before is None) or not apart:
            continue
        begin, end = (at if before is None else before), (at if behind is None else behind) + 1
        while begin and items[begin - 1].low in ("with", "and", ",", "a", "an", "at", "least", "leave", "leaving", "keep"):
            begin -= 1
        while end < len(items) and items[end].low in AROUND_A_GAP:
            end += 1
        return [*items[:begin], *items[end:]], item.time.duration
    return items, None


def _without_lunch(items: list[Item], clause: Clause) -> tuple[list[Item], list[Timed]]:
    """ "keep lunch free", "not during lunch"."""
    at = next((n for n, item in enumerate(items) if item.kind == "word" and item.low in ("lunch", "lunchtime")), None)
    if at is None or clause.now is None or not any(item.low in SPARED for item in items[max(at - REACH, 0) : at]):
        return items, []
    begin, end = at, at + 1
    while begin and (items[begin - 1].low in SPARED or items[begin - 1].low in (",", "and", "but", "my", "the", "for", "at")):
        begin -= 1
    while end < len(items) and items[end].low in ("free", "break", "hour", "clear", "time"):
        end += 1
    return [*items[:begin], *items[end:]], [Timed("except", midday(clause.now), items[at].begin, items[at].end)]


def _who(items: Sequence[Item]) -> list[Item]:
    """Without what stood before a time: "for Anna and Tom, not …"."""
    return [item for item in items if item.low not in (*LEFT_OUT, "but", "either", "between")]


def _number(items: Sequence[Item]) -> int:
    """ "three 30-minute slots", "my next free slot"; 0 where as many as there are will do."""
    words = lows(items)
    for at, item in enumerate(items):
        counted = SLOT_WORDS & set(words[at + 1 : at + 1 + REACH])
        if counted and (
            number := NUMBERS.get(item.low) or (int(item.low) if item.kind == "number" and item.low.isdecimal() else 0)
        ):
            return number
    leads = [n for n, word in enumerate(words) if word in SOONEST]
    named = any("free" in words[n : n + REACH] or _slot_follows(items, n) for n in leads)
    return 1 if named or words[-3:] == ["soon", "as", "possible"] or "asap" in words else 0


NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple": 2, "few": 3}


def _slot_follows(items: Sequence[Item], at: int) -> bool:
    behind = items[at + 1 : at + 1 + REACH]
    lengthy = any(item.time is not None and item.time.kind == "duration" for item in behind[:1])
    return lengthy or any((noun := lexicon().nouns.at(lows(behind), n)) and noun[1][0] == "slot" for n in range(len(behind)))
