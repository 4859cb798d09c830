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


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> Path | str:
    """Where a database may be opened: a new file, or a new database of a server."""
    found: Path | str = request.getfixturevalue("path" if request.param == "sqlite" else "postgres_url")
    return found


@pytest.fixture
async def db(place: Path | str) -> AsyncIterator[Database]:
    opened = Database.open(place)
    yield opened
    await opened.close()
