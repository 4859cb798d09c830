"""Calendar rules in words."""

from datetime import date, datetime

from assistant.timetable import calendar
from assistant.timetable.phrases import (
    DAYS,
    MONTHS,
    ORDINALS,
    WEEKDAYS,
    Unsaid,
    at_times,
    date_in_words,
    each_day,
    every,
    in_months,
    joined,
    listed,
    nth_days,
    nth_weekdays,
    on_days,
)
from assistant.timetable.rules import Calendar

CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
UNITS = {"MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
SETS = {tuple(WEEKDAYS): "weekday", tuple(range(7)): "day", (5, 6): "weekend day"}


def calendar_in_words(rule: Calendar, today: date | None) -> str:
    """Raises Unsaid."""
    return _Words(rule).all() + _end(calendar.parts(rule.rrule), today)


def _end(given: dict[str, str], today: date | None) -> str:
    if count := given.get("COUNT"):
        return ", once" if int(count) == 1 else f", {count} times"
    until = given.get("UNTIL")
    return f", until {date_in_words(datetime.fromisoformat(until[:8]), today)}" if until else ""


class _Words:
    def __init__(self, rule: Calendar) -> None:
        self.start = rule.start
        self.given = calendar.parts(rule.rrule)
        self.frequency, self.every = self.given["FREQ"], int(self.given.get("INTERVAL", 1))
        self._has_none_of("BYYEARDAY", "BYWEEKNO")

    def all(self) -> str:
        if self.frequency in ("HOURLY", "MINUTELY"):
            return self._often()
        hours, minutes = self._numbers("BYHOUR", self.start.hour), self._numbers("BYMINUTE", self.start.minute)
        return f"{self._days()} {at_times(hours, minutes)}"

    def _often(self) -> str:
        self._has_none_of("BYHOUR", "BYMINUTE", "BYSETPOS", "BYMONTHDAY")
        return joined(every(self.every, UNITS[self.frequency]), on_days(self._weekdays() or range(7)), self._months())

    def _days(self) -> str:
        match self.frequency:
            case "DAILY":
                return self._daily()
            case "WEEKLY":
                return self._weekly()
            case "MONTHLY":
                return self._monthly()
            case _:
                return self._yearly()

    def _daily(self) -> str:
        self._has_none_of("BYMONTHDAY", "BYSETPOS")
        days = self._weekdays() or range(7)
        return joined(each_day(days) if self.every == 1 else joined(every(self.every, "day"), on_days(days)), self._months())

    def _weekly(self) -> str:
        self._has_none_of("BYMONTHDAY", "BYSETPOS")
        days = self._weekdays() or [self.start.weekday()]
        if self.every == 1:
            return joined(each_day(days), self._months())
        on = "on weekdays" if days == list(WEEKDAYS) else f"on {listed(DAYS[day] for day in days)}"
        return joined(every(self.every, "week"), on, self._months())

    def _monthly(self) -> str:
        on = self._days_of_month()
        return joined(f"on {on} of the month" if self.every == 1 else f"{every(self.every, 'month')} on {on}", self._months())

    def _yearly(self) -> str:
        months = self._numbers("BYMONTH", self.start.month)
        if "BYDAY" in self.given and "BYMONTH" in self.given:
            return f"{every(self.every, 'year')} on {self._days_of_month()} in {listed(MONTHS[month - 1] for month in months)}"
        self._has_none_of("BYDAY", "BYSETPOS")
        days = self._numbers("BYMONTHDAY", self.start.day)
        if min(days) < 0 or ("BYMONTHDAY" in self.given and "BYMONTH" not in self.given):
            raise Unsaid
        return f"{every(self.every, 'year')} on {listed(f'{day} {MONTHS[month - 1]}' for month in months for day in days)}"

    def _days_of_month(self) -> str:
        """ "the 1st and 15th", "the last Friday", "the last weekday"."""
        if "BYDAY" not in self.given:
            self._has_none_of("BYSETPOS")
            return nth_days(self._numbers("BYMONTHDAY", self.start.day))
        self._has_none_of("BYMONTHDAY")
        if "BYSETPOS" in self.given:
            return self._chosen()
        return nth_weekdays([(int(code[:-2] or 0), CODES.index(code[-2:])) for code in self.given["BYDAY"].split(",")])

    def _chosen(self) -> str:
        """Which one of some days of the week: "the last weekday", "the first Monday"."""
        positions, days = self._numbers("BYSETPOS", 0), self._weekdays()
        name = DAYS[days[0]] if len(days) == 1 else SETS.get(tuple(days))
        if len(positions) > 1 or positions[0] not in ORDINALS or not name:
            raise Unsaid
        return f"the {ORDINALS[positions[0]]} {name}"

    def _weekdays(self) -> list[int]:
        codes = self.given.get("BYDAY", "")
        if any(char.isdigit() for char in codes):
            raise Unsaid
        return sorted({CODES.index(code) for code in codes.split(",")}) if codes else []

    def _months(self) -> str:
        return in_months(self._numbers("BYMONTH", 0)) if "BYMONTH" in self.given else ""

    def _numbers(self, name: str, otherwise: int) -> list[int]:
        given = self.given.get(name)
        return sorted({int(number) for number in given.split(",")}) if given else [otherwise]

    def _has_none_of(self, *names: str) -> None:
        if self.given.keys() & set(names):
            raise Unsaid
