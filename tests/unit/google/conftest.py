"""An account at the emulated Google."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.google import GoogleEmulator
from doubles.secrets import KeptSecrets

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
