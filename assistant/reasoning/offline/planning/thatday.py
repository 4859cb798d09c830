"""The day and the hour of a time that was spoken of, in words that the grammar reads back."""

from datetime import time, timedelta

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.reading.entities import mark

ONE_DAY, MOMENT = timedelta(hours=25), timedelta(microseconds=1)
SAME_DAY = (
    ("on", "that", "same", "day"), ("on", "the", "same", "day"), ("on", "that", "day"), ("of", "that", "day"),
    ("that", "same", "day"),
    ("the", "same", "day"), ("that", "day"), ("same", "day"),
)  # fmt: skip


def coming_day(spec: TimeSpec | None, setting: Setting) -> str:
    """ "on Friday 1 December" for any time within a day to come; empty for what is past or longer."""
    if spec is None or not spec.has_date or spec.kind not in ("point", "range"):
        return ""
    edge = spec.start or (spec.stop - MOMENT if spec.stop else None)
    if edge is None or (spec.start and spec.stop and spec.stop - spec.start > ONE_DAY):
        return ""
    day = edge.astimezone(setting.zone)
    if day.date() < setting.now.astimezone(setting.zone).date():
        return ""
    year = f" {day.year}" if day.year != setting.now.year else ""
    return f"on {day:%A} {day.day} {day:%B}{year}"


def _spec(words: str, setting: Setting) -> TimeSpec | None:
    return next((item.time for item in mark(words, setting) if item.time is not None), None)


def day_of(words: str, setting: Setting) -> str:
    """ "on Tuesday 5 December" for "on December 5 before 10"; the words themselves where they name no time of day."""
    spec = _spec(words, setting)
    if spec is None or not spec.has_time or not spec.has_date or not (spec.start or spec.stop):
        return words
    day = (spec.start or spec.stop).astimezone(setting.zone)  # type: ignore[union-attr]
    year = f" {day.year}" if day.year != setting.now.year else ""
    return f"on {day:%A} {day.day} {day:%B}{year}"


def with_day(said: str, words: str, setting: Setting) -> str:
    """ "1pm on that day" with the day of `words` in it; empty where no such day is spoken of."""
    low = said.lower()
    tail = next((tail for tail in (" ".join(phrase) for phrase in SAME_DAY) if low.endswith(f" {tail}")), "")
    spec = _spec(words, setting) if tail else None
    return f"{said[: -len(tail)]}{day_of(words, setting)}" if spec is not None and spec.has_date else ""


def hour_of(words: str, setting: Setting) -> str:
    """ "10:00" for "before 10 on December 5"; empty where no time of day is named."""
    spec = _spec(words, setting)
    if spec is None or not spec.has_time:
        return ""
    opens = spec.start is None or (spec.stop is not None and spec.start.astimezone(setting.zone).time() == time())
    edge = spec.stop if opens else spec.start
    return f"{edge.astimezone(setting.zone):%H:%M}" if edge is not None else ""
