"""When a mail goes out."""

from datetime import timedelta

import pytest

from assistant.reasoning.calls import TimeSpec
from assistant.values import Data
from integrations.actions import SaveDraft, SendMail


def part(start, stop, text: str) -> TimeSpec:
    return TimeSpec(kind="range", text=text, start=start, stop=stop, has_date=True, has_time=True)


async def sent(office, say, when: TimeSpec | None, **more):
    (proposal,) = (await office.data("mail.send", to=(say.who("Anna"),), body="hi", time=when, **more)).proposals
    assert isinstance(proposal.action, SendMail)
    return proposal


async def test_a_mail_goes_out_at_once_where_no_time_is_said(office, say):
    proposal = await sent(office, say, None)
    assert proposal.action.send_at is None and "go out" not in proposal.says


async def test_a_mail_goes_out_at_the_time_that_is_said_and_says_so(office, say):
    proposal = await sent(office, say, say.point("24 08:00"))
    assert proposal.action.send_at == say.at("24 08:00")
    assert proposal.says == "send a mail to Anna Berg, to go out Tue 24 Nov, 08:00" and not proposal.guesses


@pytest.mark.parametrize(
    ("begin", "end", "text", "hour"),
    [
        ("24 06:00", "24 12:00", "tomorrow morning", "24 09:00"),
        ("24 12:00", "24 18:00", "tomorrow afternoon", "24 12:00"),
    ],
)
async def test_a_part_of_a_day_is_an_hour_that_is_told_as_a_guess(office, say, begin, end, text, hour):
    proposal = await sent(office, say, part(say.at(begin), say.at(end), text))
    assert proposal.action.send_at == say.at(hour)
    if hour != begin:
        assert proposal.guesses == ("it goes out at 09:00",)


async def test_a_day_begins_with_working_hours(office, say):
    day = TimeSpec(kind="point", text="tomorrow", start=say.at("24"), stop=say.at("25"), has_date=True)
    proposal = await sent(office, say, day)
    assert proposal.action.send_at == say.at("24 09:00") and proposal.guesses == ("it goes out at 09:00",)


async def test_today_is_at_once(office, say):
    day = TimeSpec(kind="point", text="today", start=say.at("23"), stop=say.at("24"), has_date=True)
    assert (await sent(office, say, day)).action.send_at is None


async def test_a_time_that_has_passed_is_refused(office, say):
    failure = await office.fails("mail.send", to=(say.who("Anna"),), body="hi", time=say.point("23 09:00"))
    assert failure.message == "Mon 23 Nov, 09:00 has passed; tell me a time that lies ahead."


@pytest.mark.parametrize("kind", ["duration", "repeat"])
async def test_what_is_no_moment_is_refused(office, say, kind):
    spec = TimeSpec(kind=kind, text="every Monday", start=say.at("24 09:00"), duration=timedelta(hours=1))
    failure = await office.fails("mail.send", to=(say.who("Anna"),), body="hi", time=spec)
    assert failure.message.startswith("Tell me the one moment")


async def test_replies_and_forwards_have_times_too(office, say):
    office.mail("1", "anna", "Budget", "20 09:00")
    for operation, more in (("mail.reply", {}), ("mail.forward", {"to": (say.who("Tom"),)})):
        data = await office.data(operation, select=say.which("Budget"), body="yes", time=say.point("24 08:00"), **more)
        assert data.proposals[0].action.send_at == say.at("24 08:00")


# --- changes of a proposal


@pytest.fixture
async def later(office, say):
    office.results["proposal"] = Data(kind="proposals", proposals=(await sent(office, say, say.point("24 08:00")),))
    return office


async def revised(office, operation: str, **more):
    (proposal,) = (await office.data(operation, **more)).proposals
    return proposal


async def test_another_day_and_hour(later, say):
    proposal = await revised(later, "revise.time", time=say.point("25 10:00"), field="send")
    assert proposal.action.send_at == say.at("25 10:00") and proposal.says.endswith(" Anna Berg, to go out Wed 25 Nov, 10:00")


async def test_an_hour_alone_keeps_the_day(later, say):
    proposal = await revised(later, "revise.time", time=say.point("23 15:00", dated=False))
    assert proposal.action.send_at == say.at("24 15:00")


async def test_a_shift(later, say):
    assert (await revised(later, "revise.time", shift=timedelta(hours=1))).action.send_at == say.at("24 09:00")


async def test_a_shift_into_the_past_is_refused(later, say):
    assert "has passed" in (await later.fails("revise.time", shift=timedelta(days=-1))).message


async def test_now(later):
    proposal = await revised(later, "revise.now")
    assert proposal.action.send_at is None and "go out" not in proposal.says


async def test_a_draft_has_no_time(later):
    proposal = await revised(later, "revise.draft")
    assert isinstance(proposal.action, SaveDraft)


async def test_a_mail_that_goes_out_at_once_gets_a_time_where_sending_is_spoken_of(office, say):
    office.results["proposal"] = Data(kind="proposals", proposals=(await sent(office, say, None),))
    assert (await revised(office, "revise.time", time=say.point("24 08:00"), field="send")).action.send_at == say.at("24 08:00")
