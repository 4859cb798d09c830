"""Every case of the tables, as a test."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from e2e.sentences.notation import Case, read_table
from e2e.sentences.playing import Stage, stage, tables

CASES = [case for table in tables() for case in read_table(table)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with stage(tmp_path_factory.mktemp("sentences")) as ready:
        yield ready


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("case", CASES, ids=str)
async def test_what_comes_of(case: Case, opened: Stage) -> None:
    assert await opened.play(case) is None
