from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant import open_assistant
from assistant.facade import Assistant

WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def sample(home: Path) -> Callable[[], AbstractAsyncContextManager[Assistant]]:
    """Opens the assistant on the sample account, on a Wednesday at ten; opened again it finds what it left."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Assistant]:
        async with open_assistant(home, clock=lambda: WEDNESDAY, zone="Europe/Berlin") as assistant:
            yield assistant

    return opened
