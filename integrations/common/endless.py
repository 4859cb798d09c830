"""Rules of series that looking for their instances would never end with: anybody can send one in an invitation."""

import re
from math import prod

LONGEST = {month: 29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31 for month in range(1, 13)}
DAYS = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}
"""The most that one turn of a rule may have."""
DATES = {"BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"}
MEANINGLESS = {
    "HOURLY": DATES,
    "DAILY": {"BYYEARDAY", "BYWEEKNO"},
    "WEEKLY": {"BYYEARDAY", "BYWEEKNO"},
    "MONTHLY": {"BYYEARDAY", "BYWEEKNO"},
    "YEARLY": set[str](),
}
"""Most of it after RFC 5545, section 3.3.10. Other frequencies are too often."""
EARLIEST = {"HOURLY": 2000, "DAILY": 1900}
"""The year of its start: from there on every turn has to be gone through."""
MOST_IN_A_DAY = 100


def runs_away(rule: str, start: str) -> bool:
    """Whether it would take too long: what comes too often, or never. `start` is its DTSTART as written."""
    given = [part.split("=", 1) for part in rule.upper().strip().split(";") if "=" in part]
    parts = {name.strip(): value.strip() for name, value in given}
    often = parts.get("FREQ", "")
    if often not in MEANINGLESS or len(parts) < len(given) or MEANINGLESS[often] & parts.keys():
        return True
    if start[:4].isdigit() and int(start[:4]) < EARLIEST.get(often, 0):
        return True
    return _too_many(often, parts) or _never(often, parts)


def _too_many(often: str, parts: dict[str, str]) -> bool:
    return _times(often, parts) * (24 if often == "HOURLY" else 1) > MOST_IN_A_DAY


def _never(often: str, parts: dict[str, str]) -> bool:
    step = parts.get("INTERVAL", "1")
    if not (step.isascii() and step.isdigit() and int(step[:9]) > 0):
        return True
    week = {"HOURLY": 7 * 24, "DAILY": 7}.get(often)
    if "BYDAY" in parts and week and int(step[:9]) % week == 0:  # always on the day of the week that it begins on
        return True
    months, days, turns = (_numbers(parts, name) for name in ("BYMONTH", "BYMONTHDAY", "BYSETPOS"))
    longest = max((LONGEST.get(month, 0) for month in months), default=31)
    return longest < min(days, default=1) or min(turns, default=1) > _most(often, parts)


def _most(often: str, parts: dict[str, str]) -> int:
    """Instances in one turn."""
    days = max(1, len(parts.get("BYDAY", "").split(","))) if often == "WEEKLY" else DAYS.get(often, 1)
    return days * _times(often, parts)


def _times(often: str, parts: dict[str, str]) -> int:
    """In one day, or hour."""
    names = ("BYMINUTE", "BYSECOND") if often == "HOURLY" else ("BYHOUR", "BYMINUTE", "BYSECOND")
    return prod(len(set(_numbers(parts, name))) or 1 for name in names)


def _numbers(parts: dict[str, str], name: str) -> list[int]:
    """Without their signs."""
    return [int(number) for number in re.findall(r"\d{1,9}", parts.get(name, ""))]
