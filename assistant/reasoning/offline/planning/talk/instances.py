"""Which one of what is spoken of is meant: "cancel just today's", "take it off, only this once"."""

import re

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.planning.talk.memory import Memory
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import strip_openers

INSTANCE = re.compile(
    r"^(?P<deed>.*?)(?P<limits>,? (?:(?:but|and) )?(?:just|only))? (?P<day>today|tonight|tomorrow|(?:this|next|coming) \w+|\w+day)"
    r"['\u2019]s(?: one)?(?P<end>[.!]*)$",
    re.IGNORECASE | re.DOTALL,
)
""" "Cancel just today's", "take it off the calendar, only Monday's": the one of that day of what is spoken of."""
IT = re.compile(r"\b(?:it|that|them|those)\b", re.IGNORECASE)


ONLY_IT = re.compile(r"^(?P<deed>[\w ]{3,20}?),? (?:just|only) (?:that|this)(?: one)?(?P<end>[.!]*)$", re.IGNORECASE)
ONCE = re.compile(
    r",? (?:(?:but|and|for) )*(?:(?:just|only) )?(?:this once|this time|for (?P<day>today|tonight|tomorrow)(?: only)?|"
    r"(?:just|only) (?:for )?(?P<only>today|tonight|tomorrow))(?P<end>[.!]*)$",
    re.IGNORECASE,
)


def instance(text: str, memory: Memory) -> str:
    if (alone := ONLY_IT.match(text)) is not None and memory.thing:
        return f"{alone['deed']} it{alone['end']}"
    dated = any(item.time is not None and item.time.has_date for item in mark(memory.thing, memory.request.setting))
    once = ONCE.search(text)
    if once is not None and memory.thing and IT.search(text, 0, once.start()):
        day = "" if dated else f" {once['day'] or once['only'] or ''}".rstrip()
        return f"{text[: once.start()]}{day}{once['end']}" if dated or day else text
    found = INSTANCE.match(text)
    if found is None or mark(found["deed"], memory.request.setting)[-1:] == ():
        return text
    day = "" if memory.thing and dated else f" {found['day']}"
    if found["limits"] and IT.search(found["deed"]):
        return f"{found['deed']}{day}{found['end']}"
    bare = strip_openers(mark(found["deed"], memory.request.setting), lexicon().polite["openers"])[0]
    verb = lexicon().verbs.at([item.low for item in bare], 0) if bare else None
    return f"{found['deed']} it{day}{found['end']}" if verb is not None and verb[0] == len(bare) else text
