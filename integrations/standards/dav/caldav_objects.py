"""What the calendars hold, kept at hand: a listing fetches only what has changed since the last one, even of another process."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from integrations.common.contentline import Malformed
from integrations.common.ical import read_objects
from integrations.common.ical_events import Place, Timeline
from integrations.errors import Conflict, InvalidResponse, NotFound, ReadOnly
from integrations.standards.dav.calendars import Calendars, Collection, Stored
from integrations.standards.dav.dav_kept import Item, State
from integrations.types import Skipped

AROUND = timedelta(days=31)
"""Looked at besides, before and after what is asked for: it may be asked for next. More than any two time zones differ."""
LONGEST_KEPT = timedelta(days=1500)
HIDDEN = "the server does not show it"
SEVERAL = "it holds no single event"
FIRST, LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(9999, 12, 1, tzinfo=UTC)
Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Entry:
    """`skipped` where it could not be read."""

    timeline: Timeline | None
    skipped: str = ""


@dataclass
class Shelf:
    """Of one calendar: all that has events in `span`, and whatever else has changed since that was asked for. Not for use by two at
    once."""

    entries: dict[str, Entry] = field(default_factory=dict)
    span: Span | None = None
    token: str = ""
    version: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def covers(self, span: Span) -> bool:
        return self.span is not None and self.span[0] <= span[0] and span[1] <= self.span[1]

    @property
    def skipped(self) -> Iterator[Skipped]:
        return (Skipped(where=path, reason=entry.skipped) for path, entry in self.entries.items() if entry.skipped)

    @property
    def timelines(self) -> Iterator[Timeline]:
        return (entry.timeline for entry in self.entries.values() if entry.timeline)


class Objects:
    """`place` says what an object's text does not say of it, from its path and calendar."""

    def __init__(self, calendars: Calendars, place: Callable[[str, str, str], Place]) -> None:
        self._calendars, self._place = calendars, place
        self._shelves: dict[str, Shelf] = {}

    def shelf(self, collection: Collection) -> Shelf:
        """Its lock is held by whoever refreshes it and reads in it."""
        return self._shelves.setdefault(collection.path, Shelf())

    async def refresh(self, shelf: Shelf, collection: Collection, start: datetime, end: datetime) -> None:
        """So that it holds all that is between these, as of now; `collection` has just been listed."""
        if shelf.span is None:
            await self._remembered(shelf, collection)
        span = _around(start, end)
        if shelf.covers((start, end)):
            if shelf.version and shelf.version == collection.version:
                return
            if shelf.token and await self._caught_up(shelf, collection):
                return
            span = shelf.span or span
        span = _joined(shelf.span, span)
        stored, refused = await self._calendars.between(collection, *span)
        shelf.entries = await self._read(stored, refused, collection)
        # The token was told before the objects: what has changed in between will be told again.
        shelf.span, shelf.token, shelf.version = span, collection.token, collection.version
        if (kept := self._calendars.kept) and shelf.version and not refused:
            await asyncio.to_thread(kept.keep_all, collection.url, _state(shelf), _items(stored))

    async def _remembered(self, shelf: Shelf, collection: Collection) -> None:
        """What an earlier process has kept of it."""
        kept = self._calendars.kept
        held = await asyncio.to_thread(kept.held, collection.url) if kept else None
        if held and (span := _span_of(held.state.span)):
            stored = [Stored(path, item.content, item.tag) for path, item in held.items.items()]
            shelf.entries = await self._read(stored, (), collection)
            shelf.span, shelf.token, shelf.version = span, held.state.token, held.state.version

    async def _caught_up(self, shelf: Shelf, collection: Collection) -> bool:
        """False where the server can't tell what has changed since."""
        try:
            changed = await self._calendars.changed(collection, shelf.token)
        except (Conflict, ReadOnly, NotFound, InvalidResponse):
            return False
        stored, refused = await self._calendars.these(collection, list(changed.tags)) if changed.tags else ([], [])
        entries = await self._read(stored, [*refused, *changed.refused], collection)
        here = {path: entry for path, entry in shelf.entries.items() if path not in changed.gone and path not in changed.tags}
        shelf.entries, before = here | entries, _state(shelf)
        shelf.token = shelf.version = changed.token
        if (kept := self._calendars.kept) and not (refused or changed.refused):
            gone = changed.gone | changed.tags.keys()
            await asyncio.to_thread(kept.keep_changes, collection.url, before, _state(shelf), _items(stored), gone)
        return True

    async def _read(self, stored: list[Stored], refused: Iterable[str], collection: Collection) -> dict[str, Entry]:
        found = await asyncio.to_thread(lambda: {one.path: self._entry(one, collection) for one in stored})
        return {**found, **{path: Entry(None, HIDDEN) for path in refused if path not in found}}

    def _entry(self, stored: Stored, collection: Collection) -> Entry:
        try:
            sources = read_objects(stored.content)
        except Malformed as reason:
            return Entry(None, str(reason))
        if not sources:  # a task or a note
            return Entry(None)
        if len(sources) > 1:
            return Entry(None, SEVERAL)
        return Entry(Timeline(sources[0], self._place(collection.path, stored.path, sources[0].etag)))


def _state(shelf: Shelf) -> State:
    return State(shelf.token, shelf.version, "/".join(moment.isoformat() for moment in shelf.span or ()))


def _span_of(written: str) -> Span | None:
    start, _, end = written.partition("/")
    return (datetime.fromisoformat(start), datetime.fromisoformat(end)) if end else None


def _items(stored: Iterable[Stored]) -> dict[str, Item]:
    return {one.path: Item(one.tag, one.content) for one in stored}


def _around(start: datetime, end: datetime) -> Span:
    start, end = (min(max(moment.astimezone(UTC), FIRST), LAST) for moment in (start, end))
    return max(start, FIRST + AROUND) - AROUND, min(max(end, start), LAST - AROUND) + AROUND


def _joined(known: Span | None, wanted: Span) -> Span:
    """Both, unless that would be very much."""
    if known is None:
        return wanted
    both = min(known[0], wanted[0]), max(known[1], wanted[1])
    return both if both[1] - both[0] <= LONGEST_KEPT else wanted
