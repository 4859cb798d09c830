"""Days and times in a request that the calendar doesn't have, and dates that fall on another day of the week than was said."""

import re

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.frames import tense
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import OPAQUE
from assistant.reasoning.offline.reading.text.tokens import tokenise

FULL_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DIGITS = frozenset("0123456789")
WITH_WEEKDAY = re.compile(
    r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\W+(?:the\W+)?(?:\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE
)
"""A day of the week right before a date."""


def no_such_time(text: str, setting: Setting) -> str:
    """One sentence about the first of them; empty where all is well. Dictated and quoted words are not looked into."""
    if not DIGITS & set(text):
        return ""
    from assistant.reasoning.offline.dates import impossible_dates

    doubtful = impossible_dates(text, now=setting.now, zone=setting.zone)
    if not doubtful and not WITH_WEEKDAY.search(text):
        return ""
    own = _own_words(text, setting)
    wrong = impossible_dates(own, now=setting.now, zone=setting.zone) if doubtful else ()
    return wrong[0] if wrong else _other_weekday(own, setting)


def _own_words(text: str, setting: Setting) -> str:
    items = mark(text, setting)
    stop, _ = dictation(items)
    end = items[stop].begin if stop is not None and stop < len(items) else len(text)
    for item in items:
        if item.kind == "quote":
            text = text[: item.begin] + OPAQUE * (item.end - item.begin) + text[item.end :]
    return text[:end]


def _other_weekday(text: str, setting: Setting) -> str:
    """ "Friday 26 November" where that is a Thursday."""
    from assistant.reasoning.offline.dates import read_times
    from assistant.reasoning.offline.dates.lexicon import WEEKDAYS

    for mention in read_times(text, now=setting.now, zone=setting.zone, prefer=tense(tokenise(text))):
        start, words = mention.spec.start, mention.spec.text.lower().replace(",", " ").replace(".", " ").split()
        named = [WEEKDAYS[word] for word in words if word in WEEKDAYS]
        dated = len(named) == 1 and any(word[:1] in DIGITS for word in words) and not {"week", "weeks", "on"} & set(words[1:])
        if mention.spec.kind == "point" and mention.spec.has_date and dated and start and start.weekday() != named[0]:
            day = f"{start.day} {start:%B %Y}"
            return f"{day} is a {FULL_NAMES[start.weekday()]}, not a {FULL_NAMES[named[0]]}."
    return ""
