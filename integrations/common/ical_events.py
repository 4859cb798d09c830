"""The events that a calendar object stands for, in the user's zone."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal
from zoneinfo import ZoneInfo

from integrations.common.contentline import Block, Line, Malformed
from integrations.common.fields import LINE, Texts
from integrations.common.ical import (
    LONGEST_LINE,
    MOST_ATTENDEES,
    REPEATS,
    SLACK,
    CalendarObject,
    Properties,
    known_zone,
    parsed,
    reason_of,
    vevents,
)
from integrations.common.people import email_address, plain
from integrations.types import Address, Answer, Attendee, Event

if TYPE_CHECKING:
    from icalendar import Calendar

    from integrations.common.recurrence import Expansion, Instance

ANSWERS: dict[str, Answer] = {
    "NEEDS-ACTION": "needs-action",
    "ACCEPTED": "accepted",
    "DECLINED": "declined",
    "TENTATIVE": "tentative",
}
STATUSES: dict[str, Literal["confirmed", "tentative", "cancelled"]] = {"TENTATIVE": "tentative", "CANCELLED": "cancelled"}
TEXTS = {"SUMMARY": "title", "LOCATION": "location", "DESCRIPTION": "description"}
MARGIN = timedelta(days=45)
LONGEST_KEPT = timedelta(days=1100)


@dataclass(frozen=True)
class Place:
    """What an event's text does not say about it."""

    account: str
    calendar: str
    id: str
    etag: str
    owner: str
    zone: ZoneInfo
    sample: bool = False
    answering: bool = False
    """Whether the calendar server itself tells organisers what becomes of the owner's copies (RFC 6638)."""


class Timeline:
    """The events of one calendar object. What was parsed and expanded is kept; not for use by two threads at once."""

    def __init__(self, source: CalendarObject, place: Place) -> None:
        self.source = source
        self.place = place
        self._covered: tuple[datetime, datetime] | None = None
        self._events: list[Event] = []

    def between(self, start: datetime, end: datetime) -> list[Event]:
        """Instances overlapping [start, end), cancelled ones included; raises Malformed."""
        days = self.source.days
        if days and (days[0] >= end.date() + SLACK or days[1] <= start.date() - SLACK):
            return []
        if not self.recurs:
            return [event for event in [self.first] if overlaps(event, start, end)]
        if self._covered is None or start < self._covered[0] or end > self._covered[1]:
            self._cover(start, end)
        return [event for event in self._events if overlaps(event, start, end)]

    @cached_property
    def recurs(self) -> bool:
        return any(block.get(name) for block in self.source.blocks for name in (*REPEATS, "RECURRENCE-ID"))

    @cached_property
    def invites(self) -> bool:
        """Whether the owner is among the attendees."""
        owner = self.place.owner.lower()
        lines = (line for block in self.source.blocks for line in block.all("ATTENDEE"))
        return bool(owner) and any(attendee_email(line) == owner for line in lines)

    @property
    def first(self) -> Event:
        """The event, or the series as its own VEVENT has it."""
        return self._base[0]

    def instance(self, recurrence: datetime) -> Event | None:
        """The instance that originally starts then."""
        if not self.recurs:
            return None
        kept = self._covered and self._covered[0] + MARGIN <= recurrence <= self._covered[1] - MARGIN
        for event in self._events if kept else self._expand(recurrence - MARGIN, recurrence + MARGIN):
            if event.recurrence == recurrence:
                return event
        # An override may have been moved anywhere.
        moved = (base for base in self._base if base.recurrence == recurrence)
        return next(moved, None)

    @cached_property
    def calendar(self) -> "Calendar":
        return parsed(self.source)

    def value(self, block: Block, name: str) -> Any:
        """icalendar's value of a property, None where the block lacks it."""
        at = next(at for at, own in enumerate(self.source.blocks) if own is block)
        return vevents(self.calendar)[at].get(name)

    def moment(self, block: Block, name: str) -> datetime | None:
        value = self.value(block, name)
        return None if value is None else self._local(value.dt)

    def times(self, block: Block) -> tuple[datetime, datetime]:
        at = next(at for at, own in enumerate(self.source.blocks) if own is block)
        return self._span(vevents(self.calendar)[at])

    @cached_property
    def zone(self) -> tzinfo:
        """Where its floating times are local."""
        return known_zone(self.source.floating) or self.place.zone

    @cached_property
    def _parts(self) -> list[tuple[Properties, Block]]:
        """Each VEVENT as parsed and as written, the series' own first."""
        pairs = zip(vevents(self.calendar), self.source.blocks, strict=True)
        return sorted(pairs, key=lambda pair: ("RECURRENCE-ID" in pair[0], -_sequence(pair[0])))

    @cached_property
    def _base(self) -> list[Event]:
        try:
            return [self._event(component, block) for component, block in self._parts]
        except Malformed:
            raise
        except Exception as error:  # a parser fed with anything raises anything
            raise Malformed(reason_of(error)) from error

    @cached_property
    def _expansion(self) -> "Expansion":
        from integrations.common.recurrence import Expansion

        return Expansion(self.calendar, self.zone)

    def _cover(self, start: datetime, end: datetime) -> None:
        low, high = start - MARGIN, end + MARGIN
        if self._covered:
            wider = min(low, self._covered[0]), max(high, self._covered[1])
            low, high = wider if wider[1] - wider[0] < LONGEST_KEPT else (low, high)
        self._events = self._expand(low, high)
        self._covered = low, high

    def _expand(self, start: datetime, end: datetime) -> list[Event]:
        followed = {
            id(component): event.model_copy(update={"etag": self.source.instance_etag(block)})
            for (component, block), event in zip(self._parts, self._base, strict=True)
        }
        try:
            found = self._expansion.between(start, end)
            return [self._instance(followed[id(instance.component)], instance) for instance in found]
        except Exception as error:
            raise Malformed(reason_of(error)) from error

    def _instance(self, base: Event, instance: "Instance") -> Event:
        start, end = self._local(instance.start), self._local(instance.end)
        return base.model_copy(update={"start": start, "end": end, "recurrence": self._local(instance.recurrence)})

    def _event(self, component: Properties, block: Block) -> Event:
        place, start, texts = self.place, component["DTSTART"].dt, Texts()
        begins, ends = self._span(component)
        organizer = component.get("ORGANIZER")
        attendees = [found for one in _listed(component, "ATTENDEE") if (found := _attendee(one, texts))]
        mine = next((attendee.answer for attendee in attendees if attendee.address.email == place.owner.lower()), "")
        status = STATUSES.get(str(component.get("STATUS", "")).upper(), "confirmed")
        free = str(component.get("TRANSP", "")).upper() == "TRANSPARENT" or mine == "declined" or status == "cancelled"
        own = component.get("RECURRENCE-ID")
        inviting = _address(organizer, texts) if organizer is not None and not isinstance(organizer, list) else None
        said: dict[str, Any] = {
            "title": texts.word(_value(component, "SUMMARY"), "title"),
            "location": texts.lines(_value(component, "LOCATION"), "location", LINE),
            "description": texts.described(_value(component, "DESCRIPTION")),
            "attendees": texts.most(attendees, "attendees"),
        }
        _note_what_was_left_out(block, texts)
        return Event(
            account=place.account,
            calendar=place.calendar,
            id=place.id,
            etag=place.etag if own is None else self.source.instance_etag(block),
            uid=self.source.uid,
            start=begins,
            end=ends,
            all_day=not isinstance(start, datetime),
            zone=zone_name(component["DTSTART"]),
            recurrence=self._local(own.dt) if own else None,
            series=self.recurs,
            rrule=self._rrule,
            organizer=inviting,
            status=status,
            busy=not free,
            my_answer=mine,
            guest=inviting is not None and inviting.email != place.owner.lower() and not self._answered(status),
            sample=place.sample,
            oddities=texts.found,
            **said,
        )

    def _answered(self, status: str) -> bool:
        """Whether its organiser hears when it is removed. A server can be asked not to, of one that was called off."""
        return self.place.answering and (self.recurs or status != "cancelled")

    @cached_property
    def _rrule(self) -> str:
        rules = [line.value.strip() for block in self.source.blocks for line in block.all("RRULE")]
        return rules[0] if rules else ""

    def _span(self, component: Properties) -> tuple[datetime, datetime]:
        start = component["DTSTART"].dt
        end, duration = component.get("DTEND"), component.get("DURATION")
        begins = self._local(start)
        if end is not None:
            ends = self._local(end.dt)
        elif duration is not None:
            ends = self._local(start + duration.dt) if not isinstance(start, datetime) else later(begins, duration.dt)
        else:
            ends = begins
        if not isinstance(start, datetime) and ends <= begins:
            ends = self._local(start + timedelta(days=1))
        return min(begins, ends, key=_instant), max(begins, ends, key=_instant)

    def _local(self, moment: date) -> datetime:
        if not isinstance(moment, datetime):
            return datetime.combine(moment, time(), self.place.zone)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=self.zone)
        return aware.astimezone(self.place.zone)


def overlaps(event: Event, start: datetime, end: datetime) -> bool:
    """An event without length counts where it starts."""
    begins, ends = event.start, event.end
    if begins.fold or ends.fold or start.fold or end.fold:  # within one zone, times are compared as the clock shows them
        begins, ends, start, end = map(_instant, (begins, ends, start, end))
    return begins < end and (ends > start or begins == ends == start)


def _instant(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def later(moment: datetime, duration: timedelta) -> datetime:
    """`duration` of real time after an aware moment, across clock changes, in its zone."""
    return (moment.astimezone(UTC) + duration).astimezone(moment.tzinfo)


def zone_name(value: object) -> str:
    """The IANA name a date-time property was written in; empty for dates and floating times."""
    moment = getattr(value, "dt", None)
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        return ""
    written = str(getattr(value, "params", {}).get("TZID", ""))
    return getattr(moment.tzinfo, "key", "") or written or "UTC"


def attendee_email(line: Line) -> str:
    """Of an ATTENDEE or ORGANIZER property; some programs give an id as its value and the address beside it."""
    return email_address(line.value) or email_address(line.params.get("EMAIL", ""))


def haystack(event: Event) -> str:
    """What words are looked for in."""
    return plain("\n".join((event.title, event.location, event.description)))


def _listed(component: Properties, name: str) -> Iterator[object]:
    found = component.get(name, [])
    yield from found if isinstance(found, list) else [found]


def _note_what_was_left_out(block: Block, texts: Texts) -> None:
    """Before it was parsed."""
    for name, where in TEXTS.items():
        texts.add("cut", where, sum(len(line.text) > LONGEST_LINE for line in block.all(name)))
    texts.add("too_many", "attendees", len(block.all("ATTENDEE")) - MOST_ATTENDEES)


def _value(component: Properties, name: str) -> str:
    return str(next(_listed(component, name), ""))


def _address(value: object, texts: Texts) -> Address | None:
    params = getattr(value, "params", {})
    email = email_address(str(value)) or email_address(str(params.get("EMAIL", "")))
    return Address(email=email, name=texts.name(str(params.get("CN", "")))) if email else None


def _attendee(value: object, texts: Texts) -> Attendee | None:
    address = _address(value, texts)
    if address is None:
        return None
    params = getattr(value, "params", {})
    answer = ANSWERS.get(str(params.get("PARTSTAT", "NEEDS-ACTION")).upper(), "")
    return Attendee(address=address, answer=answer, optional=str(params.get("ROLE", "")).upper() == "OPT-PARTICIPANT")


def _sequence(component: Properties) -> int:
    found = next(_listed(component, "SEQUENCE"), 0)
    return found if isinstance(found, int) else 0
