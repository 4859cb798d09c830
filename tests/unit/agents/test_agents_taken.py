"""Times at which others are taken, as their own calendars tell them to an account."""

from datetime import timedelta

import pytest

from assistant.values import Failure, Partial
from integrations.errors import Unavailable
from integrations.types import Busy

HOUR = timedelta(hours=1)
TOM = "tom@office.example"


@pytest.fixture
def office(office, say):
    """Tom is taken from 9 to 11 on the 24th; nobody tells of Anna."""
    office.contact("tom")
    office.contact("anna")
    office.taken[TOM] = [(say.at("24 09:00"), say.at("24 11:00"))]
    return office


def starts(data):
    return [f"{slot.start:%d %H:%M}" for slot in data.slots]


async def test_times_at_which_somebody_is_taken_are_not_free_for_a_meeting_with_them(office, say):
    alone = await office.data("event.slots", time=say.day(24), duration=HOUR)
    with_tom = await office.data("event.slots", time=say.day(24), duration=HOUR, to=(say.who("Tom"),))
    assert starts(alone)[0] == "24 09:00"
    assert starts(with_tom)[0] == "24 11:00"


async def test_where_nobody_tells_the_times_stay_as_they_are(office, say):
    alone = await office.data("event.slots", time=say.day(24), duration=HOUR)
    with_anna = await office.data("event.slots", time=say.day(24), duration=HOUR, to=(say.who("Anna"),))
    assert starts(with_anna) == starts(alone)
    assert "calendar" in with_anna.heading and "own" not in with_anna.heading


async def test_where_others_calendars_are_out_of_reach_that_is_said(office, say, monkeypatch):
    async def unreachable(*_):
        raise Unavailable("Google can't be reached just now.")

    monkeypatch.setattr("assistant.agents.noticing._Calendar.busy", unreachable)
    report = await office.report("event.slots", time=say.day(24), duration=HOUR, to=(say.who("Tom"),))
    assert starts(report.data)[0] == "24 09:00"
    assert report.limitations == ("I couldn't look into others' own calendars (Google can't be reached just now)",)


async def test_where_only_one_of_several_accounts_is_out_of_reach_that_is_said_too(office, say, monkeypatch):
    async def unreachable(self, emails, start, end):
        return tuple(Busy(email=email, unknown="Google can't be reached just now", unreached=True) for email in emails)

    monkeypatch.setattr("assistant.agents.noticing._Calendar.busy", unreachable)
    report = await office.report("event.slots", time=say.day(24), duration=HOUR, to=(say.who("Tom"), say.who("Anna")))
    assert report.limitations == ("I couldn't look into others' own calendars (Google can't be reached just now)",)


@pytest.mark.parametrize(
    ("who", "says"),
    [
        (("Tom",), "with Tom Lee, whose own calendar I could see"),
        (("Anna",), "with Anna Berg, as far as your calendars show their events"),
        (("Tom", "Anna"), "with Tom Lee and Anna Berg, as far as your calendars and Tom Lee's own calendar show their events"),
    ],
)
async def test_whose_calendar_was_seen_is_said(office, say, who, says):
    data = await office.data("event.slots", time=say.day(24), duration=HOUR, to=tuple(map(say.who, who)))
    assert says in data.heading


async def test_a_new_meeting_goes_where_those_invited_have_time(office, say):
    report = await office.report("event.create", title="Sync", time=say.day(24), duration=HOUR, to=(say.who("Tom"),))
    (proposal,) = report.data.proposals
    assert proposal.action.start == say.at("24 11:00")
    assert any("Tom Lee's own calendar" in guess for guess in proposal.guesses)


async def test_a_meeting_at_a_fixed_time_says_who_is_taken_then(office, say):
    report = await office.report("event.create", title="Sync", time=say.point("24 10:00"), duration=HOUR, to=(say.who("Tom"),))
    (proposal,) = report.data.proposals
    assert proposal.action.start == say.at("24 10:00")
    assert any("Tom Lee is busy then (Tue 24 Nov, 09:00-11:00)" in words for words in proposal.notes)


@pytest.mark.parametrize(("question", "truth"), [("free", False), ("busy", True)])
async def test_whether_somebody_has_time_is_told_by_their_own_calendar(office, say, question, truth):
    data = await office.data("event.free", time=say.point("24 10:00"), to=(say.who("Tom"),), question=question)
    assert data.truth is truth
    assert data.text == "Tom Lee is busy then (Tue 24 Nov, 09:00-11:00)."


async def test_a_calendar_that_tells_needs_no_warning_that_it_might_not(office, say):
    told = await office.report("event.free", time=say.point("24 15:00"), to=(say.who("Tom"),))
    untold = await office.report("event.free", time=say.point("24 15:00"), to=(say.who("Anna"),))
    assert not isinstance(told, Failure | Partial)
    assert isinstance(untold, Partial)


async def test_an_event_that_is_shown_is_not_said_twice(office, say):
    office.event("e1", "Review", "24 09:00", "24 11:00", "me", "tom")
    report = await office.report("event.create", title="Sync", time=say.point("24 10:00"), duration=HOUR, to=(say.who("Tom"),))
    (proposal,) = report.data.proposals
    assert not any("busy then" in words for words in proposal.notes)


@pytest.fixture
def review(office):
    """A meeting with Tom that stands in his own calendar as well."""
    event = office.event("e1", "Review", "24 15:00", "24 16:00", "me", "tom")
    office.taken[TOM].append((event.start, event.end))
    return office


def busy_notes(proposal):
    return [words for words in proposal.notes if "busy then" in words]


async def test_a_moved_meeting_says_who_is_taken_at_its_new_time(review, say):
    data = await review.data("event.move", select=say.which("review"), time=say.point("24 10:00"))
    assert busy_notes(data.proposals[0]) == ["Tom Lee is busy then (Tue 24 Nov, 09:00-11:00)"]


@pytest.mark.parametrize("when", ["24 15:30", "24 14:30"])
async def test_nobody_is_taken_by_the_very_meeting_that_is_moved(review, say, when):
    data = await review.data("event.move", select=say.which("review"), time=say.point(when))
    assert busy_notes(data.proposals[0]) == []


async def test_another_time_does_away_with_who_was_taken_at_the_first(office, say):
    made = await office.data("event.create", title="Sync", time=say.point("24 10:00"), duration=HOUR, to=(say.who("Tom"),))
    assert busy_notes(made.proposals[0])
    office.results["proposal"] = made
    revised = await office.data("revise.time", time=say.point("24 13:00"))
    assert busy_notes(revised.proposals[0]) == []
