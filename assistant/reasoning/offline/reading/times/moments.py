"""The times of a clause put together."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates.lexicon import EVENINGS, MORNINGS
from assistant.reasoning.offline.reading.slots import Timed, is_edge
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.times.stretches import DAY, WEEKDAY_CODES, each_day, united, without

MOMENT = timedelta(microseconds=1)
LEFT_OUT = frozenset({"not", "except", "excluding", "without", "besides", "avoid", "avoiding"})
"""Before a time these take it out."""
JOINERS = frozenset({"or", "and", ",", "&", "/"})


def merged(times: Sequence[Timed]) -> TimeSpec | None:
    """One time out of several mentions: a date and a time of day belong together."""
    from assistant.reasoning.offline.dates import merge

    moments = [timed for timed in times if timed.spec.kind != "duration"]
    if len(moments) == 1 and is_edge(moments[0]):
        return moments[0].spec.model_copy(update={"daily": True})
    specs = list(_listed([timed for timed in moments if timed.marker not in LEFT_OUT]))
    if not specs:
        return None
    repeats = [spec for spec in specs if spec.kind == "repeat"]
    if len(repeats) > 1:
        fullest = max(repeats, key=lambda spec: (spec.has_time, len(spec.rrule)))
        specs = [spec for spec in specs if spec.kind != "repeat" or spec is fullest]
    whole = specs[0]
    for spec in specs[1:]:
        if (bound := _within(whole, spec)) is not None:
            whole = bound
        elif (several := _each_of_several(whole, spec)) is not None:
            whole = several
        elif whole.kind == "repeat" or (whole.has_date and not spec.has_date):
            whole = merge(whole, spec)
        elif spec.has_date and not whole.has_date:
            whole = merge(spec, whole)
        elif whole.stop is not None and whole.stop == spec.start and not (whole.has_time or spec.has_time):
            whole = whole.model_copy(update={"kind": "range", "text": f"{whole.text} and {spec.text}", "stop": spec.stop})
    return _without(whole, [timed.spec for timed in moments if timed.marker in LEFT_OUT])


def _within(first: TimeSpec, second: TimeSpec) -> TimeSpec | None:
    """ "every day next week", "on Mondays in December": what recurs by days, on those of that time only."""
    again, days = (first, second) if first.kind == "repeat" else (second, first)
    hours = days.windows[0] if days.has_time and len(days.runs) == 1 and days.windows else None
    if again.kind != "repeat" or days.kind != "range" or (days.has_time and hours is None) or "UNTIL=" in again.rrule:
        return None
    rule = dict(part.split("=", 1) for part in again.rrule.split(";"))
    named = rule.get("BYDAY", "").split(",") if "BYDAY" in rule else WEEKDAY_CODES if rule["FREQ"] == "DAILY" else ()
    if not (again.start and days.start and days.stop) or not set(named) or not set(named) <= set(WEEKDAY_CODES):
        return None
    clock = hours.start if hours else again.start
    start = datetime.combine(days.start.date(), clock.time(), again.start.tzinfo)
    while WEEKDAY_CODES[start.weekday()] not in named:
        start += DAY
    until = (days.stop - MOMENT).date() if hours is None or hours.start < hours.stop else days.stop.date()
    if start.date() > until:
        return None
    lasting = hours.stop - hours.start if hours else again.stop - again.start if again.stop else None
    found: dict[str, object] = {"text": f"{again.text} {days.text}", "start": start, "stop": start + lasting if lasting else None}
    found |= {"has_date": True, "has_time": bool(hours) or again.has_time}
    return again.model_copy(update={**found, "rrule": f"{again.rrule};UNTIL={until:%Y%m%d}T235959Z"})


def _each_of_several(first: TimeSpec, second: TimeSpec) -> TimeSpec | None:
    """A time of day and several days, in either order."""
    days, hours = (first, second) if first.has_date else (second, first)
    several = days.has_date and not days.has_time and (days.windows or (days.kind == "range" and days.stop))
    return each_day(days, hours) if several and hours.has_time and not hours.has_date and hours.kind != "repeat" else None


def _without(whole: TimeSpec, left_out: Sequence[TimeSpec]) -> TimeSpec:
    for spec in left_out:
        whole = without(whole, spec) or whole
    return whole


def _listed(moments: Sequence[Timed]) -> tuple[TimeSpec, ...]:
    """The times wanted, those in a list of days ("Monday, Wednesday or Friday") as one."""
    found: list[TimeSpec] = []
    for timed in moments:
        spec = timed.spec
        joins = timed.marker in JOINERS and found and found[-1].has_date and spec.has_date and spec.kind != "repeat"
        together = united((found[-1], spec)) if joins else None
        if together:
            found[-1] = together
        else:
            found.append(spec)
    return tuple(found)


SEVEN = re.compile(r"(?<![\d:.])7[:.][0-5]\d(?! ?[ap]\.?m)(?![\d:.])", re.IGNORECASE)
"""Seven o'clock with its minutes, of which nothing says whether it is of the morning."""
TO_HOUR = re.compile(
    r"(?<!at )(?<!by )\b(?:five|ten) to (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE
)
OR_MORE = re.compile(r" or (?!so\b|more\b|thereabouts\b)", re.IGNORECASE)


def uncertain(items: Sequence[Item]) -> list[str]:
    """What is assumed of the times of something that is to be entered, where they can be read in two ways."""
    words, found = {item.low for item in items}, list[str]()
    for spec in (item.time for item in items if item.time is not None):
        if spec.kind == "duration" and spec.duration and OR_MORE.search(spec.text):
            found.append(f"the shorter of “{spec.text.removeprefix('for ')}”")
        if spec.start is None or not spec.has_time:
            continue
        if spec.kind == "point" and SEVEN.search(spec.text) and words.isdisjoint(MORNINGS | EVENINGS):
            found.append(f"“{spec.text}” is {spec.start:%H:%M}")
        if told := TO_HOUR.search(spec.text):
            until = f"-{spec.stop:%H:%M}" if spec.stop else ""
            found.append(f"“{told.group()}” is {spec.start:%H:%M}{until}")
    return found


def duration_of(times: Sequence[Timed]) -> timedelta | None:
    return next((timed.spec.duration for timed in times if timed.spec.kind == "duration"), None)
