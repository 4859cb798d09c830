"""A series that moves, with the instances that were changed or removed by themselves.

Google knows those by their original start. Once the series has moved no instance starts there any more, and what they were would
be lost: a removed one would come back, a changed one would be as all the others. So the removed are left out by the rules of the
series, in the same write, and what the changed say is written again to the instances that take their place; until that is done
it stands in the series itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from integrations.common.contentline import Block, made
from integrations.common.ical import CalendarObject, known_zone
from integrations.common.ical_events import Place as Standing
from integrations.common.ical_events import Timeline
from integrations.common.ical_times import Written, shifted_rule, shifted_values
from integrations.google.events import Item, Place, is_standing, moment, original_start
from integrations.types import Value

OWN = ("summary", "description", "location", "attendees", "transparency", "visibility", "colorId")
DATES = ("EXDATE", "RDATE")
HELD = "assistantCarried"
LONGEST_PROPERTY, MOST_PROPERTIES = 900, 30
"""Google takes 1,024 characters in each, and 32 kB in all."""


class Carried(Value):
    """An instance that was changed by itself: its original start, that of what takes its place, and what that must say."""

    old: datetime
    new: datetime
    title: str
    own: dict[str, Any]


CARRIED = TypeAdapter(list[Carried])


def held(carried: list[Carried]) -> dict[str, str]:
    """As private properties of the series, for it may be that nobody is left to write them after it has moved; nothing where
    they would be too long for that."""
    text = CARRIED.dump_json(carried).decode() if carried else ""
    pieces = [text[at : at + LONGEST_PROPERTY] for at in range(0, len(text), LONGEST_PROPERTY)]
    return {f"{HELD}{number}": piece for number, piece in enumerate(pieces)} if len(pieces) <= MOST_PROPERTIES else {}


def held_in(item: Item) -> dict[str, str]:
    """Those that are still to be written."""
    private = item.get("extendedProperties", {}).get("private", {})
    return {name: private[name] for name in sorted(private, key=lambda name: (len(name), name)) if name.startswith(HELD)}


def carried_in(item: Item) -> list[Carried]:
    text = "".join(held_in(item).values())
    return CARRIED.validate_json(text) if text else []


def clock(item: Item, place: Place) -> Written:
    """In what form its times are written, and by which clock it repeats."""
    if "date" in item["start"]:
        return Written("date", place.zone)
    zone = known_zone(item["start"].get("timeZone", "")) or place.zone
    return Written("utc", UTC) if zone.key in ("UTC", "Etc/UTC") else Written("zoned", zone, zone.key)


@dataclass(frozen=True)
class Move:
    """`series` as it was, and where its first instance goes; `exceptions` are the instances that are not as it says."""

    series: Item
    start: datetime
    place: Place
    exceptions: Sequence[Item] = ()

    @property
    def rules(self) -> list[str]:
        """Those of the series, moved. InvalidResponse where no rule says the same of the new days."""
        return [self._moved_rule(rule) for rule in self.series["recurrence"]]

    @property
    def left_out(self) -> list[str]:
        """Rules by which the removed instances stay away."""
        return self._without(self._by)

    @property
    def left_out_before(self) -> list[str]:
        """The same for a series that goes back to where it was."""
        return self._without(timedelta())

    @property
    def confuses(self) -> bool:
        """Whether an instance that was changed or removed would be taken for another one, whose start was its own."""
        lines = [self._style.line("DTSTART", self.start), *map(made, [*self.rules, *self.left_out])]
        block = Block("VEVENT", made("BEGIN:VEVENT"), list(lines), made("END:VEVENT"))
        known = Standing(self.place.account, self.place.calendar, "", "", self.place.owner, self.place.zone)
        moved = Timeline(CalendarObject("", (block,), ()), known)
        starts = (original_start(exception, self.place.zone) for exception in self.exceptions)
        return any(moved.instance(start) for start in starts if start)

    @property
    def carried(self) -> list[Carried]:
        """The changed instances."""
        found = []
        for exception in self.exceptions:
            own, old = self._own(exception) if is_standing(exception) else {}, original_start(exception, self.place.zone)
            if own and old:
                title = str(exception.get("summary", ""))
                found.append(Carried(old=old, new=self._moved_start(exception, self._by), title=title, own=own))
        return found

    @property
    def _style(self) -> Written:
        return clock(self.series, self.place)

    @property
    def _old(self) -> datetime:
        return self._style.local(moment(self.series["start"], self.place.zone))

    @property
    def _by(self) -> timedelta:
        return self._style.local(self.start) - self._old

    def _moved_rule(self, text: str) -> str:
        line = made(text)
        if line.name == "RRULE":
            return line.with_value(shifted_rule(line.value, self._old, self._by, self._style)).text
        return shifted_values(line, self._by, self._style).text if line.name in DATES else text

    def _without(self, by: timedelta) -> list[str]:
        removed = [exception for exception in self.exceptions if not is_standing(exception)]
        return [self._style.line("EXDATE", self._moved_start(exception, by)).text for exception in removed]

    def _moved_start(self, exception: Item, by: timedelta) -> datetime:
        start = original_start(exception, self.place.zone)
        assert start is not None
        return self._style.moment(self._style.local(start) + by)

    def _own(self, exception: Item) -> dict[str, Any]:
        """What it says by itself, as a patch; nothing where it only follows."""
        own = {name: exception.get(name) for name in OWN if exception.get(name) != self.series.get(name)}
        start, end = (moment(exception[side], self.place.zone) for side in ("start", "end"))
        first, last = (moment(self.series[side], self.place.zone) for side in ("start", "end"))
        if start != original_start(exception, self.place.zone) or end - start != last - first:
            own |= {"start": exception["start"], "end": exception["end"]}
        return own
