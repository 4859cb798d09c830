"""Events and contacts as other programs write them into files: iCalendar and vCard."""

import re
from datetime import date, datetime
from zoneinfo import ZoneInfo

from doubles.given import GivenContact, GivenEvent

EVENT_PARTS = {"title": "SUMMARY", "location": "LOCATION", "description": "DESCRIPTION", "start": "DTSTART", "end": "DTEND"}
CARD_PARTS = {
    "name": ("FN", "N"),
    "nickname": ("NICKNAME",),
    "emails": ("EMAIL",),
    "phones": ("TEL",),
    "company": ("ORG",),
    "title": ("TITLE",),
    "groups": ("CATEGORIES",),
    "note": ("NOTE",),
}


def calendar_file(event: GivenEvent) -> bytes:
    components = [_vevent(event, event.uid, None), *(_vevent(other, event.uid, at) for at, other in event.instances)]
    text = "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//other//EN", *components, "END:VCALENDAR", ""])
    return text.encode()


def renamed(content: bytes, title: str) -> bytes:
    """The first summary in the file: of the event, or of the whole series."""
    return re.sub(rb"(?m)^SUMMARY:.*(?=\r)", f"SUMMARY:{_text(title)}".encode(), content, count=1)


def annotated(card: bytes, note: str) -> bytes:
    kept = [line for line in card.split(b"\r\n") if not line.startswith(b"NOTE:")]
    return b"\r\n".join([*kept[:-2], f"NOTE:{_text(note)}".encode(), *kept[-2:]])


def _text(value: str) -> str:
    return value.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _moment(name: str, at: date) -> str:
    """One line of a date, or of a time in the zone it is given in."""
    if not isinstance(at, datetime):
        return f"{name};VALUE=DATE:{at:%Y%m%d}"
    zone = at.tzinfo.key if isinstance(at.tzinfo, ZoneInfo) else "UTC"
    return f"{name}:{at:%Y%m%dT%H%M%SZ}" if zone == "UTC" else f"{name};TZID={zone}:{at:%Y%m%dT%H%M%S}"


def _vevent(event: GivenEvent, uid: str, instance: date | None) -> str:
    lines = [
        "BEGIN:VEVENT",
        f"UID:{uid}",
        "DTSTAMP:20261001T080000Z",
        *([_moment("RECURRENCE-ID", instance)] if instance else []),
        f"SUMMARY:{_text(event.title)}",
        _moment("DTSTART", event.start),
        _moment("DTEND", event.end),
        *([f"RRULE:{event.rrule}"] if event.rrule else []),
        *(_moment("RDATE", at) for at in event.rdates),
        *(_moment("EXDATE", at) for at in event.without),
        *([f"LOCATION:{_text(event.location)}"] if event.location else []),
        *([f"DESCRIPTION:{_text(event.description)}"] if event.description else []),
        *([f"ORGANIZER;CN={event.organizer.name or 'x'}:mailto:{event.organizer.email}"] if event.organizer else []),
        *(
            f'ATTENDEE;CN="{one.address.name}";PARTSTAT={(one.answer or "needs-action").upper()}'
            f"{';ROLE=OPT-PARTICIPANT' if one.optional else ''};X-NUM-GUESTS=0:mailto:{one.address.email}"
            for one in event.attendees
        ),
        *(["TRANSP:TRANSPARENT"] if not event.busy else []),
        *(["STATUS:CANCELLED"] if event.cancelled else []),
        'X-CUSTOM;X-P="a:b;c":kept as it is',
        *("BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT10M", "END:VALARM"),
        "END:VEVENT",
    ]
    return "\r\n".join(lines)


def card_file(contact: GivenContact) -> bytes:
    given, _, family = contact.name.rpartition(" ")
    preferred = ["EMAIL;TYPE=HOME,pref", *["EMAIL;TYPE=WORK"] * len(contact.emails)]
    lines = [
        "BEGIN:VCARD",
        "VERSION:3.0",
        f"UID:{contact.name}",
        'X-FIRST;X-P="a:b;c":kept as it is',
        f"FN:{_text(contact.name)}",
        f"N:{_text(family)};{_text(given)};;;",
        *([f"NICKNAME:{_text(contact.nickname)}"] if contact.nickname else []),
        *(f"{name}:{email}" for name, email in zip(preferred, contact.emails, strict=False)),
        *(f"TEL;TYPE=CELL:{_text(phone)}" for phone in contact.phones),
        *([f"ORG:{_text(contact.company)};Accounting"] if contact.company else []),
        *([f"TITLE:{_text(contact.title)}"] if contact.title else []),
        *([f"CATEGORIES:{','.join(map(_text, contact.groups))}"] if contact.groups else []),
        *([f"BDAY:{contact.birthday}"] if contact.birthday else []),
        *([f"NOTE:{_text(contact.note)}"] if contact.note else []),
        "URL:https://north.example/",
        "END:VCARD",
        "",
    ]
    return "\r\n".join(lines).encode()


def properties(content: bytes, changing: tuple[str, ...]) -> dict[str, object]:
    """The properties of a file by name."""
    found: dict[str, list[str]] = {}
    for line in content.decode().replace("\r\n ", "").splitlines():
        name = line.partition(":")[0].partition(";")[0]
        if name not in changing:
            found.setdefault(name, []).append(line)
    return dict(found)
