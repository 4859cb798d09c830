"""Files events into calendar folders: one .ics file for each UID, with its exceptions and its time zones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

from integrations.common.contentline import Block, Malformed, prop, unescape
from integrations.common.ical import CalendarObject, objects, read_objects, uid_of
from integrations.common.ical_events import Place, Timeline
from integrations.local.importing.files import UNREADABLE, Skip, Text, put, read_text, safe_name, writing

OTHER_CONTENT = "already there with other content"

_NOT_EVENTS = {
    "VTODO": "is a task, not an event",
    "VJOURNAL": "is a journal entry, not an event",
    "VFREEBUSY": "tells when somebody is busy, and holds no event",
    "VAVAILABILITY": "tells when somebody is available, and holds no event",
}
_ANSWERS = {"REPLY", "CANCEL", "REFRESH", "COUNTER", "DECLINECOUNTER"}
_ANYWHERE = Place(account="", calendar="", id="", etag="", owner="", zone=ZoneInfo("UTC"))


@dataclass(frozen=True)
class Version:
    """What tells whether two objects with one UID are the same, and which is newer."""

    content: str
    age: tuple[int, str]


class EventFiler:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[str, Path] = {}
        self._known: dict[str, Version] = {}
        for path in sorted(root.rglob("*.ics")) if root.is_dir() else ():
            try:
                found = read_objects(path.read_bytes())
            except UNREADABLE:
                continue
            self._known.update((source.uid, _version(source.blocks)) for source in found)

    def take(self, data: bytes, name: str, skip: Skip) -> tuple[int, int]:
        """How many were new and how many there already. `name` is the file's."""
        text = read_text(data)
        calendar = _calendar_name(text) or name
        taken = duplicates = 0
        for source in _objects(text, skip):
            version, there = _version(source.blocks), self._known.get(source.uid)
            if there is not None and there.content == version.content:
                duplicates += 1
            elif there is not None:
                skip(_shown(source.blocks[0]), OTHER_CONTENT + (" (this one is newer)" if version.age > there.age else ""))
            elif reason := _unreadable(source):
                skip(_shown(source.blocks[0]), reason)
            elif put(self._folder(calendar), safe_name(source.uid), ".ics", text.encode(source.text)):
                self._known[source.uid] = version
                taken += 1
            else:
                skip(_shown(source.blocks[0]), OTHER_CONTENT)
        return taken, duplicates

    def _folder(self, calendar: str) -> Path:
        """The one of that name, made where it is missing."""
        if calendar not in self._folders:
            self._folders[calendar] = self._named(calendar) or self._made(calendar)
        return self._folders[calendar]

    def _named(self, calendar: str) -> Path | None:
        labels = self._root.glob("*/displayname")
        return next((at.parent for at in labels if at.read_text(encoding="utf-8", errors="replace").strip() == calendar), None)

    def _made(self, calendar: str) -> Path:
        folder = self._root / safe_name(calendar)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if folder.name != calendar:
                (folder / "displayname").write_text(calendar, encoding="utf-8")
        return folder


def _objects(text: Text, skip: Skip) -> Iterator[CalendarObject]:
    methods = {block.value("METHOD").upper() for block in text.walk("VCALENDAR")}
    if method := methods & _ANSWERS:
        skip("", f"is a message about an event ({min(method)}), not a calendar")
        return
    others = [(block, reason) for kind, reason in _NOT_EVENTS.items() for block in text.walk(kind)]
    for block, reason in others:
        skip(_shown(block), reason)
    try:
        found = objects(text.entries)
    except Malformed as error:
        skip("", str(error))
        return
    if not found and not others:
        skip("", "holds no event")
    for source in found:
        yield _stored(replace(source, blocks=_without_rivals(source.blocks, skip)))


def _stored(source: CalendarObject) -> CalendarObject:
    """As it goes into a file: with the UID that a UID-less event is known by."""
    if source.blocks[0].value("UID"):
        return source
    blocks = tuple(block.copy() for block in source.blocks)
    for block in blocks:
        block.set("UID", prop("UID", source.uid))
    return replace(source, blocks=blocks)


def _without_rivals(blocks: Sequence[Block], skip: Skip) -> tuple[Block, ...]:
    """One for each RECURRENCE-ID, the newest."""
    kept: dict[str, Block] = {}
    for block in sorted(blocks, key=lambda block: _version([block]).age, reverse=True):
        first = kept.setdefault(block.value("RECURRENCE-ID"), block)
        if _version([first]).content != _version([block]).content:
            skip(_shown(block), "has the same UID as another event of this file")
    return tuple(block for block in blocks if any(block is one for one in kept.values()))


def _unreadable(source: CalendarObject) -> str:
    if any(block.end is None for block in source.blocks):
        return "is cut off: its end is missing"
    try:
        timeline = Timeline(source, _ANYWHERE)
        start = timeline.first.start.astimezone(UTC)
        timeline.between(start, start.replace(hour=23, minute=59))
    except Malformed as error:
        return str(error)
    return ""


def _version(blocks: Iterable[Block]) -> Version:
    sequences = [block.value("SEQUENCE") for block in blocks]
    changes = [block.value("LAST-MODIFIED") for block in blocks]
    age = max(int(text) if text.isdecimal() else 0 for text in sequences), max(changes)
    return Version(sha256("\n".join(sorted(map(_essence, blocks))).encode(errors="replace")).hexdigest(), age)


def _essence(block: Block) -> str:
    """Its lines without the moment of the export, their order and how they were folded."""
    lines = sorted(line.text.strip() for line in block.lines if line.name != "DTSTAMP")
    return "\n".join([block.name, *lines, *sorted(map(_essence, block.blocks))])


def _calendar_name(text: Text) -> str:
    return next((unescape(name).strip() for block in text.walk("VCALENDAR") if (name := block.value("X-WR-CALNAME"))), "")


def _shown(block: Block) -> str:
    title = unescape(block.value("SUMMARY")).strip()
    return f"“{title[:80]}”" if title else uid_of(block)
