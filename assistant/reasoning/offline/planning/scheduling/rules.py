"""A recurrence as a rule: cron where that says it all, else a calendar rule."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, time

from assistant.timetable.rules import Calendar, Cron, Rule

DAYS = ("SU", "MO", "TU", "WE", "TH", "FR", "SA")
"""In cron's order, from 0."""
BEGUN = re.compile(r"\b(?:starting|beginning|from|since|as of)\b", re.IGNORECASE)
SEVERAL = "These times have different minutes; please ask for them one by one, as schedules of their own."


WINDOW = "I can't say that as one schedule; give full hours of one day, like “every hour between 9 and 17”."


class BadRule(Exception):
    """Why no schedule can be made of it, as a sentence for the user."""


def anchored(words: str) -> bool:
    """Whether a recurrence was given a day on which it begins."""
    return BEGUN.search(words) is not None


def within(rrule: str, window: tuple[time, time] | None, weekdays: str) -> Cron:
    """A recurrence of hours or minutes between two hours of a day, on the days of `weekdays` (as BYDAY), else on all. Raises
    BadRule."""
    if window is None:
        raise BadRule(WINDOW)
    first, last = window
    fields = dict(part.split("=", 1) for part in rrule.split(";"))
    every = int(fields.get("INTERVAL", "1"))
    minutes = fields["FREQ"] == "MINUTELY"
    if first.minute or last.minute or last <= first or {"COUNT", "UNTIL"} & set(fields) or (minutes and 60 % every):
        raise BadRule(WINDOW)
    days = _weekdays(weekdays.split(",")) if weekdays else "*"
    if minutes:
        return Cron(expression=f"*/{every} {first.hour}-{last.hour - 1} * * {days}")
    hours = f"{first.hour}-{last.hour}" if every == 1 else ",".join(map(str, range(first.hour, last.hour + 1, every)))
    return Cron(expression=f"0 {hours} * * {days}")


def recurring(rrule: str, first: datetime, hours: Sequence[time], *, anchored: bool) -> Rule:
    """`first` is the wall-clock time of the first day; `hours` are one or more times of each day. Raises BadRule."""
    fields = dict(part.split("=", 1) for part in rrule.split(";"))
    hours = sorted(set(hours))
    plain = not anchored and not {"COUNT", "UNTIL"} & set(fields)
    if plain and (often := _often(fields)):
        return Cron(expression=often)
    if len({hour.minute for hour in hours}) > 1:
        raise BadRule(SEVERAL)
    minute, at = hours[0].minute, ",".join(str(hour.hour) for hour in hours)
    days = _days(fields, first) if plain else ""
    if days:
        return Cron(expression=f"{minute} {at} {days}")
    more = f";BYHOUR={at};BYMINUTE={minute}" if len(hours) > 1 else ""
    start = first.replace(hour=hours[0].hour, minute=minute, second=0, microsecond=0)
    return Calendar(rrule=re.sub(r"(UNTIL=\d{8}T\d{6})Z", r"\1", rrule) + more, start=start)


def _often(fields: Mapping[str, str]) -> str:
    """Several times a day, at even distances."""
    every = int(fields.get("INTERVAL", "1"))
    step = "*" if every == 1 else f"*/{every}"
    if fields["FREQ"] == "MINUTELY" and 60 % every == 0:
        return f"{step} * * * *"
    return f"0 {step} * * *" if fields["FREQ"] == "HOURLY" and 24 % every == 0 else ""


def _days(fields: Mapping[str, str], first: datetime) -> str:
    """The last three of cron's fields; empty where they can't say it."""
    kind, weekdays = fields["FREQ"], fields.get("BYDAY", "")
    dates, month = fields.get("BYMONTHDAY", ""), fields.get("BYMONTH", "")
    if "INTERVAL" in fields or re.search(r"\d", weekdays) or dates.startswith("-"):
        return ""
    if kind == "DAILY":
        return "* * *"
    if kind == "WEEKLY":
        return f"* * {_weekdays(weekdays.split(',') if weekdays else [DAYS[first.isoweekday() % 7]])}"
    if kind == "MONTHLY" and not weekdays:
        return f"{dates or first.day} * *"
    if kind == "YEARLY" and not weekdays:
        return f"{dates or first.day} {month or first.month} *"
    return ""


def _weekdays(names: Sequence[str]) -> str:
    """ "1-5" for the working days, else the numbers."""
    numbers = sorted(DAYS.index(name) for name in names)
    return "1-5" if numbers == [1, 2, 3, 4, 5] else ",".join(map(str, numbers))
