"""What is done to calendar objects here, beside what an action asks for."""

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256

from integrations.common.calendar_objects import opened
from integrations.common.contentline import Block, Line, prop
from integrations.common.ical import CalendarObject
from integrations.common.ical_edit import CalendarFile, stamp
from integrations.common.ical_events import attendee_email

MARK = "X-PERSONAL-ASSISTANT-WRITE"
"""Names the write that takes an event away, from when it is marked as called off until those invited were told."""
RICH = frozenset({"ATTACH", "IMAGE", "STRUCTURED-DATA", "STYLED-DESCRIPTION", "X-ALT-DESC"})
LONGEST = 100
"""Letters of a name."""
STAMPS = ("DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "CREATED")


def uid_for(key: str) -> str:
    """Of the event that is created under this key, and the name of its object."""
    plain = 0 < len(key) <= LONGEST and key.isascii() and key.replace("-", "").isalnum()
    return key if plain else sha256(key.encode("utf-8", "replace")).hexdigest()


def is_announced(source: CalendarObject, owner: str) -> bool:
    """Whether the owner invites others to it."""
    organisers = {attendee_email(line) for block in source.blocks for line in block.all("ORGANIZER")}
    return organisers == {owner} and bool(_invited(source) - {owner})


def leave_telling_to_us(file: CalendarFile, before: CalendarObject | None = None) -> None:
    """Keeps a server from inviting by itself whom this change invites (RFC 6638, 7.1)."""
    known = _invited(before) if before else set()
    for source in file.objects:
        for block in source.blocks:
            block.change(lambda line: _ours(line) if line.name == "ATTENDEE" and attendee_email(line) not in known else line)


def as_guest(file: CalendarFile, *, by_mail: bool) -> None:
    """What an invitation of somebody else's may do in the owner's calendar: it brings no alarms, which could send mail in the
    owner's name, and nothing that programs fetch or show in place of what was read. `by_mail`: its organiser is answered by us, not
    by the calendar server as well."""
    for source in file.objects:
        for block in source.blocks:
            block.body = [entry for entry in block.body if isinstance(entry, Line) and entry.name not in RICH]
            if by_mail:
                block.change(lambda line: _ours(line) if line.name == "ORGANIZER" else line)


def call_off(content: bytes, key: str, *, now: datetime) -> bytes:
    """The object with all its events cancelled, and the write that does it named."""
    file, source = opened(content)
    for block in source.blocks:
        block.set("STATUS", prop("STATUS", "CANCELLED"))
        block.set(MARK, prop(MARK, key))
        stamp(block, now, count=True)
    return file.text.encode()


def called_off_by(source: CalendarObject, key: str) -> bool:
    return all(block.value(MARK) == key for block in source.blocks)


def raised(ics: str, present: CalendarObject | None) -> str:
    """With a SEQUENCE that those who have heard of the present state, or of its removal, do not take for an older one."""
    file = CalendarFile(ics)
    for source in file.objects:
        newest = sequence_of(source) + 2
        if present:
            newest = max(newest, sequence_of(present) + 1)
        for block in source.blocks:
            block.set("SEQUENCE", prop("SEQUENCE", str(newest)))
    return file.text


def sequence_of(source: CalendarObject) -> int:
    """The highest that any of its blocks has."""
    written = (block.value("SEQUENCE") for block in source.blocks)
    return max(int(one) if one.isascii() and one.isdigit() and len(one) < 10 else 0 for one in written)


def same(one: CalendarObject, other: CalendarObject) -> bool:
    """But for when they were written; servers put lines in an order of their own."""
    return _said(one) == _said(other)


def _said(source: CalendarObject) -> list[list[str]]:
    return sorted(sorted(_texts(block)) for block in source.blocks)


def _texts(block: Block) -> Iterator[str]:
    yield from (line.text for line in block.lines if line.name not in STAMPS)
    for nested in block.blocks:
        yield f"{nested.name}: {sorted(_texts(nested))}"


def _invited(source: CalendarObject) -> set[str]:
    return {attendee_email(line) for block in source.blocks for line in block.all("ATTENDEE")}


def _ours(line: Line) -> Line:
    return line.with_param("SCHEDULE-AGENT", "CLIENT")
