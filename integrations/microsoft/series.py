"""A series that moves, with the instances that were changed or removed by themselves.

Exchange drops those when the series gets other times: a removed one would come back, a changed one would be as all the others. So
what they were is written again to the instances that take their place; until that is done it stands in the series itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from integrations.common.ical_times import Written, shifted_rule
from integrations.microsoft.event_parts import email_of, taking_back, written_times
from integrations.microsoft.events import Item, Place, clock, description, original_start, rule, times
from integrations.microsoft.recurrence import recurrence_of
from integrations.types import Value

OWN = ("subject", "showAs", "sensitivity", "importance", "categories")
TIMES = frozenset({"start", "end", "recurrence"})
"""What of a series can't change without dropping what was changed in its instances."""
LONGEST_HELD = 30_000
"""Exchange takes some 32 kB in a property that it gives back as a whole."""


class Carried(Value):
    """An instance that was changed or removed by itself: the original start of what takes its place, and what that must say;
    `own` is None of one that was removed."""

    new: datetime
    title: str
    own: dict[str, Any] | None


CARRIED = TypeAdapter(list[Carried])
NOTHING = "[]"


def held(carried: Sequence[Carried]) -> str:
    """For it may be that nobody is left to write them after the series has moved. None of them where that would be too long."""
    text = CARRIED.dump_json(list(carried)).decode()
    return text if len(text) <= LONGEST_HELD else NOTHING


def carried_in(text: str) -> list[Carried]:
    return CARRIED.validate_json(text) if text else []


@dataclass(frozen=True)
class Move:
    """`series` as it was, and where its first instance goes. `changed` are its exceptions, `removed` the days on which an instance
    was removed, by the clock of the series."""

    series: Item
    start: datetime
    place: Place
    changed: Sequence[Item] = ()
    removed: Sequence[date] = ()

    @property
    def recurrence(self) -> dict[str, Any]:
        """That of the series, moved. InvalidResponse where none says the same of the new days."""
        all_day = bool(self.series.get("isAllDay"))
        moved = shifted_rule(rule(self.series, self.place), self._old, self._by, self._style)
        return recurrence_of(moved, self.start, clock(self.series, self.place.zone), all_day=all_day)

    @property
    def carried(self) -> list[Carried]:
        found = [Carried(new=self._moved(day), title="", own=None) for day in self.removed]
        for exception in self.changed:
            own, start = self._own(exception), original_start(exception, self.place.zone)
            if own and start:
                new = self._moved(self._style.local(start).date())
                found.append(Carried(new=new, title=str(exception.get("subject") or ""), own=own))
        return found

    @property
    def _style(self) -> Written:
        if self.series.get("isAllDay"):
            return Written("date", self.place.zone)
        zone = clock(self.series, self.place.zone)
        return Written("zoned", zone, zone.key)

    @property
    def _old(self) -> datetime:
        return self._style.local(times(self.series, self.place.zone)[0])

    @property
    def _by(self) -> timedelta:
        return self._style.local(self.start) - self._old

    def _moved(self, day: date) -> datetime:
        """Where the instance of a day goes. By its day: where the clock leaves out an hour, the time may be none of the series'."""
        return self._style.moment(datetime.combine(day, self._old.time()) + self._by)

    def _own(self, exception: Item) -> dict[str, Any]:
        """What it says by itself, as a patch; nothing where it only follows."""
        names = [name for name in OWN if exception.get(name) != self.series.get(name)]
        if description(exception) != description(self.series):
            names.append("body")
        if _where(exception) != _where(self.series):
            names.append("location")
        if _people(exception) != _people(self.series):
            names.append("attendees")
        own = taking_back(names, exception, self.place)
        start, end = times(exception, self.place.zone)
        first, last = times(self.series, self.place.zone)
        # In the night when clocks change it lasts as long as the series by the clock on the wall, or by all others.
        lengths = (end - start, end.astimezone(UTC) - start.astimezone(UTC))
        if start != original_start(exception, self.place.zone) or last - first not in lengths:
            own |= written_times(exception, self.place)
        return own


def removed_days(series: Item) -> list[date]:
    """Those that Graph names as OID, id of the series, and day."""
    return [date.fromisoformat(str(one)[-10:]) for one in series.get("cancelledOccurrences") or ()]


def _where(item: Item) -> str:
    return (item.get("location") or {}).get("displayName") or ""


def _people(item: Item) -> list[tuple[str, str]]:
    return sorted((email_of(one), str(one.get("type"))) for one in item.get("attendees") or ())
