"""Reading calendars at a CalDAV server."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

from integrations.common.calendar_objects import (
    GONE_INSTANCE,
    INVITATIONS_AHEAD,
    event_in,
    matches,
    only,
    timeline_of,
    unanswered,
)
from integrations.common.contentline import Malformed
from integrations.common.ical import SLACK, read_objects
from integrations.common.ical_events import Place, later
from integrations.common.people import plain
from integrations.common.remote import Unreadable
from integrations.common.spans import joined
from integrations.errors import IntegrationError, InvalidResponse, NotFound, ReadOnly
from integrations.readers import MailReader
from integrations.standards.dav.caldav_busy import NOBODY_KNOWS, answers, question
from integrations.standards.dav.caldav_objects import Objects, Shelf
from integrations.standards.dav.calendars import Calendars, Collection
from integrations.types import INBOX, Busy, Calendar, Event, EventQuery, EventRef, Page, Skipped

if TYPE_CHECKING:
    from integrations.standards.scheduling.inbound import Inbound, Known

R = TypeVar("R")

IN_A_QUESTION = 50
"""People whose time is asked for together."""
MOST_EVENTS = 5000
NOBODY_ELSE = "this calendar server tells only of the owner's own time"


class StandardsCalendarReader:
    """`mail`: where invitations come that no calendar server has taken in."""

    def __init__(
        self,
        calendars: Calendars,
        *,
        account: str,
        owner: str,
        zone: ZoneInfo,
        mail: MailReader | None = None,
        by_server: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._calendars, self._account, self._owner, self._zone = calendars, account, owner.lower(), zone
        self._clock = clock
        self._objects = Objects(calendars, self._place)
        self._inbound = inbound_of(mail, account, owner, zone)
        self._by_server = by_server

    async def calendars(self) -> tuple[Calendar, ...]:
        return tuple(
            Calendar(account=self._account, id=one.path, name=one.name, read_only=one.read_only)
            for one in await self._calendars.collections()
        )

    async def events(self, query: EventQuery) -> Page[Event]:
        known = await self._calendars.collections(versions=True)
        chosen = [one for one in known if not query.calendars or one.path in query.calendars]
        pages = await asyncio.gather(*(self._listed(one, query) for one in chosen))
        found = [event for page in pages for event in page.items]
        skipped = tuple(one for page in pages for one in page.skipped)
        if self._inbound and not query.calendars:
            try:
                found = await self._with_mails(self._inbound, found, query, self._sources(known))
            except IntegrationError as unread:
                missing = f"{_clause(unread)}; invitations by mail are missing here"
                skipped += (Skipped(where=f"{INBOX} of {self._account}", reason=missing, whole=True),)
        found.sort(key=lambda event: (event.start, event.end, event.title, event.id))
        return Page(items=tuple(found[: query.limit]), total=len(found), skipped=skipped)

    async def get(self, ref: EventRef) -> Event:
        if self._inbound and self._inbound.holds(ref):
            return await self._inbound.get(ref)
        stored = await self._calendars.get(ref.id)
        return await asyncio.to_thread(self._event, ref, stored.content)

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        known = await self._calendars.collections(versions=True)
        waiting = await asyncio.gather(*(self._waiting(one, now) for one in known))
        found = [event for some in waiting for event in some]
        if self._inbound:
            sources = self._sources(known)
            overtaken = await self._inbound.overtaken(now, sources)
            found = [event for event in found if event.uid not in overtaken]
            found += await self._inbound.invitations(now, sources)
        return tuple(sorted(found, key=lambda event: (event.start, event.id)))

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        others = [email for email in emails if email.lower() != self._owner]
        own = [await self._own_times(start, end)] if len(others) < len(emails) else []
        told = {one.email.lower(): one for one in (*own, *await self._times_of(others, start, end))}
        return tuple(told[email.lower()].model_copy(update={"email": email}) for email in emails)

    async def _own_times(self, start: datetime, end: datetime) -> Busy:
        page = await self.events(EventQuery(start=start, end=end, limit=MOST_EVENTS))
        return Busy(email=self._owner, times=joined(((event.start, event.end) for event in page.items if event.busy), start, end))

    async def _times_of(self, emails: Sequence[str], start: datetime, end: datetime) -> list[Busy]:
        """Of others, where the server tells."""
        outbox = (await self._calendars.home()).outbox if self._by_server and emails else ""
        told: dict[str, Busy] = {}
        for at in range(0, len(emails) if outbox else 0, IN_A_QUESTION):
            asked = question(self._owner, emails[at : at + IN_A_QUESTION], start, end, self._clock())
            try:
                told |= answers((await self._calendars.post(outbox, asked)).content, start, end, self._zone)
            except Malformed as reason:
                raise Unreadable(f"When others have time can't be read: {reason}.", self._account) from reason
        unknown = NOBODY_KNOWS if outbox else NOBODY_ELSE
        return [told.get(email.lower(), Busy(email=email, unknown=unknown)) for email in emails]

    async def _listed(self, collection: Collection, query: EventQuery) -> Page[Event]:
        """What a calendar refuses to tell is left out, with the reason."""
        try:
            return await self._reading(collection, query.start, query.end, lambda shelf: _matching(shelf, query))
        except Unreadable:
            raise
        except (ReadOnly, NotFound, InvalidResponse) as refused:
            return Page(skipped=(Skipped(where=collection.name, reason=_clause(refused), whole=True),))

    async def _waiting(self, collection: Collection, now: datetime) -> list[Event]:
        def waiting(shelf: Shelf) -> list[Event]:
            return [event for timeline in shelf.timelines if timeline.invites for event in unanswered(timeline, now)]

        try:
            return await self._reading(collection, now, later(now, INVITATIONS_AHEAD), waiting)
        except Unreadable:
            raise
        except (ReadOnly, NotFound, InvalidResponse):
            return []

    async def _reading(self, collection: Collection, start: datetime, end: datetime, work: Callable[[Shelf], R]) -> R:
        shelf = self._objects.shelf(collection)
        async with shelf.lock:
            await self._objects.refresh(shelf, collection, start, end)
            return await asyncio.to_thread(work, shelf)

    async def _with_mails(self, inbound: "Inbound", found: list[Event], query: EventQuery, known: "Known") -> list[Event]:
        """What is in calendars, and what is not in them yet or not so. Anybody can write a mail in the organiser's name: it takes
        no event away and makes nobody free."""
        now = self._clock()
        overtaken = await inbound.overtaken(now, known)
        off = {uid for uid, method in overtaken.items() if method == "CANCEL"}
        stands = [_called_off(event) if event.uid in off and event.end > now else event for event in found]
        return stands + await inbound.events(query, now, known)

    def _sources(self, collections: Sequence[Collection]) -> "Known":
        """What was read in them so far."""
        return {timeline.source.uid: timeline.source for one in collections for timeline in self._objects.shelf(one).timelines}

    def _event(self, ref: EventRef, content: bytes) -> Event:
        try:
            source = only(read_objects(content))
            event = event_in(timeline_of(source, self._place(folder_of(ref.id), ref.id, source.etag)), ref)
        except Malformed as reason:
            raise NotFound(f"This event can't be read: {reason}.", self._account) from reason
        except (NotFound, InvalidResponse) as unread:
            raise NotFound(str(unread), self._account) from unread
        if event is None:
            raise NotFound(GONE_INSTANCE, self._account)
        return event

    def _place(self, calendar: str, path: str, etag: str) -> Place:
        return Place(self._account, calendar, path, etag, self._owner, self._zone, answering=self._by_server)


def inbound_of(mail: MailReader | None, account: str, owner: str, zone: ZoneInfo) -> "Inbound | None":
    if mail is None:
        return None
    from integrations.standards.scheduling.inbound import Inbound

    return Inbound(mail, account=account, owner=owner, zone=zone)


def folder_of(path: str) -> str:
    return f"{path.rpartition('/')[0]}/"


def _matching(shelf: Shelf, query: EventQuery) -> Page[Event]:
    words = [plain(word) for word in query.words]
    low, high = query.start.date() - SLACK, query.end.date() + SLACK
    found, skipped = list[Event](), list(shelf.skipped)
    for timeline in shelf.timelines:
        days = timeline.source.days
        if days and (days[0] >= high or days[1] <= low):
            continue
        try:
            found += (event for event in timeline.between(query.start, query.end) if matches(event, words, query.people))
        except Malformed as reason:
            skipped.append(Skipped(where=timeline.place.id, reason=str(reason)))
    return Page(items=tuple(found), skipped=tuple(skipped))


def _called_off(event: Event) -> Event:
    return event.model_copy(update={"status": "cancelled"})


def _clause(error: IntegrationError) -> str:
    said = str(error).rstrip(".")
    return said[:1].lower() + said[1:]
