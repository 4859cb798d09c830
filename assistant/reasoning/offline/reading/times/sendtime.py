"""When a mail is to go out: "send Anna a mail tomorrow at 8 saying …", "reply to her last mail on Friday at 9: …"."""

import re
from collections.abc import Sequence

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import PERSONAL, Item

OF_MAIL = frozenset("mail mails email emails e-mail message messages note line reminder text reply answer it them that".split())
POINTED = frozenset({"him", "her", "them", "everyone", "everybody", "all"})
OF_WHICH = re.compile(r"(?:from|of|since|until|till|before|after|by|between)\b|.*['\u2019]s$", re.IGNORECASE)
"""Times that say which mail is meant, or that are no moment."""
TOPICS = frozenset({"about", "regarding", "concerning", "re"})


def going_out(items: Sequence[Item], setting: Setting) -> tuple[int, TimeSpec] | None:
    """Where that is said, behind whom the mail goes to or what it is called, and the time as one that lies ahead."""
    stop, _ = dictation(items)
    words = lows(items[:stop])
    schedules = words[:1] == ["schedule"]
    for at in range(1, len(words)):
        item, before = items[at], items[at - 1]
        if TOPICS & set(words[:at]):
            return None
        addressed = before.kind in (*PERSONAL, "quote") or before.low in OF_MAIL | POINTED
        if item.time is None or not addressed or OF_WHICH.match(item.text) or (item.low.startswith("for ") and not schedules):
            continue
        return (at, spec) if (spec := _ahead(item, setting)) is not None else None
    return None


def _ahead(item: Item, setting: Setting) -> TimeSpec | None:
    """A moment, or a day or a part of one; read as what comes next, whatever the clause is about."""
    read = mark(item.text, setting, "future")
    spec = read[0].time if len(read) == 1 else item.time
    if spec is None or spec.kind not in ("point", "range") or spec.windows or spec.start is None or spec.start <= setting.now:
        return None
    past = item.time is not None and item.time.start is not None and item.time.start <= setting.now
    return None if past and not spec.has_time else spec  # "the mail on Friday" that is answered has come already
