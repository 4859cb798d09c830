"""Who or what has the most, how long it takes together, and how far off it is."""

import pytest

from assistant.values import Failure
from integrations.types import Calendar


@pytest.fixture
def post(office):
    for number, who in enumerate(("anna", "anna", "anna", "tom", "rita")):
        office.mail(f"m{number}", who, f"Letter {number}", f"{16 + number // 2} {9 + number}:30")
    office.mail("sent", "me", "Answer", "20 9:00")
    return office


@pytest.fixture
def week(office):
    office.event("standup", "Standup", "23 11:00", "23 11:15", "me", "tom")
    office.event("plan", "Planning", "24 09:00", "24 11:00", "me", "tom", "anna")
    office.event("lunch", "Lunch", "24 12:00", "24 13:00", "me", "anna")
    office.event("off", "Holiday", "26 0:00", "27 0:00", all_day=True)
    return office


async def test_the_sender_of_most_mails_is_told_with_who_follows(post, say):
    data = await post.data("mail.rank", field="person", question="most")
    assert data.text == "Anna Berg: 3 mails. Then Rita Gomez (1 mail) and Tom Lee (1 mail)."
    assert [address.email for address in data.addresses] == [say.people["anna"].email]


async def test_those_who_share_the_first_place_are_told_together(post, say):
    data = await post.data("mail.rank", field="person", question="least")
    assert data.text.startswith("Rita Gomez and Tom Lee: 1 mail each")


async def test_people_compared_may_have_none(post, say):
    data = await post.data("mail.rank", field="person", question="most", to=(say.who("Tom"), say.who("Sarah")))
    assert data.text == "Tom: 1 mail. Then Sarah (0 mails)."


async def test_mails_are_ranked_by_any_stretch_of_time(post, say):
    assert "Mon 16 Nov and Tue 17 Nov: 2 mails each" in (await post.data("mail.rank", field="day", question="most")).text
    assert "Autumn (September to November): 5 mails" in (await post.data("mail.rank", field="season", question="most")).text
    assert "November 2026: 5 mails" in (await post.data("mail.rank", field="month", question="most")).text


async def test_what_was_sent_is_ranked_by_those_it_went_to(post, say):
    data = await post.data("mail.rank", field="person", question="most", select=say.which(folder="Sent"))
    assert data.text.startswith("Anna Berg: 1 mail")


async def test_the_busiest_day_comes_with_its_events(week, say):
    data = await week.data("event.rank", field="day", question="most", select=say.which(when=say.day(23, 5)))
    assert data.text.startswith("Tue 24 Nov: 2 events")
    assert [event.title for event in data.events] == ["Planning", "Lunch"]


async def test_days_without_anything_are_the_quietest(week, say):
    data = await week.data("event.rank", field="day", question="least", select=say.which(when=say.day(23, 5)))
    assert data.text.startswith("Wed 25 Nov and Fri 27 Nov: 0 events each")


async def test_the_longest_event_is_one_with_hours(week, say):
    data = await week.data("event.rank", field="event", question="longest", select=say.which(when=say.day(23, 5)))
    assert [event.title for event in data.events] == ["Planning"]
    assert "2 hours" in data.heading


async def test_events_are_ranked_by_their_guests(week, say):
    data = await week.data("event.rank", field="event", question="largest", select=say.which(when=say.day(23, 5)))
    assert [event.title for event in data.events] == ["Planning"]


async def test_where_nothing_is_nothing_is_first(office, say):
    assert (await office.data("event.rank", field="day", question="most")).kind == "nothing"
    assert (await office.data("mail.rank", field="person", question="most")).kind == "nothing"


async def test_the_hours_of_all_timed_events_are_added_up(week, say):
    data = await week.data("event.total", select=say.which(when=say.day(23, 5)))
    assert data.text.startswith("3 hours 15 minutes")


async def test_how_far_off_an_event_is(week, say):
    assert (await week.data("event.next", field="until", select=say.which("Holiday"))).text == "3 days."
    assert (await week.data("event.next", field="until", select=say.which("Standup"))).text == "1 hour."
    assert (await week.data("event.next", field="until", time=say.day(30))).text == "7 days."


@pytest.fixture
def shared(office):
    """Tom shares his calendar."""
    office.calendars = [Calendar(account="work", id="main", name="Main"), Calendar(account="work", id="tom", name="Tom")]
    office.event("mine", "Budget", "24 09:00", "24 10:00")
    event = office.event("his", "Workshop", "24 14:00", "24 16:00")
    office.events[-1] = event.model_copy(update={"calendar": "tom"})
    return office


async def test_what_stands_in_somebody_elses_calendar_is_not_the_users(shared, say):
    assert [e.title for e in (await shared.data("event.find", select=say.which(when=say.day(24)))).events] == ["Budget"]
    assert (await shared.data("event.free", time=say.point("24 14:30"))).truth is True


async def test_somebody_elses_calendar_is_looked_into_by_name(shared, say):
    found = await shared.data("event.find", select=say.which(people=("Tom",), when=say.day(24)))
    assert [e.title for e in found.events] == ["Workshop"]
    assert (await shared.data("event.free", to=(say.who("Tom"),), time=say.point("24 14:30"))).truth is False


async def test_people_are_compared_by_their_calendars(shared, say):
    asked = {"field": "person", "question": "most", "to": (say.who("Tom"), say.who("me")), "select": say.which(when=say.day(24))}
    assert (await shared.data("event.rank", **asked)).text.startswith("Tom and you: 1 event each")


async def test_an_event_goes_into_the_calendar_named_or_the_users_own(shared, say):
    (own,) = await shared.actions("event.create", title="Run", time=say.point("25 09:00"))
    (theirs,) = await shared.actions("event.create", title="Run", time=say.point("25 09:00"), calendars=(say.who("Tom"),))
    assert (own.calendar, theirs.calendar) == ("main", "tom")


async def test_a_calendar_that_is_not_shared_takes_no_event(shared, say):
    failure = await shared.fails("event.create", title="Run", time=say.point("25 09:00"), calendars=(say.who("Anna"),))
    assert "no calendar of Anna Berg" in failure.message


async def test_mails_are_not_measured_by_their_length(office):
    report = await office.report("mail.rank", field="person", question="longest")
    assert isinstance(report, Failure) and "longest" in report.message
