"""By when a mail wants something, in English or German."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from assistant.reasoning.offline.saying.cues import DATE, DEADLINE

NEAR = 60
"""Characters after "by", "deadline", … within which the date must stand."""
_GERMAN_CUE = re.compile(r"\b(?:bis|spätestens|frist|fällig|einsendeschluss|anmeldeschluss)\b", re.IGNORECASE)
_IN_ENGLISH = dict(
    pair.split("=")
    for pair in (
        "montag=Monday dienstag=Tuesday mittwoch=Wednesday donnerstag=Thursday freitag=Friday samstag=Saturday sonnabend=Saturday "
        "sonntag=Sunday heute=today morgen=tomorrow januar=January februar=February märz=March mai=May juni=June juli=July "
        "oktober=October dezember=December"
    ).split()
)
_GERMAN_DAY = re.compile(rf"\b(?:{'|'.join(_IN_ENGLISH)})\b", re.IGNORECASE)


def deadline(sentences: Sequence[str], written: datetime, zone: ZoneInfo) -> date | None:
    """The first that a sentence names; "Friday" is the one after the mail was written."""
    for sentence in sentences:
        for cue in (*DEADLINE.finditer(sentence), *_GERMAN_CUE.finditer(sentence)):
            rest = _GERMAN_DAY.sub(lambda day: _IN_ENGLISH[day.group().lower()], sentence[cue.end() : cue.end() + NEAR])
            if DATE.search(rest) and (found := _first_day(rest, written, zone)):
                return found
    return None


def _first_day(text: str, written: datetime, zone: ZoneInfo) -> date | None:
    from assistant.reasoning.offline.dates import read_times

    for mention in read_times(text, now=written.astimezone(zone), zone=zone):
        if mention.spec.has_date and mention.spec.start is not None:
            return mention.spec.start.astimezone(zone).date()
    return None


def in_words(day: date, today: date) -> str:
    """ "deadline Friday 27 Nov" """
    distance = (day - today).days
    named = {-1: "yesterday", 0: "today", 1: "tomorrow"}.get(distance) or f"{day:%A} {day.day} {day:%b}"
    return f"deadline was {named}" if distance < 0 else f"deadline {named}"
