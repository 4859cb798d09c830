"""What stands right after or before an event: "right after my last meeting on Friday, with the same person"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from assistant.reasoning.calls import Call, Person, Selection, TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.nouns.selecting import gather
from assistant.reasoning.offline.reading.parsed import span_of
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.names import within_title
from assistant.reasoning.offline.reading.times.moments import duration_of, merged
from assistant.reasoning.offline.reading.times.stretches import whole_days

NEXT_TO = frozenset({"right", "directly", "straight", "immediately", "just"})
SIDES: dict[str, Literal["after", "before"]] = {"after": "after", "following": "after", "before": "before"}
SAME = frozenset(
    {"same", "the", "person", "people", "participant", "participants", "attendee", "attendees", "guest", "guests", "one"}
)
ALONE = frozenset({"me", "myself", "just", "only", "us"})
OPERATIONS = ("event.create", "event.move", "event.check", "event.free")


@dataclass(frozen=True)
class Beside:
    """`event` is what the time is right after or before; `begin` and `end` are the items that say so."""

    begin: int
    end: int
    side: Literal["after", "before"]
    event: Selection
    span: tuple[int, int] | None
    distance: timedelta | None = None
    """How far from it; None: right beside it."""
    hour: TimeSpec | None = None
    """The time of day, days away from it."""


def beside(text: str, items: Sequence[Item]) -> Beside | None:
    words = lows(items)
    if (meeting := _edge_to_edge(text, items, words)) is not None:
        return meeting
    for at in range(1, len(items)):
        side = SIDES.get(words[at])
        if side is None or at + 1 >= len(items) or within_title(items, at):
            continue
        begin, distance = _distance(items, words, at)
        close = words[at - 1] in NEXT_TO
        far = distance is not None and words[at + 1] in ("the", "my", "our")
        named = _names_an_event(items, words, at + 1) or (words[0] in lexicon().small["wh"] and _asks_beside(words, at))
        if not close and not far and not named:
            continue
        end = _end(items, words, at + 1)
        parts = cut(text, items[at + 1 : end], dictates=False)
        event = gather(parts, "event").selection(merged(parts.times))
        if event in (Selection(), Selection(when=event.when)):
            continue
        event, hour = _own_hour(event, distance)
        return Beside(begin - close, end, side, event, span_of(items[at + 1 : end]), distance, hour)
    return None


ENDS, BEGINS = frozenset({"ends", "ending", "end", "finishes"}), frozenset({"starts", "starting", "start", "begins", "beginning"})
EDGES: tuple[tuple[frozenset[str], frozenset[str], Literal["after", "before"]], ...] = (
    (ENDS, BEGINS, "before"), (BEGINS, ENDS | {"over"}, "after"),
)  # fmt: skip


def _own_hour(event: Selection, distance: timedelta | None) -> tuple[Selection, TimeSpec | None]:
    """ "Two days before my last meeting on the 15th at 10", "the day after the hearing at 9": the event is known by its day or its
    name, and the hour is that of the deed."""
    when = event.when
    far = distance is not None and distance >= timedelta(days=1)
    if far and when is not None and when.kind == "point" and when.has_time and not when.has_date:
        return event.model_copy(update={"when": None}), when
    if not far or not event.order or when is None or not (when.kind == "point" and when.has_time and when.has_date):
        return event, None
    hour = when.model_copy(update={"has_date": False, "stop": None})
    return event.model_copy(update={"when": whole_days(when)}), hour


def _edge_to_edge(text: str, items: Sequence[Item], words: Sequence[str]) -> Beside | None:
    """ "… that ends when the review begins", "… starting when the sync is over": right before it, right after it."""
    for at in range(1, len(items) - 2):
        near = [(edges, side) for own, edges, side in EDGES if words[at] in own and words[at + 1] in ("when", "as", "once")]
        opens = at + 4 if words[at + 1 : at + 4] == ["as", "soon", "as"] else at + 2
        for edges, side in near:
            end = next((n for n in range(opens + 1, len(items)) if words[n] in edges), None)
            if end is None:
                continue
            inner = items[opens : end - (words[end - 1] == "is")]
            parts = cut(text, inner, dictates=False)
            event = gather(parts, "event").selection(merged(parts.times))
            begin = at - (words[at - 1] in ("that", "which"))
            if event not in (Selection(), Selection(when=event.when)):
                return Beside(begin, end + 1, side, event, span_of(inner))
    return None


def _distance(items: Sequence[Item], words: Sequence[str], at: int) -> tuple[int, timedelta | None]:
    """ "the day after", "a week after", "half an hour before": where that begins, and how far it is."""
    spec = items[at - 1].time
    unit = timedelta(days={"day": 1, "week": 7}.get(words[at - 1], 0))
    length = spec.duration if spec is not None and spec.kind == "duration" else unit or None
    if length is None:
        return at, None
    begin = at - 1
    while begin > 1 and words[begin - 1] in ("the", "a", "one", "on", "exactly", "for"):
        begin -= 1
    return begin, length


def _names_an_event(items: Sequence[Item], words: Sequence[str], at: int) -> bool:
    """ "after my next meeting", but not "after lunch" and not "after the holidays"."""
    if words[at] not in lexicon().small["articles"]:
        return items[at].kind == "ref"
    for n in range(at + 1, len(items)):
        noun = lexicon().nouns.at(words, n)
        if noun is not None:
            return noun[1][0] in ("event", "occasion")
        if items[n].kind == "punct" or lexicon().markers.at(words, n) is not None:
            return False
    return False


def _asks_beside(words: Sequence[str], at: int) -> bool:
    """ "what comes after the dentist?": nothing but what is looked for stands before, and a thing of some kind behind."""
    asked = {word for word in words[1:at] if lexicon().nouns.at([word], 0) is None}
    return asked <= ASKING | lexicon().small["articles"] | {"thing", "next"} and words[at + 1] in lexicon().small["articles"]


def _end(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    """Where the event's own words end: at a comma, "and", a name to be given, a length, or the same people."""
    for n in range(at + 1, len(items)):
        marker = lexicon().markers.at(words, n)
        if within_title(items, n):
            continue
        spec = items[n].time
        length = spec is not None and spec.kind == "duration"
        if items[n].kind == "punct" or words[n] in ("and", "then", "if", "unless") or length:
            return n - (words[n - 1] == "for" and length)
        if marker is not None and marker[1] == "for" and words[n + marker[0] : n + marker[0] + 1] and words[n + marker[0]] in ALONE:
            return n
        if marker is not None and (marker[1] in ("called", "saying", "about", "as") or "same" in words[n + 1 : n + 3]):
            return n
    return len(items)


def asked(text: str, items: Sequence[Item]) -> Call | None:
    """ "do I have anything", "am I free for half an hour": what is asked about the place beside an event."""
    words = set(lows(items))
    times = cut(text, items, dictates=False).times
    if not words & lexicon().small["me"] | words & {"there"} or any(item.kind == "person" for item in items):
        return None
    free = words & (lexicon().small["free"] | lexicon().small["busy"])
    if not free and not words & {"anything", "something", "meeting", "event", "appointment", "meetings", "events", "appointments"}:
        return None
    return Call(operation="event.free" if free else "event.check", duration=duration_of(times))


def neighbour(call: Call | None, found: Beside, words: Sequence[str]) -> Call | None:
    """ "what comes right before the drinks?", "the first event after the review": the event that stands there."""
    bare = set(words) <= ASKING
    if not bare and (call is None or call.operation not in ("event.find", "event.next")):
        return None
    select = call.select if call is not None and not bare else Selection()
    select = select.model_copy(update={"order": "", "number": 1, "each": False})
    return Call(operation="event.next", select=select, beside=found.event, side=found.side)


ASKING = frozenset(
    "got there what who is 's are comes come happens have has do i we on my calendar am going doing up scheduled planned "
    "then".split()
)


def same_people(person: Person) -> bool:
    words = person.text.lower().split()
    return "same" in words and set(words) <= SAME


SELECTING = (
    "event.cancel", "event.rename", "event.resize", "event.relocate", "event.accept", "event.decline", "event.find", "event.next",
    "event.replace", "event.invite", "event.uninvite", "event.guests",
)  # fmt: skip


def picked(call: Call, found: Beside) -> Call | None:
    """ "the meeting right after the review": which one is meant, where nothing else says it."""
    select = call.select
    bare = found.distance is None and not (select.words or select.people or select.refs or select.each)
    if call.operation not in SELECTING or not bare or select.order not in ("", "next"):
        return None
    chosen = select.model_copy(update={"order": "", "next_to": (found.side, found.event)})
    return call.model_copy(update={"select": chosen})


def placed(call: Call, found: Beside) -> Call | None:
    """The call with its time next to that event; None for what has no place in the calendar."""
    operation = "event.check" if call.operation == "event.find" else call.operation
    if operation not in OPERATIONS:
        return None
    to = tuple(Person(ref="beside") if same_people(person) else person for person in call.to)
    people = tuple(person for person in call.select.people if not same_people(person))
    select = call.select.model_copy(update={"people": people})
    if found.distance is not None and operation not in ("event.create", "event.move"):
        return None
    event, time = found.event, call.time or found.hour
    if event.when is None and found.distance is None and time is not None and time.has_date and not time.has_time:
        event, time = event.model_copy(update={"when": time}), None  # "on Tuesday right after the review": that day's review
    where = {"beside": event, "side": found.side, "shift": found.distance or call.shift, "time": time}
    return call.model_copy(update={"operation": operation, "to": to, "select": select, **where})
