"""Reading iCalendar: the objects of a file, one for each UID."""

import hashlib
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, cast
from zoneinfo import ZoneInfo

from integrations.common.contentline import Block, Line, Malformed, decode, made, parse, render
from integrations.common.endless import runs_away

if TYPE_CHECKING:
    from icalendar import Calendar

Properties = Mapping[str, Any]
"""A VEVENT as icalendar parsed it."""

REPEATS = ("RRULE", "RDATE")
READ = frozenset(
    "UID DTSTAMP CREATED LAST-MODIFIED SEQUENCE DTSTART DTEND DURATION RRULE RDATE EXDATE EXRULE RECURRENCE-ID SUMMARY LOCATION "
    "DESCRIPTION STATUS TRANSP ORGANIZER ATTENDEE".split()
)
"""All that is looked at: no attachments, no alarms, no text in HTML beside the one that counts."""
TIMES = ("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID")
TZID = re.compile(r';TZID="?([^":;]+)', re.IGNORECASE)
DAY = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T\d{6}Z?)?")
COUNTED = ("UID", "EXDATE", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE")  # what a series' own block keeps about its other instances
MOST_DATES = 3000
MOST_ATTENDEES = 2000
LONGEST_LINE = 200_000
SLACK = timedelta(days=2)  # more than any two time zones differ


@dataclass(frozen=True)
class CalendarObject:
    """All VEVENTs of one UID, with the time zones of the file they stand in."""

    uid: str
    blocks: tuple[Block, ...]
    zones: tuple[Block, ...]
    floating: str = ""
    """The zone that X-WR-TIMEZONE gives to floating times."""

    @cached_property
    def etag(self) -> str:
        return hashlib.sha256(render(self.blocks, "\n").encode("utf-8", "replace")).hexdigest()[:32]

    def instance_etag(self, block: Block) -> str:
        """Of the instances that follow this block: it stays when only other instances change."""
        own = block.get("RECURRENCE-ID") is not None
        lasting = block if own else block.without(*COUNTED)
        return hashlib.sha256(render([lasting], "\n").encode("utf-8", "replace")).hexdigest()[:32]

    @property
    def master(self) -> Block | None:
        return next((block for block in self.blocks if block.get("RECURRENCE-ID") is None), None)

    @cached_property
    def text(self) -> str:
        """A calendar of its own, for parsing, exporting and putting back."""
        head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//personal-assistant//EN"]
        if self.floating:
            head.append(f"X-WR-TIMEZONE:{self.floating}")
        used = set(TZID.findall(render(self.blocks)))
        zones = [zone for zone in self.zones if zone.value("TZID") in used]
        return "\r\n".join(head) + "\r\n" + render([*zones, *self.blocks]) + "END:VCALENDAR\r\n"

    @cached_property
    def days(self) -> tuple[date, date] | None:
        """The days it certainly lies between, if that shows without parsing it: for a single event of the common kind."""
        if len(self.blocks) != 1 or any(self.blocks[0].get(name) for name in (*REPEATS, "DURATION")):
            return None
        try:
            start, end = (_day(self.blocks[0].value(name)) for name in ("DTSTART", "DTEND"))
            return (min(start, end or start) - SLACK, max(start, end or start) + SLACK) if start else None
        except (ValueError, OverflowError):
            return None


def read_objects(content: bytes) -> tuple[CalendarObject, ...]:
    """The calendar objects of a file; Malformed where it is no calendar at all. Anything but events is left aside."""
    return objects(parse(decode(content)))


def objects(entries: "list[Line | Block]") -> tuple[CalendarObject, ...]:
    root = Block("", made(""), entries)
    if not any(root.blocks):
        raise Malformed("it holds no calendar")
    zones = tuple(root.walk("VTIMEZONE"))
    floating = next((calendar.value("X-WR-TIMEZONE") for calendar in root.blocks if calendar.value("X-WR-TIMEZONE")), "")
    by_uid: dict[str, list[Block]] = {}
    for block in root.walk("VEVENT"):
        by_uid.setdefault(uid_of(block), []).append(block)
    return tuple(CalendarObject(uid, tuple(blocks), zones, floating) for uid, blocks in by_uid.items())


def uid_of(block: Block) -> str:
    """Its UID; without one, a name from its content."""
    return block.value("UID") or "without-uid-" + hashlib.sha256(render([block], "\n").encode("utf-8", "replace")).hexdigest()[:16]


def parsed(source: CalendarObject) -> "Calendar":
    """By icalendar; Malformed where that fails or an event has no readable start."""
    from icalendar import Calendar

    if any(block.end is None for block in source.blocks):
        raise Malformed("it ends in the middle of an event")
    if sum(_listed_dates(block) for block in source.blocks) > MOST_DATES:
        raise Malformed(f"it lists more than {MOST_DATES} dates")
    # icalendar knows the IANA zones and their present rules; a file's own definitions are for the names it doesn't know.
    strange = tuple(zone for zone in source.zones if known_zone(zone.value("TZID")) is None)
    try:
        read = replace(source, blocks=tuple(map(_read, source.blocks)), zones=strange, floating="")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            calendar = Calendar.from_ical(read.text)
    except Exception as error:
        raise Malformed(reason_of(error)) from error
    assert isinstance(calendar, Calendar)
    for component in calendar.walk("VEVENT"):
        event: Properties = component
        if "DTSTART" not in event:
            raise Malformed("an event in it has no start")
        broken = [name for name, _ in component.errors if name in TIMES]
        if broken:
            raise Malformed(f"its {broken[0]} can't be read")
        if any(runs_away(line.value, block.value("DTSTART")) for block in source.blocks for line in block.all("RRULE")):
            raise Malformed("it repeats too often to be listed, or never")
        if isinstance(event["DTSTART"], list) or not isinstance(event["DTSTART"].dt, date):
            raise Malformed("its DTSTART can't be read")
    return calendar


def _read(block: Block) -> Block:
    """Without what is not looked at, and what nobody would have written."""
    spare = iter(range(MOST_ATTENDEES))
    kept: list[Line | Block] = []
    for entry in block.lines:
        if entry.name in READ and (entry.name != "ATTENDEE" or next(spare, None) is not None):
            kept.append(entry if len(entry.text) <= LONGEST_LINE else made(entry.text[:LONGEST_LINE]))
    return Block(block.name, block.begin, kept, block.end)


def _listed_dates(block: Block) -> int:
    """How many instances it names one by one, itself included."""
    return 1 + sum(line.value.count(",") + 1 for line in block.all("RDATE", "EXDATE"))


def vevents(calendar: "Calendar") -> list[Properties]:
    return cast(list[Properties], calendar.walk("VEVENT"))


@lru_cache(maxsize=256)
def known_zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, LookupError):
        return None


def _day(value: str) -> date | None:
    match = DAY.fullmatch(value)
    if value and not match:
        raise ValueError(value)
    return date(int(match[1]), int(match[2]), int(match[3])) if match else None


def reason_of(error: Exception) -> str:
    if isinstance(error, TypeError | AttributeError | OverflowError):
        return "its times can't be read"
    if isinstance(error, OSError):  # the name of a time zone that is a folder among the zones
        return "its time zone can't be found"
    said = " ".join(str(error).split())
    return f"it can't be read ({said[:120]})" if said else "it can't be read"
