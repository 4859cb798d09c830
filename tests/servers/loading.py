"""Moves a local account to the real servers."""

import subprocess
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from shutil import rmtree

import httpx
from doubles import loading
from doubles.boxes.files import calendar_file, card_file
from doubles.given import GivenContact, GivenEvent

from servers.radicale import CALENDAR
from servers.together import Servers, User


def load(servers: Servers, user: User, root: Path) -> None:
    """What another user has had already is copied, with all that the servers have kept of it to be quicker: reading it for the
    first time takes them seconds."""
    kept = servers.folder / f"loaded {_content(root)}"
    mail, things = servers.dovecot.home(user.email), servers.radicale.home(user.email)
    if kept.exists():
        _copy(kept / "mail", mail)
        _copy(kept / "things", things)
        return
    loading.load(_Account(servers, user), root)
    _read(servers, user)
    kept.mkdir()
    _copy(mail, kept / "mail")
    _copy(things, kept / "things")


@cache
def _content(root: Path) -> str:
    """Of an account that is no more written to."""
    told = sha256()
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        told.update(f"{file.relative_to(root)} {file.stat().st_size}\n".encode() + file.read_bytes())
    return told.hexdigest()


def _read(servers: Servers, user: User) -> None:
    servers.dovecot.doveadm("fetch", "-u", user.email, "size.virtual imap.envelope imap.bodystructure hdr", "ALL")
    for collection in servers.radicale.home(user.email).iterdir():
        address = f"http://127.0.0.1:{servers.radicale.port}/{user.email}/{collection.name}/"
        login = (user.email, user.password)
        httpx.request("PROPFIND", address, headers={"Depth": "1"}, auth=login, timeout=60, verify=False).raise_for_status()


def _copy(here: Path, there: Path) -> None:
    """The servers' own files stay theirs."""
    rmtree(there, ignore_errors=True)
    subprocess.run(["cp", "-a", here, there], check=True)


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
