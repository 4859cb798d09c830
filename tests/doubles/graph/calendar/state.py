"""What the calendars of one mailbox hold, in plain objects."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from doubles.graph import ids
from doubles.graph.calendar import invitations, series
from doubles.graph.calendar.bodies import NOT_RESPONDED, Event, changed_event, new_event
from doubles.graph.calendar.times import moment, timestamp, utc
from doubles.graph.calls import GraphError, not_found

if TYPE_CHECKING:
    from doubles.graph.world import World

NOT_YET = datetime(1, 1, 1, tzinfo=UTC)


@dataclass
class Entry:
    """A single event or a series. `own`: what instances say by themselves, by the day they were to start on; `removed`: those that
    are gone. `posted` is the body it was made of. `change_key` is new with every change of it and of any of its instances."""

    event: Event
    uid: str
    organizer: Event
    created: datetime
    posted: Event = field(default_factory=dict)
    own: dict[date, Event] = field(default_factory=dict)
    removed: set[date] = field(default_factory=set)
    change_key: str = ""
    changed: datetime = NOT_YET

    @property
    def etag(self) -> str:
        return f'W/"{self.change_key}"'

    @property
    def recurrence(self) -> Event | None:
        return self.event.get("recurrence")


@dataclass(frozen=True)
class Found:
    """An event, or the instance that was to start on `day`."""

    calendar: "Calendar"
    entry: Entry
    id: str
    day: date | None = None

    @property
    def event(self) -> Event:
        return series.instance(self.entry, self.day) if self.day else self.entry.event

    @property
    def master(self) -> str:
        return self.calendar.id_of(self.entry)


@dataclass
class Calendar:
    """`zone` is what other programs write whole days in."""

    id: str
    name: str
    owner: str
    owner_name: str
    mailbox: "Calendars"
    can_edit: bool = True
    zone: str = "UTC"
    color: str = "auto"
    entries: dict[str, Entry] = field(default_factory=dict)

    @property
    def person(self) -> Event:
        name = self.mailbox.name if self.owner == self.mailbox.email else self.owner_name
        return {"emailAddress": {"name": name, "address": self.owner}}

    @property
    def is_default(self) -> bool:
        return self is self.mailbox.default

    def organizes(self, entry: Entry) -> bool:
        """Whether whoever the calendar belongs to is the organizer, not who reads it."""
        return str(entry.organizer["emailAddress"]["address"]).lower() == self.owner.lower()

    def id_of(self, entry: Entry) -> str:
        return next(id for id, one in self.entries.items() if one is entry)

    def found(self, id: str) -> Found | None:
        if id in self.entries:
            return Found(self, self.entries[id], id)
        named = series.named(id)
        entry = self.entries.get(named[0]) if named else None
        return Found(self, entry, id, named[1]) if named and entry and series.stands(entry, named[1]) else None

    def occurrence_id(self, master: str, original: datetime) -> str:
        """Of the instance that was to start then."""
        return series.occurrence_id(master, series.day_of(self.entries[master], original))

    def file(self, entry: Entry, id: str = "") -> str:
        """Under a new id unless one is given."""
        id = id or ids.new()
        self.entries[id] = entry
        self.mailbox.stamp(entry)
        return id

    def between(self, low: datetime, high: datetime) -> Iterator[Found]:
        """Single events and instances of which something is in [low, high)."""
        for id, entry in list(self.entries.items()):
            if entry.recurrence:
                for day in series.days_between(entry, low, high):
                    yield Found(self, entry, series.occurrence_id(id, day), day)
            elif touches(entry.event, low, high):
                yield Found(self, entry, id)

    # Somebody else's program

    def put(self, body: Event, *, organizer: Event | None = None, answer: Event | None = None, answers: Event | None = None) -> str:
        """Files an event that a body says, with invitations for its attendees; an `organizer` of its own makes it somebody else's,
        which is unanswered unless `answer` says otherwise. `answers` are those of the attendees, by address. The id."""
        event = new_event(body)
        for person in event["attendees"]:
            response = (answers or {}).get(person["emailAddress"]["address"].lower())
            person["status"] = {"response": response, "time": utc(self.mailbox.world.now())} if response else person["status"]
        id = self.file(self.mailbox.entry(event, organizer or self.person, posted=body))
        if organizer:
            self.entries[id].event |= answer or {"responseStatus": dict(NOT_RESPONDED), "showAs": invitations.unanswered(event)}
        invitations.share(self, self.entries[id])
        return id

    def event(self, id: str) -> Event:
        """All that is kept of it, in Graph's names."""
        found = self.found(id)
        if found is None:
            raise not_found()
        extended = [{"id": name, "value": value} for name, value in found.event["extended"].items()]
        kept = {name: deepcopy(it) for name, it in found.event.items() if name != "extended"}
        stamps = {"changeKey": found.entry.change_key, "lastModifiedDateTime": timestamp(found.entry.changed)}
        known = {"iCalUId": found.entry.uid, "organizer": deepcopy(found.entry.organizer)}
        return kept | known | stamps | {"singleValueExtendedProperties": extended}

    def change(self, id: str, **fields: Any) -> None:
        """Fields as a body says them."""
        found = self.found(id)
        assert found is not None, id
        self.mailbox.write(found, changed_event(found.event, fields))

    def remove(self, id: str) -> None:
        found = self.found(id)
        assert found is not None, id
        self.mailbox.drop(found)
        invitations.withdraw(found)


class Calendars:
    """Of one mailbox. `keeps_declined`: whether Outlook is set to save events that were declined, as it is not by default.
    `lingers`: what was deleted can still be got by its immutable id, as is told of messages in Deleted Items."""

    def __init__(self, world: "World", email: str) -> None:
        self.email, self.world = email, world
        self.keeps_declined, self.lingers = False, False
        self._deleted: dict[str, Found] = {}
        self.default = self._new("Calendar", email)
        self.all: dict[str, Calendar] = {self.default.id: self.default}

    @property
    def name(self) -> str:
        user = self.world.users.get(self.email)
        return user.name if user and user.name else self.email

    @property
    def personal(self) -> bool:
        user = self.world.users.get(self.email)
        return user is not None and user.kind == "personal"

    def add(self, name: str, *, owner: str = "", can_edit: bool = True) -> Calendar:
        """A further one; an `owner` other than the user shares it."""
        calendar = self._new(name, owner or self.email)
        calendar.can_edit, calendar.zone = can_edit, self.default.zone
        self.all[calendar.id] = calendar
        return calendar

    def _new(self, name: str, owner: str) -> Calendar:
        return Calendar(ids.new(), name, owner, self.name if owner == self.email else owner, self)

    def calendar(self, id: str | None) -> Calendar:
        """The default one without an id. GraphError where there is none."""
        if id is None:
            return self.default
        found = self.all.get(ids.check(id))
        if found is None:
            raise not_found()
        return found

    def found(self, id: str, calendar: str | None = None) -> Found:
        """GraphError where there is none, in the one calendar or, without its id, in any."""
        ids.check(id)
        for one in [self.calendar(calendar)] if calendar else list(self.all.values()):
            if found := one.found(id):
                return found
        if self.lingers and id in self._deleted:
            return self._deleted[id]
        raise not_found()

    def with_uid(self, uid: str) -> tuple[Calendar, Entry] | None:
        return next(
            ((calendar, entry) for calendar in self.all.values() for entry in calendar.entries.values() if entry.uid == uid), None
        )

    def entry(self, event: Event, organizer: Event, *, posted: Event | None = None, uid: str = "") -> Entry:
        return Entry(event, uid or _uid(), organizer, self.world.now(), posted=deepcopy(posted or {}))

    def stamp(self, entry: Entry) -> None:
        entry.change_key, entry.changed = ids.change_key(), self.world.now().astimezone(UTC)

    def write(self, found: Found, event: Event) -> None:
        """The event or instance says this from now on, here and in the copies of whom it is shared with."""
        if found.day:
            series.check_place(found.entry, found.day, event)
            found.entry.own[found.day] = series.own_part(found.entry, found.day, event)
        else:
            series.rewrite(found.entry, event)
        self.stamp(found.entry)
        invitations.share(found.calendar, found.entry)

    def drop(self, found: Found) -> None:
        if found.day is None:
            if found.calendar.entries.pop(found.id, None) is None:
                raise GraphError(403, "ErrorCannotDeleteObject", "Object cannot be deleted.")
            self._deleted[found.id] = found
            return
        found.entry.removed.add(found.day)
        found.entry.own.pop(found.day, None)
        self.stamp(found.entry)

    def check_editable(self, calendar: Calendar) -> None:
        if not calendar.can_edit:
            raise GraphError(403, "ErrorAccessDenied", "Access is denied. Check credentials and try again.")


def touches(event: Event, low: datetime, high: datetime) -> bool:
    start, end = moment(event["start"]), moment(event["end"])
    return start < high and (end > low or start == end >= low)


def _uid() -> str:
    return f"040000008200E00074C5B7101A82E008{ids.new()[36:68].encode().hex().upper()}"
