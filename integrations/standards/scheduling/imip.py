"""What others are told of an event, as a mail (iMIP, RFC 6047): in plain words, and as a calendar that their programs read."""

import email.utils
import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.charset import BASE64, QP, Charset
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from integrations.common.contentline import Block, Malformed, decode, parse
from integrations.common.headers import encode_header, one_line
from integrations.common.ical import read_objects
from integrations.common.ical_events import Place, Timeline
from integrations.common.invisible import visible
from integrations.common.mail_building import mailbox, message_id, text_part
from integrations.common.mail_checks import fields_of, hides_a_break, strict_text
from integrations.common.mime import content_of, flat, leaves, parse_message, part_bytes, read_message
from integrations.errors import InvalidResponse
from integrations.standards.scheduling.itip import Kind, Notice
from integrations.types import Address, Event

SUBJECTS: dict[Kind, str] = {
    "invitation": "Invitation",
    "update": "Changed",
    "cancellation": "Cancelled",
    "uninvited": "No longer invited",
    "accepted": "Accepted",
    "declined": "Declined",
    "tentative": "Accepted tentatively",
}
OPENINGS: dict[Kind, str] = {
    "invitation": "{who} invites you:",
    "update": "{who} has changed this event:",
    "cancellation": "{who} has cancelled this event:",
    "uninvited": "{who} no longer expects you at this event:",
    "accepted": "{who} has accepted your invitation:",
    "declined": "{who} has declined your invitation:",
    "tentative": "{who} has accepted your invitation tentatively:",
}
LONGEST_TITLE = 200
MOST_NAMED = 20
CALENDAR_PART = "1.2"
KINDS = ("text/plain", "text/calendar", "application/ics")
"""Of its parts, in order."""


class Sender(NamedTuple):
    """The account's owner."""

    email: str
    name: str
    zone: ZoneInfo


class Letter(NamedTuple):
    """One mail that is to leave once, under `key`; its lines end in LF."""

    key: str
    notice: Notice
    raw: bytes

    @property
    def recipients(self) -> tuple[str, ...]:
        return tuple(address.email for address in self.notice.to)


def key_of(key: str, notice: Notice, number: int) -> str:
    """Of the letter that is the `number`th of those by which the write under `key` is told."""
    return hashlib.sha256(f"{key} {notice.method} {number}".encode()).hexdigest()


def write_letter(notice: Notice, key: str, sender: Sender, now: datetime) -> Letter:
    """InvalidResponse where it would not say exactly what the notice says."""
    event = _event(notice, sender)
    headers = {
        "From": mailbox(Address(email=sender.email, name=sender.name)),
        "To": ",\n ".join(map(mailbox, notice.to)),
        "Subject": encode_header(_subject(notice.kind, event.title)),
        "Date": email.utils.format_datetime(now),
        "Message-ID": message_id(key, sender.email),
    }
    head = "".join(f"{name}: {value}\n" for name, value in headers.items())
    try:
        content = _content(notice, words(notice, event, sender), key)
        made = Letter(key, notice, head.encode() + flat(content))
    except (UnicodeError, LookupError) as broken:
        raise InvalidResponse(f"The mail about this event could not be written: {broken}.") from broken
    _check(made, sender, [*headers, *content], _subject(notice.kind, event.title), words(notice, event, sender))
    return made


def words(notice: Notice, event: Event, sender: Sender) -> str:
    """What people read, whatever their program makes of the calendar."""
    lines = [
        OPENINGS[notice.kind].format(who=sender.name or sender.email),
        "",
        event.title or "(no title)",
        f"When: {_when(event)}",
    ]
    if event.location:
        lines.append(f"Where: {one_line(event.location)}")
    if notice.method == "REQUEST":
        lines.append(f"Who: {_who(event)}")
    said = (notice.comment, event.description if notice.method == "REQUEST" else "")
    return visible("\n".join((*lines, *(f"\n{text.strip()}" for text in said if text.strip()))))


def _event(notice: Notice, sender: Sender) -> Event:
    place = Place(account="", calendar="", id="", etag="", owner=sender.email, zone=sender.zone)
    try:
        return Timeline(notice.calendar, place).first
    except Malformed as reason:
        raise InvalidResponse(f"Nobody can be told of this event: {reason}.") from reason


def _subject(kind: Kind, title: str) -> str:
    return f"{SUBJECTS[kind]}: {one_line(visible(title))[:LONGEST_TITLE] or '(no title)'}"


def _when(event: Event) -> str:
    first = " (the first of a series)" if event.rrule else ""
    if event.all_day:
        last = event.end - timedelta(days=1)
        days = f"{event.start:%A, %-d %B %Y}"
        return f"{days} to {last:%A, %-d %B %Y}{first}" if last.date() > event.start.date() else f"{days}, all day{first}"
    start = f"{event.start:%A, %-d %B %Y, %H:%M}"
    end = f"{event.end:%H:%M}" if event.end.date() == event.start.date() else f"{event.end:%A, %-d %B %Y, %H:%M}"
    return f"{start} to {end} ({event.start.tzinfo}){first}"


def _who(event: Event) -> str:
    people = [event.organizer] if event.organizer else []
    people += [person.address for person in event.attendees if person.address not in people]
    more = f" and {len(people) - MOST_NAMED} more" if len(people) > MOST_NAMED else ""
    return ", ".join(person.name or person.email for person in people[:MOST_NAMED]) + more


def _content(notice: Notice, text: str, key: str) -> Message:
    """The same calendar twice: as what the mail is about, and as a file for programs that look for one."""
    choice = MIMEMultipart("alternative", boundary=f"=_{key}_1")
    choice.attach(text_part(text))
    choice.attach(_calendar_part("text", "calendar", notice.text.replace("\r\n", "\n"), QP, method=notice.method))
    whole = MIMEMultipart("mixed", boundary=f"=_{key}")
    whole.attach(choice)
    file = _calendar_part("application", "ics", notice.text, BASE64, name="invite.ics")
    file.add_header("Content-Disposition", "attachment", filename="invite.ics")
    whole.attach(file)
    return whole


def _calendar_part(main: str, sub: str, text: str, encoding: int, **params: Any) -> Message:
    charset = Charset("utf-8")
    charset.body_encoding = encoding
    part = MIMENonMultipart(main, sub, charset="utf-8", **params)
    part.set_payload(text, charset)
    return part


def _check(made: Letter, sender: Sender, names: Sequence[str], subject: str, text: str) -> None:
    """What the bytes say must be what is meant: a name or a title may have smuggled something in."""
    built, notice, fields = read_message(made.raw), made.notice, fields_of(made.raw)
    content = part_bytes(made.raw, CALENDAR_PART)
    found = read_objects(content)
    parts = [(part.get_content_type(), _lines(content_of(part))) for _, part, _ in leaves(parse_message(made.raw))]
    same = {
        "headers": [name for name, _ in fields] == list(names),
        "sender": built.sender is not None and built.sender.email == sender.email,
        "recipients": tuple(address.email for address in built.to) == made.recipients and not (built.cc or built.bcc),
        "subject": strict_text(dict(fields).get("Subject", "")) == subject and not hides_a_break(subject),
        "id": built.message_id == message_id(made.key, sender.email),
        "text": parts
        == [(kind, _lines(said.encode())) for kind, said in zip(KINDS, (text, notice.text, notice.text), strict=True)],
        "calendar": [one.uid for one in found] == [notice.calendar.uid] and _said(found[0].blocks) == _said(notice.calendar.blocks),
        "method": method_of(content) == notice.method,
    }
    if wrong := [what for what, holds in same.items() if not holds]:
        raise InvalidResponse(f"The mail about this event was not written: its {' and '.join(wrong)} would not be as meant.")


def _lines(content: bytes) -> list[bytes]:
    return content.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")


def _said(blocks: Sequence[Block]) -> list[list[tuple[str, str]]]:
    return [[(line.name, line.value) for line in block.lines] for block in blocks]


def method_of(content: bytes) -> str:
    """That of a calendar, in capitals; empty where it has none, or several."""
    calendars = [entry for entry in parse(decode(content)) if isinstance(entry, Block)]
    return calendars[0].value("METHOD").upper() if len(calendars) == 1 else ""
