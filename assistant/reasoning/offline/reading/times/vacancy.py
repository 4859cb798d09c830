"""A free time as the place of what is made or moved: "to my first free slot on Friday", "into the last gap before 6"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, TimeSpec
from assistant.reasoning.offline.lexicon import Form, lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.slots import cut, lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.moments import merged

Which = Literal["first", "last"]
ORDERS: dict[str, Which] = {
    "first": "first", "next": "first", "earliest": "first", "soonest": "first", "last": "last", "latest": "last", "early": "first",
    "soon": "first", "late": "last",
}  # fmt: skip
LEADS = frozenset({"to", "into", "in", "at", "for", "on", "until", "till", "my", "the", "a", "our", "any"})
FREE = frozenset({"free", "open", "available", "empty", "vacant", "unbooked"})
SLOTS = frozenset(
    {"slot", "gap", "opening", "window", "space", "spot", "time", "moment", "hour", "timeslot", "hole", "vacancy", "point"}
)
VACANT = frozenset({"slot", "gap", "opening", "window", "timeslot", "hole", "vacancy"})
DESCRIBING = frozenset(
    """i am 'm 's is are we free available open that which long enough fits fit it big large when where have on of in for at during
    within between , ( ) work from to and my the day hours working calendar nothing else suits suitable
    can take holds hold into then
    there possible""".split()
)
REACH = 5


@dataclass(frozen=True)
class Vacancy:
    """The items from `begin` on, up to `end`, ask for a free time: the first or last one within `time`."""

    begin: int
    end: int
    which: Which
    time: TimeSpec | None


def vacancy(text: str, items: Sequence[Item], setting: Setting) -> Vacancy | None:
    words = [item.low for item in items]
    for at in range(1, len(items)):
        which = ORDERS.get(words[at])
        place = _slot_behind(words, at) if which is not None else None
        if which is None or place is None:
            continue
        begin = at
        while begin > 1 and words[begin - 1] in LEADS:
            begin -= 1
        end = place + 1
        while end < len(items) and (items[end].kind == "time" or words[end] in DESCRIBING):
            end += 1
        said = text[items[place].end : items[end - 1].end]
        times = cut(said, mark(said, setting), dictates=False).times
        spec = merged([timed for timed in times if timed.spec.kind != "duration"])
        return Vacancy(begin, end, which, spec) if words[begin] in LEADS else None
    return None


def _slot_behind(words: Sequence[str], at: int) -> int | None:
    """Where "slot" stands in "first free slot", "earliest time I'm free", "first gap"."""
    place = next((n for n in range(at + 1, min(at + REACH, len(words))) if words[n] in SLOTS or words[n].startswith("free ")), None)
    if place is None or any(word not in FREE | {"possible", "suitable"} and not word.isalnum() for word in words[at + 1 : place]):
        return None
    if words[place] not in SLOTS:
        return place  # "first free hour", a length of its own
    around = set(words[at:place]) | set(words[place + 1 : place + REACH])
    return place if words[place] in VACANT or around & FREE else None


def moved_if_there(clause: Clause) -> Clause:
    """ "put the checkpoint into my first gap": what is there already is moved."""
    items = clause.rest
    if not clause.forms or clause.forms[0][1].verb != "add" or not items or items[0].low not in ("the", "my", "our"):
        return clause
    words = lows(items)
    known = any((noun := lexicon().nouns.at(words, n)) and noun[1][0] in ("event", "occasion") for n in range(len(items)))
    if not known and items[0].low != "the":
        return clause
    return Clause(**{**clause.__dict__, "forms": tuple((length, Form("move", "move", True)) for length, _ in clause.forms)})


def within(call: Call, found: Vacancy) -> Call | None:
    if call.operation not in ("event.create", "event.move"):
        return None
    return call.model_copy(update={"time": found.time or call.time, "slot": found.which, "location": ""})
