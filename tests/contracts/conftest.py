"""The accounts that every provider's contract runs against; `doubles.boxes` says how a further provider is added."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from doubles.boxes import BOXES, CALENDARS, opened
from doubles.boxes.base import Boxes, CalendarBox, ContactBox, MailBox


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    further = CALENDARS if "calendar_box" in metafunc.fixturenames else {}
    if "boxes" in metafunc.fixturenames:
        metafunc.parametrize("boxes", [*BOXES, *further], indirect=True)


@pytest.fixture
async def boxes(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Boxes]:
    async with opened(request.param, tmp_path) as boxes:
        yield boxes
        assert boxes.complaints == []


@pytest.fixture
def mail_box(boxes: Boxes) -> MailBox:
    return boxes.mail


@pytest.fixture
def calendar_box(boxes: Boxes) -> CalendarBox:
    return boxes.calendar


@pytest.fixture
def contact_box(boxes: Boxes) -> ContactBox:
    return boxes.contacts
