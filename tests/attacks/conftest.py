"""Opened on a small account, with a model that is wholly on the attacker's side."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from doubles.attacking.worlds import NOW, Opened, World, furnished
from doubles.llm import ScriptedEndpoint
from doubles.llm.captured import Captured

from assistant.bootstrap import open_assistant
from assistant.facade import Assistant
from config.settings import LlmSettings, Settings


@pytest.fixture
def world(tmp_path: Path) -> World:
    return furnished(tmp_path / "account")


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(Captured()) as endpoint:
        yield endpoint


@pytest.fixture
def captured(tmp_path: Path, world: World, endpoint: ScriptedEndpoint) -> Opened:
    """Opens the assistant with the model at the endpoint. What lies in the account by then may not change unasked."""

    @asynccontextmanager
    async def opened(**more: Any) -> AsyncIterator[Assistant]:
        llm = LlmSettings(base_url=endpoint.url, api_key=endpoint.key, model="scripted", timeout=10, retries=0)
        given = {"clock": lambda: NOW, "zone": "Europe/Berlin", "accounts": [world.account], **more}
        async with open_assistant(settings=Settings(home=tmp_path / "home", llm=llm), **given) as assistant:
            world.look()
            yield assistant

    return opened


@pytest.fixture
def offline(tmp_path: Path, world: World) -> Opened:
    """Opens the assistant without any model."""

    @asynccontextmanager
    async def opened(**more: Any) -> AsyncIterator[Assistant]:
        given = {"clock": lambda: NOW, "zone": "Europe/Berlin", "accounts": [world.account], **more}
        async with open_assistant(tmp_path / "home", **given) as assistant:
            world.look()
            yield assistant

    return opened
