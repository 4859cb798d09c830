"""An emulated Google with one user, whose mailbox is empty."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from doubles.google import GoogleEmulator
from doubles.google.client import service
from doubles.google.gmail import Mailbox
from doubles.google.gmail.asking import MONDAY, Users


@pytest.fixture
def google() -> Iterator[GoogleEmulator]:
    with GoogleEmulator() as emulator:
        emulator.world.clock = lambda: MONDAY + timedelta(days=4)
        yield emulator
        assert emulator.complaints == []


@pytest.fixture
def me(google: GoogleEmulator) -> Any:
    return Users(service(google, "gmail", google.account("me@home.example", name="Max Muster")).users())


@pytest.fixture
def box(google: GoogleEmulator, me: Any) -> Mailbox:
    return google.world.mail("me@home.example")
