"""Reading Outlook calendars."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from integrations.common.contentline import Malformed
from integrations.common.ical_events import haystack, overlaps
from integrations.common.people import email_address, is_person, plain
from integrations.errors import InvalidResponse, NotFound, ReadOnly
from integrations.microsoft.errors import reads_answers
from integrations.microsoft.event_changes import HELD, KEYS
from integrations.microsoft.events import (
    Item,
    Place,
    event_of,
    is_instance,
    is_series,
    is_standing,
    my_answer,
    original_start,
    times,
)
from integrations.microsoft.keys import KEY, made_under, quoted
from integrations.microsoft.requests import asking
from integrations.microsoft.schedules import Schedules, spans
from integrations.types import Busy, Calendar, Event, EventQuery, EventRef, Page, Skipped

if TYPE_CHECKING:
    from kiota_abstractions.request_information import RequestInformation

    from integrations.microsoft.graph import Graph

GONE = "This event does not exist any more."
GONE_INSTANCE = "This instance of the series does not exist any more."
IN_UTC = {"Prefer": 'outlook.timezone="UTC"'}
SLACK = timedelta(hours=26)
"""More than any two time zones differ: a day is listed as one of the zone that was asked for, not of the user's."""
AHEAD = timedelta(days=400)
LONGEST_VIEW = timedelta(days=1800)
"""Graph shows 1,825 days at most."""
PAGE = 500
KEPT_SERIES = 500
NAMES = [
    "id", "iCalUId", "type", "seriesMasterId", "originalStart", "originalStartTimeZone", "originalEndTimeZone", "start", "end",
    "isAllDay", "isCancelled", "isOrganizer", "subject", "location", "organizer", "attendees", "recurrence", "responseStatus",
    "showAs",
]  # fmt: skip
SHOWN = [*NAMES, "body"]
WHOLE = [
    *SHOWN, "sensitivity", "importance", "categories", "isReminderOn", "reminderMinutesBeforeStart", "responseRequested",
    "hideAttendees", "allowNewTimeProposals", "isOnlineMeeting",
]  # fmt: skip
OWN_PROPERTIES = " or ".join(f"id eq {quoted(id)}" for id in (KEY, KEYS, HELD))


@reads_answers
class MicrosoftCalendarReader:
    def __init__(self, graph: "Graph", *, account: str, owner: str, zone: ZoneInfo, personal: bool = False) -> None:
        self._graph, self._account, self._owner, self._zone = graph, account, owner.lower(), zone
        self._schedules = Schedules(graph, self, owner=self._owner, zone=zone, personal=personal)
        self._places: dict[str, Place] = {}
        self._known_series: dict[str, Item] = {}

    async def calendars(self) -> tuple[Calendar, ...]:
        """The default one first: it takes new events."""
        pages = await self._graph.pages(lambda client: asking(client.me.calendars, top=100))
        listed = [item for page in pages for item in page.get("value", ())]
        listed.sort(
            key=lambda item: (not item.get("canEdit"), not item.get("isDefaultCalendar"), str(item.get("name") or ""), item["id"])
        )
        self._places = {item["id"]: self._place_of(item) for item in listed}
        default = next((item for item in listed if item.get("isDefaultCalendar")), None)
        if default:
            self._places[""] = self._places[default["id"]]
        return tuple(map(self._calendar, listed))

    async def events(self, query: EventQuery) -> Page[Event]:
        known = await self.calendars()
        chosen = [calendar for calendar in known if not query.calendars or calendar.id in query.calendars]
        pages = await asyncio.gather(*(self._listed(calendar, query) for calendar in chosen))
        words = [plain(word) for word in query.words]
        found = [event for page in pages for event in page.items if _matches(event, words, query.people)]
        found.sort(key=lambda event: (event.start, event.end, event.title, event.id))
        skipped = tuple(one for page in pages for one in page.skipped)
        return Page(items=tuple(found[: query.limit]), total=len(found), skipped=skipped)

    async def get(self, ref: EventRef) -> Event:
        item, series = await self.found(ref)
        return await self.read(item, series, ref.calendar)

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        """Those in the default calendar, where Outlook puts them."""
        place = await self.place("")
        listed = await self._view(place, now, now + AHEAD, NAMES)
        waiting = [item for item in listed if _is_waiting(item, place)]
        series = await self._series(waiting)
        first: dict[str, Item] = {}
        for item in sorted(waiting, key=lambda item: str(item["start"])):
            whole = series.get(item.get("seriesMasterId") or "")
            asked_once = whole is not None and my_answer(whole, place) == "needs-action"
            if times(item, self._zone)[1] > now:
                first.setdefault(item["seriesMasterId"] if asked_once else item["id"], item)
        events = await asyncio.gather(*(self._asked(id, item, series, place) for id, item in first.items()))
        return tuple(sorted(filter(None, events), key=lambda event: (event.start, event.id)))

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        return await self._schedules.busy(emails, start, end)

    async def own_calendars(self) -> tuple[str, ...]:
        """The ids of those that are nobody else's."""
        listed = await self.calendars()
        return tuple(one.id for one in listed if not self._places[one.id].holder)

    async def shows(self, calendar: str) -> bool:
        """Whether its events can be seen at all; `calendar` empty: the default one."""
        return not calendar or any(one.id == calendar for one in await self.calendars())

    async def primary(self) -> str:
        """The id of the calendar that takes new events."""
        calendar = next(iter(await self.calendars()), None)
        if calendar is None or calendar.read_only:
            raise ReadOnly("No calendar of this account can be written to.", self._account)
        return calendar.id

    async def place(self, calendar: str) -> Place:
        """`calendar` empty: the default one."""
        if calendar not in self._places:
            await self.calendars()
        return self._places.get(calendar) or Place(self._account, calendar, self._owner, self._zone)

    async def read(self, item: Item, series: Item | None, calendar: str) -> Event:
        """`series` where `item` is an instance. NotFound where it can't be read."""
        place = await self.place(calendar)
        try:
            return await asyncio.to_thread(lambda: event_of(item, place, _whole(series, place)))
        except Malformed as reason:
            raise NotFound(f"This event can't be read: {reason}.", self._account) from reason

    async def found(self, ref: EventRef) -> tuple[Item, Item | None]:
        """The event or instance, and its series if it is an instance. NotFound where it is called off."""
        item, series = await self.sought(ref)
        if item is None or not is_standing(item):
            raise NotFound(GONE_INSTANCE if ref.recurrence else GONE, self._account)
        return item, series

    async def standing(self, ref: EventRef) -> Item | None:
        """As Graph has it, those called off included; None where it knows of no such event or instance."""
        return (await self.sought(ref))[0]

    async def made_under(self, calendar: str, key: str) -> Item | None:
        """The event that was made in this calendar under a key; NotFound where there is no such calendar."""
        place = await self.place(calendar)

        def build(client: Any) -> "RequestInformation":
            return asking(client.me.calendars.by_calendar_id(place.calendar).events, filter=made_under(key), select=["id"])

        listed = (await self._graph.read(build, headers=IN_UTC)).get("value", ())
        return await self._one(listed[0]["id"]) if listed else None

    async def exceptions(self, series: str) -> Item:
        """The series with its `exceptionOccurrences` and `cancelledOccurrences`."""

        def build(client: Any) -> "RequestInformation":
            names = ["id", "exceptionOccurrences", "cancelledOccurrences"]
            return asking(client.me.events.by_event_id(series), select=names, expand=["exceptionOccurrences"])

        return await self._graph.read(build, headers=IN_UTC)

    async def sought(self, ref: EventRef) -> tuple[Item | None, Item | None]:
        whole = await self._one(ref.id)
        if whole is None or not await self._lists(whole, ref.calendar):
            return None, None
        if ref.recurrence is None:
            return whole, None
        id = await self._instance(ref.id, ref.recurrence) if is_series(whole) else ""
        return (await self._one(id) if id else None), whole

    async def _lists(self, item: Item, calendar: str) -> bool:
        """Whether its calendar still has an event or series: by its id Graph may answer for one that was deleted, too."""
        place = await self.place(calendar)
        start = times(item, self._zone)[0]
        around = f"start/dateTime ge '{_moment(start - SLACK)}' and start/dateTime le '{_moment(start + SLACK)}'"

        def build(client: Any) -> "RequestInformation":
            listing = client.me.calendars.by_calendar_id(place.calendar).events
            return asking(listing, filter=around, select=["id"], top=PAGE)

        try:
            pages = await self._graph.pages(build, headers=IN_UTC)
        except NotFound:
            return False
        return any(one["id"] == item["id"] for page in pages for one in page.get("value", ()))

    async def _one(self, id: str) -> Item | None:
        def build(client: Any) -> "RequestInformation":
            properties = f"singleValueExtendedProperties($filter={OWN_PROPERTIES})"
            return asking(client.me.events.by_event_id(id), select=WHOLE, expand=[properties])

        try:
            return await self._graph.read(build, headers=IN_UTC)
        except NotFound:
            return None

    async def _instance(self, series: str, start: datetime) -> str:
        """The id of the instance that originally starts then; empty where there is none."""

        def build(client: Any) -> "RequestInformation":
            names = ["id", "seriesMasterId", "originalStart", "originalStartTimeZone", "isAllDay"]
            instances = client.me.events.by_event_id(series).instances
            return _within(asking(instances, select=names, top=PAGE), start - SLACK, start + SLACK)

        try:
            pages = await self._graph.pages(build, headers=IN_UTC)
            there = [item for page in pages for item in page.get("value", ())]
            if not any(self._starts(item, start) for item in there):  # it may have been moved anywhere
                there = list((await self.exceptions(series)).get("exceptionOccurrences") or ())
        except NotFound:
            return ""
        return next((str(item["id"]) for item in there if self._starts(item, start)), "")

    def _starts(self, item: Item, start: datetime) -> bool:
        """In UTC: in local time an hour that comes twice, or never, equals nothing."""
        found = original_start(item, self._zone)
        return found is not None and found.astimezone(UTC) == start.astimezone(UTC)

    def _calendar(self, item: Mapping[str, Any]) -> Calendar:
        return Calendar(
            account=self._account, id=item["id"], name=str(item.get("name") or item["id"]), read_only=not item.get("canEdit", False)
        )

    def _place_of(self, item: Mapping[str, Any]) -> Place:
        holder = email_address((item.get("owner") or {}).get("address") or "")
        others = "" if item.get("isDefaultCalendar") or holder == self._owner or not _is_shared(item) else holder
        return Place(self._account, item["id"], self._owner, self._zone, others)

    async def _listed(self, calendar: Calendar, query: EventQuery) -> Page[Event]:
        place = await self.place(calendar.id)
        try:
            items = [item for item in await self._view(place, query.start, query.end, SHOWN) if is_standing(item)]
            series = await self._series(items)
        except (NotFound, ReadOnly, InvalidResponse) as error:  # one that is no longer shared doesn't hide the others
            return Page(skipped=(Skipped(where=calendar.name, reason=str(error), whole=True),))
        events, skipped = await asyncio.to_thread(read_all, items, place, series)  # markup takes its time
        return Page(items=tuple(event for event in events if overlaps(event, query.start, query.end)), skipped=skipped)

    async def _view(self, place: Place, start: datetime, end: datetime, names: list[str]) -> list[Item]:
        """What is in [start, end), series expanded, and some around it."""

        def viewing(low: datetime, high: datetime) -> Any:
            def build(client: Any) -> "RequestInformation":
                view = client.me.calendars.by_calendar_id(place.calendar).calendar_view
                return _within(asking(view, select=names, top=PAGE), low, high)

            return build

        found: dict[str, Item] = {}
        for low, high in spans(start - SLACK, end + SLACK, LONGEST_VIEW):
            for page in await self._graph.pages(viewing(low, high), headers=IN_UTC):
                found |= {item["id"]: item for item in page.get("value", ())}
        return list(found.values())

    async def _series(self, items: Iterable[Item]) -> dict[str, Item]:
        """The series that instances belong to, by id, as far as they are visible: they alone hold the rule. An instance that is
        as its series says has its etag, by which one that is known is known to be as it was."""
        wanted: dict[str, set[str]] = {}
        for item in filter(is_instance, items):
            wanted.setdefault(str(item["seriesMasterId"]), set()).add(str(item.get("@odata.etag")))
        known = {id: item for id, item in self._known_series.items() if str(item.get("@odata.etag")) in wanted.get(id, ())}
        missing = [id for id in wanted if id not in known]
        read = await asyncio.gather(*map(self._one, missing))
        known |= {id: item for id, item in zip(missing, read, strict=True) if item}
        self._known_series = dict([*self._known_series.items(), *known.items()][-KEPT_SERIES:])
        return known

    async def _asked(self, id: str, item: Item, series: Mapping[str, Item], place: Place) -> Event | None:
        """What has that id: the event, or the series at this instance of it."""
        whole = await self._one(id)
        if whole is None:
            return None
        event = await self.read(whole, series.get(whole.get("seriesMasterId") or ""), place.calendar)
        start, end = times(item, self._zone)
        return event.model_copy(update={"start": start, "end": end})


def _is_waiting(item: Item, place: Place) -> bool:
    """Whether it is an invitation that can be read, and that nobody has answered."""
    try:
        return is_standing(item) and event_of(item, place).my_answer == "needs-action"
    except Malformed:
        return False


def _is_shared(item: Mapping[str, Any]) -> bool:
    """Only the owner of a calendar can share it further."""
    return item.get("canShare") is False


def _within(info: "RequestInformation", start: datetime, end: datetime) -> "RequestInformation":
    info.query_parameters |= {"startDateTime": _moment(start), "endDateTime": _moment(end)}
    return info


def _moment(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _whole(series: Item | None, place: Place) -> Event | None:
    try:
        return event_of(series, place) if series else None
    except Malformed:
        return None


def read_all(items: Iterable[Item], place: Place, series: Mapping[str, Item]) -> tuple[list[Event], tuple[Skipped, ...]]:
    whole = {id: _whole(item, place) for id, item in series.items()}
    events: list[Event] = []
    skipped: list[Skipped] = []
    for item in items:
        try:
            events.append(event_of(item, place, whole.get(str(item.get("seriesMasterId") or ""))))
        except Malformed as reason:
            skipped.append(Skipped(where=str(item.get("subject") or item.get("id", "")), reason=str(reason)))
    return events, tuple(skipped)


def _matches(event: Event, words: Sequence[str], people: Sequence[str]) -> bool:
    if words:
        text = haystack(event)
        if not all(word in text for word in words):
            return False
    known = [attendee.address for attendee in event.attendees] + ([event.organizer] if event.organizer else [])
    return not people or any(is_person(person, [address.name], [address.email]) for person in people for address in known)
