"""Writing events into folders of .ics files: one file for each new event, named after its key."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from integrations.actions import (
    AnswerInvitation,
    CalendarAction,
    CancelEvent,
    CreateEvent,
    Receipt,
    RestoreEvent,
    UpdateEvent,
)
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
from integrations.common.ical_edit import CalendarFile, new_event
from integrations.common.ical_events import Place
from integrations.common.people import gone_for_guest
from integrations.errors import Conflict, InvalidResponse, NotFound, ReadOnly
from integrations.local.calendar import LocalCalendarReader, calendar_of, file_and_uid
from integrations.local.disk import on_behalf_of
from integrations.local.folder import Folder, create, locked, make, remove, replace, safe_name
from integrations.types import Event, EventRef

Undo = CancelEvent | RestoreEvent
NO_SERVER = "this account has no outgoing server"


class LocalCalendarWriter:
    """`clock` dates what is written."""

    def __init__(
        self,
        root: Path,
        *,
        account: str,
        owner: str,
        zone: ZoneInfo,
        sample: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        marker: Path | None = None,
    ) -> None:
        self._root, self._account, self._owner, self._zone, self._sample = root, account, owner, zone, sample
        self._clock = clock
        self._folder = Folder(root, ".ics", lambda path, content: None, marker)
        self._reader = LocalCalendarReader(root, account=account, owner=owner, zone=zone, sample=sample, marker=marker)

    async def execute(self, action: CalendarAction, key: str) -> Receipt:
        with self._named():
            await asyncio.to_thread(self._folder.standing.refuse)
            if isinstance(action, CreateEvent):
                calendar = action.calendar or await self._default_calendar()
                return await asyncio.to_thread(self._create, action, calendar, key)
            if isinstance(action, RestoreEvent):
                return await asyncio.to_thread(self._restore, action, key)
            return await asyncio.to_thread(self._change, action, key)

    async def find(self, action: CalendarAction, key: str) -> Receipt | None:
        with self._named():
            await asyncio.to_thread(self._folder.standing.look)
            if isinstance(action, CreateEvent):
                return await asyncio.to_thread(self._created, action, key)
            return await asyncio.to_thread(self._took_effect, action, key)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors say whose they are."""
        try:
            with on_behalf_of(self._account, self._root):
                yield
        except Malformed as reason:
            raise InvalidResponse(f"This event can't be read: {reason}.", self._account) from reason

    async def _default_calendar(self) -> str:
        calendars = await self._reader.calendars()
        if not calendars:
            return "."
        if calendars[0].read_only:
            raise ReadOnly("No calendar of this account can be written to.")
        return calendars[0].id

    def _create(self, action: CreateEvent, calendar: str, key: str) -> Receipt:
        id = f"{safe_name(key)}.ics" if calendar == "." else f"{calendar}/{safe_name(key)}.ics"
        path = self._folder.path(id)
        if calendar == ".":
            make(path.parent)
        if not path.parent.is_dir():
            raise NotFound(f"There is no calendar called {calendar}.")
        content = new_event(action, uid=key, owner=self._owner, zone=self._zone, now=self._clock()).encode()
        only(read_objects(content), key)
        with suppress(FileExistsError):  # created before under this key: whoever asks again gets the same answer
            create(path, content)
        return self._receipt_of_new(action, id, key)

    def _created(self, action: CreateEvent, key: str) -> Receipt | None:
        name = f"{safe_name(key)}.ics"
        folder = action.calendar or "."
        ids = [name if folder == "." else f"{folder}/{name}"]
        if not action.calendar:
            ids += [str(path.relative_to(self._root).as_posix()) for path in self._root.glob(f"*/**/{name}")]
        found = next((id for id in ids if self._folder.path(id).is_file()), None)
        return self._receipt_of_new(action, found, key) if found else None

    def _receipt_of_new(self, action: CreateEvent, id: str, key: str) -> Receipt:
        source = only(read_objects(self._folder.content(id)))
        event = timeline_of(source, self._place(id, source.etag)).first
        note = f"No invitation was sent: {NO_SERVER}." if action.attendees else ""
        undo = CancelEvent(account=self._account, event=event.ref)
        return self._receipt(action, key, id, event.etag, note, undo)

    def _change(self, action: Change, key: str) -> Receipt:
        ref = action.event
        name, uid = file_and_uid(ref.id)
        path = self._folder.path(name)
        with locked(path.parent):
            content = self._folder.content(name)
            file, source = opened(content, uid)
            before = decode(content) if uid is None else source.text
            timeline = timeline_of(source, self._place(ref.id, source.etag))
            event = event_in(timeline, ref)
            if event is None:
                raise NotFound(GONE)
            if ref.etag and ref.etag not in etags_of(source, event):
                raise Conflict(CHANGED)
            apply(file, timeline, action, now=self._clock())
            after = self._store(path, file, source.uid, content)
        undo = RestoreEvent(account=self._account, event=self._ref(ref.id, after.etag if after else ""), ics=before)
        return self._receipt_for(action, key, after, self._untold(action, event), undo)

    def _store(self, path: Path, file: CalendarFile, uid: str, content: bytes) -> CalendarObject | None:
        """What is there now of this event; None where it is gone."""
        if file.empty:
            done, after = remove(path, expected=content), None
        else:
            written = file.text.encode()
            after = next((found for found in read_objects(written) if found.uid == uid), None)
            if after is not None:
                timeline_of(after, self._place(path.name, after.etag))  # refuses what would not be readable
            done = replace(path, written, expected=content)
        if not done:
            raise Conflict(CHANGED)
        return after

    def _restore(self, action: RestoreEvent, key: str) -> Receipt:
        ref = action.event
        name, uid = file_and_uid(ref.id)
        path = self._folder.path(name)
        wanted = only(read_objects(action.ics.encode()), uid)
        with locked(path.parent):
            if not path.exists():
                if ref.etag:
                    raise NotFound(GONE)
                self._put_back(path, action.ics)
                undo = CancelEvent(account=self._account, event=self._ref(ref.id, wanted.etag))
                return self._receipt(action, key, ref.id, wanted.etag, "", undo)
            content = self._folder.content(name)
            file = CalendarFile(decode(content))
            present = file.object(wanted.uid)
            if (present.etag if present else "") != ref.etag:
                if present and present.etag == wanted.etag:
                    return self._receipt(action, key, ref.id, wanted.etag, "")
                raise Conflict(CHANGED) if present else NotFound(GONE)
            before = "" if present is None else decode(content) if uid is None else present.text
            file.put(wanted)
            written = action.ics.encode() if uid is None else file.text.encode()
            if not replace(path, written, expected=content):
                raise Conflict(CHANGED)
        now = self._ref(ref.id, wanted.etag)
        taken_back = RestoreEvent(account=self._account, event=now, ics=before)
        removed = CancelEvent(account=self._account, event=now)
        return self._receipt(action, key, ref.id, wanted.etag, "", taken_back if before else removed)

    def _put_back(self, path: Path, ics: str) -> None:
        try:
            create(path, ics.encode())
        except FileExistsError as other:
            raise Conflict(CHANGED) from other

    def _took_effect(self, action: Change | RestoreEvent, key: str) -> Receipt | None:
        ref = action.event
        name, uid = file_and_uid(ref.id)
        try:
            content = self._folder.content(name)
            _, source = opened(content, uid)
        except NotFound:
            return self._receipt_for(action, key, None, "") if isinstance(action, CancelEvent) else None
        if isinstance(action, RestoreEvent):
            done = source.etag == only(read_objects(action.ics.encode()), source.uid).etag
        else:
            done = took_effect(action, content, self._place(ref.id, source.etag), uid, now=self._clock())
        return self._receipt_for(action, key, source, "") if done else None

    def _place(self, id: str, etag: str) -> Place:
        return Place(self._account, calendar_of(file_and_uid(id)[0]), id, etag, self._owner, self._zone, self._sample)

    def _untold(self, action: CalendarAction, event: Event) -> str:
        if isinstance(action, AnswerInvitation):
            return f"The organizer was not told: {NO_SERVER}."
        if isinstance(action, CancelEvent) and event.guest and event.organizer:
            return gone_for_guest(event.organizer.name or event.organizer.email, action.comment)
        added = action.add_attendees if isinstance(action, UpdateEvent) else ()
        others = {attendee.address.email for attendee in event.attendees} | {address.email for address in added}
        return f"The others were not told: {NO_SERVER}." if others - {self._owner.lower()} else ""

    def _ref(self, id: str, etag: str) -> EventRef:
        return EventRef(account=self._account, calendar=calendar_of(file_and_uid(id)[0]), id=id, etag=etag)

    def _receipt_for(self, action: Change | RestoreEvent, key: str, now: CalendarObject | None, note: str, *undo: Undo) -> Receipt:
        """With the id and etag of the event or instance that it is about, as far as there still is one."""
        event = event_in(timeline_of(now, self._place(action.event.id, now.etag)), action.event) if now else None
        return self._receipt(action, key, event.id if event else "", event.etag if event else "", note, *undo)

    def _receipt(
        self, action: CalendarAction, key: str, id: str, etag: str, note: str, *undo: CancelEvent | RestoreEvent
    ) -> Receipt:
        return Receipt(action=action.kind, account=self._account, key=key, id=id, etag=etag, note=note, undo=undo)
