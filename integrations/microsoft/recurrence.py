"""How often an event repeats: Outlook's pattern and range, and the RRULE that says the same.

Where a month is too short for a day, Outlook takes the last one it has and a rule none. So "day 31" of Outlook is the last of the
days 28 to 31 in a rule, and a rule with nothing but BYMONTHDAY=31 has no pattern that says the same.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from integrations.common.contentline import Malformed
from integrations.common.ical_edit import checked_rule
from integrations.errors import InvalidResponse
from integrations.microsoft.zones import outlook_name

Recurrence = Mapping[str, Any]
"""A patternedRecurrence as Graph gives it."""
Parts = dict[str, str]

DAYS = {
    "monday": "MO",
    "tuesday": "TU",
    "wednesday": "WE",
    "thursday": "TH",
    "friday": "FR",
    "saturday": "SA",
    "sunday": "SU",
}
NAMES = {short: name for name, short in DAYS.items()}
INDEXES = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}
POSITIONS = {str(position): index for index, position in INDEXES.items()}
KINDS = {
    "daily": "DAILY",
    "weekly": "WEEKLY",
    "absoluteMonthly": "MONTHLY",
    "relativeMonthly": "MONTHLY",
    "absoluteYearly": "YEARLY",
    "relativeYearly": "YEARLY",
}
ALWAYS = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST"})
ALLOWED = {
    "DAILY": frozenset({"BYDAY"}),
    "WEEKLY": frozenset({"BYDAY"}),
    "MONTHLY": frozenset({"BYDAY", "BYMONTHDAY", "BYSETPOS"}),
    "YEARLY": frozenset({"BYMONTH", "BYDAY", "BYMONTHDAY", "BYSETPOS"}),
}
LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
SHORTEST = 28


def rule_of(recurrence: Recurrence, start: datetime, *, all_day: bool) -> str:
    """As an RRULE without its name. `start` is that of the first instance, in the zone whose clock the series follows. Malformed
    where it can't be read."""
    try:
        parts = _parts(recurrence["pattern"]) | _end_parts(recurrence.get("range") or {}, start, all_day)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise Malformed("how often it repeats can't be read") from error
    return ";".join(f"{name}={value}" for name, value in parts.items())


def recurrence_of(rule: str, start: datetime, zone: ZoneInfo, *, all_day: bool = False) -> dict[str, Any]:
    """InvalidResponse where Outlook has no pattern that says the same, or the rule leaves out its own first day."""
    parts: Parts = dict(part.split("=", 1) for part in checked_rule(rule).upper().split(";"))
    local = start.astimezone(zone).replace(tzinfo=None)
    if parts["FREQ"] not in ALLOWED or not parts.keys() <= ALWAYS | ALLOWED[parts["FREQ"]]:
        _refuse(rule)
    pattern = _pattern(parts, local, rule)
    ends = _range(parts, local, zone, rule, all_day)
    _refuse_a_wrong_start(parts, local, rule)
    return {"pattern": {"interval": int(parts.get("INTERVAL", "1")), **pattern}, "range": ends}


# Reading


def _parts(pattern: Mapping[str, Any]) -> Parts:
    kind, interval = pattern["type"], int(pattern.get("interval") or 1)
    parts = {"FREQ": KINDS[kind]} | ({"INTERVAL": str(interval)} if interval > 1 else {})
    if kind.endswith("Yearly"):
        parts["BYMONTH"] = str(int(pattern["month"]))
    if kind.startswith("absolute"):
        return parts | _monthday_parts(int(pattern["dayOfMonth"]), int(pattern["month"]) if kind == "absoluteYearly" else 0)
    if kind == "daily":
        return parts
    days = [DAYS[day.lower()] for day in pattern["daysOfWeek"]]
    days.sort(key=list(NAMES).index)
    if kind.startswith("relative"):
        return parts | _position_parts(days, INDEXES[pattern.get("index") or "first"])
    first = DAYS[(pattern.get("firstDayOfWeek") or "sunday").lower()]
    return parts | {"BYDAY": ",".join(days)} | ({"WKST": first} if interval > 1 and first != "MO" else {})


def _monthday_parts(day: int, month: int) -> Parts:
    longest = LONGEST_MONTHS[month - 1] if month else 31
    if day <= SHORTEST or (month and month != 2):
        return {"BYMONTHDAY": str(min(day, longest))}
    days = range(SHORTEST, min(day, longest) + 1)
    return {"BYMONTHDAY": ",".join(map(str, days)), "BYSETPOS": "-1"}


def _position_parts(days: Sequence[str], position: int) -> Parts:
    if len(days) == 1:
        return {"BYDAY": f"{position}{days[0]}"}
    return {"BYDAY": ",".join(days), "BYSETPOS": str(position)}


def _end_parts(ends: Mapping[str, Any], start: datetime, all_day: bool) -> Parts:
    kind = ends.get("type", "noEnd")
    if kind == "numbered":
        return {"COUNT": str(int(ends["numberOfOccurrences"]))}
    if kind != "endDate":
        return {}
    last = date.fromisoformat(ends["endDate"])
    if all_day:
        return {"UNTIL": f"{last:%Y%m%d}"}
    return {"UNTIL": f"{datetime.combine(last, start.timetz()).astimezone(UTC):%Y%m%dT%H%M%SZ}"}


# Writing


def _pattern(parts: Parts, start: datetime, rule: str) -> dict[str, Any]:
    frequency, days = parts["FREQ"], parts.get("BYDAY", "")
    if frequency == "DAILY" and not days:
        return {"type": "daily"}
    if frequency in ("DAILY", "WEEKLY"):
        if frequency == "DAILY" and parts.get("INTERVAL", "1") != "1":
            _refuse(rule)
        return _weekly(days or list(NAMES)[start.weekday()], parts.get("WKST", "MO"), rule)
    month = _month(parts, start, rule)
    if "BYMONTHDAY" in parts and days:
        _refuse(rule)
    if days:
        return _relative(days, parts.get("BYSETPOS", ""), rule) | ({"type": "relativeYearly", "month": month} if month else {})
    day = _day_of_month(parts.get("BYMONTHDAY", str(start.day)), parts.get("BYSETPOS", ""), month, rule)
    if month:
        return {"type": "absoluteYearly", "month": month, "dayOfMonth": day}
    return {"type": "absoluteMonthly", "dayOfMonth": day}


def _weekly(days: str, first: str, rule: str) -> dict[str, Any]:
    named = days.split(",")
    if not set(named) <= NAMES.keys() or first not in NAMES:
        _refuse(rule)
    return {"type": "weekly", "daysOfWeek": [NAMES[day] for day in named], "firstDayOfWeek": NAMES[first]}


def _month(parts: Parts, start: datetime, rule: str) -> int:
    """0 of a rule that repeats by months."""
    if parts["FREQ"] == "MONTHLY":
        return 0
    by_another = "BYDAY" in parts or "BYMONTHDAY" in parts
    month = parts.get("BYMONTH", "" if by_another else str(start.month))
    if not month.isdecimal() or not 1 <= int(month) <= 12:
        _refuse(rule)
    return int(month)


def _relative(days: str, position: str, rule: str) -> dict[str, Any]:
    named = days.split(",")
    if len(named) == 1 and not position:
        position, named = named[0][:-2], [named[0][-2:]]
    index = POSITIONS.get(position.removeprefix("+"))
    if index is None or not set(named) <= NAMES.keys():
        _refuse(rule)
    return {"type": "relativeMonthly", "daysOfWeek": [NAMES[day] for day in named], "index": index}


def _day_of_month(days: str, position: str, month: int, rule: str) -> int:
    longest = LONGEST_MONTHS[month - 1] if month else 31
    certain = longest if month and month != 2 else SHORTEST
    if days == "-1" and position in ("", "1", "-1"):
        return longest
    named = days.split(",")
    if not all(day.isdecimal() for day in named):
        _refuse(rule)
    numbers = [int(day) for day in named]
    if position == "-1" and numbers == list(range(SHORTEST, numbers[-1] + 1)) and SHORTEST < numbers[-1] <= longest:
        return numbers[-1]
    if len(numbers) > 1 or position not in ("", "1", "-1") or not 1 <= numbers[0] <= longest:
        _refuse(rule)
    if numbers[0] > certain:
        missing = f"Outlook can't leave out the months that have no day {numbers[0]}"
        raise InvalidResponse(f"{missing}; ask for the last day of the month, or for another day.")
    return numbers[0]


def _range(parts: Parts, start: datetime, zone: ZoneInfo, rule: str, all_day: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"startDate": f"{start:%Y-%m-%d}", "recurrenceTimeZone": outlook_name(zone)}
    if "COUNT" in parts and "UNTIL" in parts:
        raise InvalidResponse(f"The repetition {rule!r} has two ends.")
    if "COUNT" in parts:
        return found | {"type": "numbered", "numberOfOccurrences": int(parts["COUNT"])}
    if "UNTIL" not in parts:
        return found | {"type": "noEnd"}
    last = _last_day(parts["UNTIL"], start, zone, all_day)
    if last < start.date():
        raise InvalidResponse(f"The repetition {rule!r} ends before it begins.")
    return found | {"type": "endDate", "endDate": f"{last:%Y-%m-%d}"}


def _last_day(until: str, start: datetime, zone: ZoneInfo, all_day: bool) -> date:
    """The last day on which an instance may start."""
    if "T" not in until:
        return date.fromisoformat(until)
    moment = datetime.strptime(until.rstrip("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007 (its zone is told by what surrounds it)
    if until.endswith("Z"):
        moment = moment.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
    reached = all_day or datetime.combine(moment.date(), start.time()) <= moment
    return moment.date() if reached else date.fromordinal(moment.toordinal() - 1)


def _refuse_a_wrong_start(parts: Parts, start: datetime, rule: str) -> None:
    endless = ";".join(f"{name}={value}" for name, value in parts.items() if name not in ("COUNT", "UNTIL"))
    day = datetime.combine(start.date(), time())
    if rrulestr(endless, dtstart=day)[0] != day:
        raise InvalidResponse(f"In Outlook a series begins on a day of its own: {start:%A, %-d %B %Y} is none of {rule!r}.")


def _refuse(rule: str) -> NoReturn:
    raise InvalidResponse(f"Outlook has no way to repeat an event by {rule!r}.")
