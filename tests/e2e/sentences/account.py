"""The suite's own account, written out as folders; every item is found again by its key in the .toml files."""

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any
from zoneinfo import ZoneInfo

from assistant import LocalAccount

HERE = Path(__file__).parent
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=BERLIN)
FOLDERS = ("", ".Sent", ".Drafts", ".Outbox", ".Archive", ".Trash")

Planned = Mapping[str, Mapping[str, Any]]


def planned(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))


_BOOK = planned("people")
PEOPLE: Planned = {"me": _BOOK["me"], **_BOOK["contacts"], **_BOOK["strangers"]}
CONTACTS: Planned = _BOOK["contacts"]
MAILS: Planned = planned("mails")
EVENTS: Planned = planned("events")
PERSON_OF: Mapping[str, str] = {person["email"]: key for key, person in PEOPLE.items()}


def lay_out(base: Path) -> LocalAccount:
    """The account as it is in the beginning, whatever stood there before."""
    rmtree(base, ignore_errors=True)
    for folder in FOLDERS:
        for part in ("cur", "new", "tmp"):
            (base / "mail" / folder / part).mkdir(parents=True)
    for name, raw in _files():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    return LocalAccount(**{part: base / part for part in ("mail", "calendars", "contacts")}, address=PEOPLE["me"]["email"])


@cache
def _files() -> tuple[tuple[str, bytes], ...]:
    return (*_mail_files(), *_event_files(), *_contact_files())


def state_of(base: Path) -> dict[str, tuple[int, int]]:
    """When each file of the account was written and how long it is, to see whether anything has changed."""
    found, waiting = dict[str, tuple[int, int]](), [str(base)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    waiting.append(entry.path)
                else:
                    found[entry.path] = entry.stat().st_mtime_ns, entry.stat().st_size
    return found


def key_of(id: str) -> str:
    """The key of an item from its id; "new" is what the suite did not write."""
    name = id.rpartition("/")[2].removesuffix(".ics").removesuffix(".vcf")
    key = name.split(".")[1] if name.endswith(".suite") else name
    return key if key in MAILS or key in EVENTS or key in CONTACTS else "new"


def _named(keys: Iterable[str]) -> str:
    return ", ".join(formataddr((PEOPLE[key]["name"], PEOPLE[key]["email"])) for key in keys)


def _message_id(key: str) -> str:
    return f"<{key}@suite.example>"


def _ancestors(key: str) -> tuple[str, ...]:
    parent = MAILS[key].get("answers")
    return (*_ancestors(parent), parent) if parent else ()


def _mail_files() -> Iterator[tuple[str, bytes]]:
    answered = {mail.get("answers") for mail in MAILS.values() if mail["from"] == "me"}
    for key, mail in MAILS.items():
        folder = mail.get("folder") or ("Sent" if mail["from"] == "me" else "")
        flags = {"D": folder == "Drafts", "F": mail.get("flagged"), "R": key in answered, "S": not mail.get("unread")}
        when = mail["at"].replace(tzinfo=BERLIN)
        name = f"{int(when.timestamp())}.{key}.suite:2,{''.join(flag for flag, given in flags.items() if given)}"
        where = f"mail/.{folder}/cur" if folder else "mail/cur"
        yield f"{where}/{name}", bytes(_message(key, mail, when))


def _message(key: str, mail: Mapping[str, Any], when: datetime) -> EmailMessage:
    before = _ancestors(key)
    message = EmailMessage()
    message["From"] = _named([mail["from"]])
    message["To"] = _named(mail.get("to", ["me"]))
    if "cc" in mail:
        message["Cc"] = _named(mail["cc"])
    message["Subject"] = f"Re: {MAILS[before[0]]['subject']}" if before else mail["subject"]
    message["Date"] = format_datetime(when)
    message["Message-ID"] = _message_id(key)
    if before:
        message["In-Reply-To"] = _message_id(before[-1])
        message["References"] = " ".join(_message_id(one) for one in before)
    if mail.get("bulk"):
        message["List-Id"] = "<weekly.baukunst.example>"
        message["List-Unsubscribe"] = "<https://baukunst.example/unsubscribe>"
    message.set_content(mail["body"] + "\n")
    for name in mail.get("attach", ()):
        message.add_attachment(b"attached", maintype="application", subtype="octet-stream", filename=name)
    return message


def _event_files() -> Iterator[tuple[str, bytes]]:
    for key, event in EVENTS.items():
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//suite//EN", "BEGIN:VEVENT", f"UID:{key}@suite.example"]
        lines += ["DTSTAMP:20260901T080000Z", f"SUMMARY:{event['title']}", *_times(event), *_guests(event)]
        lines += [f"LOCATION:{event['place']}"] if "place" in event else []
        lines += ["TRANSP:TRANSPARENT"] if event.get("free") else []
        lines += ["END:VEVENT", "END:VCALENDAR", ""]
        yield f"calendars/calendar/{key}.ics", "\r\n".join(lines).encode()


def _times(event: Mapping[str, Any]) -> Iterator[str]:
    at = event["at"]
    if isinstance(at, datetime):
        zone, end = event.get("zone", "Europe/Berlin"), at + timedelta(minutes=event["minutes"])
        yield from (f"DTSTART;TZID={zone}:{at:%Y%m%dT%H%M%S}", f"DTEND;TZID={zone}:{end:%Y%m%dT%H%M%S}")
    else:
        yield from _days(at, event.get("days", 1))
    if "rrule" in event:
        yield f"RRULE:{event['rrule']}"


def _days(first: date, number: int) -> Iterator[str]:
    yield f"DTSTART;VALUE=DATE:{first:%Y%m%d}"
    yield f"DTEND;VALUE=DATE:{first + timedelta(days=number):%Y%m%d}"


def _guests(event: Mapping[str, Any]) -> Iterator[str]:
    organizer = event.get("organizer", "me")
    guests = dict.fromkeys(event.get("with", ()), "ACCEPTED")
    if organizer != "me":
        guests["me"] = event["answer"]
    if guests:
        yield f"ORGANIZER;CN={PEOPLE[organizer]['name']}:mailto:{PEOPLE[organizer]['email']}"
    for key, answer in guests.items():
        yield f"ATTENDEE;CN={PEOPLE[key]['name']};PARTSTAT={answer};RSVP=TRUE:mailto:{PEOPLE[key]['email']}"


def _contact_files() -> Iterator[tuple[str, bytes]]:
    fields = {"nickname": "NICKNAME", "phone": "TEL;TYPE=WORK", "company": "ORG", "title": "TITLE", "birthday": "BDAY"}
    for key, person in CONTACTS.items():
        first, _, last = person["name"].rpartition(" ")
        lines = ["BEGIN:VCARD", "VERSION:3.0", f"UID:{key}@suite.example", f"FN:{person['name']}", f"N:{last};{first};;;"]
        lines += [f"EMAIL;TYPE=INTERNET:{person['email']}"]
        lines += [f"{name}:{person[field]}" for field, name in fields.items() if field in person]
        lines += [f"CATEGORIES:{','.join(person['groups'])}"] if "groups" in person else []
        yield f"contacts/contacts/{key}.vcf", "\r\n".join([*lines, "END:VCARD", ""]).encode()
