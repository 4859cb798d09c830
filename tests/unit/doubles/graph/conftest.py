"""The emulated Microsoft with one account."""

from collections.abc import Iterator

import pytest
from doubles.graph import GraphEmulator

ME = "me@home.example"


@pytest.fixture
def graph() -> Iterator[GraphEmulator]:
    with GraphEmulator() as graph:
        graph.account(ME, name="Maria Example")
        yield graph
        assert graph.complaints == []
