"""Expanding a series of events, with recurring-ical-events; imported only where there is a series."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from icalendar import Calendar
from recurring_ical_events import of
from recurring_ical_events.adapters.event import EventAdapter
from recurring_ical_events.occurrence import Occurrence
from recurring_ical_events.selection.name import ComponentsWithName

from integrations.common.ical import Properties, vevents


@dataclass(frozen=True, slots=True)
class Instance:
    """`component` is the VEVENT it follows: the series' own or an override. `recurrence` is its original start."""

    component: Properties
    start: date
    end: date
    recurrence: date


class _Adapter(EventAdapter):  # type: ignore[misc]
    @property
    def component(self) -> Properties:
        component: Properties = self._component
        return component


class _Occurrence(Occurrence):  # type: ignore[misc]
    def as_component(self, keep_recurrence_attributes: bool) -> Instance:
        """Instead of a copy of the whole component for every instance."""
        component = self._adapter.component
        override = component.get("RECURRENCE-ID")
        follows = override is None or override.params.get("RANGE") == "THISANDFUTURE"
        return Instance(component, self.start, self.end, self.start if follows else override.dt)


class Expansion:
    """One series. Naive times and dates are compared as local to `zone`."""

    def __init__(self, calendar: Calendar, zone: tzinfo) -> None:
        self._query = of(calendar, components=[ComponentsWithName("VEVENT", _Adapter, occurrence=_Occurrence)])
        self._zone = zone
        starts = [event["DTSTART"].dt for event in vevents(calendar)]
        self._aware = all(isinstance(start, datetime) and start.tzinfo for start in starts)

    def between(self, start: datetime, end: datetime) -> list[Instance]:
        """Instances that touch [start, end]; some more may come with them."""
        if self._aware:
            found: list[Instance] = self._query.between(start.astimezone(UTC), end.astimezone(UTC))
            return found
        # A day's slack: what mixes dates, floating and zoned times has no one clock to compare on.
        low, high = (moment.astimezone(self._zone).replace(tzinfo=None) for moment in (start, end))
        loose: list[Instance] = self._query.between(low - timedelta(days=1), high + timedelta(days=1))
        return loose
