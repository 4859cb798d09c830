from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio
from doubles.browser import AXE, chromium, launched
from doubles.hostile import put
from doubles.service import Running, serving
from playwright.async_api import Browser

ZONE = "Europe/Berlin"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    missing = "axe-core is not installed (npm ci in tests/page)" if not AXE.exists() else ""
    missing = missing if chromium() else "chromium is not installed"
    for item in items:
        if missing and here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=missing))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with launched() as browser:
        yield browser


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    """On the sample account, in which there is a stranger's mail too."""
    home = tmp_path_factory.mktemp("home")
    async with serving(home, zone=ZONE) as running:
        await running.household.of("owner")
        put(home / "sample", datetime.now(ZoneInfo(ZONE)))
        yield running
