"""An understood time in words that `read_times` reads back."""

from datetime import datetime, timedelta

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates.lexicon import BYDAY

DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FULL_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
ORDINAL_NAMES = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
UNIT_NAMES = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour", "MINUTELY": "minute"}


def say(spec: TimeSpec, now: datetime) -> str:
    """ "Thu 26 Nov 2026, 15:00"; `now` marks today and tomorrow."""
    match spec.kind:
        case "duration":
            return say_length(spec.duration or timedelta())
        case "repeat":
            return _say_repeat(spec)
        case "point":
            return _say_point(spec, now)
        case _:
            return _say_range(spec)


def _date(at: datetime) -> str:
    return f"{DAY_NAMES[at.weekday()]} {at.day} {MONTH_NAMES[at.month - 1]} {at.year}"


def _time(at: datetime) -> str:
    return f"{at:%H:%M:%S}" if at.second else f"{at:%H:%M}"


def _both(at: datetime) -> str:
    return f"{_date(at)}, {_time(at)}"


def _say_point(spec: TimeSpec, now: datetime) -> str:
    if spec.start is None:
        return spec.text
    if not spec.has_time:
        return _date(spec.start)
    return _both(spec.start) if spec.has_date else _time(spec.start)


def _midnight(at: datetime) -> bool:
    return at.hour == at.minute == at.second == 0


def _say_range(spec: TimeSpec) -> str:
    if spec.windows:
        return " and ".join(_say_run(run.start, run.stop) for run in spec.runs)
    start, stop = spec.start, spec.stop
    if not spec.has_date:
        return _say_hours(start, stop)
    if start and stop:
        if _midnight(start) and _midnight(stop):
            last = stop - timedelta(days=1)
            return _date(start) if last.date() == start.date() else f"{_date(start)} to {_date(last)}"
        if start.date() == stop.date() or (_midnight(stop) and (stop - timedelta(days=1)).date() == start.date()):
            return f"{_both(start)} to {'24:00' if _midnight(stop) else _time(stop)}"
        return f"{_both(start)} to {_both(stop)}"
    if start:
        return f"from {_date(start) if _midnight(start) else _both(start)} on"
    if stop:
        return f"until {_date(stop - timedelta(days=1))}" if _midnight(stop) else f"until {_both(stop)}"
    return spec.text


def _say_run(start: datetime, stop: datetime) -> str:
    if start == stop:
        return _both(start)
    last = stop - timedelta(microseconds=1)
    if (_midnight(start) and _midnight(stop)) or start.date() == last.date():
        return _say_range(TimeSpec(kind="range", start=start, stop=stop, has_date=True, has_time=True))
    return f"{_date(start)} to {_date(last)}, {_time(start)} to {'24:00' if _midnight(stop) else _time(stop)} each day"


def _say_hours(start: datetime | None, stop: datetime | None) -> str:
    if start and stop:
        return f"{_time(start)} to {_time(stop)}"
    return f"after {_time(start)}" if start else f"before {_time(stop)}" if stop else ""


def say_length(length: timedelta) -> str:
    """ "1 hour 30 minutes"; days are not folded into weeks."""
    seconds = int(length.total_seconds())
    parts: list[str] = []
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}{'s' if count != 1 else ''}")
    return " ".join(parts) or "0 minutes"


def say_rule(rrule: str) -> str:
    """ "every 2 weeks on Tuesday, until Fri 25 Dec 2026"."""
    return _say_repeat(TimeSpec(kind="repeat", rrule=rrule))


def _say_repeat(spec: TimeSpec) -> str:
    rule = dict(part.split("=", 1) for part in spec.rrule.split(";") if "=" in part)
    words = _pattern_words(rule)
    if spec.start and spec.has_time:
        words += f" from {_time(spec.start)} to {_time(spec.stop)}" if spec.stop else f" at {_time(spec.start)}"
    if spec.start:
        words += f", starting {_date(spec.start)}"
    if until := rule.get("UNTIL"):
        words += f", until {_date(datetime.strptime(until[:8], '%Y%m%d'))}"  # noqa: DTZ007
    if count := rule.get("COUNT"):
        words += f", {count} times"
    return words


def _pattern_words(rule: dict[str, str]) -> str:
    every = int(rule.get("INTERVAL", "1"))
    unit = UNIT_NAMES.get(rule.get("FREQ", ""), rule.get("FREQ", "").lower())
    days = [code for code in rule.get("BYDAY", "").split(",") if code]
    if days and days[0][:-2]:
        nth = ORDINAL_NAMES.get(int(days[0][:-2]), days[0][:-2])
        return (
            f"every {nth} {FULL_NAMES[BYDAY.index(days[0][-2:])]} of the month"
            if every == 1
            else f"every {every} months on the {nth} " + (FULL_NAMES[BYDAY.index(days[0][-2:])])
        )
    if days == list(BYDAY[:5]) and every == 1:
        return "every weekday"
    if days:
        names = [FULL_NAMES[BYDAY.index(code)] for code in days]
        listed = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
        return f"every {listed}" if every == 1 else f"every {every} weeks on {listed}"
    base = f"every {unit}" if every == 1 else f"every {every} {unit}s"
    numbers = [int(n) for n in rule.get("BYMONTHDAY", "").split(",") if n]
    if "BYMONTH" in rule and numbers:
        return f"every {numbers[0]} {MONTH_NAMES[int(rule['BYMONTH']) - 1]}"
    if numbers:
        return f"{base} on the " + " and ".join("last day" if n == -1 else _nth(n) for n in numbers)
    return base


def _nth(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
