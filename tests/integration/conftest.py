from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.llm import ScriptedEndpoint
from doubles.llm.scenarios import RightSteps, thinking_as
from doubles.thinking import ScriptedAgent, ScriptedReasoner
from pydantic import SecretStr

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant
from config.settings import LlmSettings, Settings
from integrations.actions import Receipt
from integrations.local.mail_writer import LocalMailWriter

NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
Scripted = Callable[..., AbstractAsyncContextManager[Assistant]]


@pytest.fixture
def clock() -> Callable[[], datetime]:
    return lambda: NOW


@pytest.fixture
def account(tmp_path: Path) -> LocalAccount:
    folders = {name: tmp_path / name for name in ("mail", "calendars", "contacts")}
    for folder in folders.values():
        folder.mkdir()
    return LocalAccount(**folders, address="me@example.org")


@pytest.fixture
def taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The account's mail program takes each mail out of the Outbox at once, so that none can be taken back."""
    written = LocalMailWriter._write_receipt

    def taken(*given: Any) -> Receipt:
        receipt = written(*given)
        return receipt.model_copy(update={"undo": ()}) if receipt.action == "send_mail" else receipt

    monkeypatch.setattr(LocalMailWriter, "_write_receipt", taken)


@pytest.fixture
def thinking() -> str:
    """Who thinks what the test says: its own "reasoner", or a "model" that is asked over real HTTP."""
    return "reasoner"


@pytest.fixture
def database_url() -> str:
    """Empty: a file in the home."""
    return ""


@contextmanager
def thought_by(thinking: str, reasoner: ScriptedReasoner, home: Path) -> Iterator[dict[str, Any]]:
    if thinking == "reasoner":
        yield {"home": home, "reasoner": reasoner}
        return
    with ScriptedEndpoint(thinking_as(reasoner)) as endpoint:
        llm = LlmSettings(base_url=endpoint.url, api_key=endpoint.key, model=endpoint.models[0], retries=0)
        yield {"settings": Settings(home=home, llm=llm)}
        assert not endpoint.complaints


@pytest.fixture
def scripted(tmp_path: Path, clock: Callable[[], datetime], account: LocalAccount, thinking: str, database_url: str) -> Scripted:
    """Opens an assistant whose reasoner and agents do as the test says, over real storage and real folders."""

    @asynccontextmanager
    async def opened(reasoner: ScriptedReasoner, agent: ScriptedAgent) -> AsyncIterator[Assistant]:
        agents = {"email": agent, "calendar": agent, "contacts": agent}
        common: dict[str, Any] = {"clock": clock, "zone": "Europe/Berlin", "accounts": [account], "agents": agents}
        if database_url:
            common["settings"] = Settings(home=tmp_path / "home", database_url=SecretStr(database_url))
        with thought_by(thinking, reasoner, tmp_path / "home") as thinks:
            async with open_assistant(**thinks, **common) as assistant:
                yield assistant

    return opened


@pytest.fixture
def inbox(account: LocalAccount) -> Path:
    """An inbox with one mail, so that the mail folder is one that was there."""
    for folder in ("cur", "new", "tmp"):
        (account.mail / folder).mkdir(exist_ok=True)
    (account.mail / "cur" / "1.a.host:2,S").write_text("From: x@example.org\nMessage-ID: <m1@example.org>\nSubject: s\n\nhi\n")
    return account.mail


@pytest.fixture
def right(monkeypatch: pytest.MonkeyPatch) -> RightSteps:
    model = RightSteps()
    model.hear(monkeypatch.setattr)
    return model


@pytest.fixture
def endpoint(right: RightSteps) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(right) as endpoint:
        yield endpoint
        assert not endpoint.complaints


@pytest.fixture
def opened(tmp_path: Path, clock: Callable[[], datetime], endpoint: ScriptedEndpoint) -> Scripted:
    """Opens the assistant on the sample account, with the scripted model; further settings of the model may be given."""

    @asynccontextmanager
    async def enter(**more: Any) -> AsyncIterator[Assistant]:
        llm = {"base_url": endpoint.url, "api_key": endpoint.key, "model": "scripted", "timeout": 5.0, "retries": 0}
        where = Settings(home=tmp_path, llm=LlmSettings(**{**llm, **more}))
        async with open_assistant(settings=where, clock=clock, zone="Europe/Berlin") as a:
            yield a

    return enter
