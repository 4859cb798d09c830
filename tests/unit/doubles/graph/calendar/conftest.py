"""The emulated calendar of one account."""

from collections.abc import Callable
from typing import Any

import pytest
from doubles.graph import GraphEmulator
from doubles.graph.calendar import Calendar
from doubles.graph.calendar.asking import ME, Item, lunch
from doubles.graph.raw import ask


@pytest.fixture
def calendar(graph: GraphEmulator) -> Calendar:
    return graph.world.calendars(ME).default


@pytest.fixture
def make(graph: GraphEmulator) -> Callable[..., Item]:
    """Posts the lunch, of which `said` may be otherwise; what is answered."""

    def post(**said: Any) -> Item:
        reply = ask(graph, "POST", "/me/events", lunch(**said))
        assert reply.status == 201, reply.json
        made: Item = reply.json
        return made

    return post
