"""Cron rules in words."""

from collections.abc import Sequence

from cronsim import CronSim

from assistant.timetable import cron
from assistant.timetable.phrases import (
    MONTHS,
    Unsaid,
    at_times,
    every,
    in_months,
    joined,
    listed,
    nth_days,
    nth_weekdays,
    on_days,
    time_of_day,
)

MANY = 3
"""Up to so many hours of a day are named one by one."""


def cron_in_words(expression: str) -> str:
    """Raises Unsaid."""
    read = cron.read(expression)
    if not read.day_and:
        raise Unsaid  # either day is enough, which nobody would say
    minutes, hours, months = sorted(read.minutes), sorted(read.hours), sorted(read.months)
    dates, weekdays = _dates(read), _weekdays(read)
    if dates and weekdays:
        raise Unsaid
    if often := _often(minutes, hours):
        return joined(often, dates or weekdays, in_months(months))
    if dates and len(months) == 1 and len(read.days) == 1 and min(read.days) > 0:
        return f"every year on {min(read.days)} {MONTHS[months[0] - 1]} {at_times(hours, minutes)}"
    days = dates or {"": "every day", "on weekdays": "every weekday"}.get(weekdays, weekdays)
    return joined(days, in_months(months), at_times(hours, minutes))


def _often(minutes: Sequence[int], hours: Sequence[int]) -> str:
    """ "every 15 minutes", "every hour from 09:00 to 17:00"; empty where it comes at a few times of the day."""
    in_a_row = len(hours) == hours[-1] - hours[0] + 1
    span = f"from {time_of_day(hours[0], minutes[0])} to {time_of_day(hours[-1], minutes[-1])}" if len(hours) < 24 else ""
    if (step := _step(minutes, 60)) and in_a_row:
        return joined(every(step, "minute"), span)
    if len(minutes) > 1 or len(hours) <= MANY:
        return ""
    if step := _step(hours, 24):
        return joined(every(step, "hour"), f"at {minutes[0]} minutes past" if minutes[0] else "")
    return joined("every hour", span) if in_a_row else ""


def _step(numbers: Sequence[int], size: int) -> int:
    """n where they are every nth of `size`, from 0 on, else 0."""
    step = numbers[1] if len(numbers) > 1 and numbers[0] == 0 else 0
    return step if step and list(numbers) == list(range(0, size, step)) and size % step == 0 else 0


def _dates(read: CronSim) -> str:
    """Empty for every day of the month."""
    if len(read.days) == 31:
        return ""
    plain = [day for day in read.days if day > 0]
    names = [nth_days([*plain, *([-1] if cron.LAST in read.days else [])])] if plain or cron.LAST in read.days else []
    names += ["the last weekday"] if cron.LAST_WEEKDAY in read.days else []
    return f"on {listed(names)} of the month"


def _weekdays(read: CronSim) -> str:
    """Empty for every day of the week."""
    plain = sorted({(day - 1) % 7 for day in read.weekdays if isinstance(day, int)})
    nth = sorted((-1 if pair[1] == cron.LAST else pair[1], (pair[0] - 1) % 7) for pair in read.weekdays if isinstance(pair, tuple))
    if plain and nth:
        raise Unsaid
    return f"on {nth_weekdays(nth)} of the month" if nth else on_days(plain)
