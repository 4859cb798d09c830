"""A small office: its people, mails and events around Monday, 23 November 2026, 10:00 in Berlin."""

import importlib.util
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from assistant.agents.base import Desk, Template
from assistant.agents.calendar import CalendarAgent
from assistant.agents.contacts import ContactsAgent
from assistant.agents.email import EmailAgent
from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Person, Reading, Selection, TimeSpec
from assistant.values import Data, Failure, Partial, Report
from integrations.types import Address, Attendee, Calendar, Contact, Event, Mail

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 23, 10, 0, tzinfo=ZONE)
ME = "sam@office.example"


def _doubles() -> ModuleType:
    path = Path(__file__).parents[2] / "doubles" / "memory.py"
    spec = importlib.util.spec_from_file_location("memory_readers", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MEMORY = _doubles()
PEOPLE = {
    "anna": Address(email="anna@acme.example", name="Anna Berg"),
    "tom": Address(email="tom@office.example", name="Tom Lee"),
    "dsmith": Address(email="david.smith@acme.example", name="David Smith"),
    "dchen": Address(email="david.chen@bolt.example", name="David Chen"),
    "sarah": Address(email="sarah@office.example", name="Sarah Novak"),
    "me": Address(email=ME, name="Sam Hill"),
    "rita": Address(email="rita@press.example", name="Rita Gomez"),
}


class Reasoner:
    """Records what it is asked; its reading is given."""

    name = "test reasoner"

    def __init__(self) -> None:
        self.reading = Reading()
        self.asked: list[Any] = []

    async def choose_calls(self, instruction: Any) -> Reading:
        self.asked.append(instruction)
        return self.reading

    async def summarise(self, mails: tuple[Mail, ...], setting: Setting) -> str:
        return " | ".join(f"{mail.subject}: {mail.body}" for mail in mails)


def at(text: str) -> datetime:
    """ "23 15:00": day of November 2026 and time."""
    day, _, clock = text.partition(" ")
    hour, minute = (clock or "0:00").split(":")
    return datetime(2026, 11, 1, int(hour), int(minute), tzinfo=ZONE) + timedelta(days=int(day) - 1)


@dataclass
class Office:
    mails: list[Mail] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)
    calendars: list[Calendar] = field(default_factory=lambda: [Calendar(account="work", id="main", name="Main")])
    templates: tuple[Template, ...] = (Template(name="thanks", subject="Thank you", body="Hi {name}, thanks a lot!"),)
    skipped: tuple[Any, ...] = ()
    now: datetime = NOW
    reasoner: Reasoner = field(default_factory=Reasoner)
    addresses: dict[str, str] = field(default_factory=lambda: {"work": ME})
    bindings: dict[str, str] = field(default_factory=dict)
    taken: dict[str, list[tuple[datetime, datetime]]] = field(default_factory=dict)
    """What the calendars of others tell, by address."""
    results: dict[str, Data] = field(default_factory=dict)

    def mail(self, id: str, who: str, subject: str, date: str, **more: Any) -> Mail:
        sender = PEOPLE[who]
        to = (PEOPLE["me"],) if who != "me" else (PEOPLE["anna"],)
        folder = "Sent" if who == "me" else "INBOX"
        values = {"thread": id, "to": to, "folder": folder, "body": f"About {subject}.", **more}
        mail = Mail(account="work", id=id, etag=f"e-{id}", sender=sender, subject=subject, date=at(date), **values)
        self.mails.append(mail)
        return mail

    def event(self, id: str, title: str, begin: str, end: str, *who: str, **more: Any) -> Event:
        attendees = tuple(Attendee(address=PEOPLE[w]) for w in who)
        values: dict[str, Any] = {"organizer": PEOPLE["me"] if who else None, "attendees": attendees, "uid": id, **more}
        event = Event(account="work", calendar="main", id=id, etag=f"e-{id}", title=title, start=at(begin), end=at(end), **values)
        self.events.append(event)
        return event

    def contact(self, who: str, **more: Any) -> Contact:
        person = PEOPLE[who]
        values: dict[str, Any] = {"name": person.name, "emails": (person.email,), **more}
        contact = Contact(account="work", id=f"c-{who}", etag=f"e-{who}", uid=who, **values)
        self.contacts.append(contact)
        return contact

    @property
    def desk(self) -> Desk:
        readers = MEMORY.MemoryReaders(
            MEMORY.MemoryMail(self.mails, frozenset(self.addresses.values()), self.skipped),
            MEMORY.MemoryCalendar(self.events, self.calendars, self.taken),
            MEMORY.MemoryContacts(self.contacts, self.skipped),
        )
        names = frozenset(c.name for c in self.contacts)
        setting = Setting(now=self.now, zone=ZONE, me=(PEOPLE["me"],), names=names)
        return Desk(
            readers=readers,
            reasoner=self.reasoner,  # type: ignore[arg-type]
            setting=setting,
            addresses=self.addresses,
            results=self.results,
            bindings=self.bindings,
            templates=self.templates,
        )

    async def report(self, operation: str, **more: Any) -> Report:
        agents = {"mail": EmailAgent, "template": EmailAgent, "event": CalendarAgent, "contact": ContactsAgent}
        agent = agents.get(operation.partition(".")[0], EmailAgent)()
        return await agent.perform(Call(operation=operation, **more), self.desk)

    async def data(self, operation: str, **more: Any) -> Data:
        report = await self.report(operation, **more)
        assert not isinstance(report, Failure), report.message
        return report.data

    async def actions(self, operation: str, **more: Any) -> list[Any]:
        data = await self.data(operation, **more)
        assert data.ambiguity is None, data.ambiguity
        return [proposal.action for proposal in data.proposals]

    async def fails(self, operation: str, **more: Any) -> Failure:
        report = await self.report(operation, **more)
        assert isinstance(report, Failure), report
        return report

    async def asks(self, operation: str, **more: Any) -> Any:
        report = await self.report(operation, **more)
        assert isinstance(report, Partial) and report.data.ambiguity, report
        assert report.confidence < 70
        return report.data.ambiguity


class Say:
    """Short ways to write the parts of a call."""

    at = staticmethod(at)
    people = PEOPLE
    now = NOW
    zone = ZONE
    memory = MEMORY

    @staticmethod
    def who(text: str = "", **more: Any) -> Person:
        return Person(text=text, **more)

    @staticmethod
    def which(*words: str, **more: Any) -> Selection:
        people = tuple(Person(text=p) if isinstance(p, str) else p for p in more.pop("people", ()))
        return Selection(words=words, people=people, **more)

    @staticmethod
    def point(when: str, *, dated: bool = True, **more: Any) -> TimeSpec:
        return TimeSpec(kind="point", text=when, start=at(when), has_date=dated, has_time=True, **more)

    @staticmethod
    def day(number: int, days: int = 1, **more: Any) -> TimeSpec:
        start = at(f"{number}")
        kind = "point" if days == 1 else "range"
        return TimeSpec(kind=kind, text=f"day {number}", start=start, stop=start + timedelta(days=days), has_date=True, **more)

    @staticmethod
    def span(begin: str, end: str, text: str = "") -> TimeSpec:
        return TimeSpec(kind="range", text=text, start=at(begin), stop=at(end), has_date=True, has_time=True)


@pytest.fixture
def say() -> type[Say]:
    return Say


@pytest.fixture
def office() -> Office:
    """Contacts only; every test adds the mails and events it is about."""
    office = Office()
    office.contact("anna", company="Acme Corporation", title="Sales manager", phones=("+49 30 1",), nickname="Annie")
    office.contact("tom", company="Office", title="Engineer", groups=("Marketing",))
    office.contact("dsmith", company="Acme Corporation", title="Account manager")
    office.contact("dchen", company="Bolt", title="Designer")
    office.contact("sarah", groups=("Marketing",), phones=("+49 30 7", "+49 30 8"))
    return office
