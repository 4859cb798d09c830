"""The nights in which the clocks change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.agents.calendar import CalendarAgent

BERLIN = ZoneInfo("Europe/Berlin")


async def said(office, day, words):
    office.now = datetime(2026, *day, 12, tzinfo=BERLIN)
    return (await CalendarAgent().run(words, office.desk)).data


async def test_an_hour_in_the_longer_night_lasts_an_hour(office):
    data = await said(office, (10, 24), "create an event called watch tomorrow at 2:30am")
    (proposal,) = data.proposals
    assert proposal.action.end.astimezone(UTC) - proposal.action.start.astimezone(UTC) == timedelta(hours=1)
    assert "02:30 CEST-02:30 CET" in proposal.says


async def test_the_two_zones_are_told_apart_where_a_time_is_asked_about(office):
    data = await said(office, (10, 24), "am I free tomorrow at 2:45am?")
    assert data.truth is True
    assert "02:45 CEST-02:15 CET" in data.heading


async def test_an_hour_that_does_not_exist_is_said(office):
    data = await said(office, (3, 28), "create an event called watch tomorrow at 2:30am")
    (proposal,) = data.proposals
    assert f"{proposal.action.start.astimezone(BERLIN):%H:%M}" == "03:30"
    assert "the clocks jump over 02:30 that night, so it is 03:30" in proposal.notes


@pytest.mark.parametrize("words", ["tomorrow at 3:30am", "tomorrow at 1:30am", "on Monday at 2:30am"])
async def test_hours_that_exist_need_no_word(office, words):
    data = await said(office, (3, 28), f"create an event called watch {words}")
    assert not [note for note in data.proposals[0].notes if "clocks" in note]
