"""The mailboxes that every mail provider's contract runs against; another provider adds its own here."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

import pytest

from integrations.readers import MailReader
from integrations.registry import AccountConfig, open_account
from integrations.types import INBOX
from integrations.writers import MailWriter

OWNER = "me@home.example"
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


class MailBox(Protocol):
    """An account as its provider sees it (`reader`, `writer`), and as somebody else's program does (`deliver`, `raw`)."""

    account: str
    owner: str
    reader: MailReader
    writer: MailWriter

    def deliver(self, raw: bytes, folder: str = INBOX, *, seen: bool = False) -> None: ...

    def raw(self, mail_id: str) -> bytes: ...


@dataclass
class LocalMailBox:
    root: Path
    account: str
    owner: str
    reader: MailReader
    writer: MailWriter
    delivered: int = 0

    def deliver(self, raw: bytes, folder: str = INBOX, *, seen: bool = False) -> None:
        home = self.root if folder == INBOX else self.root / f".{folder}"
        for sub in ("cur", "new", "tmp"):
            (home / sub).mkdir(parents=True, exist_ok=True)
        self.delivered += 1
        name = f"1700000000.M{self.delivered}P7.host"
        (home / "cur" / f"{name}:2,S" if seen else home / "new" / name).write_bytes(raw)

    def raw(self, mail_id: str) -> bytes:
        (found,) = [path for path in self.root.rglob("*") if path.is_file() and path.name.partition(":2,")[0] == mail_id]
        return found.read_bytes()


@pytest.fixture(params=["local"])
async def mail_box(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[MailBox]:
    config = AccountConfig(name="home", kind=request.param, address=OWNER, settings={"mail": str(tmp_path / "Mail")})
    (tmp_path / "Mail" / "cur").mkdir(parents=True)
    account = open_account(config, zone=ZoneInfo("Europe/Berlin"), index=tmp_path / "index", clock=lambda: NOW)
    yield LocalMailBox(tmp_path / "Mail", "home", OWNER, account.readers.mail, account.writers.mail)
    await account.close()
