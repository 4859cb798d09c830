"""Conditions on how many there were of what was counted or told before: "if there are at least 4", "should there be more"."""

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Bounds
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.grammar import parse
from assistant.reasoning.offline.reading.nouns.counting import BARE, bounded, of_told, only_counts


def counted(text: str, memory: Memory, setting: Setting) -> str:
    """The condition with what it counts, in whole words; as it is where it names that itself or nothing was spoken of."""
    items = parse(text, setting).clause.rest
    if not memory.thing or memory.noun not in ("mail", "event"):
        return text
    if memory.noun == "event" and memory.thing.startswith("{") and (length := of_told(items)) is not None:
        source = parse(text, setting).clause.text
        return f"check whether events {memory.thing} take {source[length[0].begin : length[1].end]} in total"
    if only_counts(items):
        bounds = bounded(items)[1]
    elif memory.limit is not None and {"more", "fewer", "less"} & (words := {item.low for item in items}) and words <= BARE | MORE:
        least, most = memory.limit
        bounds = (most + 1, None) if "more" in words and most is not None else (0, least - 1) if least else None
    else:
        return text
    noun = f"{memory.noun}s " if memory.thing.startswith("{") else "of "
    return f"check whether there are {_said(bounds)} {noun}{memory.thing}" if bounds is not None else text


def limited(text: str, memory: Memory, setting: Setting) -> bool:
    """ "I want at most 4 meetings on Friday": notes what there should be, which asks for nothing yet."""
    items, politely = strip_openers(mark(text, setting), lexicon().polite["openers"])
    wished = any({"want", "like", "need"} & set(phrase.split()) for phrase in politely)
    items = strip_closers(items)
    rest, bounds = bounded(items)
    own = [item for item in rest if item.low not in WISHED]
    if (
        bounds is None
        or not own
        or not (wished or {"should", "must"} & {item.low for item in items})
        or text.rstrip().endswith("?")
    ):
        return False
    thing = f"my {text[own[0].begin : own[-1].end]}"
    call = parse(f"find {thing}", setting).call
    if own[0].kind != "word" or call is None or call.operation not in ("event.find", "mail.find"):
        return False
    memory.thing, memory.noun, memory.limit = thing, call.operation.partition(".")[0], bounds
    memory.when = call.select.when.text if call.select.when is not None else memory.when
    return True


WISHED = frozenset("have to there should must be i we my no not any a day".split())
MORE = frozenset({"more", "fewer", "less", "than", "any"})


def _said(bounds: Bounds) -> str:
    least, most = bounds
    if most is None:
        return f"at least {least}"
    return f"exactly {least}" if least == most else f"at most {most}"
