"""An emulated Microsoft with one user, whose mailbox is empty."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from doubles.boxes.letters import MONDAY
from doubles.graph import GraphEmulator
from doubles.graph.mail import Mailbox
from doubles.graph.mail.asking import Asking


@pytest.fixture
def graph() -> Iterator[GraphEmulator]:
    with GraphEmulator() as emulator:
        emulator.world.clock = lambda: MONDAY + timedelta(days=4)
        emulator.account("me@home.example", name="Max Muster")
        yield emulator
        assert emulator.complaints == []


@pytest.fixture
def me(graph: GraphEmulator) -> Asking:
    return Asking(graph)


@pytest.fixture
def box(graph: GraphEmulator) -> Mailbox:
    return graph.world.mail("me@home.example")
