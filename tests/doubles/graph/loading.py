"""Moves a local account into an emulated one at Microsoft."""

from pathlib import Path

from doubles import loading
from doubles.given import GivenContact, GivenEvent
from doubles.graph.calendar.putting import put_event
from doubles.graph.contacts.putting import put_contact
from doubles.graph.emulator import GraphEmulator
from doubles.graph.mail.putting import deliver


def load(graph: GraphEmulator, email: str, root: Path, zone: str) -> None:
    loading.load(_Account(graph, email, zone), root)


class _Account:
    def __init__(self, graph: GraphEmulator, email: str, zone: str) -> None:
        self._world, self._email = graph.world, email
        self._calendar = graph.world.calendars(email).default
        self._calendar.zone = zone

    def mail(self, raw: bytes, folder: str, *, seen: bool, flagged: bool) -> None:
        deliver(self._world.mail(self._email), raw, folder, seen=seen, flagged=flagged)

    def calendar(self, name: str) -> None:
        self._calendar = self._world.calendars(self._email).add(name)

    def event(self, event: GivenEvent) -> None:
        put_event(self._calendar, event)

    def contact(self, contact: GivenContact) -> None:
        put_contact(self._world.people(self._email), contact)
