"""Arithmetic on days that the rules share."""

from calendar import monthrange
from datetime import MAXYEAR, date, timedelta

from assistant.reasoning.offline.dates.nodes import Days, Length


def day(when: date) -> Days:
    return Days(when, when + timedelta(1))


def valid(year: int, month: int, number: int) -> date | None:
    if not 1 <= year < MAXYEAR or not 1 <= month <= 12 or not 1 <= number <= monthrange(year, month)[1]:
        return None
    return date(year, month, number)


def add_months(when: date, months: int) -> date:
    """The same day of another month, or that month's last day. OverflowError beyond the calendar."""
    year, month = divmod(when.year * 12 + when.month - 1 + months, 12)
    if not 1 <= year < MAXYEAR:
        raise OverflowError("date out of range")
    return date(year, month + 1, min(when.day, monthrange(year, month + 1)[1]))


def shift(when: date, length: Length, sign: int = 1) -> date:
    return add_months(when, sign * length.months) + timedelta(sign * length.days)


def monday(when: date) -> date:
    return when - timedelta(when.weekday())


def week(when: date) -> Days:
    start = monday(when)
    return Days(start, start + timedelta(7), "week")


def weekend(when: date) -> Days:
    start = monday(when) + timedelta(5)
    return Days(start, start + timedelta(2), "weekend")


def weekend_around(when: date) -> Days:
    """The weekend nearest to a day; a Friday or Monday that it is nearest to makes it longer."""
    saturday = on_or_before(when + timedelta(3), 5)
    return Days(min(saturday, when), max(saturday + timedelta(2), when + timedelta(1)), "weekend")


def month(year: int, number: int) -> Days:
    start = date(year, number, 1)
    return Days(start, add_months(start, 1), "month")


def year(number: int) -> Days:
    return Days(date(number, 1, 1), date(number + 1, 1, 1), "year")


def quarter(when: date) -> Days:
    start = date(when.year, when.month - (when.month - 1) % 3, 1)
    return Days(start, add_months(start, 3), "span")


def on_or_after(when: date, weekday: int) -> date:
    return when + timedelta((weekday - when.weekday()) % 7)


def on_or_before(when: date, weekday: int) -> date:
    return when - timedelta((when.weekday() - weekday) % 7)


def nth_weekday(span: Days, weekday: int, n: int) -> date | None:
    """The nth such day of a span; -1 is the last."""
    if n == -1:
        return on_or_before(span.stop - timedelta(1), weekday)
    found = on_or_after(span.start, weekday) + timedelta(7 * (n - 1))
    return found if found < span.stop else None


def easter(year: int) -> date:
    """Gregorian Easter Sunday (the anonymous computus)."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    moved = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * moved) // 433
    number = (h + moved - 7 * m + 90) // 25
    return date(year, number, (h + moved - 7 * m + 33 * number + 19) % 32)
