"""Events of the day that a statement was about: "Friday is packed. Cancel the last meeting.", "Tom comes on Monday. Book lunch
with him at noon."."""

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Selection
from assistant.reasoning.offline import criteria
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.planning.talk.retiming import last_words
from assistant.reasoning.offline.planning.talk.thatday import coming_day, single_day
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows

OF_A_DAY = frozenset({"first", "last", "nth", "nth_last", "longest", "shortest"})
AT_AN_HOUR = frozenset({"event.create", "event.free", "event.slots"})
"""What is asked for at a time of day, of which the told day is the day."""
BEYOND = frozenset({"future", "upcoming", "coming", "next", "remaining", "series", "any"})


def on_told_day(text: str, found: Parse, told: str, setting: Setting) -> str:
    """The clause with that day behind its event; as it is where it says itself which day, or counts from now on."""
    call = found.call
    if not told or call is None or not call.operation.startswith("event."):
        return text
    if call.operation in AT_AN_HOUR:
        if call.all_day and call.time is None:
            return f"{text.rstrip(' .!')} {told.partition(' from ')[0]}"
        return _at_its_hour(text, found, told) if call.time is not None else text
    items = found.clause.items
    words = lows(items)
    if BEYOND & set(words):
        return text
    nouns = (
        (at, noun) for at in range(len(items)) if (noun := lexicon().nouns.at(words, at)) and noun[1][0] in ("event", "occasion")
    )
    at, noun = next(nouns, (-1, None))
    if noun is None and (everything := next((item for item in items if item.low in ("everything", "all")), None)) is not None:
        return f"{text[: everything.end]} {told}{text[everything.end :]}" if _open(call) else text
    if noun is None or not (_open(call) or (call.select == Selection() and noun[1][1])):
        return text
    end = items[at + noun[0] - 1].end
    return f"{text[:end]} {told}{text[end:]}"


def _at_its_hour(text: str, found: Parse, told: str) -> str:
    """ "Book lunch at 12": on the day that is spoken of, where the sentence names only the hour."""
    spec = found.call.time if found.call is not None else None
    timed = (item for item in found.clause.items if item.time is not None)
    hour = next((item for item in timed if spec is not None and item.time is not None and item.time.text == spec.text), None)
    if hour is None or spec is None or spec.kind not in ("point", "range") or not spec.has_time or spec.has_date:
        return text
    return f"{text[: hour.end]} {told.partition(' from ')[0]}{text[hour.end :]}"


def asked_day(memory: Memory, *, checked: bool) -> str:
    """The one day, not past, that a question of this message (`checked`) or else the last request asked the calendar about."""
    setting = memory.request.setting
    if not checked:
        last = parse(memory.request.last, setting).call if memory.request.last else None
        if last is None or criteria.writes(last.operation) or not last.operation.startswith("event."):
            return ""
    words = memory.when if checked else last_words(memory.request)
    day = single_day(words, setting)
    return coming_day(mark(day, setting)[0].time, setting) if day else ""


def _open(call: Call) -> bool:
    select = call.select
    if select.refs or select.when is not None or call.beside is not None:
        return False
    return select.order in OF_A_DAY or select.each
