"""The sample account where a newcomer finds it: in folders, and at the emulated Google and Microsoft, connected by command."""

import atexit
import json
import re
import webbrowser
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import cache
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple
from unittest.mock import patch

import httpx2
import pytest
from doubles.given import GivenEvent
from doubles.google import GoogleEmulator, putting
from doubles.google.loading import load as load_at_google
from doubles.graph import GraphEmulator
from doubles.graph.calendar.putting import put_event
from doubles.graph.loading import load as load_at_microsoft
from servers import NotInstalled, Servers, User, shared
from servers.loading import load as load_at_standards

from assistant import open_assistant
from assistant.cli.connecting_google import add_google
from assistant.cli.connecting_imap import Told, add_imap
from assistant.cli.connecting_microsoft import add_microsoft
from assistant.facade import Assistant
from integrations.common.certificates import usual
from integrations.local.sample import make_sample
from integrations.registry import AccountConfig
from integrations.types import DRAFTS, OUTBOX, SENT

LABELS: Mapping[str, str] = {SENT: "SENT", DRAFTS: "DRAFT"}
KNOWN: Mapping[str, str] = {SENT: "sentitems", DRAFTS: "drafts"}
"""Their names at Google, and at Microsoft."""


class Clock(NamedTuple):
    now: datetime
    zone: str


class InFolders:
    """`leaves` is where a mail goes that is sent."""

    leaves = OUTBOX

    def __init__(self, home: Path, clock: Clock) -> None:
        self._home, self._clock = home, clock
        self._held: set[str] = set()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Assistant]:
        async with open_assistant(self._home, clock=lambda: self._clock.now, zone=self._clock.zone) as assistant:
            self._held = self._held or set(self._mails())
            yield assistant

    def written(self, folder: str) -> list[EmailMessage]:
        """What the assistant has put there."""
        mails = [raw for name, (where, raw) in self._mails().items() if where == folder and name not in self._held]
        return [message_from_bytes(raw, policy=default) for raw in mails]

    def _mails(self) -> dict[str, tuple[str, bytes]]:
        """Folder and content by name."""
        files = (self._home / "sample" / "mail").glob(".*/[cn]*/*")
        return {file.name: (file.parent.parent.name.removeprefix("."), file.read_bytes()) for file in files}


@cache
def _sample(clock: Clock) -> tuple[Path, AccountConfig]:
    """Where one lies that is only read."""
    made = Path(mkdtemp(prefix="sample-"))
    atexit.register(rmtree, made, ignore_errors=True)
    return made, make_sample(made, now=clock.now, zone=clock.now.tzinfo)  # type: ignore[arg-type]


@cache
def _company(email: str, sample: Path) -> set[str]:
    """All of it, in lower case."""
    address = re.compile(rb"[\w.+-]+@" + re.escape(email.rpartition("@")[2]).encode())
    return {found.decode().lower() for file in sample.rglob("*.[iv]c[sf]") for found in address.findall(file.read_bytes())}


class Connected(InFolders, ABC):
    """The same at a service, whose emulator is `service`: connected by command when it is opened for the first time."""

    leaves = SENT

    def __init__(self, home: Path, clock: Clock, service: Any) -> None:
        super().__init__(home, clock)
        self._service = service
        sample, account = _sample(clock)
        self._user = self._joined(account.address, account.owner)
        self._load(account.address, sample, clock.zone)
        self._held = set(self._mails())

    def _joined(self, email: str, name: str) -> Any:
        """The user there."""
        self._service.world.clock = lambda: self._clock.now
        return self._service.account(email, name=name)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Assistant]:
        if not self._home.exists():
            await self.connect()
        async with super().opened() as assistant:
            yield assistant

    @abstractmethod
    async def connect(self) -> None: ...

    @abstractmethod
    def taken(self, email: str, start: datetime, end: datetime) -> None:
        """Somebody else has no time then, as their own calendar tells whoever asks."""

    @abstractmethod
    def _load(self, email: str, sample: Path, zone: str) -> None: ...


class AtGoogle(Connected):
    async def connect(self) -> None:
        file = self._home.with_name("client.json")
        file.write_text(json.dumps(self._service.client))
        with browser_that_consents():
            assert await add_google(self._home, "google", file, browser=True) == 0

    def _load(self, email: str, sample: Path, zone: str) -> None:
        load_at_google(self._service, email, sample, zone)

    def taken(self, email: str, start: datetime, end: datetime) -> None:
        calendars = self._service.world.calendars
        putting.put_event(calendars.primary(email), GivenEvent("Private", start, end))
        calendars.share(email, "default", "freeBusyReader")

    def _mails(self) -> dict[str, tuple[str, bytes]]:
        mails = self._service.world.mail(self._user.email).messages.values()
        folders = {label: folder for folder, label in LABELS.items()}
        return {mail.id: (next((folders[label] for label in mail.labels if label in folders), ""), mail.raw) for mail in mails}


class AtMicrosoft(Connected):
    async def connect(self) -> None:
        with browser_that_consents():
            assert await add_microsoft(self._home, "microsoft", self._service.client) == 0

    def _load(self, email: str, sample: Path, zone: str) -> None:
        load_at_microsoft(self._service, email, sample, zone)

    def taken(self, email: str, start: datetime, end: datetime) -> None:
        put_event(self._service.world.calendars(email).default, GivenEvent("Private", start, end))

    def _mails(self) -> dict[str, tuple[str, bytes]]:
        mailbox = self._service.world.mail(self._user.email)
        folders = {mailbox.folders.known(known).id: folder for folder, known in KNOWN.items()}
        return {mail.id: (folders.get(mail.folder, ""), mailbox.raw(mail.id)) for mail in mailbox.everything}


class AtStandards(Connected):
    """At the real servers."""

    async def connect(self) -> None:
        file = self._home.with_name("password")
        file.write_text(self._user.password)
        told = Told(self._user.email, self._user.settings, password_file=str(file), yes=True)
        assert await add_imap(self._home, "home", told, None) == 0

    def taken(self, email: str, start: datetime, end: datetime) -> None:
        raise AssertionError("These servers tell nobody of somebody else's time.")

    def _joined(self, email: str, name: str) -> User:
        user: User = self._service.user(email, name=name, zone=self._clock.zone)
        return user

    def _load(self, email: str, sample: Path, zone: str) -> None:
        """Everybody of the same company has a mailbox too: the server refuses whom it does not know."""
        for colleague in _company(email, sample) - self._service.users.keys():
            self._service.user(colleague)
        load_at_standards(self._service, self._user, sample)

    def _mails(self) -> dict[str, tuple[str, bytes]]:
        folders = self._user.mailbox.folders()
        return {sha256(raw).hexdigest(): (folder, raw) for folder in folders for raw in self._user.mailbox.mails(folder)}


@contextmanager
def real_servers() -> Iterator[Servers]:
    servers = shared()
    try:
        servers.dovecot, servers.radicale  # noqa: B018
    except NotInstalled as missing:
        pytest.skip(str(missing))
    yield servers
    servers.reset()


SERVICES: Mapping[str, tuple[Any, type[Connected]]] = {
    "Google": (GoogleEmulator, AtGoogle),
    "Microsoft": (GraphEmulator, AtMicrosoft),
    "the open standards": (real_servers, AtStandards),
}
TELLING = ("Google", "Microsoft")
"""Those that know when somebody else has no time."""


@contextmanager
def connected(service: str, home: Path, clock: Clock) -> Iterator[Connected]:
    emulator, place = SERVICES[service]
    with emulator() as running:
        yield place(home, clock, running)
        assert getattr(running, "complaints", []) == []


@contextmanager
def browser_that_consents() -> Iterator[None]:
    def follow(address: str) -> bool:
        return bool(httpx2.get(address, follow_redirects=True, verify=usual()).status_code == 200)

    # The emulator speaks plain HTTP.
    with patch.dict("os.environ", OAUTHLIB_INSECURE_TRANSPORT="1", DISPLAY=":0"), patch.object(webbrowser, "open", follow):
        yield
