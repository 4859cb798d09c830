"""Moves a local account to the real servers."""

from itertools import count
from pathlib import Path

from doubles import loading
from doubles.boxes.files import calendar_file, card_file
from doubles.given import GivenContact, GivenEvent

from servers.radicale import CALENDAR
from servers.together import Servers, User


def load(servers: Servers, user: User, root: Path) -> None:
    loading.load(_Account(servers, user), root)


class _Account:
    def __init__(self, servers: Servers, user: User) -> None:
        self._radicale, self._user = servers.radicale, user
        self._home = self._radicale.home(user.email)
        self._calendar, self._contacts = self._home / "calendar", self._home / "contacts"
        self._numbers = count(1)

    def mail(self, raw: bytes, folder: str, *, seen: bool, flagged: bool) -> None:
        flags = [flag for flag, holds in (("\\Seen", seen), ("\\Flagged", flagged)) if holds]
        self._user.mailbox.append(raw, folder, flags=flags)

    def calendar(self, name: str) -> None:
        named = f"calendar{next(self._numbers)}"
        self._calendar = self._radicale.add(self._user.email, named, CALENDAR | {"D:displayname": name})

    def event(self, event: GivenEvent) -> None:
        (self._calendar / f"{next(self._numbers)}.ics").write_bytes(calendar_file(event))

    def contact(self, contact: GivenContact) -> None:
        (self._contacts / f"{next(self._numbers)}.vcf").write_bytes(card_file(contact))
