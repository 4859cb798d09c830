"""The day and the hour of a time that was spoken of, in words that the grammar reads back."""

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.text.items import Item

ONE_DAY, MOMENT = timedelta(hours=25), timedelta(microseconds=1)

PERIOD = re.compile(
    r"(?:(?:on|in|during|over|at|for|of|within|throughout) )?(?:all (?:of )?|any of |both (?:of )?)?(?:that|those|these)(?: \w+)? "
    r"(?P<unit>dates?|days?|weekends?|week|period|time|times|hours|stretch|interval|span|absence|fortnight)(?:'s)?"
)
"""What points at a time that was told."""
BEFORE_PERIOD = frozenset("on in during over at for of within throughout all any both that those these".split())
POINTING = frozenset({"that", "those", "these"})
LONGEST_PERIOD = 6
"""Words of such a phrase."""


def period_at(items: Sequence[Item], at: int) -> tuple[int, str] | None:
    """How many items "on those days", "in that period" take, and the unit; None where none stands at `at`."""
    if items[at].low.partition(" ")[0] not in BEFORE_PERIOD:
        return None
    head = [word for item in items[at : at + 3] for word in item.low.split()]
    if not POINTING & set(head):
        return None
    for end in range(min(len(items), at + LONGEST_PERIOD), at, -1):
        match = PERIOD.fullmatch(" ".join(item.low for item in items[at:end]))
        if match is not None and any(item.kind in ("word", "time") for item in items[at:end]):
            return end - at, match["unit"]
    return None


def period_of(words: str, unit: str, setting: Setting) -> str:
    """The told time as it stands, or the whole week around it where "that week" is meant."""
    spec = _spec(words, setting)
    if unit == "day":
        return day_of(words, setting)
    if unit != "week" or spec is None or spec.start is None or (spec.stop and spec.stop - spec.start > timedelta(days=4)):
        return words
    monday = spec.start.astimezone(setting.zone) - timedelta(days=spec.start.weekday())
    sunday = monday + timedelta(days=6)
    return f"from {monday.day} {monday:%B} {monday.year} to {sunday.day} {sunday:%B} {sunday.year}"


def _day_of(spec: TimeSpec | None, setting: Setting) -> datetime | None:
    """A moment of the one day that a time falls within; None for a longer one and where no date is named."""
    if spec is None or not spec.has_date or spec.kind not in ("point", "range"):
        return None
    edge = spec.start or (spec.stop - MOMENT if spec.stop else None)
    if edge is None or (spec.start and spec.stop and spec.stop - spec.start > ONE_DAY):
        return None
    return edge.astimezone(setting.zone)


def coming_day(spec: TimeSpec | None, setting: Setting) -> str:
    """ "on Friday 1 December" for any time within a day to come, with its hours where it is a part of one ("Friday
    afternoon"); empty for what is past or longer."""
    day = _day_of(spec, setting)
    if spec is None or day is None:
        return ""
    if day.date() < setting.now.astimezone(setting.zone).date():
        return ""
    stop = spec.stop.astimezone(setting.zone) if spec.kind == "range" and spec.has_time and spec.start and spec.stop else day
    hours = f" from {day:%H:%M} to {stop:%H:%M}" if day < stop and day.date() == stop.date() else ""
    return f"{_on(day, setting)}{hours}"


def _on(day: datetime, setting: Setting) -> str:
    return f"on {day:%A} {day.day} {day:%B}{f' {day.year}' if day.year != setting.now.year else ''}"


def day_asked_about(spec: TimeSpec | None, setting: Setting) -> str:
    """ "on Friday 20 November" for any time within a day to come; empty for what is past or longer."""
    if spec is None or not coming_day(spec, setting):
        return ""
    edge = spec.start or spec.stop
    return _on(edge.astimezone(setting.zone) if edge is not None else setting.now, setting)


def _spec(words: str, setting: Setting) -> TimeSpec | None:
    return next((item.time for item in mark(words, setting) if item.time is not None), None)


def day_of(words: str, setting: Setting) -> str:
    """ "on Tuesday 5 December" for "on December 5 before 10"; the words themselves where they name no time of day."""
    spec = _spec(words, setting)
    if spec is None or not spec.has_time or not spec.has_date or not (spec.start or spec.stop):
        return words
    edge = spec.start or spec.stop
    return _on(edge.astimezone(setting.zone), setting) if edge is not None else words


THAT_DAY = re.compile(
    r"(?:\bon )?\b(?:(?:that|the)(?: very)? same|that(?: very| (?P<whole>whole|entire|full|complete))?|same) "
    r"(?P<part>day|morning|afternoon|evening)\b(?!['\u2019])",
    re.IGNORECASE,
)
"""A day, or a part of one, that was spoken of before."""


def on_that_day(text: str, limit: int, told: str, setting: Setting) -> tuple[str, str]:
    """`text` with the day meant in the place of "that day", "the same afternoon" before `limit`: the one that the text itself
    has named before it, else `told`. Behind it such words as point at no single day."""
    for found in reversed(list(THAT_DAY.finditer(text, 0, limit))):
        behind = mark(text[found.end() :], setting)[:1]
        noun = lexicon().nouns.at([behind[0].low], 0) if behind else None
        if noun is not None and noun[1][0] in ("event", "occasion", "mail"):
            continue
        part = "" if found["part"].lower() == "day" else f" in the {found['part'].lower()}"
        spoken_of = (_last_date(text[: found.start()], setting), told)
        day = next((day for words in spoken_of if (day := single_day(words, setting))), "" if part else told)
        if not day:
            return text, "" if told else found.group()
        day = f"the whole day {day}" if found["whole"] else day
        text = f"{text[: found.start()]}{day}{part}{text[found.end() :]}"
    return text, ""


def _last_date(text: str, setting: Setting) -> str:
    """The last date that is named in `text`."""
    dated = (item.text for item in reversed(mark(text, setting)) if item.time is not None and item.time.has_date)
    return next(dated, "")


def single_day(words: str, setting: Setting) -> str:
    """ "on Tuesday 5 December" for a time within one day; empty for a longer one and where none is named."""
    day = _day_of(_spec(words, setting) if words else None, setting)
    return _on(day, setting) if day is not None else ""


def hour_of(words: str, setting: Setting) -> str:
    """ "10:00" for "before 10 on December 5"; empty where no time of day is named."""
    spec = _spec(words, setting)
    if spec is None or not spec.has_time:
        return ""
    opens = spec.start is None or (spec.stop is not None and spec.start.astimezone(setting.zone).time() == time())
    edge = spec.stop if opens else spec.start
    return f"{edge.astimezone(setting.zone):%H:%M}" if edge is not None else ""
