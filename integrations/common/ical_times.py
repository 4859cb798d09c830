"""How iCalendar writes moments, and moving them: in the clock of the place they are written for."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

from integrations.common.contentline import Block, Line, prop
from integrations.common.ical_events import Timeline
from integrations.errors import InvalidResponse

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
FIXED = ("BYSETPOS", "BYYEARDAY", "BYWEEKNO")
TIMES = ("BYHOUR", "BYMINUTE", "BYSECOND")
MOMENT = re.compile(r"\d{8}(?:T\d{6}Z?)?")


@dataclass(frozen=True)
class Written:
    """The form a moment is written in. `zone` is its clock: for dates and floating times the user's."""

    kind: Literal["date", "utc", "floating", "zoned"]
    zone: tzinfo
    tzid: str = ""

    def local(self, moment: datetime) -> datetime:
        """As its clock shows it, naive."""
        return moment.astimezone(self.zone).replace(tzinfo=None)

    def moment(self, local: datetime) -> datetime:
        return local.replace(tzinfo=self.zone)

    def line(self, name: str, moment: datetime) -> Line:
        local = self.local(moment)
        if self.kind == "date":
            return prop(name, f"{local:%Y%m%d}", VALUE="DATE")
        if self.kind == "zoned" and local.fold:  # in local time this hour of an autumn night means its first passing
            return prop(name, f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}")
        end = "Z" if self.kind == "utc" else ""
        return prop(name, f"{local:%Y%m%dT%H%M%S}{end}", TZID=self.tzid if self.kind == "zoned" else "")


def written(timeline: Timeline, block: Block, name: str = "DTSTART") -> Written:
    value = timeline.value(block, name)
    moment = value.dt
    if not isinstance(moment, datetime):
        return Written("date", timeline.place.zone)
    if moment.tzinfo is None:
        return Written("floating", timeline.zone)
    tzid = str(value.params.get("TZID", ""))
    return Written("zoned", moment.tzinfo, tzid) if tzid and tzid != "UTC" else Written("utc", UTC)


def shifted_values(line: Line, by: timedelta, style: Written) -> Line:
    """Every moment of an EXDATE, RDATE or RECURRENCE-ID moved by a difference on the clock."""
    return line.with_value(MOMENT.sub(lambda match: _shifted(match[0], by, style), line.value))


def shifted_rule(rule: str, old: datetime, by: timedelta, style: Written) -> str:
    """The rule of a series whose first start, `old` on its own clock, moves. InvalidResponse where no rule says the same of
    the new days."""
    new = old + by
    parts = dict(part.split("=", 1) for part in rule.upper().strip(" ;").split(";") if "=" in part)
    days = (new.date() - old.date()).days
    if (days and any(name in parts for name in FIXED)) or (new.time() != old.time() and any(name in parts for name in TIMES)):
        raise _too_complex()
    if days and "BYDAY" in parts:
        parts["BYDAY"] = ",".join(_moved_weekday(day, days, new.date(), parts["BYDAY"]) for day in parts["BYDAY"].split(","))
    if days and "BYMONTHDAY" in parts:
        parts["BYMONTHDAY"] = _replaced(parts["BYMONTHDAY"], old.day, new.day)
    if new.month != old.month and "BYMONTH" in parts:
        parts["BYMONTH"] = _replaced(parts["BYMONTH"], old.month, new.month)
    if "UNTIL" in parts:
        parts["UNTIL"] = _shifted(parts["UNTIL"], by if "T" in parts["UNTIL"] else timedelta(days=days), style)
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _shifted(text: str, by: timedelta, style: Written) -> str:
    if "T" not in text:
        return f"{datetime.combine(date.fromisoformat(text), time()) + by:%Y%m%d}"
    moment = datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007 (its clock is told by what surrounds it)
    if not text.endswith("Z"):
        return f"{moment + by:%Y%m%dT%H%M%S}"
    local = style.local(moment.replace(tzinfo=UTC)) + by
    return f"{style.moment(local).astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _moved_weekday(day: str, days: int, new: date, every: str) -> str:
    if day in WEEKDAYS:
        return WEEKDAYS[(WEEKDAYS.index(day) + days) % 7]
    if "," in every:
        raise _too_complex()
    if day.startswith("-"):
        return f"-{(_last_day(new) - new.day) // 7 + 1}{WEEKDAYS[new.weekday()]}"
    return f"{(new.day - 1) // 7 + 1}{WEEKDAYS[new.weekday()]}"


def _replaced(present: str, old: int, new: int) -> str:
    if present != str(old):
        raise _too_complex()
    return str(new)


def _last_day(day: date) -> int:
    following = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return (following - timedelta(days=1)).day


def _too_complex() -> InvalidResponse:
    return InvalidResponse("This series repeats by a rule that can't be moved to other days; change its instances one by one.")
