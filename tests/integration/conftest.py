from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.thinking import ScriptedAgent, ScriptedReasoner

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant

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
def scripted(tmp_path: Path, clock: Callable[[], datetime], account: LocalAccount) -> Scripted:
    """Opens an assistant whose reasoner and agents do as the test says, over real storage and real folders."""

    @asynccontextmanager
    async def opened(reasoner: ScriptedReasoner, agent: ScriptedAgent) -> AsyncIterator[Assistant]:
        agents = {"email": agent, "calendar": agent, "contacts": agent}
        async with open_assistant(
            tmp_path / "home", clock=clock, zone="Europe/Berlin", accounts=[account], reasoner=reasoner, agents=agents
        ) as assistant:
            yield assistant

    return opened


@pytest.fixture
def inbox(account: LocalAccount) -> Path:
    """An inbox with one mail, so that the mail folder is one that was there."""
    for folder in ("cur", "new", "tmp"):
        (account.mail / folder).mkdir(exist_ok=True)
    (account.mail / "cur" / "1.a.host:2,S").write_text("From: x@example.org\nMessage-ID: <m1@example.org>\nSubject: s\n\nhi\n")
    return account.mail
