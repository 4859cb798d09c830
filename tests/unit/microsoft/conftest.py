"""An account at the emulated Microsoft."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.graph import GraphEmulator
from doubles.secrets import KeptSecrets

from integrations.common import retrying, tokens
from integrations.microsoft.graph import Graph
from integrations.registry import Account, AccountConfig, open_account

OWNER = "me@home.example"


@pytest.fixture
def graph() -> Iterator[GraphEmulator]:
    with GraphEmulator() as graph:
        yield graph
        assert graph.complaints == []


@pytest.fixture
def secrets(graph: GraphEmulator) -> KeptSecrets:
    return KeptSecrets(home=graph.secret(graph.account(OWNER, name="Me")))


@pytest.fixture
async def account(graph: GraphEmulator, secrets: KeptSecrets, tmp_path: Path) -> AsyncIterator[Account]:
    """The owner's, called home."""
    config = AccountConfig(name="home", kind="microsoft", address=OWNER, settings={"endpoint": graph.url})
    opened = open_account(config, zone=ZoneInfo("Europe/Berlin"), index=tmp_path, secrets=secrets)
    yield opened
    await opened.close()


@pytest.fixture
async def client(graph: GraphEmulator, secrets: KeptSecrets) -> AsyncIterator[Graph]:
    client = Graph("home", secrets=secrets, endpoint=graph.url)
    yield client
    await client.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "PAUSE", 0.0)
    monkeypatch.setattr(tokens, "PATIENCE", (0.0, 0.1, 0.1))
