"""What rules of either kind are worded with."""

from collections.abc import Iterable, Sequence
from datetime import date

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = range(5)
NUMBERS = ("", "", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last", -2: "last but one"}
MOST = 6
"""More times of a day, or days of a month, than this are no help."""


class Unsaid(Exception):
    """There are no everyday words for this rule."""


def joined(*words: str) -> str:
    return " ".join(filter(None, words))


def listed(words: Iterable[str]) -> str:
    *front, last = words
    return f"{', '.join(front)} and {last}" if front else last


def date_in_words(day: date, today: date | None) -> str:
    """The year is said where it is not that of `today`."""
    year = f" {day.year}" if today and day.year != today.year else ""
    return f"{day.day} {MONTHS[day.month - 1]}{year}"


def time_of_day(hour: int, minute: int) -> str:
    return f"{hour:02}:{minute:02}"


def at_times(hours: Sequence[int], minutes: Sequence[int]) -> str:
    if len(hours) * len(minutes) > MOST:
        raise Unsaid
    return f"at {listed(time_of_day(hour, minute) for hour in hours for minute in minutes)}"


def every(number: int, unit: str) -> str:
    if number == 1:
        return f"every {unit}"
    return f"every {NUMBERS[number] if number < len(NUMBERS) and unit not in ('minute', 'hour') else number} {unit}s"


def nth_days(days: Sequence[int]) -> str:
    """ "the 1st, 15th and last day": days of the month; those below 0 count from its end."""
    if len(days) > MOST:
        raise Unsaid
    return f"the {listed(map(_nth, sorted(days, key=lambda day: (day < 0, day))))}"


def _nth(number: int) -> str:
    if number < 0:
        return "last day" if number == -1 else f"{_nth(-number)} to last day"
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def nth_weekdays(pairs: Sequence[tuple[int, int]]) -> str:
    """ "the first and third Monday": of each which one in the month, and the day of the week."""
    if any(number not in ORDINALS for number, _ in pairs):
        raise Unsaid
    if len({day for _, day in pairs}) == 1:
        return f"the {listed(ORDINALS[number] for number, _ in pairs)} {DAYS[pairs[0][1]]}"
    return listed(f"the {ORDINALS[number]} {DAYS[day]}" for number, day in pairs)


def on_days(days: Sequence[int]) -> str:
    """ "on Mondays", "on weekdays"; empty for all seven."""
    if len(days) == 7:
        return ""
    return "on weekdays" if list(days) == list(WEEKDAYS) else f"on {listed(f'{DAYS[day]}s' for day in days)}"


def each_day(days: Sequence[int]) -> str:
    """ "every day", "every weekday", "on Mondays"."""
    on = on_days(days)
    return {"": "every day", "on weekdays": "every weekday"}.get(on, on)


def in_months(months: Sequence[int]) -> str:
    return "" if len(months) == 12 else f"in {listed(MONTHS[month - 1] for month in months)}"
