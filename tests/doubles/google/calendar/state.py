"""What the calendars of all users hold, in plain objects."""

import itertools
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal
from zoneinfo import ZoneInfo

from doubles.google.calendar import recurrence
from doubles.google.calendar.bodies import checked_event, merged, new_event
from doubles.google.calendar.invitations import Notice, tell_copies
from doubles.google.calendar.times import from_stamp, stamp, value, written
from doubles.google.calls import ApiError

if TYPE_CHECKING:
    from doubles.google.world import World

Event = dict[str, Any]
Role = Literal["freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner"]
ROLES: tuple[Role, ...] = ("freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner")
EVERYBODY = "default"
FIRST_ETAG = 3_500_000_000_000_000
NEVER_OVERRIDDEN = ("id", "recurringEventId", "originalStartTime", "start", "end", "status")
"""What an exception holds even where its series says the same."""


@dataclass
class Entry:
    """`event` as stored: of an exception only what differs from its series, None for what it lacks. `version` grows with every
    change of anything."""

    event: Event
    version: int
    updated: datetime


@dataclass
class Calendar:
    """`id` is the owner's address for a primary one. `roles`: by address, or "default" for everybody.
    `looks`: what a user set for it in their own list (summaryOverride, hidden, selected, colorId)."""

    id: str
    owner: str
    summary: str
    zone: str
    world: "World"
    versions: "itertools.count[int]"
    primary: bool = False
    roles: dict[str, Role] = field(default_factory=dict)
    looks: dict[str, dict[str, Any]] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)

    @property
    def zone_info(self) -> ZoneInfo:
        return ZoneInfo(self.zone)

    def role(self, email: str) -> Role | None:
        return self.roles.get(email, self.roles.get(EVERYBODY))

    def may(self, email: str, least: Role) -> bool:
        role = self.role(email)
        return role is not None and ROLES.index(role) >= ROLES.index(least)

    def event(self, id: str) -> Event | None:
        """All of it, with etag and updated, cancelled ones too: an event, an exception, or an ordinary instance."""
        entry = self.entries.get(id)
        if entry is None:
            return self._instance_named(id)
        series = self.entries.get(entry.event.get("recurringEventId", ""))
        if series is None:
            return self._stamped(deepcopy(entry.event), entry)
        original = value(entry.event["originalStartTime"])
        if not recurrence.is_start(series.event, original):  # the series moved away from under it
            return None
        both = _instance(series.event, original) | entry.event
        event = deepcopy({name: it for name, it in both.items() if it is not None})
        if series.event["status"] == "cancelled":
            event["status"] = "cancelled"
        return self._stamped(event, entry, series)

    def save(self, event: Event) -> Event:
        """Files it under its id and answers all of it."""
        event = {name: content for name, content in event.items() if name not in ("etag", "updated")}
        series = self.entries.get(event.get("recurringEventId", ""))
        if series is not None:
            same = _instance(series.event, value(event["originalStartTime"]))
            event = dict.fromkeys(same) | event
            event = {name: it for name, it in event.items() if name in NEVER_OVERRIDDEN or same.get(name) != it}
        self.entries[event["id"]] = Entry(deepcopy(event), next(self.versions), self.world.now().astimezone(UTC))
        saved = self.event(event["id"])
        assert saved is not None
        return saved

    def exceptions(self, series: str) -> list[Event]:
        ids = [id for id, entry in self.entries.items() if entry.event.get("recurringEventId") == series]
        return [event for id in ids if (event := self.event(id))]

    def instances(self, series: Event, low: date, high: date) -> list[Event]:
        """Exceptions wherever they are now, and the ordinary instances that touch [low, high]."""
        found = self.exceptions(series["id"])
        taken = {event["id"] for event in found}
        entry = self.entries[series["id"]]
        for start in recurrence.starts(series, low, high):
            if f"{series['id']}_{stamp(start)}" not in taken:
                found.append(self._stamped(deepcopy(_instance(series, start)), entry))
        return found

    def _instance_named(self, id: str) -> Event | None:
        series_id, _, text = id.rpartition("_")
        entry, original = self.entries.get(series_id), from_stamp(text)
        if entry is None or original is None or not entry.event.get("recurrence"):
            return None
        if not recurrence.is_start(entry.event, original):
            return None
        return self._stamped(deepcopy(_instance(entry.event, original)), entry)

    def _stamped(self, event: Event, *entries: Entry) -> Event:
        event["etag"] = etag(max(entry.version for entry in entries))
        event["updated"] = timestamp(max(entry.updated for entry in entries))
        return event

    # Somebody else's program

    def put(self, event: Event) -> str:
        """Files an event resource, with invitations for its guests; an `organizer` of its own makes it somebody else's. The id."""
        saved = self.save(new_event(event, self, organizer=event.get("organizer"), creator=self.owner))
        tell_copies(self, None, saved)
        return str(saved["id"])

    def change(self, id: str, **fields: Any) -> None:
        """Fields as the API writes them; None removes one."""
        before = self.event(id)
        assert before is not None, id
        tell_copies(self, before, self.save(checked_event(merged(before, fields))))

    def remove(self, id: str) -> None:
        self.change(id, status="cancelled")


class Calendars:
    """Of all users. `notices`: the mails that changes would have sent, in order."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.notices: list[Notice] = []
        self.all: dict[str, Calendar] = {}
        self.versions = itertools.count(1)
        self.oldest_sync = 0
        """Sync tokens of before this version have expired."""

    def primary(self, email: str) -> Calendar:
        """Made when there is none."""
        if email not in self.all:
            self.all[email] = self._new(email, email, email, "UTC")
            self.all[email].primary = True
        return self.all[email]

    def add(self, owner: str, summary: str, zone: str = "") -> Calendar:
        """A secondary calendar."""
        id = f"c_{next(self.versions):08x}@group.calendar.google.com"
        self.all[id] = self._new(id, owner, summary, zone or self.primary(owner).zone)
        return self.all[id]

    def _new(self, id: str, owner: str, summary: str, zone: str) -> Calendar:
        return Calendar(id, owner, summary, zone, self.world, self.versions, roles={owner: "owner"})

    def share(self, id: str, email: str, role: Role) -> None:
        """`email` "default": with everybody. Whoever it is shared with finds it in their list."""
        self.primary(id).roles[email] = role

    def here(self, id: str) -> Calendar | None:
        """None where it is nobody's who is emulated."""
        return self.primary(id) if id in self.all or id in self.world.users else None

    def seen_by(self, email: str, id: str, least: Role) -> Calendar:
        """404 for what may not be known, 403 for what may not be done."""
        calendar = self.here(email if id == "primary" else id.lower())
        if calendar is None or calendar.role(email) is None:
            raise ApiError(404, "notFound", "Not Found")
        if not calendar.may(email, least):
            raise ApiError(403, "requiredAccessLevel", f"You need to have {least} access to this calendar.")
        return calendar

    def expire_sync_tokens(self) -> None:
        self.oldest_sync = next(self.versions)


def _instance(series: Event, start: date) -> Event:
    """An ordinary instance; shares the contents of its series."""
    first, last = value(series["start"]), value(series["end"])
    if isinstance(start, datetime) and isinstance(first, datetime) and isinstance(last, datetime):
        start = start.astimezone(first.tzinfo)
        end: date = (start.astimezone(UTC) + (last.astimezone(UTC) - first.astimezone(UTC))).astimezone(last.tzinfo)
    else:
        end = start + (last - first)
    times = {"start": written(start, series["start"].get("timeZone")), "end": written(end, series["end"].get("timeZone"))}
    named = {"id": f"{series['id']}_{stamp(start)}", "recurringEventId": series["id"], "originalStartTime": times["start"]}
    return {name: it for name, it in series.items() if name != "recurrence"} | times | named


def etag(version: int) -> str:
    return f'"{FIRST_ETAG + 2 * version}"'


def version(event: Event) -> int:
    """The one that its etag stands for."""
    return (int(event["etag"].strip('"')) - FIRST_ETAG) // 2


def timestamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
