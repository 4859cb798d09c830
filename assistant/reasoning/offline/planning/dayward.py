"""Events of the day that a statement was about: "Friday is packed. Cancel the last meeting."."""

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.parsed import Parse
from assistant.reasoning.offline.reading.slots import lows

OF_A_DAY = frozenset({"first", "last", "nth", "nth_last", "longest", "shortest"})
BEYOND = frozenset({"future", "upcoming", "coming", "next", "remaining", "series", "any"})


def on_told_day(text: str, found: Parse, told: str, setting: Setting) -> str:
    """The clause with that day behind its event; as it is where it says itself which day, or counts from now on."""
    call = found.call
    if not told or call is None or not call.operation.startswith("event."):
        return text
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


def _open(call: Call) -> bool:
    select = call.select
    if select.refs or select.when is not None or call.beside is not None:
        return False
    return select.order in OF_A_DAY or select.each
