"""Calendar rules (RFC 5545) on the wall clock."""

import re
from collections.abc import Iterator, Mapping
from datetime import MAXYEAR, datetime, timedelta
from functools import lru_cache

from dateutil.rrule import rrule, rrulestr

from assistant.timetable.rules import Calendar

LONGEST = 300
MOST = 1000
"""The largest COUNT and INTERVAL."""
YEARS = range(1901, 2100)
"""In which the calendar repeats every 28 years."""
SHAPE = re.compile(r"[A-Z]+=[-+A-Z0-9]+(,[-+A-Z0-9]+)*(;[A-Z]+=[-+A-Z0-9]+(,[-+A-Z0-9]+)*)*")
UNTIL = re.compile(r"\d{8}(T\d{6})?")
RANGES = {
    "INTERVAL": (1, MOST),
    "COUNT": (1, MOST),
    "BYMONTH": (1, 12),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYMONTHDAY": (-31, 31),
    "BYYEARDAY": (-366, 366),
    "BYWEEKNO": (-53, 53),
    "BYSETPOS": (-366, 366),
}
"""Those that count from the end too know no 0."""
OTHERS = ("FREQ", "UNTIL", "WKST", "BYDAY")
FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY")
STEPS = {
    "WEEKLY": timedelta(weeks=1),
    "DAILY": timedelta(days=1),
    "HOURLY": timedelta(hours=1),
    "MINUTELY": timedelta(minutes=1),
}


def parts(text: str) -> dict[str, str]:
    return dict(part.split("=") for part in text.upper().split(";"))


def walls(rule: Calendar, after: datetime) -> Iterator[datetime]:
    """The wall-clock times that follow. Raises ValueError."""
    whole = _parsed(rule.rrule, rule.start)
    if "COUNT" in parts(rule.rrule):
        yield from whole.xafter(after)
    else:
        yield from whole.replace(dtstart=_start_near(rule, after)).xafter(after)


@lru_cache(maxsize=256)
def _parsed(text: str, start: datetime) -> rrule:
    """One that counts keeps what it has found, since it must begin at its start each time."""
    given = parts(text)
    if "UNTIL" in given and "T" not in given["UNTIL"]:
        given["UNTIL"] += "T235959"  # a day includes itself
    return rrulestr(";".join(f"{name}={value}" for name, value in given.items()), dtstart=start, cache="COUNT" in given)


def _start_near(rule: Calendar, after: datetime) -> datetime:
    """A start that leads to the same times from `after` on, so that the years in between needn't be walked through."""
    given = parts(rule.rrule)
    every, start = int(given.get("INTERVAL", 1)), rule.start
    if step := STEPS.get(given["FREQ"]):
        step *= every
        return start + max((after - start) // step - 1, 0) * step
    for year in range(start.year + max((after.year - start.year) // every - 1, 0) * every, start.year, -every):
        try:
            return start.replace(year=year)
        except ValueError:  # 29 February
            continue
    return start


def trouble(rule: Calendar) -> str:
    """One sentence why it can't be used, else empty."""
    text = rule.rrule.upper()
    if len(text) > LONGEST:
        return f"This calendar rule is too long; {LONGEST} characters must do."
    if not SHAPE.fullmatch(text):
        return "A calendar rule looks like FREQ=WEEKLY;BYDAY=MO,TH."
    if rule.start.year not in YEARS:
        return f"A calendar rule starts in one of the years {YEARS[0]} to {YEARS[-1]}."
    given = parts(text)
    if len(given) < text.count("="):
        return "This calendar rule says the same thing twice."
    return _wrong_part(given) or _wrong_end(given, rule.start) or _empty(rule)


def _wrong_part(given: Mapping[str, str]) -> str:
    frequency = given.get("FREQ")
    if frequency == "SECONDLY" or "BYSECOND" in given:
        return "A schedule can't be due more often than once a minute."
    if frequency not in FREQUENCIES:
        return f"FREQ must be one of {', '.join(FREQUENCIES)}."
    if frequency not in ("MONTHLY", "YEARLY") and any(char.isdigit() for char in given.get("BYDAY", "")):
        return "The first or last such day (BYDAY with a number) goes with FREQ=MONTHLY and FREQ=YEARLY only."
    for name, value in given.items():
        if name in RANGES:
            if not all(_is_within(number, *RANGES[name]) for number in value.split(",")):
                return f"{name} is out of range."
        elif name not in OTHERS:
            return f"A schedule's calendar rule can't have {name}."
    return ""


def _is_within(value: str, lowest: int, highest: int) -> bool:
    try:
        number = int(value)
    except ValueError:
        return False
    return lowest <= number <= highest and (number != 0 or lowest == 0)


def _wrong_end(given: Mapping[str, str], start: datetime) -> str:
    until = given.get("UNTIL")
    if not until:
        return ""
    if "COUNT" in given:
        return "A calendar rule ends by COUNT or by UNTIL, not by both."
    if not UNTIL.fullmatch(until):
        return "UNTIL is a day or a time on the wall clock, such as 20261231 or 20261231T180000."
    return "It would end before it begins." if until[:15] < f"{start:%Y%m%dT%H%M%S}"[: len(until)] else ""


def _empty(rule: Calendar) -> str:
    """dateutil looks for a time until the year 9999, so the rule is tried on years like these shortly before that."""
    years = 7888 + (9971 - 7888 - rule.start.year) // 28 * 28  # 9901 is like 2013
    try:
        whole = _parsed(rule.rrule, rule.start)
        until = whole._until
        if until:
            until = until.replace(year=until.year + years) if until.year + years <= MAXYEAR else None
        last_years = whole.replace(dtstart=rule.start.replace(year=rule.start.year + years), until=until)
        return "" if next(iter(last_years), None) else "There is no such day, so it would never be due."
    except (ValueError, KeyError) as wrong:
        return f"This calendar rule can't be used: {str(wrong).rstrip('.')}."
