"""Moves a local account into an emulated one at Google."""

from pathlib import Path

from doubles import loading
from doubles.given import GivenContact, GivenEvent
from doubles.google.emulator import GoogleEmulator
from doubles.google.putting import deliver, put_contact, put_event


def load(google: GoogleEmulator, email: str, root: Path, zone: str) -> None:
    loading.load(_Account(google, email, zone), root)


class _Account:
    def __init__(self, google: GoogleEmulator, email: str, zone: str) -> None:
        self._world, self._email, self._zone = google.world, email, zone
        self._calendar = google.world.calendars.primary(email)
        self._calendar.zone = zone

    def mail(self, raw: bytes, folder: str, *, seen: bool, flagged: bool) -> None:
        deliver(self._world.mail(self._email), raw, folder, seen=seen, flagged=flagged)

    def calendar(self, name: str) -> None:
        self._calendar = self._world.calendars.add(self._email, name, self._zone)

    def event(self, event: GivenEvent) -> None:
        put_event(self._calendar, event)

    def contact(self, contact: GivenContact) -> None:
        put_contact(self._world.people(self._email), contact)
