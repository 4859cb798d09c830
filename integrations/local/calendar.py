"""Calendars as folders of .ics files, as vdirsyncer and khal keep them."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from zoneinfo import ZoneInfo

from integrations.common.calendar_objects import GONE, GONE_INSTANCE, event_in, matches, unanswered
from integrations.common.contentline import Malformed
from integrations.common.ical import SLACK, read_objects
from integrations.common.ical_events import Place, Timeline
from integrations.common.people import plain
from integrations.errors import NotFound
from integrations.local.folder import File, Folder
from integrations.local.questions import Questions
from integrations.types import Busy, Calendar, Event, EventQuery, EventRef, Page, Skipped

UNREADABLE = "it is empty or can't be opened"
NOBODY_ELSE = "folders on this machine tell only of your own time"
ALWAYS = (date.min, date.max)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one file holds; `skipped` where it could not be read."""

    timelines: tuple[Timeline, ...]
    skipped: str = ""


@dataclass(frozen=True)
class Shelf:
    """What the files hold, as of one reading of the folder; `unread` are the folders that could not be looked into,
    `spans` the days each timeline certainly lies between."""

    files: Mapping[str, File[Entry]]
    unread: tuple[Skipped, ...] = ()

    @cached_property
    def spans(self) -> tuple[tuple[date, date, str, Timeline], ...]:
        return tuple((*(timeline.source.days or ALWAYS), path, timeline) for path, timeline in self.timelines)

    @cached_property
    def timelines(self) -> tuple[tuple[str, Timeline], ...]:
        return tuple((calendar_of(path), timeline) for path, file in self.files.items() for timeline in file.item.timelines)

    @cached_property
    def holding(self) -> Counter[str]:
        """How much each calendar holds."""
        return Counter(calendar for calendar, _ in self.timelines)

    @cached_property
    def skipped(self) -> tuple[tuple[str, Skipped], ...]:
        items = ((path, file.item.skipped) for path, file in self.files.items())
        broken = ((calendar_of(path), Skipped(where=path, reason=reason)) for path, reason in items if reason)
        return (*((folder.where, folder) for folder in self.unread), *broken)


class LocalCalendarReader:
    """`root` holds a folder for each calendar, with one event in a file or many."""

    def __init__(
        self, root: Path, *, account: str, owner: str, zone: ZoneInfo, sample: bool = False, marker: Path | None = None
    ) -> None:
        self._account, self._owner, self._zone, self._sample = account, owner, zone, sample
        self._folder = Folder(root, ".ics", self._read, marker)
        self._questions = Questions(account, root, self._folder.still)
        self._kept = Shelf({})

    async def calendars(self) -> tuple[Calendar, ...]:
        return await self._questions.ask(self._calendars)

    async def events(self, query: EventQuery) -> Page[Event]:
        return await self._questions.ask(self._events, query)

    async def get(self, ref: EventRef) -> Event:
        return await self._questions.ask(self._get, ref)

    async def invitations(self, now: datetime) -> tuple[Event, ...]:
        return await self._questions.ask(self._invitations, now)

    async def busy(self, emails: Sequence[str], start: datetime, end: datetime) -> tuple[Busy, ...]:
        return tuple(Busy(email=email, unknown=NOBODY_ELSE) for email in emails)

    def _calendars(self) -> tuple[Calendar, ...]:
        with self._folder.lock:
            holding = self._shelf().holding
            parents = {str(parent) for folder in self._folder.folders if folder != "." for parent in PurePosixPath(folder).parents}
            shown = [self._calendar(folder) for folder in self._folder.folders if folder in holding or folder not in parents]
            # The first writable one takes new events, so the most used comes first.
            return tuple(sorted(shown, key=lambda calendar: (calendar.read_only, -holding[calendar.id], calendar.id)))

    def _calendar(self, folder: str) -> Calendar:
        path = self._folder.root / folder
        try:
            name = (path / "displayname").read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            name = ""
        return Calendar(account=self._account, id=folder, name=name or path.resolve().name, read_only=not os.access(path, os.W_OK))

    def _events(self, query: EventQuery) -> Page[Event]:
        words = [plain(word) for word in query.words]
        found: list[Event] = []
        low, high = query.start.date() - SLACK, query.end.date() + SLACK
        with self._folder.lock:
            shelf = self._shelf()
            skipped = [one for calendar, one in shelf.skipped if not query.calendars or calendar in query.calendars]
            for first, last, calendar, timeline in shelf.spans:
                if first >= high or last <= low or (query.calendars and calendar not in query.calendars):
                    continue
                try:
                    events = timeline.between(query.start, query.end)
                except Malformed as reason:
                    skipped.append(Skipped(where=timeline.place.id, reason=str(reason)))
                    continue
                found += (event for event in events if matches(event, words, query.people))
        found.sort(key=lambda event: (event.start, event.end, event.title, event.id))
        return Page(items=tuple(found[: query.limit]), total=len(found), skipped=tuple(skipped))

    def _get(self, ref: EventRef) -> Event:
        with self._folder.lock:
            timeline = self._timeline(ref.id)
            try:
                event = event_in(timeline, ref)
            except Malformed as reason:
                raise NotFound(f"This event can't be read: {reason}.", self._account) from reason
        if event is None:
            raise NotFound(GONE_INSTANCE, self._account)
        return event

    def _timeline(self, id: str) -> Timeline:
        path, uid = file_and_uid(id)
        file = self._folder.files().get(path)
        timelines = file.item.timelines if file else ()
        found = [timeline for timeline in timelines if uid is None or timeline.source.uid == uid]
        if len(found) != 1:
            raise NotFound(GONE, self._account)
        return found[0]

    def _invitations(self, now: datetime) -> tuple[Event, ...]:
        found: list[Event] = []
        with self._folder.lock:
            for _, timeline in self._shelf().timelines:
                if timeline.invites:
                    found += unanswered(timeline, now)
        return tuple(sorted(found, key=lambda event: (event.start, event.id)))

    def _shelf(self) -> Shelf:
        files = self._folder.files()
        if files is not self._kept.files:
            self._kept = Shelf(files, self._folder.unread)
        return self._kept

    def _read(self, path: str, content: bytes) -> Entry:
        if not content:
            return Entry((), UNREADABLE)
        try:
            sources = read_objects(content)
        except Malformed as reason:
            return Entry((), str(reason))
        return Entry(
            tuple(
                Timeline(
                    source,
                    Place(
                        account=self._account,
                        calendar=calendar_of(path),
                        id=path if len(sources) == 1 else f"{path}#{source.uid}",
                        etag=source.etag,
                        owner=self._owner,
                        zone=self._zone,
                        sample=self._sample,
                    ),
                )
                for source in sources
            )
        )


def calendar_of(path: str) -> str:
    """The folder of an item, "." for the root."""
    return path.rpartition("/")[0] or "."


def file_and_uid(id: str) -> tuple[str, str | None]:
    """An event's id is its file's path, with "#" and its UID where the file holds several."""
    head, mark, uid = id.partition(".ics#")
    return (f"{head}.ics", uid) if mark else (id, None)
