"""When people have no time, as far as Microsoft tells this account."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol
from zoneinfo import ZoneInfo

from integrations.common.spans import Span, joined
from integrations.errors import ReadOnly
from integrations.microsoft.errors import MALFORMED, Refused
from integrations.microsoft.event_parts import time_at
from integrations.microsoft.events import moment_of
from integrations.microsoft.requests import sending
from integrations.types import Busy, EventQuery

if TYPE_CHECKING:
    from integrations.microsoft.graph import Graph
    from integrations.types import Event, Page

UTC = ZoneInfo("UTC")

IN_A_QUESTION = 20
"""People that one question may name."""
LONGEST_QUESTION = timedelta(days=60)
"""Graph answers for 62 days at most."""
MOST_EVENTS = 5000
STEP = 15
"""Minutes that each character of an availabilityView stands for."""
TAKEN = frozenset({"busy", "oof", "tentative"})
TAKEN_VIEW = frozenset("123")
UNTOLD = "Outlook can't tell when they have time"
PERSONAL = "a personal Microsoft account can't ask when others have time"


class Events(Protocol):
    async def events(self, query: EventQuery) -> "Page[Event]": ...

    async def own_calendars(self) -> tuple[str, ...]: ...


class Schedules:
    """`events` tells the owner's own time where nothing else does."""

    def __init__(self, graph: "Graph", events: Events, *, owner: str, zone: ZoneInfo, personal: bool) -> None:
        self._graph, self._events, self._owner, self._zone = graph, events, owner, zone
        self._personal = personal

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        told, reason = ({}, PERSONAL) if self._personal else await self._told(emails, start, end)
        found = [self._busy(email, told.get(email.lower(), ()), start, end, reason) for email in emails]
        return tuple([await self._own(one, start, end) if one.unknown else one for one in found])

    async def _told(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[dict[str, list[Mapping[str, Any]]], str]:
        """What is told of each, and what to say of those of whom nothing is."""
        chunks = [emails[at : at + IN_A_QUESTION] for at in range(0, len(emails), IN_A_QUESTION)]
        try:
            answers = await asyncio.gather(*(self._asked(chunk, *span) for chunk in chunks for span in spans(start, end)))
        except (ReadOnly, Refused):  # some organisations allow it to nobody
            return {}, UNTOLD
        told: dict[str, list[Mapping[str, Any]]] = {}
        for answer in answers:
            for schedule in answer.get("value") or ():
                told.setdefault(str(schedule.get("scheduleId", "")).lower(), []).append(schedule)
        return told, UNTOLD

    async def _asked(self, emails: Sequence[str], start: datetime, end: datetime) -> Mapping[str, Any]:
        body = {
            "Schedules": list(emails),
            "StartTime": time_at(start, UTC),
            "EndTime": time_at(end, UTC),
            "AvailabilityViewInterval": STEP,
        }
        answer = await self._graph.read(
            lambda client: sending(client.me.calendar.get_schedule, "POST", body), headers={"Prefer": 'outlook.timezone="UTC"'}
        )
        return {"value": [{**one, "from": start} for one in answer.get("value") or ()]}

    def _busy(self, email: str, told: Sequence[Mapping[str, Any]], start: datetime, end: datetime, reason: str) -> Busy:
        if not told or any(one.get("error") for one in told):
            return Busy(email=email, unknown=reason)
        try:
            times = [span for one in told for span in (*self._items(one), *self._view(one))]
        except MALFORMED:
            return Busy(email=email, unknown=UNTOLD)
        return Busy(email=email, times=joined(times, start, end))

    def _items(self, schedule: Mapping[str, Any]) -> Iterator[Span]:
        for item in schedule.get("scheduleItems") or ():
            if str(item.get("status", "")).lower() in TAKEN:
                yield moment_of(item["start"]).astimezone(self._zone), moment_of(item["end"]).astimezone(self._zone)

    def _view(self, schedule: Mapping[str, Any]) -> Iterator[Span]:
        """Of calendars elsewhere nothing is told but this: one digit for each step of time."""
        if schedule.get("scheduleItems"):
            return
        for at, state in enumerate(schedule.get("availabilityView") or ""):
            if state in TAKEN_VIEW:
                begin = schedule["from"] + at * timedelta(minutes=STEP)
                yield begin.astimezone(self._zone), (begin + timedelta(minutes=STEP)).astimezone(self._zone)

    async def _own(self, one: Busy, start: datetime, end: datetime) -> Busy:
        if one.email.lower() != self._owner:
            return one
        own = EventQuery(start=start, end=end, calendars=await self._events.own_calendars(), limit=MOST_EVENTS)
        events = (await self._events.events(own)).items
        return Busy(email=one.email, times=joined(((event.start, event.end) for event in events if event.busy), start, end))


def spans(start: datetime, end: datetime, longest: timedelta = LONGEST_QUESTION) -> Iterator[Span]:
    while start < end:
        following = min(end, start + longest)
        yield start, following
        start = following
