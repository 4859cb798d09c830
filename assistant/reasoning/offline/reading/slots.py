"""What stands behind a verb, cut into slots, times and dictated words."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item
from assistant.reasoning.offline.reading.text.names import within_title
from assistant.reasoning.offline.reading.text.tokens import Token
from assistant.reasoning.offline.reading.text.unmarked import said_from


@dataclass(frozen=True, slots=True)
class Slot:
    """The items behind a marker; the object stands under the empty marker."""

    marker: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Timed:
    """A time with the word before it ("to 4 pm")."""

    marker: str
    spec: TimeSpec
    begin: int
    end: int


STARTING = frozenset({"start", "starts", "started", "starting", "begin", "begins", "began", "beginning"})
ENDING = frozenset({"end", "ends", "ended", "ending", "finish", "finishes", "finished", "stops"})


def is_edge(timed: Timed) -> bool:
    """ "starts before 10": what is said of the beginning of an event, on any day."""
    spec = timed.spec
    return timed.marker in STARTING and spec.kind == "range" and spec.has_time and not spec.has_date


@dataclass
class Parts:
    """A clause's rest, cut into slots, times and dictated words."""

    slots: list[Slot] = field(default_factory=list)
    times: list[Timed] = field(default_factory=list)
    body: str = ""
    body_begin: int = -1

    @property
    def object(self) -> tuple[Item, ...]:
        return tuple(item for slot in self.slots if slot.marker == "" for item in slot.items)

    def of(self, *markers: str) -> tuple[Slot, ...]:
        return tuple(slot for slot in self.slots if slot.marker in markers)


def lows(items: Sequence[Item] | Sequence[Token]) -> list[str]:
    """The words for the lexicon; entities are blanks that match nothing."""
    return [item.low if item.kind in ("word", "number", "punct", "name") else "\0" for item in items]


DICTATING = {"saying": "", "asking": "ask", "thanking": "Thank you", "apologising": "I apologise"}
"""Markers behind which the words of a mail stand, and what these begin with."""


def cut(clause_text: str, items: Sequence[Item], *, dictates: bool, colon: bool = False) -> Parts:
    """Slots, times and dictated words of what stands behind the verb."""
    parts = Parts()
    words = lows(items)
    marker, held = "", list[Item]()
    at = 0

    def close() -> None:
        nonlocal held
        if held or marker:
            parts.slots.append(Slot(marker, tuple(held)))
        held = []

    while at < len(items):
        item = items[at]
        if colon and item.low == ":" and item.kind == "punct" and at + 1 < len(items):
            close()
            marker = ""
            at = _dictate(parts, clause_text, items, at + 1)
            continue
        if colon and dictates and (said := said_from(items, words, at)) is not None:
            close()
            marker = ""
            at = _dictate(parts, clause_text, items, said)
            continue
        titled = marker == "called" and within_title(items, at)
        match = None if titled else _marker_at(items, words, at, dictates)
        if match is None:
            if item.kind == "time" and item.time is not None and not titled and not _measures(items, words, at):
                parts.times.append(Timed(_leading(items, at), item.time, item.begin, item.end))
                if at + 1 < len(items) and words[at + 1] == "'s":
                    at += 1
            elif not (_joins_times(items, at) or _labels_length(items, words, at)):
                held.append(item)
            at += 1
            continue
        length, name = match
        after = items[at + length] if at + length < len(items) else None
        if after is not None and after.kind == "time" and name not in ("about", "called", "subject", "saying"):
            at += length
            continue
        if name in DICTATING and (not dictates or after is None):
            held.append(item)
            at += 1
            continue
        close()
        if name in DICTATING:
            at = _dictate(parts, clause_text, items, at + length, prefix=DICTATING[name])
            marker = ""
            continue
        marker = name
        at += length
    close()
    return parts


def _measures(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "meetings longer than an hour": the length says which ones."""
    compared = at > 1 and words[at - 1] == "than" and words[at - 2] in ("longer", "shorter", "more", "less")
    begin = at - 2 if compared else at - 1
    compared = compared or (at > 0 and words[at - 1] in ("over", "under", "above", "below"))
    spec = items[at].time
    lasting = spec is not None and spec.kind == "duration"
    if lasting and any(begin + exact_length(items, begin) > at for begin in range(max(at - 5, 0), at)):
        return True
    return compared and lasting and (not items[:begin] or noun_of(items[:begin])[0] in ("event", "occasion", "invitation"))


LASTS = frozenset("last lasts take takes run runs go goes".split())
ONLY = frozenset({"only", "just", "exactly", "precisely"})


def exact_length(items: Sequence[Item], at: int) -> int:
    """How many items "that are 30 minutes long", "lasting only half an hour" take behind several events, or any; a new one lasts
    as long as is said."""
    words = lows(items)
    opens = words[at] == "lasting" or (words[at] in ("that", "which") and words[at + 1 : at + 2] != [])
    verb = at if words[at] == "lasting" else at + 1
    end = verb + 1
    while end < len(items) and (words[end] in ONLY or words[end] == "for"):
        end += 1
    spec = items[end].time if opens and end < len(items) else None
    if spec is None or spec.kind != "duration" or spec.duration is None:
        return 0
    nouns = [noun[1] for n in range(at) if (noun := lexicon().nouns.at(words, n))]
    several = words[0] in lexicon().small["each"] | {"no"} or any(noun[1] for noun in nouns)
    named = any(noun[0] in ("event", "occasion", "invitation") for noun in nouns)
    long = words[end + 1 : end + 2] in (["long"], ["only"])
    said = words[verb] in LASTS | {"lasting"} or (long and words[verb] in ("are", "is"))
    return end + 1 + long - at if several and named and said else 0


def _labels_length(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """The "duration" of ", duration 45 minutes", ", length: one hour"."""
    labels = words[at] in ("duration", "length", "lasting") and words[at - 1 : at] in ([","], [";"], ["("], ["and"])
    behind = at + 1 + (words[at + 1 : at + 2] == [":"])
    colon = words[at] == ":" and at > 1 and _labels_length(items, words, at - 1)
    return colon or (labels and behind < len(items) and items[behind].kind == "time")


LISTING = frozenset("or and either but not".split())


def _joins_times(items: Sequence[Item], at: int) -> bool:
    """The "and" of "Monday and Wednesday", the "but not" before another: a word of the times, not of the object."""
    ahead = next((item for item in items[at:] if item.low not in LISTING), None)
    behind = next((item for item in reversed(items[:at]) if item.low not in LISTING and item.kind != "punct"), None)
    led = items[at].low == "either" or (behind is not None and behind.kind == "time")
    return items[at].kind == "word" and items[at].low in LISTING and led and ahead is not None and ahead.kind == "time"


def _marker_at(items: Sequence[Item], words: Sequence[str], at: int, dictates: bool) -> tuple[int, str] | None:
    if items[at].kind != "word":
        return None
    match = lexicon().markers.at(words, at)
    if match is None:
        return None
    length, name = match
    if dictates and words[at : at + 2] == ["in", "which"] and words[at + 2 : at + 3] and words[at + 2] in ("i", "we", "you"):
        return 2, "saying"
    if name == "at" and words[at + 1 : at + 2] in (["least"], ["most"]):
        return None
    if name == "saying" and words[at] in ("that", "which") and not dictates:
        return length, "about"
    if name == "saying" and words[at] == "say" and at == 0:
        return None
    if name in ("subject", "cc", "bcc") and at + length < len(items) and words[at + length] in ("of", "line"):
        return None
    if name == "subject" and length == 1 and (at + 1 >= len(items) or items[at + 1].kind not in ("quote", "punct")):
        return None
    return length, name


PLACES = frozenset({"location", "venue", "place"})
"""Behind a comma these say where."""


def _leading(items: Sequence[Item], at: int) -> str:
    """The word before a time, the article skipped; "to" rules over what follows it up to the next word."""
    back = at - 1
    while back >= 0 and items[back].low in ("the", "a", "an", "around", "about", "say"):
        back -= 1
    return lows(items[back : back + 1])[0] if back >= 0 else ""


def _dictate(parts: Parts, text: str, items: Sequence[Item], at: int, prefix: str = "") -> int:
    """Takes the dictated words from `at`: one quote, or all that follows. Returns where the clause goes on."""
    while at < len(items) and items[at].low in (":", ","):
        at += 1
    if at >= len(items):
        return at
    if items[at].kind == "quote":
        parts.body, parts.body_begin = items[at].text, items[at].begin
        return at + 1
    copied = next(
        (n for n in range(at + 1, len(items) - 1) if items[n].low in ("cc", "bcc") and items[n - 1].low in (",", "and")), None
    )
    if copied is not None and all(
        item.kind in ("person", "name", "address", "ref") or item.low in ("and", ",") for item in items[copied + 1 :]
    ):
        parts.slots.append(Slot(items[copied].low, tuple(items[copied + 1 :])))
        parts.body, parts.body_begin = text[items[at].begin : items[copied - 1].begin].strip(), items[at].begin
        return len(items)
    body = text[items[at].begin :].strip()
    parts.body, parts.body_begin = (f"{prefix} {body}".strip()), items[at].begin
    if body.startswith(('"', "“")) and body.endswith(('"', "”")) and len(body) > 1:
        parts.body = body[1:-1]
    return len(items)


def _is_serial(words: Sequence[str], at: int, noun: tuple[str, bool, str]) -> bool:
    """ "the tracking number": no field of anybody's card."""
    return noun[0] == "field" and noun[2] == "number" and at > 0 and words[at - 1] in lexicon().small["serials"]


def noun_of(items: Sequence[Item]) -> tuple[str, bool, str, int, int]:
    """The last noun the lexicon knows: class, plural, lemma, and its first and last+1 item; class "" where there is none."""
    words = lows(items)
    found = ("", False, "", -1, -1)
    at = 0
    while at < len(items):
        match = lexicon().nouns.at(words, at)
        if match is None or items[at].kind == "name" or (words[at] == "where" and at) or _is_serial(words, at, match[1]):
            state = lexicon().states.at(words, at)
            at += state[0] if state is not None and state[1][0] in ("guests", "known", "addressed", "host") else 1
            continue
        length, (noun, plural, lemma) = match
        found = (noun, plural, lemma, at, at + length)
        at += length
    return found


CALENDAR_WORDS = frozenset({"calendar", "schedule", "agenda", "diary", "contacts", "address"})


def names_calendar(slot: Slot) -> bool:
    return any(item.low in CALENDAR_WORDS for item in slot.items)


def is_personal(slot: Slot) -> bool:
    return any(item.kind in PERSONAL or item.low in lexicon().small["pronouns_person"] for item in slot.items)


def without_nouns(slot: Slot, words: Sequence[str]) -> Slot:
    return Slot(slot.marker, tuple(item for item in slot.items if item.low not in words))
