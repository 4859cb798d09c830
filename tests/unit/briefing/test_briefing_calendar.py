import pytest
from doubles.desks import ANNA, ME, RITA, TOM, Box, at, briefed, lines, note, texts

from integrations.types import Attendee

DAY = ("day",)
WEEK = ("week",)


@pytest.fixture
def box() -> Box:
    return Box()


async def test_the_day_is_told_with_time_place_and_people(box: Box) -> None:
    box.event("Review", "23 10:00", "23 11:00", ANNA, TOM, location="Room 4")
    box.event("Holiday of Tom", "23", "24", all_day=True, busy=False)
    briefing = await briefed("23 8:00", box, parts=DAY)
    assert briefing.title == "Today, Monday 23 November"
    assert briefing.sections[0].title == "Your day"
    assert texts(briefing, "agenda") == [
        "all day: Holiday of Tom",
        "10:00-11:00 Review, Room 4, with Anna Berg and Tom Lee",
    ]


async def test_what_is_over_declined_or_anothers_is_not_told(box: Box) -> None:
    box.event("Over", "23 7:00", "23 7:30")
    box.event("Declined", "23 10:00", "23 11:00", ANNA, my_answer="declined")
    box.event("Theirs", "23 10:00", "23 11:00", ANNA, TOM, organizer=TOM)
    box.event("Maybe", "23 12:00", "23 13:00", status="tentative")
    assert texts(await briefed("23 8:00", box, parts=DAY), "agenda") == ["12:00-13:00 Maybe (tentative)"]


@pytest.mark.parametrize(
    ("now", "title"),
    [
        ("23 17:59", "Today, Monday 23 November"),
        ("23 18:00", "Tomorrow, Tuesday 24 November"),
        ("28 9:00", "Today, Saturday 28 November"),
    ],
)
async def test_once_work_is_over_the_day_is_the_next(box: Box, now: str, title: str) -> None:
    assert (await briefed(now, box, parts=DAY)).title == title


@pytest.mark.parametrize(
    ("now", "title"),
    [
        ("23 8:00", "The week from Monday 23 November"),
        ("25 8:00", "The rest of the week from Wednesday 25 November"),
        ("27 11:00", "The rest of the week from Friday 27 November"),
        ("27 12:00", "The week from Monday 30 November"),
        ("29 18:00", "The week from Monday 30 November"),
    ],
)
async def test_from_friday_noon_on_the_week_is_the_next(box: Box, now: str, title: str) -> None:
    assert (await briefed(now, box, parts=WEEK)).title == title


async def test_in_the_evening_what_is_left_of_today_comes_before_tomorrow(box: Box) -> None:
    box.event("Choir", "23 19:30", "23 21:00")
    box.event("Review", "24 10:00", "24 11:00")
    assert texts(await briefed("23 18:30", box, parts=DAY), "agenda") == ["today, 19:30-21:00 Choir", "10:00-11:00 Review"]


async def test_an_empty_day_is_short_and_says_what_comes_next(box: Box) -> None:
    box.event("Review", "23 10:00", "23 11:00")
    briefing = await briefed("21 9:00", box, parts=DAY)
    assert [section.kind for section in briefing.sections] == ["agenda"]
    assert note(briefing, "agenda") == "Nothing planned. Next: Review, Monday 23 Nov, 10:00-11:00."


async def test_a_conflict_of_the_week_is_told_once_and_again_on_its_day(box: Box) -> None:
    box.event("Launch", "25 14:00", "25 15:00")
    box.event("Pricing", "25 14:30", "25 15:30", my_answer="needs-action")
    first = await briefed("23 8:00", box, parts=DAY)
    (line,) = lines(first, "conflicts")
    assert line.text == "Wednesday 25 Nov: Launch (14:00-15:00) and Pricing (14:30-15:30)"
    assert line.reasons == ("they overlap by 30 minutes", "Pricing awaits your answer")
    second = await briefed("24 8:00", box, parts=DAY, after=first)
    assert texts(second, "conflicts") == []
    assert "Launch and Pricing at one time (tomorrow)" in texts(second, "open")
    third = await briefed("25 8:00", box, parts=DAY, after=second)
    assert len(texts(third, "conflicts")) == 1
    assert {one.number for one in lines(third, "agenda")} >= {one.number for one in lines(third, "conflicts")}


@pytest.mark.parametrize(
    ("first", "second", "minutes"),
    [
        ("Canal Street 12", "Room Larch", 15),
        ("Dr. Demir, Lindenallee 8", "Harbour Hall, Quay 3", 15),
        ("Room Birch", "Room Larch", None),
        ("Canal Street 12", "Harbor & Finch, Canal Street 12", None),
        ("Canal Street 12", "https://meet.example/abc", None),
        ("Video call", "Canal Street 12", None),
        ("Canal Street 12", "", None),
    ],
)
async def test_two_places_with_too_little_time_between_are_named(box: Box, first: str, second: str, minutes: int | None) -> None:
    box.event("One", "23 10:00", "23 11:00", location=first)
    box.event("Two", "23 11:15", "23 12:00", location=second)
    found = lines(await briefed("23 8:00", box, parts=DAY), "gaps")
    expected = [f"{minutes} minutes from {first} to {second}, 11:00-11:15"] if minutes else []
    assert [line.text for line in found] == expected
    assert all(line.reasons == ("One, then Two",) for line in found)


async def test_half_an_hour_is_time_enough(box: Box) -> None:
    box.event("One", "23 10:00", "23 11:00", location="Canal Street 12")
    box.event("Two", "23 11:30", "23 12:00", location="Room Larch")
    assert texts(await briefed("23 8:00", box, parts=DAY), "gaps") == []


async def test_a_meeting_that_is_not_settled_is_told_once_on_the_working_day_before(box: Box) -> None:
    silent = (Attendee(address=ANNA), Attendee(address=TOM, answer="accepted"))
    box.event("Review", "23 10:00", "23 11:00", organizer=ME, attendees=silent, description="")
    friday = await briefed("20 8:00", box, parts=DAY)
    (line,) = lines(friday, "unprepared")
    assert (line.text, line.reasons) == ("Monday 23 Nov, 10:00-11:00 Review", ("it has no agenda", "Anna Berg has not answered"))
    assert texts(await briefed("23 8:00", box, parts=DAY, after=friday), "unprepared") == []


@pytest.mark.parametrize("fields", [{"series": True}, {"recurrence": at("23 10:00")}, {"my_answer": "declined"}])
async def test_what_needs_no_preparing_is_not_called_unsettled(box: Box, fields: dict[str, object]) -> None:
    box.event("Review", "23 10:00", "23 11:00", ANNA, **({"description": ""} | fields))
    box.event("Lunch with the team", "23 12:00", "23 13:00", ANNA, description="")
    assert texts(await briefed("23 8:00", box, parts=DAY), "unprepared") == []


async def test_an_invitation_says_who_asks_and_whether_there_is_time_then(box: Box) -> None:
    box.event("Workshop", "26 10:00", "26 11:00", ME, organizer=RITA, my_answer="needs-action")
    box.event("Party", "27 19:00", "27 22:00", ME, organizer=TOM, my_answer="needs-action")
    box.event("Focus", "26 9:00", "26 10:30")
    briefing = await briefed("23 8:00", box, parts=DAY)
    assert [(line.text, line.reasons) for line in lines(briefing, "invitations")] == [
        ("Workshop, Thursday 26 Nov, 10:00-11:00, from Rita Gomez", ("overlaps with Focus",)),
        ("Party, Friday 27 Nov, 19:00-22:00, from Tom Lee", ("you are free then",)),
    ]
    second = await briefed("24 8:00", box, parts=DAY, after=briefing)
    assert texts(second, "invitations") == []
    assert "your answer to Workshop (Thursday 26 Nov)" in texts(second, "open")


async def test_free_time_lies_within_working_hours_from_now_on(box: Box) -> None:
    box.event("Review", "23 10:00", "23 11:00")
    box.event("Call", "23 11:15", "23 12:00")
    assert texts(await briefed("23 9:20", box, parts=DAY), "free") == ["09:30-10:00 and 12:00-18:00"]
    assert texts(await briefed("22 18:00", box, parts=WEEK), "free") == [
        "tomorrow: 09:00-10:00 and 12:00-18:00",
        "Tuesday 24 Nov: all day",
        "Wednesday 25 Nov: all day",
        "Thursday 26 Nov: all day",
        "Friday 27 Nov: all day",
    ]


async def test_what_was_moved_added_or_taken_away_since_is_marked(box: Box) -> None:
    box.event("Review", "23 10:00", "23 11:00")
    box.event("Lunch", "23 12:00", "23 13:00")
    sunday = await briefed("22 18:00", box, parts=DAY)
    assert all(line.reasons == () for line in lines(sunday, "agenda"))
    box.events.clear()
    box.event("Review", "23 15:00", "23 16:00")
    box.event("Call", "23 11:00", "23 11:30")
    monday = await briefed("23 8:00", box, parts=DAY, after=sunday)
    assert [(line.text, line.reasons, line.new) for line in lines(monday, "agenda")] == [
        ("11:00-11:30 Call", ("new since the last briefing",), True),
        ("15:00-16:00 Review", ("moved from 10:00",), True),
    ]
    assert note(monday, "agenda") == "No longer there: Lunch (12:00)."


async def test_what_was_cancelled_or_moved_to_another_day_is_said(box: Box) -> None:
    board = box.event("Board", "23 15:00", "23 16:00", ANNA)
    review = box.event("Review", "23 16:00", "23 17:00", TOM)
    morning = await briefed("23 8:00", box, parts=DAY)
    box.events[:] = [
        board.model_copy(update={"status": "cancelled"}),
        review.model_copy(update={"start": at("24 10:00"), "end": at("24 11:00")}),
    ]
    noon = note(await briefed("23 12:00", box, parts=DAY, after=morning), "agenda")
    assert "Moved: Review (16:00) to tomorrow, 10:00-11:00. No longer there: Board (15:00)." in noon


async def test_two_of_one_name_in_one_calendar_are_two(box: Box) -> None:
    box.event("1:1", "23 10:00", "23 10:30", ANNA, id="a", uid="a")
    box.event("1:1", "23 10:00", "23 10:30", TOM, id="b", uid="b")
    briefing = await briefed("23 8:00", box, parts=DAY)
    assert texts(briefing, "agenda") == ["10:00-10:30 1:1, with Anna Berg", "10:00-10:30 1:1, with Tom Lee"]
    assert len(texts(briefing, "conflicts")) == 1


async def test_who_will_be_there_is_told_with_the_latest_exchange_in_one_search(box: Box) -> None:
    box.mail(ANNA, "Budget", "19 9:00", "Could you send me the figures?")
    box.mail(ME, "Offer", "20 9:00", "Here it is.", to=(TOM,))
    box.mail(RITA, "Press", "1 9:00", "Nothing new.")
    box.event("Review", "23 10:00", "23 11:00", ANNA, TOM, RITA)
    box.event("Call", "23 12:00", "23 12:30", ANNA)
    readers = box.readers
    review, call = lines(await briefed("23 8:00", readers, parts=DAY), "agenda")
    assert review.with_whom == (
        "Anna Berg: last wrote on Thursday about Budget; you have not answered",
        "Tom Lee: you last wrote on Friday about Offer",
        "Rita Gomez: last wrote on 1 November about Press",
    )
    assert call.with_whom == ()
    assert len(readers.mail.searches) == 1  # type: ignore[attr-defined]


async def test_an_event_that_stands_in_two_accounts_is_told_once_and_collides_with_nothing(box: Box) -> None:
    other = Box("home")
    box.event("Review", "23 10:00", "23 11:00", ANNA)
    other.event("Review", "23 10:00", "23 11:00", ANNA, uid="another")
    briefing = await briefed("23 8:00", box, other, parts=DAY)
    assert len(texts(briefing, "agenda")) == 1
    assert texts(briefing, "conflicts") == []


async def test_a_mail_about_an_invitation_is_left_to_the_calendar(box: Box) -> None:
    box.event("Workshop", "26 10:00", "26 11:00", ME, organizer=RITA, my_answer="needs-action")
    box.mail(RITA, "Invitation: Workshop", "22 9:00", "Please answer.")
    briefing = await briefed("23 8:00", box)
    assert texts(briefing, "answer") == []
    assert len(texts(briefing, "invitations")) == 1
