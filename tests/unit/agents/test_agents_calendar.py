"""What the calendar agent finds and proposes."""

from datetime import timedelta

import pytest

from assistant.agents.calendar import CalendarAgent
from assistant.reasoning.calls import TimeSpec, Window
from assistant.values import Partial, Success
from integrations.actions import AnswerInvitation, CancelEvent, CreateEvent, UpdateEvent
from integrations.types import Address, Attendee, Calendar

HOUR, HALF = timedelta(hours=1), timedelta(minutes=30)


@pytest.fixture
def week(office):
    """Monday is today."""
    office.event("standup", "Stand-up", "23 09:30", "23 10:30")
    office.event("budget", "Budget review", "23 15:00", "23 16:00", "anna", "tom")
    office.event("dentist", "Dentist", "24 15:00", "24 15:30")
    office.event("lunch", "Lunch with Rita", "25 12:00", "25 13:00")
    office.event("sync", "Project sync", "26 11:00", "26 12:00", "tom")
    office.event("holiday", "Company holiday", "27", "28", all_day=True, busy=False)
    return office


def titles(data):
    return [event.title for event in data.events]


# --- reading


async def test_a_days_events_come_in_order(week, say):
    data = await week.data("event.find", select=say.which(when=say.day(23)))
    assert titles(data) == ["Stand-up", "Budget review"]
    assert data.heading == "events, Mon 23 Nov"


async def test_an_afternoon_is_a_stretch(week, say):
    assert titles(await week.data("event.find", select=say.which(when=say.span("23 12:00", "23 18:00")))) == ["Budget review"]


async def test_without_a_time_the_coming_events_are_listed(week, say):
    assert titles(await week.data("event.find"))[0] == "Stand-up"


async def test_the_next_meeting_with_somebody_is_the_next_they_are_in(week, say):
    data = await week.data("event.next", select=say.which(people=("Tom",), order="next"))
    assert titles(data) == ["Budget review"]


async def test_the_next_event_is_not_the_one_that_runs(week):
    assert titles(await week.data("event.next")) == ["Budget review"]


async def test_the_next_event_has_a_time_of_day(office):
    office.event("a", "Birthday", "24", "25", all_day=True)
    office.event("b", "Call", "25 09:00", "25 09:30")
    assert titles(await office.data("event.next")) == ["Call"]


async def test_with_two_people_both_must_be_in_it(week, say):
    assert titles(await week.data("event.find", select=say.which(people=("Anna", "Tom")))) == ["Budget review"]


async def test_a_person_in_the_title_only_is_found_and_said(week, say):
    report = await week.report("event.find", select=say.which(people=("Rita",)))
    assert isinstance(report, Partial)
    assert titles(report.data) == ["Lunch with Rita"]
    assert "title only" in report.limitations[0]


async def test_a_nickname_finds_the_events_of_its_address(week, say):
    assert titles(await week.data("event.find", select=say.which(people=("Annie",)))) == ["Budget review"]


async def test_a_group_finds_the_events_of_any_member(week, say):
    assert titles(await week.data("event.find", select=say.which(group="marketing team"))) == ["Budget review", "Project sync"]


async def test_a_title_in_other_words_is_found_and_said_to_be_a_guess(week, say):
    report = await week.report("event.find", select=say.which("reviews", "budget"))
    assert titles(report.data) == ["Budget review"]
    assert "Budget review" in report.limitations[0]


async def test_counting_and_checking(week, say):
    assert (await week.data("event.count", select=say.which(when=say.day(23)))).count == 2
    assert (await week.data("event.check", select=say.which(people=("Tom",), when=say.day(23, 3)))).truth is True
    assert (await week.data("event.check", select=say.which(people=("Sarah",), when=say.day(23, 3)))).truth is False


async def test_a_summary_says_how_much_time_it_takes(week, say):
    data = await week.data("event.summarise", select=say.which(when=say.day(23)))
    assert data.text == "2 events, 2 hours in all."


async def test_a_free_moment_is_free(week, say):
    report = await week.report("event.free", time=say.point("26 15:00"))
    assert isinstance(report, Success)
    assert report.data.truth is True
    assert report.data.events == ()


async def test_a_taken_moment_shows_what_is_in_the_way(week, say):
    data = await week.data("event.free", time=say.point("24 15:00"))
    assert data.truth is False
    assert titles(data) == ["Dentist"]


@pytest.mark.parametrize("more", [{"my_answer": "declined"}, {"busy": False}, {"status": "cancelled"}])
async def test_what_does_not_take_the_users_time_is_not_in_the_way(office, say, more):
    office.event("x", "X", "26 15:00", "26 16:00", **more)
    assert (await office.data("event.free", time=say.point("26 15:00"))).truth is True


async def test_an_event_that_ends_as_the_time_begins_is_not_in_the_way(week, say):
    assert (await week.data("event.free", time=say.point("24 15:30"))).truth is True


async def test_somebody_elses_meeting_is_not_in_the_users_way(office, say):
    boss = Address(email="tom@office.example", name="Tom Lee")
    office.event("x", "Board", "26 15:00", "26 16:00", "dchen", organizer=boss)
    assert (await office.data("event.free", time=say.point("26 15:00"))).truth is True
    assert (await office.data("event.free", time=say.point("26 15:00"), to=(say.who("Tom"),))).truth is False


async def test_slots_have_the_duration_asked_for_and_miss_the_events(week, say):
    data = await week.data("event.slots", time=say.day(24), duration=HOUR)
    assert data.kind == "slots"
    assert all(slot.end - slot.start == HOUR for slot in data.slots)
    assert not any(slot.start < say.at("24 15:30") and slot.end > say.at("24 15:00") for slot in data.slots)


async def test_slots_with_others_miss_their_events_too(week, say):
    tom = Address(email="tom@office.example", name="Tom Lee")
    week.event("toms", "Tom's own", "24 09:00", "24 12:00", "dchen", organizer=tom)
    alone = await week.data("event.slots", time=say.day(24), duration=HOUR)
    both = await week.data("event.slots", time=say.day(24), duration=HOUR, to=(say.who("Tom"),))
    assert min(s.start for s in alone.slots) == say.at("24 09:00")
    assert min(s.start for s in both.slots) == say.at("24 12:00")
    assert "as far as your calendars show" in both.heading


async def test_without_a_duration_the_free_stretches_are_given(week, say):
    data = await week.data("event.slots", time=say.day(24))
    assert [(s.start, s.end) for s in data.slots] == [
        (say.at("24 09:00"), say.at("24 15:00")),
        (say.at("24 15:30"), say.at("24 18:00")),
    ]


async def test_slots_keep_to_the_stretches_of_a_time_with_holes(week, say):
    stretches = [("24 09:00", "24 11:00"), ("26 09:00", "26 11:00")]
    windows = tuple(Window(start=say.at(start), stop=say.at(stop)) for start, stop in stretches)
    data = await week.data(
        "event.slots", time=say.span("24 09:00", "26 11:00").model_copy(update={"windows": windows}), duration=HOUR
    )
    assert [slot.start for slot in data.slots] == [say.at(at) for at in ("24 09:00", "24 10:00", "26 09:00", "26 10:00")]
    assert "Tue 24 Nov, 09:00-11:00 and Thu 26 Nov, 09:00-11:00" in data.heading


async def test_hours_that_were_said_may_lie_outside_working_hours(week, say):
    data = await week.data("event.slots", time=say.span("24 18:00", "24 20:00", "from 6 to 8 in the evening"), duration=HOUR)
    assert [slot.start for slot in data.slots] == [say.at("24 18:00"), say.at("24 19:00")]


async def test_a_gap_is_kept_to_other_events(week, say):
    data = await week.data("event.slots", time=say.span("24 14:00", "24 17:00", "2 to 5"), duration=HALF, gap=HALF)
    assert [slot.start for slot in data.slots] == [say.at("24 14:00"), say.at("24 16:00"), say.at("24 16:30")]
    assert "30 minutes from other events" in data.heading


async def test_a_preferred_time_comes_first_and_is_no_condition(week, say):
    morning = TimeSpec(kind="range", text="in the morning", start=say.at("23 06:00"), stop=say.at("23 12:00"), has_time=True)
    data = await week.data("event.slots", time=say.day(24), duration=HOUR, prefer=morning)
    assert {slot.start.hour for slot in data.slots} == {9, 10, 11}
    week.event("course", "Course", "24 08:00", "24 12:00")
    report = await week.report("event.slots", time=say.day(24), duration=HOUR, prefer=morning)
    assert report.data.slots and "nothing is free in the morning" in report.limitations


async def test_no_more_slots_than_were_asked_for(week, say):
    data = await week.data("event.slots", time=say.day(24), duration=HALF, select=say.which(order="first", number=2))
    assert [slot.start for slot in data.slots] == [say.at("24 09:00"), say.at("24 09:30")]


async def test_what_stands_in_anothers_calendar_is_theirs(week, say):
    week.calendars.append(Calendar(account="work", id="toms", name="Tom Lee"))
    busy = week.event("x", "Busy", "24 09:00", "24 12:00")
    week.events[-1] = busy.model_copy(update={"calendar": "toms"})
    alone = await week.data("event.slots", time=say.day(24), duration=HOUR)
    both = await week.data("event.slots", time=say.day(24), duration=HOUR, to=(say.who("Tom"),))
    assert (alone.slots[0].start, both.slots[0].start) == (say.at("24 09:00"), say.at("24 12:00"))


async def test_of_several_moments_a_free_one_is_taken(week, say):
    moments = tuple(Window(start=say.at(at), stop=say.at(at)) for at in ("24 15:00", "25 15:00"))
    time = say.span("24 15:00", "25 15:00").model_copy(update={"windows": moments})
    data = await week.data("event.create", title="X", time=time, duration=HALF)
    assert data.proposals[0].action.start == say.at("25 15:00")


async def test_whether_busy_is_the_other_answer_to_whether_free(week, say):
    for at, busy in (("24 15:00", True), ("24 16:00", False)):
        assert (await week.data("event.free", time=say.point(at), question="busy")).truth is busy
        assert (await week.data("event.free", time=say.point(at))).truth is not busy


async def test_events_of_a_list_of_days_are_those_of_each(week, say):
    windows = tuple(Window(start=say.at(day), stop=say.at(f"{int(day) + 1}")) for day in ("24", "26"))
    time = say.day(24, 3).model_copy(update={"windows": windows})
    assert titles(await week.data("event.find", select=say.which(when=time, each=True))) == ["Dentist", "Project sync"]


async def test_slots_of_a_week_are_spread_over_its_days(week, say):
    data = await week.data("event.slots", time=say.day(30, 7), duration=HOUR)
    assert {slot.start.weekday() for slot in data.slots} == {0, 1, 2, 3, 4}


async def test_slots_of_today_begin_after_now(week, say):
    data = await week.data("event.slots", time=say.day(23), duration=HOUR)
    assert min(s.start for s in data.slots) >= week.now


async def test_conflicts_are_pairs_that_overlap(week, say):
    week.event("clash", "Call", "26 11:30", "26 12:30")
    data = await week.data("event.clashes", time=say.day(26))
    assert [(c.first.title, c.second.title) for c in data.clashes] == [("Project sync", "Call")]


async def test_touching_events_are_no_conflict(week, say):
    week.event("next", "Call", "26 12:00", "26 12:30")
    assert (await week.data("event.clashes", time=say.day(26))).clashes == ()


# --- creating


async def test_a_meeting_gets_a_title_from_its_people(week, say):
    data = await week.data("event.create", to=(say.who("Anna"), say.who("Tom")), time=say.point("24 14:00"))
    (proposal,) = data.proposals
    action = proposal.action
    assert isinstance(action, CreateEvent)
    assert action.title == "Meeting with Anna and Tom"
    assert (action.start, action.end) == (say.at("24 14:00"), say.at("24 15:00"))
    assert [a.email for a in action.attendees] == ["anna@acme.example", "tom@office.example"]
    assert proposal.says == 'create "Meeting with Anna and Tom", Tue 24 Nov, 14:00-15:00 with Anna Berg and Tom Lee'


async def test_an_hour_is_taken_and_said_where_no_duration_was_said(week, say):
    data = await week.data("event.create", title="X", time=say.point("26 14:00"))
    assert data.proposals[0].notes == ("1 hour, as no duration was said",)


async def test_a_said_duration_is_no_guess(week, say):
    report = await week.report("event.create", title="X", time=say.point("26 14:00"), duration=timedelta(minutes=45))
    assert isinstance(report, Success)
    assert report.data.proposals[0].guesses == ()
    assert report.data.proposals[0].action.end == say.at("26 14:45")


async def test_from_two_to_four_is_exactly_that(week, say):
    (action,) = await week.actions("event.create", title="X", time=say.span("26 14:00", "26 16:00", "from 2 to 4"))
    assert (action.start, action.end) == (say.at("26 14:00"), say.at("26 16:00"))


async def test_an_afternoon_is_searched_for_a_free_hour(week, say):
    data = await week.data("event.create", title="X", time=say.span("23 12:00", "23 18:00", "this afternoon"))
    assert data.proposals[0].action.start == say.at("23 12:00")
    assert any("the first free time" in guess for guess in data.proposals[0].guesses)


async def test_a_range_without_a_moment_takes_the_first_time_free_for_all_with_alternatives(week, say):
    tom = Address(email="tom@office.example", name="Tom Lee")
    week.event("toms", "Tom's own", "30 09:00", "30 11:00", "dchen", organizer=tom)
    data = await week.data("event.create", to=(say.who("Tom"),), time=say.day(30, 5), duration=timedelta(minutes=30))
    assert data.proposals[0].action.start == say.at("30 11:00")
    assert data.slots
    assert data.proposals[0].action.start not in [slot.start for slot in data.slots]


async def test_a_full_day_has_no_free_time_and_says_so(week, say):
    week.event("all", "Workshop", "26 08:00", "26 19:00")
    failure = await week.fails("event.create", title="X", time=say.day(26), duration=HOUR)
    assert failure.type == "not_found"


async def test_a_collision_is_said(week, say):
    data = await week.data("event.create", title="X", time=say.point("24 15:00"), duration=HOUR)
    assert data.proposals[0].notes == ("collides with Dentist, Tue 24 Nov, 15:00-15:30",)


async def test_an_invitees_collision_is_said(week, say):
    tom = Address(email="tom@office.example", name="Tom Lee")
    week.event("toms", "Board", "26 15:00", "26 16:00", "dchen", organizer=tom)
    data = await week.data("event.create", to=(say.who("Tom"),), time=say.point("26 15:00"), duration=HOUR)
    assert data.proposals[0].notes == ("Tom Lee then has Board, Thu 26 Nov, 15:00-16:00",)


async def test_the_same_event_again_is_said(week, say):
    data = await week.data("event.create", title="dentist", time=say.point("24 15:00"), duration=HOUR)
    assert data.proposals[0].notes == ('there is already a "Dentist" at that time',)


async def test_a_time_in_the_past_is_a_guess_that_is_asked_about(week, say):
    data = await week.data("event.create", title="X", time=say.point("20 09:00"), duration=HOUR)
    assert "that time is in the past" in data.proposals[0].guesses


async def test_an_end_before_the_start_is_a_guess_that_is_asked_about(week, say):
    data = await week.data("event.create", title="X", time=say.span("26 15:00", "27 14:00"))
    assert "ends before it begins" in data.proposals[0].guesses[0]


async def test_an_all_day_event_runs_to_midnight(week, say):
    (action,) = await week.actions("event.create", title="Trip", all_day=True, time=say.day(28, 3))
    assert (action.all_day, action.start, action.end) == (True, say.at("28"), say.at("31"))


async def test_a_repeating_event_carries_its_rule(week, say):
    time = TimeSpec(kind="repeat", rrule="FREQ=WEEKLY;BYDAY=MO", start=say.at("30 08:00"), has_date=True, has_time=True)
    (action,) = await week.actions("event.create", title="Run", time=time)
    assert (action.rrule, action.start) == ("FREQ=WEEKLY;BYDAY=MO", say.at("30 08:00"))


async def test_without_a_writable_calendar_nothing_is_proposed(week, say):
    week.calendars = [Calendar(account="work", id="x", name="X", read_only=True)]
    assert (await week.fails("event.create", title="X", time=say.point("26 14:00"))).type == "read_only"


async def test_two_davids_are_asked_about_before_anything_is_planned(week, say):
    assert (await week.asks("event.create", to=(say.who("David"),), time=say.point("26 14:00"))).entity == "David"


# --- moving


async def test_my_three_oclock_is_found_and_moved_keeping_its_length(week, say):
    select = say.which(when=say.point("23 15:00", dated=False))
    data = await week.data("event.move", select=select, time=say.point("23 16:00", dated=False))
    (proposal,) = data.proposals
    assert proposal.action.event.id == "budget"
    assert (proposal.action.start, proposal.action.end) == (say.at("23 16:00"), say.at("23 17:00"))
    assert proposal.before.title == "Budget review"
    assert "Anna Berg and Tom Lee" in proposal.says


async def test_a_time_without_a_date_is_looked_for_on_the_new_date_first(week, say):
    select = say.which(when=say.point("23 15:00", dated=False))
    (action,) = await week.actions("event.move", select=select, time=say.point("24 16:00"))
    assert action.event.id == "dentist"


async def test_a_time_without_a_date_falls_back_to_the_coming_week(week, say):
    select = say.which(when=say.point("23 15:00", dated=False))
    (action,) = await week.actions("event.move", select=select, time=say.point("26 16:00"))
    assert action.event.id == "budget"
    assert action.start == say.at("26 16:00")


@pytest.mark.parametrize(("said", "moved"), [("to five", 17), ("to 5 am", 5), ("to 05:00", 5)])
async def test_a_bare_hour_is_the_nearer_of_its_two_readings(week, say, said, moved):
    time = say.point("23 05:00", dated=False).model_copy(update={"text": said})
    (action,) = await week.actions("event.move", select=say.which("Budget"), time=time)
    assert action.start == say.at(f"23 {moved:02}:00")


async def test_an_hour_said_beside_a_shift_must_be_where_it_leads(week, say):
    said = {"select": say.which("Budget"), "shift": timedelta(hours=1)}
    (action,) = await week.actions("event.move", **said, time=say.point("23 04:00", dated=False))
    assert action.start == say.at("23 16:00")
    problem = await week.fails("event.move", **said, time=say.point("23 05:00", dated=False))
    assert "That shift leads to 16:00, not to 05:00" in problem.message


async def test_a_new_date_keeps_the_time(week, say):
    (action,) = await week.actions("event.move", select=say.which("Dentist"), time=say.day(27))
    assert (action.start, action.end) == (say.at("27 15:00"), say.at("27 15:30"))


async def test_a_new_time_keeps_the_date(week, say):
    (action,) = await week.actions("event.move", select=say.which("Dentist"), time=say.point("23 10:00", dated=False))
    assert action.start == say.at("24 10:00")


async def test_several_events_are_not_put_on_one_hour(week, say):
    failure = await week.fails("event.move", select=say.which(each=True, when=say.day(23, 7)), time=say.point("27 15:00"))
    assert failure.type == "not_understood"


async def test_pushing_back_shifts(week, say):
    (action,) = await week.actions("event.move", select=say.which("Dentist"), shift=HOUR)
    assert (action.start, action.end) == (say.at("24 16:00"), say.at("24 16:30"))


async def test_a_move_into_a_week_takes_the_first_free_time(week, say):
    data = await week.data("event.move", select=say.which("Dentist"), time=say.day(30, 7))
    assert data.proposals[0].action.start == say.at("30 09:00")
    assert any("the first free time" in guess for guess in data.proposals[0].guesses)


async def test_a_move_says_what_it_collides_with(week, say):
    data = await week.data("event.move", select=say.which("Dentist"), time=say.point("26 11:30"))
    assert data.proposals[0].notes == ("collides with Project sync, Thu 26 Nov, 11:00-12:00",)


async def test_an_event_does_not_collide_with_itself(week, say):
    data = await week.data("event.move", select=say.which("Dentist"), shift=timedelta(minutes=15))
    assert data.proposals[0].guesses == ()


async def test_an_event_organised_by_somebody_else_is_cautioned(week, say):
    anna = Address(email="anna@acme.example", name="Anna Berg")
    week.event("theirs", "Kick-off", "26 16:00", "26 17:00", "me", organizer=anna, my_answer="accepted")
    data = await week.data("event.move", select=say.which("Kick-off"), shift=HOUR)
    assert any("Anna Berg organises it" in guess for guess in data.proposals[0].notes)


async def test_a_move_to_where_it_is_is_refused(week, say):
    assert (await week.fails("event.move", select=say.which("Dentist"), time=say.point("24 15:00"))).type == "refused"


async def test_an_all_day_event_moves_by_days(week, say):
    (action,) = await week.actions("event.move", select=say.which("holiday"), time=say.day(30))
    assert (action.start, action.end, action.all_day) == (say.at("30"), say.at("31"), None)


async def test_a_move_across_the_clock_change_keeps_the_wall_time(office, say):
    office.now = say.at("1 08:00") - timedelta(days=10)
    office.event("x", "Class", "1 10:00", "1 11:00")
    office.events[0] = office.events[0].model_copy(
        update={"start": say.at("1 10:00") - timedelta(days=8), "end": say.at("1 11:00") - timedelta(days=8)}
    )
    (action,) = await office.actions("event.move", select=say.which("Class"), shift=timedelta(days=7))
    assert (action.start.hour, action.end.hour) == (10, 11)


# --- changing


async def test_renaming(week, say):
    (action,) = await week.actions("event.rename", select=say.which("Dentist"), title="Dr. Wu")
    assert action == UpdateEvent(account="work", event=action.event, title="Dr. Wu")


@pytest.mark.parametrize(
    ("more", "end"),
    [
        ({"duration": timedelta(minutes=45)}, "24 15:45"),
        ({"shift": HOUR}, "24 16:30"),
        ({"factor": 2.0}, "24 16:00"),
        ({"factor": 0.5}, "24 15:15"),
    ],
)
async def test_resizing(week, say, more, end):
    (action,) = await week.actions("event.resize", select=say.which("Dentist"), **more)
    assert (action.start, action.end) == (say.at("24 15:00"), say.at(end))


async def test_a_new_end_sets_the_length(week, say):
    (action,) = await week.actions("event.resize", select=say.which("Dentist"), time=say.point("24 16:10"))
    assert (action.start, action.end) == (say.at("24 15:00"), say.at("24 16:10"))


async def test_two_events_trade_their_starts_and_keep_their_lengths(week, say):
    one, other = await week.actions("event.swap", select=say.which("Dentist"), beside=say.which("Budget review"))
    starts = {event.id: event.start for event in week.events}
    assert (one.start, other.start) == (starts["budget"], starts["dentist"])
    assert one.end - one.start == timedelta(minutes=30)


async def test_more_than_two_events_do_not_trade_their_times(week, say):
    assert (await week.fails("event.swap", select=say.which(when=say.day(23, 3), each=True))).type == "not_understood"


async def test_what_overlaps_an_hour_is_found_though_it_begins_before(week, say):
    hour = say.span("24 15:15", "24 16:15")
    select = say.which(when=say.day(24), each=True, overlapping=say.which(when=hour))
    (action,) = await week.actions("event.cancel", select=select)
    assert action.event.id == "dentist"


async def test_a_longer_event_says_what_it_runs_into(week, say):
    week.event("after", "Call", "24 15:30", "24 16:00")
    data = await week.data("event.resize", select=say.which("Dentist"), duration=HOUR)
    assert data.proposals[0].notes == ("collides with Call, Tue 24 Nov, 15:30-16:00",)


async def test_no_time_at_all_is_no_length(week, say):
    assert (await week.fails("event.resize", select=say.which("Dentist"), shift=-2 * HOUR)).type == "not_understood"


async def test_another_room(week, say):
    (action,) = await week.actions("event.relocate", select=say.which("Budget review"), location="Room B")
    assert action.location == "Room B"


async def test_a_guest_removes_an_event_from_their_own_calendar_and_tells_nobody(week, say):
    anna = Address(email="anna@berg.example", name="Anna Berg")
    week.event("theirs", "Kick-off", "26 16:00", "26 17:00", "me", organizer=anna, my_answer="accepted", guest=True)
    data = await week.data("event.cancel", select=say.which("Kick-off"), body="I am ill")
    (proposal,) = data.proposals
    assert proposal.says.startswith("remove ") and proposal.says.endswith("from your calendar")
    told = "; ".join(proposal.notes)
    assert "goes from your calendar only, and nobody is told" in told and "your words go to nobody" in told


async def test_cancelling_the_first_on_a_day(week, say):
    (action,) = await week.actions("event.cancel", select=say.which(when=say.day(24), order="first"))
    assert action == CancelEvent(account="work", event=action.event)
    assert action.event.id == "dentist"


async def test_today_the_first_is_the_first_that_is_not_over(week, say):
    week.event("early", "Breakfast", "23 08:00", "23 08:30")
    (action,) = await week.actions("event.cancel", select=say.which(when=say.day(23), order="first"))
    assert action.event.id == "standup"


async def test_all_of_a_day_are_cancelled(week, say):
    actions = await week.actions("event.cancel", select=say.which(when=say.day(23), each=True))
    assert [a.event.id for a in actions] == ["standup", "budget"]


async def test_all_with_a_person_are_cancelled(week, say):
    actions = await week.actions("event.cancel", select=say.which(people=("Tom",), each=True))
    assert [a.event.id for a in actions] == ["budget", "sync"]


async def test_past_events_are_left_alone_by_writes(week, say):
    week.event("old", "Project sync", "19 11:00", "19 12:00", "tom")
    (action,) = await week.actions("event.cancel", select=say.which("Project sync"))
    assert action.event.id == "sync"


async def test_several_that_fit_are_asked_about_with_time_and_people(week, say):
    ambiguity = await week.asks("event.cancel", select=say.which(people=("Tom",)))
    assert [c.label for c in ambiguity.choices] == [
        "Budget review, Mon 23 Nov, 15:00-16:00 with Anna Berg and Tom Lee",
        "Project sync, Thu 26 Nov, 11:00-12:00 with Tom Lee",
    ]
    week.bindings[ambiguity.entity] = ambiguity.choices[1].value
    (action,) = await week.actions("event.cancel", select=say.which(people=("Tom",)))
    assert action.event.id == "sync"


async def test_two_events_at_the_same_time_are_asked_about(week, say):
    week.event("other", "Call", "23 15:00", "23 15:30")
    select = say.which(when=say.point("23 15:00", dated=False))
    await week.asks("event.move", select=select, time=say.point("23 16:00", dated=False))


@pytest.fixture
def series(week, say):
    week.event("yoga", "Yoga", "2 18:00", "2 19:00", series=True, rrule="FREQ=WEEKLY")
    for day in ("23", "30"):
        week.event(
            "yoga", "Yoga", f"{day} 18:00", f"{day} 19:00", series=True, rrule="FREQ=WEEKLY", recurrence=say.at(f"{day} 18:00")
        )
    return week


async def test_of_a_series_the_next_date_is_meant_and_that_is_said(series, say):
    data = await series.data("event.cancel", select=say.which("Yoga"))
    (proposal,) = data.proposals
    assert proposal.action.event.recurrence == say.at("23 18:00")
    assert proposal.notes == ('only the date Mon 23 Nov, 18:00-19:00 of the series "Yoga"',)


async def test_all_of_a_series_is_the_series_itself(series, say):
    data = await series.data("event.cancel", select=say.which("Yoga", each=True))
    (proposal,) = data.proposals
    assert proposal.action.event.recurrence is None
    assert "past dates included" in proposal.guesses[0]
    assert "(the whole series)" in proposal.says


async def test_all_of_a_series_in_a_week_are_its_dates(series, say):
    (action,) = await series.actions("event.cancel", select=say.which("Yoga", each=True, when=say.day(30, 7)))
    assert action.event.recurrence == say.at("30 18:00")


async def test_moving_a_whole_series_shifts_its_first_date(series, say):
    select = say.which("Yoga", each=True)
    (action,) = await series.actions("event.move", select=select, time=say.point("23 17:00", dated=False))
    assert action.event.recurrence is None
    assert action.start == say.at("2 17:00")


async def test_inviting(week, say):
    (action,) = await week.actions("event.invite", select=say.which("Project sync"), to=(say.who("Anna"), say.who("Tom")))
    assert [a.email for a in action.add_attendees] == ["anna@acme.example"]


async def test_who_is_invited_already_is_said_and_no_failure(week, say):
    data = await week.data("event.invite", select=say.which("Project sync"), to=(say.who("Tom"),))
    assert data.already and "Tom Lee is already invited" in data.text
    assert [event.title for event in data.events] == ["Project sync"]


async def test_removing_looks_among_those_invited_first(week, say):
    week.event("d", "Design", "26 14:00", "26 15:00", "dchen", "tom")
    (action,) = await week.actions("event.uninvite", select=say.which("Design"), to=(say.who("David"),))
    assert action.remove_attendees == ("david.chen@bolt.example",)


async def test_removing_who_is_not_there_names_those_who_are(week, say):
    failure = await week.fails("event.uninvite", select=say.which("Project sync"), to=(say.who("Anna"),))
    assert "invited: Tom Lee" in failure.message


@pytest.fixture
def invited(week):
    anna = Address(email="anna@acme.example", name="Anna Berg")
    week.event("inv", "Kick-off", "26 16:00", "26 17:00", "me", organizer=anna, my_answer="needs-action")
    return week


@pytest.mark.parametrize(
    ("operation", "answer"), [("event.accept", "accepted"), ("event.decline", "declined"), ("event.tentative", "tentative")]
)
async def test_an_invitation_is_answered(invited, say, operation, answer):
    data = await invited.data(operation, select=say.which("Kick-off"))
    assert data.proposals[0].action == AnswerInvitation(account="work", event=data.proposals[0].action.event, answer=answer)
    assert "to Anna Berg" in data.proposals[0].says


async def test_the_invitation_is_the_one_not_answered_yet(invited):
    (action,) = await invited.actions("event.accept")
    assert action.event.id == "inv"


async def test_an_own_event_is_no_invitation(invited, say):
    assert (await invited.fails("event.accept", select=say.which("Dentist"))).type == "refused"


async def test_an_answer_given_already_is_said(invited, say):
    invited.events[-1] = invited.events[-1].model_copy(update={"my_answer": "accepted"})
    data = await invited.data("event.accept", select=say.which("Kick-off"))
    assert data.already and "already accepted" in data.text
    assert [event.title for event in data.events] == ["Kick-off"]


async def test_unanswered_invitations_are_listed(invited, say):
    assert titles(await invited.data("event.find", select=say.which(unanswered=True))) == ["Kick-off"]


async def test_one_event_in_two_calendars_counts_once(week, say):
    copy = week.events[2].model_copy(update={"calendar": "other"})
    week.events.append(copy)
    assert titles(await week.data("event.find", select=say.which("Dentist"))) == ["Dentist"]


async def test_what_was_shown_is_read_again_before_it_is_changed(week, say):
    week.results["shown"] = await week.data("event.find", select=say.which("Dentist"))
    week.events[2] = week.events[2].model_copy(update={"etag": "newer"})
    (action,) = await week.actions("event.cancel", select=say.which(refs=("shown",)))
    assert action.event.etag == "newer"


async def test_an_attendee_who_declined_is_free(office, say):
    office.event("x", "Board", "26 15:00", "26 16:00", "dchen")
    event = office.events[0]
    declined = Attendee(address=event.attendees[0].address, answer="declined")
    office.events[0] = event.model_copy(update={"attendees": (declined,), "my_answer": "declined"})
    data = await office.data("event.free", time=say.point("26 15:00"), to=(say.who("David Chen"),))
    assert data.truth is True


async def test_the_day_after_is_counted_from_the_event_and_may_have_a_time_of_its_own(office, say):
    office.event("dentist", "Dentist", "25 09:00", "25 09:30")
    for words, begin in (("to the day after", say.at("26 09:00")), ("to the day after at 3pm", say.at("26 15:00"))):
        report = await CalendarAgent().run(f"move the dentist {words}", office.desk)
        (proposal,) = report.data.proposals
        assert (proposal.action.start, proposal.action.end - proposal.action.start) == (begin, timedelta(minutes=30))
