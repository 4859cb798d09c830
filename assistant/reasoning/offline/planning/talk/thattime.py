"""The time that was spoken of before, in the place of the words that point at it: "then", "that day", "the same time"."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.planning.talk.retiming import counted_from_last
from assistant.reasoning.offline.planning.talk.thatday import THAT_DAY, hour_of, on_that_day, period_at, period_of, single_day
from assistant.reasoning.offline.reading.entities import named
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.nouns.selecting import OVERLAPS
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.masking import PUTTING_OFF
from assistant.reasoning.offline.reading.times.sametime import same_time, weeks_ahead

POINTING = frozenset({"that", "same", "then", "there"})
THEN = frozenset({"that time", "at that time", "then"})


LEADING_ON = frozenset({"then", "now", "altogether"})


def without_then(text: str, items: Sequence[Item]) -> str:
    """ "Book it at 4 then", "what's on that Friday now?": beside a time it only leads on from what was said; empty where nothing is
    to be left out."""
    last = next((n for n in range(len(items) - 1, 0, -1) if items[n].kind != "punct"), 0)
    times = [item.time for item in items[:last] if item.time is not None and item.time.kind in ("point", "range")]
    if items[last : last + 1] and items[last].low in LEADING_ON and any(time.has_time or time.has_date for time in times):
        return f"{text[: items[last].begin].rstrip(' ,')}{text[items[last].end :]}"
    return ""


def at_that_time(text: str, memory: Memory) -> str:
    """ "the people I meet at that time": the time spoken of before, also inside of what describes people."""
    low = text.lower()
    if not any(said in low for said in THEN) or not memory.when:
        return text
    items = named(text, memory.request.setting)
    for item in reversed([item for item in items if item.kind == "time" and item.low in THEN]):
        text = f"{text[: item.begin]}{memory.when}{text[item.end :]}"
    return text


def on_day_spoken_of(text: str, limit: int, memory: Memory) -> str:
    """ "at 3 on that day", "that morning": the day spoken of before; what is moved without one stays on its own."""
    if not any(f" {said} " in f" {text.lower()} " for said in ("that", "same")) or not THAT_DAY.search(text, 0, limit):
        return text
    dated, unclear = on_that_day(text, limit, memory.when, memory.request.setting)
    if unclear and "same" in unclear.lower() and moves(text, memory):
        return THAT_DAY.sub("", text, count=1)
    if unclear:
        memory.unresolved.append(unclear)
    return dated


def moves(text: str, memory: Memory) -> bool:
    call = parse(text, memory.request.setting).call
    return call is not None and call.operation in ("event.move", "event.resize")


def at_same_time(items: Sequence[Item], memory: Memory) -> list[tuple[int, int, str]]:
    """A new event "at the same time": the time of the event that was spoken of. What is moved keeps its own."""
    found = same_time(items)
    words = lows(items)
    verbs = {form.verb for at in range(min(len(items), 4)) for _, form in lexicon().verbs.all_at(words, at) if form.base}
    if found is None or "move" in verbs or not verbs & {"create", "meet", "add"}:
        return []
    begin, end = found
    events = memory.shown.events if memory.shown is not None else ()
    if not events:
        memory.unresolved.append(" ".join(item.text for item in items[begin:end]))
        return []
    memory.used_shown = True
    now, start = memory.request.setting.now, events[0].start.astimezone(memory.request.setting.zone)
    date = next((item for item in items[end:] if item.time is not None), None)
    weeks = weeks_ahead(date.time, now) if date is not None else None
    if weeks is None or date is None:
        return [(items[begin].begin, items[end - 1].end, f"at {start:%H:%M}")]
    day = start + weeks
    return [(items[begin].begin, date.end, f"on {day:%A} {day.day} {day:%B} at {day:%H:%M}")]


def time_pointed_at(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """How many items of a time at `at` point at another one, and the words for that; None where none stands there."""
    item = items[at]
    if item.kind == "time" and item.low in THEN and memory.when:
        return 1, memory.when
    if (period := _period(items, at, memory)) is not None:
        return period
    if item.low == "that" and at and words[at - 1] == "than" and (hour := hour_of(memory.when, memory.request.setting)):
        return 1, hour
    if item.kind != "time":
        return None
    if weekday := _that_weekday(item, memory):
        return 1, weekday
    place = item.low.removeprefix("the ")
    if place in lexicon().nth and at > 1 and words[at - 1] in ("and", ","):
        return 1, memory.thing_words("", place) if memory.shown is not None else ""
    return None if set(words[:at]) & lexicon().small["movers"] else (1, counted_from_last(item.low, memory.request))


THAT_WEEKDAY = re.compile(r"(?:on |for )?that (?P<name>\w+day)(?P<part> (?:morning|afternoon|evening))?")


def _that_weekday(item: Item, memory: Memory) -> str:
    """ "That Thursday": the one on which what was shown takes place, or that was spoken of; empty where none was."""
    found = THAT_WEEKDAY.fullmatch(item.low)
    if found is None:
        return ""
    setting = memory.request.setting
    starts = [event.start.astimezone(setting.zone) for shown in memory.request.shown for event in shown.data.events]
    days = (f"on {start:%A} {start.day} {start:%B} {start.year}" for start in starts if f"{start:%A}".lower() == found["name"])
    told = single_day(memory.when, setting)
    day = next(days, told if found["name"] in told.lower() else "")
    return f"{day}{f' in the{part}' if (part := found['part']) else ''}" if day else ""


def _period(items: Sequence[Item], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "On those days", "in that period": the time told before; where none was, it is asked for."""
    found = period_at(items, at)
    if found is None:
        return None
    taken, unit = found
    if not memory.when:
        memory.unresolved.append(" ".join(item.text for item in items[at : at + taken]))
        return taken, ""
    told = period_of(memory.when, unit, memory.request.setting)
    return taken, told.removeprefix("on ") if items[at].low.endswith("'s") else told


def then(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "at that time", "then" behind what is asked: the time spoken of before."""
    if POINTING.isdisjoint(words[at : at + 4]) or not memory.when:
        return None
    if tuple(words[at : at + 3]) == ("at", "that", "time"):
        return 3, memory.when
    ends = at + 1 == len(items) or items[at + 1].kind == "punct"
    timed = any(item.kind == "time" for item in items)
    moves = bool(set(words[: min(at, 4)]) & PUTTING_OFF)
    if not at or not ends or timed or words[at] not in (("then", "there") if moves or memory.wanted == "" else ("then",)):
        return None
    return 1, f"to {memory.when}" if moves and words[at - 1] != "to" else memory.when


def overlapped(items: Sequence[Item], words: Sequence[str], at: int, memory: Memory) -> tuple[int, str] | None:
    """ "What collides with it": the hours that were told with what "it" is, unless its words hold them."""
    if words[at] not in ("it", "that", "this", "them") or not at:
        return None
    verb = at - 2 if words[at - 1] in ("with", "into") else at - 1
    if verb < 0 or words[verb] not in OVERLAPS or memory.when in memory.thing:
        return None
    return (1, memory.when) if hour_of(memory.when, memory.request.setting) else None
