from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.command import Commands
from doubles.llm import ScriptedEndpoint
from doubles.llm.scenarios import RightSteps

from assistant import open_assistant
from assistant.facade import Assistant

WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    made = Commands()
    yield made
    made.close()


@pytest.fixture
def sample(home: Path) -> Callable[[], AbstractAsyncContextManager[Assistant]]:
    """Opens the assistant on the sample account, on a Wednesday at ten; opened again it finds what it left."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Assistant]:
        async with open_assistant(home, clock=lambda: WEDNESDAY, zone="Europe/Berlin") as assistant:
            yield assistant

    return opened


@pytest.fixture(params=["offline", "model"])
def thinker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both reasoners in turn: the offline one, and a model that always takes the right step, over real HTTP."""
    if request.param == "offline":
        yield "offline reasoner"
        return
    model = RightSteps()
    model.hear(monkeypatch.setattr)
    with ScriptedEndpoint(model) as endpoint:
        monkeypatch.setenv("ASSISTANT_LLM__BASE_URL", endpoint.url)
        monkeypatch.setenv("ASSISTANT_LLM__API_KEY", endpoint.key)
        monkeypatch.setenv("ASSISTANT_LLM__MODEL", endpoint.models[0])
        yield endpoint.models[0]
        assert not endpoint.complaints
