"""An account at the emulated Google."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.google import GoogleEmulator
from doubles.secrets import KeptSecrets

from integrations.common import retrying, tokens
from integrations.google.google import Google
from integrations.registry import Account, AccountConfig, open_account

OWNER = "me@home.example"


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator() as google:
        yield google
        assert google.complaints == []


@pytest.fixture
async def account(google: GoogleEmulator, tmp_path: Path) -> AsyncIterator[Account]:
    """The owner's, called home."""
    secrets = KeptSecrets(home=google.secret(google.account(OWNER, name="Me")))
    config = AccountConfig(name="home", kind="google", address=OWNER, settings={"endpoint": google.url})
    opened = open_account(config, zone=ZoneInfo("Europe/Berlin"), index=tmp_path, secrets=secrets)
    yield opened
    await opened.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "PAUSE", 0.0)
    monkeypatch.setattr(tokens, "PATIENCE", (0.0, 0.1, 0.1))


@pytest.fixture
def secrets(google: GoogleEmulator) -> KeptSecrets:
    return KeptSecrets(home=google.secret(google.account(OWNER, name="Me")))


@pytest.fixture
async def client(google: GoogleEmulator, secrets: KeptSecrets) -> AsyncIterator[Google]:
    client = Google("home", secrets=secrets, endpoint=google.url)
    yield client
    await client.close()
