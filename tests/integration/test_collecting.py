"""Garbage is collected seldom where flows run side by side; a program that has its own mind about it is left alone."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.bootstrap import PYTHONS_THRESHOLD, THRESHOLD, open_assistant
from config.settings import Settings


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(("before", "after"), [(PYTHONS_THRESHOLD, THRESHOLD), ((900, 5, 5), (900, 5, 5))], ids=["usual", "set"])
async def test_cycles_are_looked_for_seldom_unless_the_program_says_how_often(
    tmp_path: Path, before: tuple[int, int, int], after: tuple[int, int, int]
) -> None:
    gc.set_threshold(*before)
    async with open_assistant(settings=Settings(home=tmp_path)):
        assert gc.get_threshold() == after
