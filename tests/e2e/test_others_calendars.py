"""Meetings with people whose calendars an account may ask."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.places import TELLING, Clock, Connected, connected

from integrations.types import ContactQuery

pytestmark = pytest.mark.usefixtures("thinker")

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 10, tzinfo=ZONE)


@pytest.fixture(params=TELLING)
def place(request: pytest.FixtureRequest, home: Path) -> Iterator[Connected]:
    with connected(request.param, home, Clock(NOW, "Europe/Berlin")) as place:
        yield place


async def test_whether_somebody_has_time_is_answered_by_their_own_calendar(place: Connected) -> None:
    async with place.opened() as a:
        (marcus,) = (await a.readers.contacts.search(ContactQuery(name="Marcus"))).items
        place.taken(marcus.emails[0], datetime(2026, 11, 20, 15, tzinfo=ZONE), datetime(2026, 11, 20, 17, tzinfo=ZONE))
        turn = await a.say("c", "is Marcus free on Friday at 3pm?")
        later = await a.say("c", "is Marcus free on Friday at 5pm?")
    assert turn.reports[1].data.truth is False and "Marcus Webb is busy then" in turn.reply
    assert later.reports[1].data.truth is True


async def test_a_meeting_goes_where_those_invited_have_time(place: Connected) -> None:
    async with place.opened() as a:
        (marcus,) = (await a.readers.contacts.search(ContactQuery(name="Marcus"))).items
        place.taken(marcus.emails[0], datetime(2026, 11, 20, 0, tzinfo=ZONE), datetime(2026, 11, 20, 16, tzinfo=ZONE))
        turn = await a.say("c", "find a free hour with Marcus on Friday")
        slots = turn.reports[1].data.slots
        made = await a.say("c", "schedule a one hour meeting with Marcus on Friday")
    assert slots and min(slot.start for slot in slots).hour >= 16
    (action,) = made.previews[0].actions
    assert action.start >= datetime(2026, 11, 20, 16, tzinfo=ZONE)
