"""What the rules read: days, times of day, lengths, moments."""

from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

T = TypeVar("T")
Edge = Literal["early", "mid", "late"]
Match = tuple[T, int] | None
"""What was read and the index of the token after it."""


class Days(NamedTuple):
    """Whole days from `start` up to, not including, `stop`. `guess` names what was not said, to be set right by what
    follows."""

    start: date
    stop: date
    grain: Literal["day", "week", "weekend", "month", "year", "span"] = "day"
    guess: Literal["", "year", "month", "week"] = ""
    weekday: int | None = None
    """Set where only a day of the week was named."""
    edge: Edge | Literal[""] = ""
    """Which part of a longer period these days are."""

    @property
    def single(self) -> bool:
        return self.grain == "day"


class Clock(NamedTuple):
    """A time of day. `sure` once am, pm or 24 hours were said (`full`: the latter); hour 24 is the midnight that ends the day."""

    hour: int
    minute: int = 0
    second: int = 0
    sure: bool = False
    zone: ZoneInfo | None = None
    full: bool = False
    early: bool = False
    """Rather of the morning, though that was not said."""

    @property
    def minutes(self) -> int:
        return self.hour * 60 + self.minute

    def half(self, afternoon: bool) -> "Clock":
        return self._replace(hour=self.hour % 12 + (12 if afternoon else 0), sure=True)


class Hours(NamedTuple):
    """A stretch of one day, open where a side is None. `deadline`: said with "by" or "until"."""

    start: Clock | None
    stop: Clock | None
    part: str = ""
    deadline: bool = False


class Length(NamedTuple):
    months: int = 0
    days: int = 0
    seconds: float = 0

    def plus(self, other: "Length") -> "Length":
        return Length(self.months + other.months, self.days + other.days, self.seconds + other.seconds)

    def times(self, factor: float) -> "Length | None":
        """None where a part of a month or of a day would be left over."""
        months, days = self.months * factor, self.days * factor
        if months != int(months):
            return None
        seconds = self.seconds * factor + (days - int(days)) * 86400
        return Length(int(months), int(days), seconds)

    @property
    def timedelta(self) -> timedelta:
        years, months = divmod(self.months, 12)
        return timedelta(days=years * 365 + months * 30 + self.days, seconds=self.seconds)


class Stretch(NamedTuple):
    """A range of instants counted from now; start == stop is a moment. `timed`: counted in hours or less."""

    start: datetime
    stop: datetime
    timed: bool = True


class Repeat(NamedTuple):
    """`first` is the first day; `again` the one after it, for when the time of the first is over already."""

    rrule: str
    first: date
    again: date
    time: Clock | Hours | None = None


class Draft(NamedTuple):
    """A date, a time of day, or both."""

    days: Days | None = None
    time: Clock | Hours | None = None


class Span(NamedTuple):
    """From one draft up to another; either may be open. `inclusive`: the day named last belongs to it."""

    start: Draft | None
    stop: Draft | None
    inclusive: bool = True


Node = Draft | Stretch | Length | Repeat | Span
