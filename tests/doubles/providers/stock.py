"""What an account holds before anybody writes to it: things to answer, mark, move, change and remove."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime


@dataclass(frozen=True)
class Stock:
    """Mails and drafts as RFC 5322 texts, events as iCalendar and contacts as vCard ones."""

    mails: tuple[str, ...]
    drafts: tuple[str, ...]
    events: tuple[str, ...]
    contacts: tuple[str, ...]


def stock_of(number: int, *, owner: str, now: datetime) -> Stock:
    """`number` of each; every other event is an invitation that `owner` has not answered."""
    return Stock(
        mails=tuple(mail(n, owner, now - timedelta(hours=n)) for n in range(number)),
        drafts=tuple(draft(n, owner, now - timedelta(hours=n)) for n in range(number)),
        events=tuple(event(n, owner, now + timedelta(days=1 + n)) for n in range(number)),
        contacts=tuple(contact(n) for n in range(number)),
    )


def mail(number: int, owner: str, at: datetime) -> str:
    person = f"Person {number} <person{number}@example.org>"
    return _mail(person, owner, f"Question {number}", at, f"What do you think of number {number}?")


def draft(number: int, owner: str, at: datetime) -> str:
    return _mail(owner, f"person{number}@example.org", f"Draft {number}", at, "Not yet.")


def _mail(sender: str, to: str, subject: str, at: datetime, body: str) -> str:
    lines = (
        f"From: {sender}",
        f"To: {to}",
        f"Subject: {subject}",
        f"Date: {format_datetime(at)}",
        f"Message-ID: <{subject.replace(' ', '-').lower()}@example.org>",
        "",
        body,
        "",
    )
    return "\r\n".join(lines)


def event(number: int, owner: str, start: datetime) -> str:
    invited = (f"ORGANIZER:mailto:person{number}@example.org", f"ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:{owner}")
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//stock//EN",
        "BEGIN:VEVENT",
        f"UID:stock-{number}",
        "DTSTAMP:20260101T000000Z",
        f"SUMMARY:Stock {number}",
        f"DTSTART:{start:%Y%m%dT%H%M%SZ}",
        f"DTEND:{start + timedelta(hours=1):%Y%m%dT%H%M%SZ}",
        *(invited if number % 2 else ()),
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    )
    return "\r\n".join(lines)


def contact(number: int) -> str:
    lines = (
        "BEGIN:VCARD",
        "VERSION:3.0",
        f"UID:person-{number}",
        f"FN:Person {number}",
        f"N:{number};Person;;;",
        f"EMAIL:person{number}@example.org",
        "END:VCARD",
        "",
    )
    return "\r\n".join(lines)
