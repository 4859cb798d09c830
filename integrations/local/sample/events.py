"""The sample's events as iCalendar objects."""

import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import Field

from integrations.common.contentline import Line, escape, prop
from integrations.local.sample.moments import Moments
from integrations.local.sample.people import People, Person
from integrations.types import Value

_WEEK = timedelta(weeks=1)


class PlannedEvent(Value):
    """As events.toml describes it. `moved` has one instance of a series elsewhere, `skipped` are days it leaves out."""

    id: str
    title: str
    at: str
    calendar: str = "calendar"
    minutes: int = 0
    days: int = 0
    years_back: int = 0
    zone: str = ""
    rrule: str = ""
    moved: Mapping[str, str] = {}
    skipped: tuple[str, ...] = ()
    organizer: str = "me"
    others: tuple[str, ...] = Field(default=(), alias="with")
    answer: str = ""
    location: str = ""
    description: str = ""
    status: Literal["CONFIRMED", "TENTATIVE"] = "CONFIRMED"
    free: bool = False

    @property
    def uid(self) -> str:
        return f"{self.id}.sample@northwind.example"


class PlannedCalendars(Value):
    """`calendars` are names by folder."""

    calendars: Mapping[str, str]
    events: tuple[PlannedEvent, ...]


def read_events() -> PlannedCalendars:
    return PlannedCalendars.model_validate(tomllib.loads((files(__package__) / "events.toml").read_text(encoding="utf-8")))


class EventBuilder:
    def __init__(self, moments: Moments, people: People) -> None:
        self._moments = moments
        self._people = people
        self._zones: dict[str, str] = {}

    def build(self, event: PlannedEvent, *, method: str = "") -> bytes:
        """`method` makes it a message to an attendee, as an invitation carries it."""
        lines = [prop("BEGIN", "VCALENDAR"), prop("VERSION", "2.0"), prop("PRODID", "-//personal-assistant//sample//EN")]
        if method:
            lines.append(prop("METHOD", method))
        text = "".join(f"{line.raw}\r\n" for line in lines)
        if not event.days:
            text += self._time_zone(self._zone(event))
        text += "".join(f"{line.raw}\r\n" for line in self._components(event))
        return (text + "END:VCALENDAR\r\n").encode()

    def _components(self, event: PlannedEvent) -> Iterator[Line]:
        yield from self._component(event, self._start(event))
        if event.moved:
            original = prop_at("RECURRENCE-ID", self._moments.at(event.moved["from"]), self._zone(event))
            instance = event.model_copy(update={"rrule": "", "skipped": ()})
            yield from self._component(instance, self._moments.at(event.moved["to"]), original)

    def _component(self, event: PlannedEvent, start: datetime | date, *more: Line) -> Iterator[Line]:
        stamp = f"{self._moments.today - timedelta(days=1):%Y%m%d}T000000Z"
        yield prop("BEGIN", "VEVENT")
        yield prop("UID", event.uid)
        yield prop("DTSTAMP", stamp)
        yield prop("SUMMARY", escape(event.title))
        yield from more
        yield from self._when(event, start)
        yield from self._who(event)
        if event.location:
            yield prop("LOCATION", escape(event.location))
        if event.description:
            yield prop("DESCRIPTION", escape(event.description))
        yield prop("STATUS", event.status)
        yield prop("TRANSP", "TRANSPARENT" if event.free else "OPAQUE")
        yield prop("SEQUENCE", "0")
        yield prop("END", "VEVENT")

    def _when(self, event: PlannedEvent, start: datetime | date) -> Iterator[Line]:
        zone = self._zone(event)
        if isinstance(start, datetime):
            yield prop_at("DTSTART", start, zone)
            yield prop_at("DTEND", start + timedelta(minutes=event.minutes), zone)
        else:
            yield prop("DTSTART", f"{start:%Y%m%d}", VALUE="DATE")
            yield prop("DTEND", f"{start + timedelta(days=event.days):%Y%m%d}", VALUE="DATE")
        if event.years_back:
            yield prop("RRULE", "FREQ=YEARLY")
        if event.rrule:
            yield prop("RRULE", event.rrule)
        if isinstance(start, datetime):
            for offset in event.skipped:
                yield prop_at("EXDATE", datetime.combine(self._moments.day(offset), start.time(), self._moments.zone), zone)

    def _who(self, event: PlannedEvent) -> Iterator[Line]:
        if not event.others and event.organizer == "me":
            return
        yield _calendar_user("ORGANIZER", self._people[event.organizer])
        for number, key in enumerate(event.others):
            # Some people are always late with their answers.
            answer = "NEEDS-ACTION" if number % 4 == 2 else "ACCEPTED"
            yield _calendar_user("ATTENDEE", self._people[key], PARTSTAT=answer, RSVP="TRUE")
        if event.organizer != "me":
            yield _calendar_user("ATTENDEE", self._people.me, PARTSTAT=event.answer, RSVP="TRUE")

    def _start(self, event: PlannedEvent) -> datetime | date:
        if event.days:
            day = self._moments.day(event.at)
            return day.replace(year=day.year - event.years_back)
        start = self._moments.at(event.at)
        while not _follows(event.rrule, start):
            start += _WEEK
        return start

    def _zone(self, event: PlannedEvent) -> ZoneInfo:
        return ZoneInfo(event.zone) if event.zone else self._moments.zone

    def _time_zone(self, zone: ZoneInfo) -> str:
        if zone.key not in self._zones:
            self._zones[zone.key] = "" if zone.key == "UTC" else _definition(zone, self._moments.today)
        return self._zones[zone.key]


def prop_at(name: str, moment: datetime, zone: ZoneInfo) -> Line:
    if zone.key == "UTC":
        return prop(name, f"{moment.astimezone(UTC):%Y%m%dT%H%M%S}Z")
    return prop(name, f"{moment.astimezone(zone):%Y%m%dT%H%M%S}", TZID=zone.key)


def _follows(rrule: str, start: datetime) -> bool:
    """Whether a monthly series may start then, so that its first instance is no exception to its own rule."""
    if "BYDAY=1" in rrule:
        return start.day <= 7
    if "BYDAY=-1" in rrule:
        return (start + _WEEK).month != start.month
    return True


def _calendar_user(name: str, person: Person, **params: str) -> Line:
    return prop(name, f"mailto:{person.email}", CN=person.name, **params)


def _definition(zone: ZoneInfo, today: date) -> str:
    from icalendar import Timezone

    first, last = date(today.year - 1, 1, 1), date(today.year + 10, 1, 1)
    definition = Timezone.from_tzid(zone.key, first_date=first, last_date=last)
    definition.pop("COMMENT", None)
    text: str = definition.to_ical().decode()
    return text
