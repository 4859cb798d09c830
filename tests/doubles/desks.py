"""Accounts in memory, and the desk of somebody who wants a briefing of them; times around Monday, 23 November 2026 in Berlin."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from doubles.memory import MemoryCalendar, MemoryContacts, MemoryMail, MemoryReaders

from assistant.agents.base import Desk
from assistant.briefing.facts import Briefing, Coverage, Line, Wanted
from assistant.briefing.gathering import gather
from assistant.reasoning.base import Setting
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.timetable.rules import MORNING, Part
from integrations.combined import CombinedReaders
from integrations.readers import Readers
from integrations.types import Address, Attendee, Calendar, Contact, Event, Mail
from risk.times import DASH

BERLIN = ZoneInfo("Europe/Berlin")
ME = Address(email="sam@office.example", name="Sam Hill")
ANNA = Address(email="anna@acme.example", name="Anna Berg")
TOM = Address(email="tom@office.example", name="Tom Lee")
RITA = Address(email="rita@press.example", name="Rita Gomez")


def at(text: str) -> datetime:
    """ "23 15:00": day of November 2026 and time."""
    day, _, clock = text.partition(" ")
    hour, minute = (clock or "0:00").split(":")
    return datetime(2026, 11, 1, int(hour), int(minute), tzinfo=BERLIN) + timedelta(days=int(day) - 1)


@dataclass
class Box:
    """One account."""

    name: str = "work"
    mails: list[Mail] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)

    def mail(self, sender: Address, subject: str, date: str, body: str = "Nothing new.", **more: Any) -> Mail:
        """From Sam to Anna, or to Sam."""
        mine = sender == ME
        id = f"{subject} {date}"
        values = {"id": id, "thread": subject, "to": (ANNA,) if mine else (ME,), "folder": "Sent" if mine else "INBOX"}
        values |= {
            "sender": sender,
            "subject": subject,
            "date": at(date),
            "body": body,
            "etag": "e",
            "message_id": f"<{self.name} {id}>",
        }
        self.mails.append(Mail(account=self.name, **(values | more)))
        return self.mails[-1]

    def event(self, title: str, begin: str, end: str, *guests: Address, **more: Any) -> Event:
        attendees = tuple(Attendee(address=guest, answer="accepted") for guest in guests)
        values: dict[str, Any] = {"id": title, "uid": title, "title": title, "start": at(begin), "end": at(end), "etag": "e"}
        values |= {"organizer": ME if guests else None, "attendees": attendees, "description": "What was agreed."}
        self.events.append(Event(account=self.name, calendar="main", **(values | more)))
        return self.events[-1]

    def change(self, mail: Mail, **fields: Any) -> None:
        self.mails[self.mails.index(mail)] = mail.model_copy(update=fields)

    @property
    def readers(self) -> Readers:
        calendars = [Calendar(account=self.name, id="main", name="Main")]
        readers = MemoryReaders(
            MemoryMail(self.mails, frozenset({ME.email})), MemoryCalendar(self.events, calendars), MemoryContacts(self.contacts)
        )
        readers.accounts = (self.name,)
        return readers


def desk_of(now: datetime, *readers: Readers, me: Address = ME) -> Desk:
    names = [one.accounts[0] for one in readers]
    return Desk(
        readers=CombinedReaders(readers),
        reasoner=OfflineReasoner(),
        setting=Setting(now=now, zone=BERLIN, me=(me,)),
        addresses=dict.fromkeys(names, me.email),
    )


async def briefed(
    now: str, *accounts: Box | Readers, parts: tuple[Part, ...] = MORNING, after: Briefing | None = None, me: Address = ME
) -> Briefing:
    """`after`: the briefing before, of which only the coverage is known, as it was stored."""
    readers = [one.readers if isinstance(one, Box) else one for one in accounts]
    since = Coverage.model_validate_json(after.coverage.model_dump_json()) if after else None
    return await gather(desk_of(at(now), *readers, me=me), Wanted(parts=parts, since=since))


def lines(briefing: Briefing, kind: str) -> tuple[Line, ...]:
    """With plain dashes."""
    found = next((section.lines for section in briefing.sections if section.kind == kind), ())
    return tuple(line.model_copy(update={"text": line.text.replace(DASH, "-")}) for line in found)


def texts(briefing: Briefing, kind: str) -> list[str]:
    return [line.text for line in lines(briefing, kind)]


def note(briefing: Briefing, kind: str) -> str:
    return next((section.note.replace(DASH, "-") for section in briefing.sections if section.kind == kind), "")
