from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from storage.database import Database


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 18, 9, 30, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "assistant.db"


@pytest.fixture
async def db(path: Path) -> AsyncIterator[Database]:
    opened = Database.open(path)
    yield opened
    await opened.close()
