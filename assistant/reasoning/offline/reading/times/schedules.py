"""Busy times told in the message itself: "Anna can't from 9 to 11 and Tom is busy after 3, when could we meet for an hour on
Monday?"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from itertools import takewhile

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Person, TimeSpec, Window
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import NAMED, Item
from assistant.reasoning.offline.reading.times.moments import duration_of, merged
from assistant.reasoning.offline.reading.times.stretches import each_day, holes_of, less

SUBJECTS = frozenset("i we he she they everyone everybody nobody calendar".split())
ELSEWHERE = frozenset("if unless email mail tell write reply send ask message forward invite move cancel".split())
"""With one of these the message asks for something else, or for more."""
TELLS = re.compile(
    r"\b(?:busy|booked|blocked|tied|free|available|unavailable|out|away|off|meetings?|call|appointments?|not|can't|cannot|n't|avoids?|time)\b",
    re.IGNORECASE,
)
ASKS = re.compile(r"\b(?:when|what|which|find|time|schedule|arrange|set up|need|want)\b", re.IGNORECASE)
"""What every such message has in it: most messages need not be looked at any closer."""
CHUNK = re.compile(r"[^,;\n]+")
BARE_HOURS = re.compile(r"\s*(?:and\s+)?\d{1,2}\s*(?:to|-|\u2013|until|till)\s*\d{1,2}\b")


@dataclass(frozen=True, slots=True)
class Segment:
    """From what somebody is said to be, or what is asked, up to the next of these."""

    kind: str
    subject: Item | None
    items: tuple[Item, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Told:
    """`call` None: the told times leave nothing of the time asked for."""

    call: Call | None
    people: tuple[str, ...]


@lru_cache(maxsize=16)
def told(text: str, setting: Setting) -> Told | None:
    """None where the message tells no busy times, or asks for more than a time that fits."""
    if not (TELLS.search(text) and ASKS.search(text)):
        return None
    items = mark(text, setting)
    words = lows(items)
    segments = _segments(text, items, words) if not ELSEWHERE & set(words) else ()
    kinds = {segment.kind for segment in segments}
    if not {"busy", "asking"} <= kinds or any(one.kind == "open" and _timed(one) for one in segments):
        return None
    asking = [item for segment in segments if segment.kind == "asking" for item in segment.items]
    parts = cut(text, asking, dictates=False)
    when, length = merged(parts.times), duration_of(parts.times)
    named = [one.subject for one in segments if one.subject is not None and one.subject.kind in NAMED]
    people = tuple(dict.fromkeys(item.text for item in named))
    if when is None or when.kind == "repeat":
        return None
    busy = [hole for segment in segments if segment.kind == "busy" for hole in _holes(segment, when, setting)]
    left = less(when, busy)
    others = [n.person for slot in parts.of("for", "with") for n in people_in(_names(slot.items)) if n.person.text not in people]
    if left is None:
        return Told(None, people)
    return Told(_call(left, length, others, people), people)


def _call(when: TimeSpec, length: object, others: Sequence[Person], people: Sequence[str]) -> Call:
    call = Call(operation="event.slots", time=when, to=tuple(others), about=" and ".join(people))
    return call.model_copy(update={"duration": length}) if length is not None else call


def _names(items: Sequence[Item]) -> list[Item]:
    """Those named first; what stands in the next sentence is somebody else."""
    return list(takewhile(lambda item: item.kind in NAMED or item.low in ("and", ",", "&"), items))


def _segments(text: str, items: Sequence[Item], words: Sequence[str]) -> tuple[Segment, ...]:
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(items):
        match = lexicon().schedules.at(words, at) if items[at].kind == "word" else None
        match = (1, "asking") if match is None and _seeks_length(items[at : at + 2]) else match
        if match is not None and (match[1] == "asking" or _subject(items, at) is not None):
            found.append((at, at + match[0], match[1]))
            at += match[0]
        else:
            at += 1
    return tuple(_cut_out(text, items, found))


def _seeks_length(items: Sequence[Item]) -> bool:
    """ "find an hour", "we need 45 minutes"."""
    length = items[1].time if len(items) > 1 else None
    return items[0].low in ("find", "need", "want", "for") and length is not None and length.kind == "duration"


def _cut_out(text: str, items: Sequence[Item], found: Sequence[tuple[int, int, str]]) -> Iterator[Segment]:
    for n, (begin, end, kind) in enumerate(found):
        stop = found[n + 1][0] if n + 1 < len(found) else len(items)
        last = items[stop].begin if stop < len(items) else len(text)
        subject = _subject(items, begin) if kind != "asking" else None
        yield Segment(kind, subject, tuple(items[end:stop]), text[items[end - 1].end : last])


def _subject(items: Sequence[Item], at: int) -> Item | None:
    """Who is busy: right before, or with "'s calendar" between."""
    before = items[at - 1] if at else None
    if before is not None and before.low in ("'s", "also", "then") and at > 1:
        before = items[at - 2]
    return before if before is not None and (before.kind in NAMED or before.low in SUBJECTS) else None


def _timed(segment: Segment) -> bool:
    return any(item.time is not None and item.time.kind in ("point", "range") for item in segment.items)


def _holes(segment: Segment, when: TimeSpec, setting: Setting) -> Iterator[Window]:
    """The busy times; a day goes on for the hours behind it: "Monday during 9 to 10, 12 to 13, Tuesday after 3"."""
    day: TimeSpec | None = None
    open_day = False
    for spec in _times(segment.text, setting):
        if spec.has_date and open_day and day is not None:
            yield from holes_of(when, day)
        if spec.has_date and not spec.has_time:
            day, open_day = spec, True
            continue
        if spec.has_date:
            day = _day_of(spec)
        elif day is not None:
            spec = each_day(day.model_copy(update={"kind": "range"}), spec) or spec
        open_day = False
        yield from holes_of(when, spec)
    if open_day and day is not None:
        yield from holes_of(when, day)


def _day_of(spec: TimeSpec) -> TimeSpec | None:
    if spec.start is None and spec.stop is None:
        return None
    at = spec.start or spec.stop
    assert at is not None
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return TimeSpec(kind="range", text=spec.text, start=midnight, stop=midnight + timedelta(days=1), has_date=True)


def _times(text: str, setting: Setting) -> Iterator[TimeSpec]:
    """Read between commas, so that a day behind one begins anew."""
    from assistant.reasoning.offline.dates import read_times

    for chunk in CHUNK.findall(text):
        said = f"from {chunk.strip().removeprefix('and ')}" if BARE_HOURS.match(chunk) else chunk
        for mention in read_times(said, now=setting.now, zone=setting.zone):
            if mention.spec.kind in ("point", "range"):
                yield mention.spec
