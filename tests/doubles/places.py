"""The sample account where a newcomer finds it: in folders, and at the emulated Google, connected by command."""

import json
import webbrowser
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import httpx2
from doubles.google import GoogleEmulator
from doubles.google.loading import load

from assistant import open_assistant
from assistant.cli.connecting_google import add_google
from assistant.facade import Assistant
from integrations.local.sample import make_sample
from integrations.types import DRAFTS, OUTBOX, SENT

LABELS: Mapping[str, str] = {SENT: "SENT", DRAFTS: "DRAFT"}


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


class AtGoogle(InFolders):
    leaves = SENT

    def __init__(self, home: Path, clock: Clock, google: GoogleEmulator) -> None:
        super().__init__(home, clock)
        self._google = google
        google.world.clock = lambda: clock.now
        sample = home.with_name("sample")
        account = make_sample(sample, now=clock.now, zone=clock.now.tzinfo)  # type: ignore[arg-type]
        self._user = google.account(account.address, name=account.owner)
        load(google, account.address, sample, clock.zone)
        self._held = set(self._mails())

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Assistant]:
        if not self._home.exists():
            await self.connect()
        async with super().opened() as assistant:
            yield assistant

    async def connect(self) -> None:
        file = self._home.with_name("client.json")
        file.write_text(json.dumps(self._google.client))
        with browser_that_consents():
            assert await add_google(self._home, "google", file, browser=True) == 0

    def _mails(self) -> dict[str, tuple[str, bytes]]:
        mails = self._google.world.mail(self._user.email).messages.values()
        folders = {label: folder for folder, label in LABELS.items()}
        return {mail.id: (next((folders[label] for label in mail.labels if label in folders), ""), mail.raw) for mail in mails}


@contextmanager
def browser_that_consents() -> Iterator[None]:
    def follow(address: str) -> bool:
        return bool(httpx2.get(address, follow_redirects=True).status_code == 200)

    # The emulator speaks plain HTTP.
    with patch.dict("os.environ", OAUTHLIB_INSECURE_TRANSPORT="1", DISPLAY=":0"), patch.object(webbrowser, "open", follow):
        yield
