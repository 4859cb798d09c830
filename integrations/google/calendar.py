"""Reading Google calendars."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from integrations.common.contentline import Malformed
from integrations.common.ical_events import haystack, overlaps
from integrations.common.people import is_person, plain
from integrations.errors import IntegrationError, InvalidResponse, NotFound, ReadOnly
from integrations.google.events import PRIMARY, Item, Place, event_of, instance_ids, is_instance, is_standing, moment, my_answer
from integrations.types import Busy, Calendar, Event, EventQuery, EventRef, Page, Skipped

if TYPE_CHECKING:
    from integrations.google.google import Apis, Build, Google

WRITABLE = {"owner", "writer", "writerWithoutPrivateAccess"}
GONE = "This event does not exist any more."
GONE_INSTANCE = "This instance of the series does not exist any more."
SLACK = timedelta(hours=26)
"""More than any two time zones differ: Google takes an all-day event for a day of its calendar's zone, not of the user's."""
AHEAD = timedelta(days=400)
IN_A_QUESTION = 50
"""Calendars that one question for free/busy may name."""
LONGEST_QUESTION = timedelta(days=60)
"""Google answers for three months at most."""
UNTOLD = "that calendar is not shared with you"


class GoogleCalendarReader:
    def __init__(self, google: "Google", *, account: str, owner: str, zone: ZoneInfo) -> None:
        self._google, self._account, self._owner, self._zone = google, account, owner.lower(), zone

    async def calendars(self) -> tuple[Calendar, ...]:
        """The primary one first: it takes new events. Of those that only tell when somebody is busy there are no events to read."""

        def build(api: "Apis", token: str | None) -> Any:
            return api.calendar.calendarList().list(minAccessRole="reader", maxResults=250, pageToken=token)

        answers = await self._google.pages(build)
        listed = [item for answer in answers for item in answer.get("items", ()) if not item.get("deleted")]
        listed.sort(key=lambda item: (item.get("accessRole") not in WRITABLE, not item.get("primary"), item["id"]))
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
        try:
            return event_of(item, self.place(ref.calendar), series)
        except Malformed as reason:
            raise NotFound(f"This event can't be read: {reason}.", self._account) from reason

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        """Those in the primary calendar, where Google puts them."""
        place = self.place("")
        items = [
            item for item in await self._items(place, now, now + AHEAD, series=True) if my_answer(item, place) == "needs-action"
        ]
        asked = {item["id"] for item in items}
        found: list[Event] = []
        for item in items:
            if item.get("recurrence"):
                found += await self._next_of(item, place, now)
            elif item.get("recurringEventId") not in asked:
                found += [event for event in read_all([item], place, {})[0] if event.end > now]
        return tuple(sorted(found, key=lambda event: (event.start, event.id)))

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        """Asks by address, which is the id of somebody's primary calendar."""
        chunks = [emails[at : at + IN_A_QUESTION] for at in range(0, len(emails), IN_A_QUESTION)]
        spans = list(_spans(start, end))
        answers = await asyncio.gather(*(self._free_busy(chunk, *span) for chunk in chunks for span in spans))
        told: dict[str, list[Mapping[str, Any]]] = {}
        for answer in answers:
            for id, calendar in answer.get("calendars", {}).items():
                told.setdefault(id.lower(), []).append(calendar)
        return tuple(self._busy(email, told.get(email.lower(), [])) for email in emails)

    async def shows(self, calendar: str) -> bool:
        """Whether its events can be seen at all; `calendar` empty: the primary one."""
        return not calendar or any(one.id == calendar for one in await self.calendars())

    async def primary(self) -> str:
        """The id of the calendar that takes new events."""
        calendar = next(iter(await self.calendars()), None)
        if calendar is None or calendar.read_only:
            raise ReadOnly("No calendar of this account can be written to.", self._account)
        return calendar.id

    def place(self, calendar: str) -> Place:
        """`calendar` empty: the primary one."""
        return Place(self._account, calendar or PRIMARY, self._owner, self._zone)

    async def found(self, ref: EventRef) -> tuple[Item, Item | None]:
        """The resource of the event or instance, and that of its series if it is an instance. NotFound where it is cancelled."""
        ids = instance_ids(ref.id, ref.recurrence, self._zone) if ref.recurrence else ()
        answers = await self._get_all(ref.calendar, [ref.id, *ids])
        series = answers[0] if ids else None
        wanted = answers[1:] if ids else answers
        item = next((answer for answer in wanted if not isinstance(answer, NotFound) and is_standing(answer)), None)
        if item is None:
            raise NotFound(GONE_INSTANCE if ids else GONE, self._account)
        # Whoever is invited to a single instance alone can't see its series.
        return item, None if series is None or isinstance(series, NotFound) else series

    async def standing(self, ref: EventRef) -> Item | None:
        """As Google has it, cancelled ones included; None where Google knows of no such event or instance."""
        ids = instance_ids(ref.id, ref.recurrence, self._zone) if ref.recurrence else (ref.id,)
        return next((answer for answer in await self._get_all(ref.calendar, ids) if not isinstance(answer, NotFound)), None)

    async def exceptions(self, series: Item, place: Place) -> list[Item]:
        """Its instances that were changed or removed by themselves."""

        def build(api: "Apis", token: str | None) -> Any:
            return api.calendar.events().list(
                calendarId=place.calendar, iCalUID=series["iCalUID"], showDeleted=True, maxResults=2500, pageToken=token
            )

        answers = await self._google.pages(build)
        items = (item for answer in answers for item in answer.get("items", ()))
        return [item for item in items if item.get("recurringEventId") == series["id"] and item.get("originalStartTime")]

    async def _get_all(self, calendar: str, ids: Sequence[str]) -> list[Item | NotFound]:
        """Raises what is wrong with any of them but NotFound."""
        answers = await self._google.batch([_got(self.place(calendar).calendar, id) for id in ids])
        for answer in answers:
            if isinstance(answer, IntegrationError) and not isinstance(answer, NotFound):
                raise answer
        return [answer for answer in answers if isinstance(answer, dict | NotFound)]

    def _calendar(self, item: Mapping[str, Any]) -> Calendar:
        name = item.get("summaryOverride") or item.get("summary") or item["id"]
        return Calendar(account=self._account, id=item["id"], name=name, read_only=item.get("accessRole") not in WRITABLE)

    async def _listed(self, calendar: Calendar, query: EventQuery) -> Page[Event]:
        place = self.place(calendar.id)
        try:
            items = await self._items(place, query.start, query.end)
            series = await self._series(items, place)
        except (NotFound, ReadOnly, InvalidResponse) as error:  # one that is no longer shared doesn't hide the others
            return Page(skipped=(Skipped(where=calendar.name, reason=str(error), whole=True),))
        events, skipped = await asyncio.to_thread(read_all, items, place, series)  # markup takes its time
        return Page(items=tuple(event for event in events if overlaps(event, query.start, query.end)), skipped=skipped)

    async def _items(self, place: Place, start: datetime, end: datetime, *, series: bool = False) -> list[Item]:
        """What is in [start, end), and some around it; with `series` these are not expanded."""

        def build(api: "Apis", token: str | None) -> Any:
            return api.calendar.events().list(
                calendarId=place.calendar,
                timeMin=_moment(start - SLACK),
                timeMax=_moment(end + SLACK),
                singleEvents=not series,
                maxResults=2500,
                pageToken=token,
            )

        answers = await self._google.pages(build)
        items = (item for answer in answers for item in answer.get("items", ()))
        # Unexpanded, removed instances are listed too; and where somebody works is no event of theirs.
        return [item for item in items if is_standing(item) and item.get("eventType") != "workingLocation"]

    async def _series(self, items: Iterable[Item], place: Place) -> dict[str, Item]:
        """The series that instances belong to, by id, as far as they are visible: they alone hold the rule."""
        ids = list(dict.fromkeys(item["recurringEventId"] for item in items if is_instance(item)))
        if not ids:
            return {}
        answers = await self._get_all(place.calendar, ids)
        return {id: answer for id, answer in zip(ids, answers, strict=True) if not isinstance(answer, NotFound)}

    async def _next_of(self, series: Item, place: Place, now: datetime) -> list[Event]:
        """The series, at its next instance that awaits an answer."""

        def build(api: "Apis") -> Any:
            return api.calendar.events().instances(
                calendarId=place.calendar, eventId=series["id"], timeMin=_moment(now), timeMax=_moment(now + AHEAD), maxResults=50
            )

        try:
            items = (await self._google.read(build)).get("items", ())
        except NotFound:
            return []
        events, _ = read_all(filter(is_standing, items), place, {series["id"]: series})
        waiting = [event for event in events if event.end > now and event.my_answer == "needs-action"]
        following = min(waiting, key=lambda event: event.start, default=None)
        return [following.model_copy(update={"recurrence": None, "etag": series["etag"]})] if following else []

    async def _free_busy(self, emails: Sequence[str], start: datetime, end: datetime) -> Mapping[str, Any]:
        body = {"timeMin": _moment(start), "timeMax": _moment(end), "items": [{"id": email} for email in emails]}
        return await self._google.read(lambda api: api.calendar.freebusy().query(body=body))

    def _busy(self, email: str, told: Sequence[Mapping[str, Any]]) -> Busy:
        if not told or any(one.get("errors") for one in told):
            return Busy(email=email, unknown=UNTOLD)
        spans = [span for one in told for span in one.get("busy", ())]
        times = {(self._instant(span["start"]), self._instant(span["end"])) for span in spans}
        return Busy(email=email, times=tuple(sorted(times)))

    def _instant(self, written: str) -> datetime:
        return moment({"dateTime": written}, self._zone)


def _spans(start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
    while start < end:
        following = min(end, start + LONGEST_QUESTION)
        yield start, following
        start = following


def _got(calendar: str, id: str) -> "Build":
    return lambda api: api.calendar.events().get(calendarId=calendar, eventId=id)


def _moment(when: datetime) -> str:
    return when.isoformat(timespec="seconds")


def read_all(items: Iterable[Item], place: Place, series: Mapping[str, Item]) -> tuple[list[Event], tuple[Skipped, ...]]:
    events: list[Event] = []
    skipped: list[Skipped] = []
    for item in items:
        try:
            events.append(event_of(item, place, series.get(item.get("recurringEventId", ""))))
        except Malformed as reason:
            skipped.append(Skipped(where=str(item.get("summary") or item.get("id", "")), reason=str(reason)))
    return events, tuple(skipped)


def _matches(event: Event, words: Sequence[str], people: Sequence[str]) -> bool:
    if words:
        text = haystack(event)
        if not all(word in text for word in words):
            return False
    known = [attendee.address for attendee in event.attendees] + ([event.organizer] if event.organizer else [])
    return not people or any(is_person(person, [address.name], [address.email]) for person in people for address in known)
