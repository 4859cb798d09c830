"""Offsets from today, so that the sample is as fresh on any day."""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from itertools import count, islice
from zoneinfo import ZoneInfo

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_OFFSET = re.compile(r"([+-]?)(\d+)(d|w|" + "|".join(WEEKDAYS) + ")")
_IN_TEXT = re.compile(r"\{(" + _OFFSET.pattern + r")(?::([^}]+))?\}")
_MORNING = timedelta(hours=9)


class Moments:
    """`-3d` is three days ago, `+2w` the second working day from now, `-1mon` the last Monday before today."""

    def __init__(self, now: datetime, zone: ZoneInfo) -> None:
        self.zone = zone
        self._now = now.astimezone(zone)
        self.today = self._now.date()

    def day(self, offset: str) -> date:
        found = _OFFSET.fullmatch(offset)
        if not found:
            raise ValueError(f"{offset!r} is no offset")
        sign, number, unit = -1 if found[1] == "-" else 1, int(found[2]), found[3]
        if unit == "d":
            return self.today + timedelta(days=sign * number)
        fits: Callable[[date], bool] = (
            (lambda day: day.weekday() < 5) if unit == "w" else (lambda day: day.weekday() == WEEKDAYS.index(unit))
        )
        days = (self.today + timedelta(days=sign * step) for step in count(1))
        return next(islice(filter(fits, days), number - 1, None))

    def at(self, text: str) -> datetime:
        """`text` is an offset and a local time: "+2w 14:30"."""
        offset, clock = text.split()
        return datetime.combine(self.day(offset), time.fromisoformat(clock), self.zone)

    def received(self, text: str) -> datetime:
        """As `at`, but never in the future: before nine in the morning, this morning's mails are drawn together."""
        moment = self.at(text)
        midnight = datetime.combine(self.today, time(), self.zone)
        if moment.date() < self.today or self._now - midnight >= _MORNING:
            return moment
        return midnight + timedelta(seconds=int((moment - midnight) * ((self._now - midnight) / _MORNING) / timedelta(seconds=1)))

    def fill(self, text: str) -> str:
        """Writes out the dates in a text: {+3w} is "Thursday, 26 November", {+3w:%A} "Thursday"."""
        return _IN_TEXT.sub(lambda found: self._written(self.day(found[1]), found[5] or ""), text)

    def _written(self, day: date, form: str) -> str:
        return day.strftime(form) if form else f"{day:%A}, {day.day} {day:%B}"
