"""Several changes of one event are one proposal; what begins in a time is told apart from what runs into it."""

from datetime import timedelta

import pytest

from assistant.values import Data, Proposal
from integrations.actions import UpdateEvent

HALF, HOUR = timedelta(minutes=30), timedelta(hours=1)


@pytest.fixture
def day(office):
    office.event("talk", "Long talk", "25 10:30", "25 12:30", "anna")
    office.event("sync", "Project sync", "25 13:00", "25 14:00", "tom")
    return office


async def test_a_new_title_and_a_new_time_are_one_change(day, say):
    data = await day.data("event.move", select=say.which("sync"), time=say.point("25 15:00"), title="Weekly")
    (proposal,) = data.proposals
    assert isinstance(proposal.action, UpdateEvent)
    assert (proposal.action.title, proposal.action.start) == ("Weekly", day.events[1].start + 2 * HOUR)
    assert "Weekly" in proposal.says
    assert "move" in proposal.says


async def test_what_moves_and_gets_shorter_keeps_both(day, say):
    data = await day.data("event.move", select=say.which("sync"), time=say.point("25 15:00"), duration=HALF)
    (proposal,) = data.proposals
    start = day.events[1].start + 2 * HOUR
    assert (proposal.action.start, proposal.action.end) == (start, start + HALF)


async def test_what_still_runs_at_eleven_is_not_after_eleven(day, say):
    spec = say.span("25 11:00", "26 00:00", "after 11")
    for operation in ("event.find", "event.cancel"):
        data = await day.data(operation, select=say.which(when=spec, each=True))
        events = data.events or tuple(proposal.before for proposal in data.proposals)
        assert [event.title for event in events] == ["Project sync"]


async def test_a_day_holds_what_runs_in_it(day, say):
    data = await day.data("event.find", select=say.which(when=say.day(25)))
    assert [event.title for event in data.events] == ["Long talk", "Project sync"]


async def test_a_kept_proposal_is_revised_from_the_event_as_it_stands(day, say):
    event = day.events[1]
    action = UpdateEvent(account=event.account, event=event.ref, start=event.start + HOUR, end=event.end + HOUR)
    day.results = {"proposal": Data(kind="proposals", proposals=(Proposal(action=action, says="move it"),))}
    data = await day.data("revise.time", time=say.point("25 16:00"))
    (proposal,) = data.proposals
    assert proposal.action.start == event.start + 3 * HOUR
