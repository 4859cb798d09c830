"""A small world that the gate looks at: Max, his contacts, one thread and a few events."""

import tomllib
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from integrations.types import Address, Attachment, Attendee, Contact, ContactRef, Event, EventRef, Mail, MailRef
from risk.evidence import Evidence, key_of
from risk.facts import facts_of
from risk.matrix import Matrix, Rating
from risk.text import addresses_in

MATRIX = Path(__file__).parents[3] / "config" / "risk_matrix.toml"
BERLIN = ZoneInfo("Europe/Berlin")


class World:
    """Values for tests, all around Saturday 2026-11-21 10:00 in Berlin."""

    now = datetime(2026, 11, 21, 10, 0, tzinfo=BERLIN)
    me = Address(email="max@home.example", name="Max Muster")
    anna = Address(email="anna@berg.example", name="Anna Berg")
    tom = Address(email="tom@work.example", name="Tom Lee")
    seller = Address(email="offers@shop.example", name="Shop Offers")
    stranger = Address(email="mallory@evil.example", name="Mallory")

    def at(self, day: int, hour: int, minute: int = 0) -> datetime:
        return datetime(2026, 11, day, hour, minute, tzinfo=BERLIN)

    def people(self, number: int) -> tuple[Address, ...]:
        """That many addresses, all of them saved contacts."""
        return tuple(Address(email=f"p{n}@team.example") for n in range(number))

    def mail(self, **fields: Any) -> Mail:
        known = {"account": "home", "id": "m1", "etag": "e1", "folder": "INBOX", "date": self.at(20, 9), "subject": "Plans"}
        return Mail(**{"sender": self.anna, "to": (self.me, self.tom), "thread": "t1", "body": "Shall we meet?", **known, **fields})

    def event(self, **fields: Any) -> Event:
        known = {"account": "home", "calendar": "cal", "id": "ev", "etag": "v1", "uid": "u", "title": "Budget review"}
        return Event(**{**known, "start": self.at(23, 15), "end": self.at(23, 16), "zone": "Europe/Berlin", **fields})

    def meeting(self, *others: Address, **fields: Any) -> Event:
        everybody = (Attendee(address=self.me, answer="accepted"), *(Attendee(address=one) for one in others))
        return self.event(organizer=self.me, attendees=everybody, **fields)

    def contact(self, **fields: Any) -> Contact:
        known = {"account": "home", "id": "c1", "etag": "k1", "uid": "cu", "name": "Anna Berg", "emails": ("anna@berg.example",)}
        return Contact(**{**known, "phones": ("+49 30 1",), **fields})

    def evidence(self, *seen: Mail | Event | Contact, **fields: Any) -> Evidence:
        """What is known: Anna, Tom and the team are contacts, the shop only ever wrote. Addresses in the words count as named."""
        saved = {self.anna.email: "Anna Berg", self.tom.email: "Tom Lee", **{one.email: "" for one in self.people(40)}}
        known: dict[str, Any] = {
            "now": self.now,
            "zone": "Europe/Berlin",
            "own": frozenset({self.me.email}),
            "contacts": saved,
            "correspondents": {self.seller.email: 0, "old@friend.example": 3},
            "mails": {key_of(item.ref): item for item in seen if isinstance(item, Mail)},
            "events": {key_of(item.ref): item for item in seen if isinstance(item, Event)},
            "contact_cards": {key_of(item.ref): item for item in seen if isinstance(item, Contact)},
            "named": addresses_in("\n".join((fields.get("words", ""), *fields.get("said", ())))),
        }
        return Evidence(**{**known, **fields})

    mail_ref = MailRef(account="home", id="m1", etag="e1")
    event_ref = EventRef(account="home", calendar="cal", id="ev", etag="v1")
    contact_ref = ContactRef(account="home", id="c1", etag="k1")
    attachment = Attachment(part="2", filename="invoice_2231.pdf", content_type="application/pdf", size=10)
    hour = timedelta(hours=1)


@pytest.fixture(scope="session")
def matrix_data() -> dict[str, Any]:
    return tomllib.loads(MATRIX.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def matrix(matrix_data: dict[str, Any]) -> Matrix:
    return Matrix.parse(matrix_data)


@pytest.fixture(scope="session")
def world() -> World:
    return World()


@pytest.fixture(scope="session")
def rate(matrix: Matrix) -> Callable[..., Rating]:
    """rate(evidence, action, ...) under the shipped matrix."""

    def rated(evidence: Evidence, *actions: Any) -> Rating:
        return matrix.rate(facts_of(actions, evidence))

    return rated
