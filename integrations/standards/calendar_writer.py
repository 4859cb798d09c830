"""Writing events at a CalDAV server. Each write is sent once, and over nothing but what was read: by If-Match, or If-None-Match."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from integrations.actions import (
    AnswerInvitation,
    CalendarAction,
    CancelEvent,
    CreateEvent,
    Receipt,
    RestoreEvent,
)
from integrations.common import as_approved
from integrations.common.calendar_objects import (
    CHANGED,
    GONE,
    Change,
    apply,
    etags_of,
    event_in,
    only,
    opened,
    timeline_of,
    took_effect,
)
from integrations.common.contentline import Malformed, decode
from integrations.common.ical import CalendarObject, read_objects
from integrations.common.ical_edit import CalendarFile, answer_event, new_event
from integrations.common.ical_events import Place, attendee_email
from integrations.common.remote import after_the_write, came_to_nothing
from integrations.errors import Conflict, IntegrationError, InvalidResponse, NotFound, ReadOnly, Unknowable
from integrations.readers import MailReader
from integrations.standards.calendar import folder_of, inbound_of
from integrations.standards.dav.calendar_edits import (
    as_guest,
    call_off,
    called_off_by,
    is_announced,
    leave_telling_to_us,
    raised,
    same,
    sequence_of,
    uid_for,
)
from integrations.standards.dav.calendars import Calendars, Stored
from integrations.standards.scheduling.scheduling import Scheduling
from integrations.types import EventRef

if TYPE_CHECKING:
    from integrations.standards.scheduling.inbound import Inbound
    from integrations.standards.sending.sending import Sending

Undo = CancelEvent | RestoreEvent


class StandardsCalendarWriter:
    """`clock` dates what is written; `by_server`: the calendar server tells others, else `sending` does; `mail` is where
    invitations come that no calendar server has taken in."""

    def __init__(
        self,
        calendars: Calendars,
        sending: "Sending | None",
        *,
        account: str,
        owner: str,
        name: str,
        zone: ZoneInfo,
        clock: Callable[[], datetime],
        mail: MailReader | None = None,
        by_server: bool = False,
    ) -> None:
        self._calendars, self._account, self._owner, self._zone, self._clock = calendars, account, owner.lower(), zone, clock
        self._by_server, self._told_by_mail = by_server, sending is not None and not by_server
        self._scheduling = Scheduling(sending, account=account, owner=owner, name=name, zone=zone, clock=clock, by_server=by_server)
        self._inbound = inbound_of(mail, account, owner, zone)

    async def execute(self, action: CalendarAction, key: str) -> Receipt:
        with self._named():
            if isinstance(action, CreateEvent):
                return await self._create(action, key)
            if isinstance(action, RestoreEvent):
                return await self._restore(action, key)
            if isinstance(action, AnswerInvitation) and self._inbound and self._inbound.holds(action.event):
                return await self._take_in(action, key, self._inbound)
            return await self._change(action, key)

    async def find(self, action: CalendarAction, key: str) -> Receipt | None:
        """What is seen to have been written, and was still to be told to others, is told now."""
        with self._named():
            if isinstance(action, CreateEvent):
                return await self._created(action, key, action.calendar)
            if isinstance(action, AnswerInvitation) and self._inbound and self._inbound.holds(action.event):
                return await self._taken_in(action, key, self._inbound)
            return await self._done(action, key)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors say whose they are."""
        try:
            yield
        except Malformed as reason:
            raise InvalidResponse(f"This event can't be read: {reason}.", self._account) from reason
        except IntegrationError as error:
            error.account = error.account or self._account
            raise

    async def _create(self, action: CreateEvent, key: str) -> Receipt:
        calendar = await self._calendar_for(action)
        file = CalendarFile(new_event(action, uid=uid_for(key), owner=self._owner, zone=self._zone, now=self._clock()))
        return await self._put_new(action, key, calendar, file)

    async def _take_in(self, action: AnswerInvitation, key: str, inbound: "Inbound") -> Receipt:
        """An invitation that came by mail becomes an event, with the answer in it, or takes the place of what it changes."""
        request = await inbound.request(action.event)
        source = request.source
        file = CalendarFile(source.text)
        own = file.object(source.uid) or source
        answer_event(file, timeline_of(own, self._place("", own.etag)), action, owner=self._owner, now=self._clock())
        as_guest(file, by_mail=self._told_by_mail)
        stored = await self._stored_as(source.uid)
        if stored is None or stored.path.endswith(f"/{uid_for(key)}.ics"):
            return await self._put_new(action, key, (await self._calendars.default()).path, file)
        if not request.overtakes(only(read_objects(stored.content))):
            raise Conflict(CHANGED)
        return await self._replace(action, key, stored, file)

    async def _taken_in(self, action: AnswerInvitation, key: str, inbound: "Inbound") -> Receipt | None:
        """Whether it was done: under the key, or in what it was to take the place of."""
        if created := await self._created(action, key):
            return created
        try:
            source = await inbound.source(action.event)
        except (NotFound, Conflict) as reason:
            raise Unknowable("This invitation is not there as it was: nobody can tell whether it was answered.") from reason
        stored = await self._stored_as(source.uid)
        present = only(read_objects(stored.content)) if stored else None
        if stored is None or present is None or sequence_of(present) != sequence_of(source):
            return None
        event = timeline_of(present, self._place(stored.path, present.etag)).first
        return await self._told(action, key, stored, again=True) if event.my_answer == action.answer else None

    async def _stored_as(self, uid: str) -> Stored | None:
        for one in await self._calendars.collections():
            for stored in await self._calendars.of_uid(one, uid):
                if [found.uid for found in read_objects(stored.content)] == [uid]:
                    return stored
        return None

    async def _put_new(self, action: CreateEvent | AnswerInvitation, key: str, calendar: str, file: CalendarFile) -> Receipt:
        if self._told_by_mail:
            leave_telling_to_us(file)
        content = file.text.encode()
        self._scheduling.refuse(action, only(read_objects(content)))
        try:
            path = await self._calendars.put(f"{calendar}{uid_for(key)}.ics", content, None)
        except Conflict:  # created before under this key: whoever asks again gets the same answer
            created = await self._created(action, key, calendar)
            if created is None:
                raise
            return created
        stored = await self._stands(path)
        return await self._told(action, key, stored, lambda: self._calendars.delete(path, stored.tag))

    async def _calendar_for(self, action: CreateEvent) -> str:
        if not action.calendar:
            return (await self._calendars.default()).path
        known = await self._calendars.collections()
        chosen = next((one for one in known if one.path == action.calendar), None)
        if chosen is None:
            raise NotFound(f"There is no calendar called {action.calendar}.", self._account)
        if chosen.read_only:
            raise ReadOnly(f"The calendar {chosen.name} can only be read.", self._account)
        return chosen.path

    async def _created(self, action: CreateEvent | AnswerInvitation, key: str, calendar: str = "") -> Receipt | None:
        """What is named after the key, in this calendar or in any."""
        known = await self._calendars.collections()
        if calendar and all(one.path != calendar for one in known):
            raise self._hidden()
        for one in known:
            stored = await self._found(f"{one.path}{uid_for(key)}.ics") if calendar in ("", one.path) else None
            if stored and (isinstance(action, AnswerInvitation) or only(read_objects(stored.content)).uid == uid_for(key)):
                return await self._told(action, key, stored, again=True)
        return None

    async def _change(self, action: Change, key: str) -> Receipt:
        ref = action.event
        stored = await self._calendars.get(ref.id)
        file, source = opened(stored.content)
        if called_off_by(source, key):
            return await self._take_away(action, key, stored, again=True)
        timeline = timeline_of(source, self._place(ref.id, source.etag))
        event = event_in(timeline, ref)
        if event is None:
            raise NotFound(GONE)
        if ref.etag and ref.etag not in etags_of(source, event):
            raise Conflict(CHANGED)
        if isinstance(action, CancelEvent) and ref.recurrence is None:
            return await self._cancel(action, key, stored)
        apply(file, timeline, action, now=self._clock())
        return await self._replace(action, key, stored, file)

    async def _replace(self, action: Change, key: str, stored: Stored, file: CalendarFile) -> Receipt:
        before = only(read_objects(stored.content))
        if file.empty:  # the last of its instances
            return await self._delete(action, key, stored)
        if self._told_by_mail:
            leave_telling_to_us(file, before)
        content = file.text.encode()
        after = only(read_objects(content))
        timeline_of(after, self._place(stored.path, after.etag))  # refuses what would not be readable
        self._scheduling.refuse(action, after, before)
        await self._calendars.put(stored.path, content, stored.tag)
        now = await self._stands(stored.path)
        differs = self._differs(after, only(read_objects(now.content)))
        told = await self._told(action, key, now, lambda: self._put_back(now, stored), before=stored)
        return told.model_copy(update={"differs": differs})

    def _differs(self, approved: CalendarObject, there: CalendarObject) -> str:
        wanted, found = (
            [attendee_email(line) for block in one.blocks for line in block.all("ATTENDEE")] for one in (approved, there)
        )
        return as_approved.told(as_approved.guests_beside(wanted, found, self._owner))

    async def _cancel(self, action: CancelEvent, key: str, stored: Stored) -> Receipt:
        """Where others must hear of it, the event is first marked as called off: that shows what is still to be done."""
        source = only(read_objects(stored.content))
        self._scheduling.refuse(action, source)
        if not (self._told_by_mail and is_announced(source, self._owner)):
            return await self._delete(action, key, stored)
        await self._calendars.put(stored.path, call_off(stored.content, key, now=self._clock()), stored.tag)
        return await self._take_away(action, key, await self._stands(stored.path), stored)

    async def _take_away(self, action: Change, key: str, now: Stored, before: Stored | None = None, again: bool = False) -> Receipt:
        source = only(read_objects((before or now).content))
        note = await self._tell(action, key, source, (lambda: self._put_back(now, before)) if before else None, again=again)
        with after_the_write(self._account):
            await self._calendars.delete(now.path, now.tag)
        return self._receipt(action, key, None, note, *([self._restoring("", before)] if before else []))

    async def _delete(self, action: Change, key: str, stored: Stored) -> Receipt:
        source = only(read_objects(stored.content))
        quiet = timeline_of(source, self._place(stored.path, source.etag)).first.guest
        await self._calendars.delete(stored.path, stored.tag, quiet=quiet)
        note = await self._tell(action, key, source, lambda: self._calendars.put(stored.path, stored.content, None))
        return self._receipt(action, key, None, note, self._restoring("", stored))

    async def _restore(self, action: RestoreEvent, key: str) -> Receipt:
        ref, wanted = action.event, only(read_objects(action.ics.encode()))
        stored = await self._found(ref.id)
        if stored is None and ref.etag:
            raise NotFound(GONE)
        present = only(read_objects(stored.content)) if stored else None
        if stored and present and present.etag != ref.etag:
            if not same(present, wanted):
                raise Conflict(CHANGED)
            return await self._told(action, key, stored, again=True)
        content = raised(action.ics, present).encode() if is_announced(wanted, self._owner) else action.ics.encode()
        self._scheduling.refuse(action, wanted, present)
        await self._calendars.put(ref.id, content, stored.tag if stored else None)
        now = await self._stands(ref.id)
        back = (lambda: self._put_back(now, stored)) if stored else (lambda: self._calendars.delete(ref.id, now.tag))
        return await self._told(action, key, now, back, before=stored)

    async def _done(self, action: Change | RestoreEvent, key: str) -> Receipt | None:
        ref = action.event
        if all(f"{ref.id.rpartition('/')[0]}/" != one.path for one in await self._calendars.collections()):
            raise self._hidden()
        stored = await self._found(ref.id)
        if stored is None:
            return self._receipt(action, key) if isinstance(action, CancelEvent) else None
        source = only(read_objects(stored.content))
        if not isinstance(action, RestoreEvent) and called_off_by(source, key):
            return await self._take_away(action, key, stored, again=True)
        if isinstance(action, RestoreEvent):
            done = same(source, only(read_objects(action.ics.encode())))
        else:
            done = took_effect(action, stored.content, self._place(ref.id, source.etag), now=self._clock())
        return await self._told(action, key, stored, again=True) if done else None

    async def _told(
        self,
        action: CalendarAction,
        key: str,
        now: Stored,
        take_back: "Callable[[], Awaitable[object]] | None" = None,
        *,
        before: Stored | None = None,
        again: bool = False,
    ) -> Receipt:
        """Others hear of what stands there now. Where certainly nobody could be told, it is taken back."""
        source = only(read_objects(now.content))
        earlier = only(read_objects(before.content)) if before else None
        note = await self._tell(action, key, source, take_back, earlier, again=again)
        ref = EventRef(account=self._account, calendar=folder_of(now.path), id=now.path, etag=source.etag)
        undo: list[Undo] = []
        if before:
            undo = [self._restoring(source.etag, before)]
        elif isinstance(action, CreateEvent) or (isinstance(action, RestoreEvent) and not again):
            undo = [CancelEvent(account=self._account, event=ref)]
        return self._receipt(action, key, now, note, *undo)

    async def _tell(
        self,
        action: CalendarAction,
        key: str,
        source: CalendarObject,
        take_back: "Callable[[], Awaitable[object]] | None",
        before: CalendarObject | None = None,
        *,
        again: bool = False,
    ) -> str:
        try:
            return await self._scheduling.tell(action, key, source, before, again=again)
        except IntegrationError as error:
            if take_back is None or not came_to_nothing(error):
                raise
            with after_the_write(self._account):
                await take_back()
            raise

    async def _put_back(self, now: Stored, before: Stored) -> None:
        await self._calendars.put(now.path, before.content, now.tag)

    async def _stands(self, path: str) -> Stored:
        """As the server has it after a write, which may not be as it was sent."""
        with after_the_write(self._account):
            return await self._calendars.get(path)

    async def _found(self, path: str) -> Stored | None:
        try:
            return await self._calendars.get(path)
        except NotFound:
            return None

    def _restoring(self, etag: str, before: Stored) -> RestoreEvent:
        event = EventRef(account=self._account, calendar=folder_of(before.path), id=before.path, etag=etag)
        return RestoreEvent(account=self._account, event=event, ics=decode(before.content))

    def _place(self, path: str, etag: str) -> Place:
        return Place(self._account, folder_of(path), path, etag, self._owner, self._zone, answering=self._by_server)

    def _receipt(self, action: CalendarAction, key: str, now: Stored | None = None, note: str = "", *undo: Undo) -> Receipt:
        """With the id and etag of the event or instance that it is about, as far as there still is one."""
        event = None
        if now:
            source = only(read_objects(now.content))
            timeline = timeline_of(source, self._place(now.path, source.etag))
            event = timeline.first if isinstance(action, CreateEvent) else event_in(timeline, action.event)
        id, etag = (event.id, event.etag) if event else ("", "")
        return Receipt(action=action.kind, account=self._account, key=key, id=id, etag=etag, note=note, undo=undo)

    def _hidden(self) -> Unknowable:
        return Unknowable("The server no longer shows this calendar, so what has become of the event can't be told.", self._account)
