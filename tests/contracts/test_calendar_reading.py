"""What every calendar tells of its events."""

from datetime import date, datetime, timedelta

import pytest
from doubles.boxes.base import BERLIN, NOW, OWNER, CalendarBox
from doubles.boxes.events import ANNA, INVITATION, ME, MEETING, NEW_YORK, STANDUP, TOM, at
from doubles.given import GivenEvent

from integrations.errors import NotFound
from integrations.types import Attendee, EventQuery


async def test_an_event_is_read_with_all_that_it_says(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    assert (event.title, event.location, event.description) == ("Budget review", "Room A", "Bring the figures, please")
    assert (event.start, event.end, event.zone) == (at(19, 15), at(19, 16), "Europe/Berlin")
    assert event.organizer is not None and event.organizer.email == OWNER
    assert [(person.address.email, person.answer, person.optional) for person in event.attendees] == [
        ("anna.berg@north.example", "accepted", False),
        ("tom@north.example", "tentative", True),
    ]
    assert (event.series, event.recurrence, event.my_answer, event.busy) == (False, None, "", True)


async def test_what_nobody_sees_of_an_event_is_gone_and_noted(calendar_box: CalendarBox) -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    calendar_box.put(MEETING.but(title=f"Budget{tags} review", location="Room \u202eA"))
    event = await calendar_box.only()
    assert (event.title, event.location) == ("Budget review", "Room A")
    assert {(odd.kind, odd.where) for odd in event.oddities} == {("invisible", "title"), ("bidi", "location")}


async def test_times_are_in_the_users_zone_whatever_zone_they_were_written_in(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Call", at(19, 9, zone=NEW_YORK), at(19, 10, 30, zone=NEW_YORK)))
    event = await calendar_box.only()
    assert (event.start, event.end) == (at(19, 15), at(19, 16, 30))
    assert event.start.tzinfo == BERLIN
    assert event.zone == "America/New_York"


async def test_an_all_day_event_runs_from_local_midnight_to_local_midnight(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Fair", date(2026, 11, 19), date(2026, 11, 21)))
    event = await calendar_box.only()
    assert event.all_day
    assert (event.start, event.end) == (at(19, 0), at(21, 0))
    assert [len(await calendar_box.on(day)) for day in (18, 19, 20, 21)] == [0, 1, 1, 0]


async def test_an_all_day_event_on_the_day_the_clocks_change_lasts_that_day(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Sunday", date(2026, 10, 25), date(2026, 10, 26)))
    event = await calendar_box.only()
    assert (event.start, event.end) == (at(25, 0, month=10), at(26, 0, month=10))
    assert [len(await calendar_box.on(day, 10)) for day in (24, 25, 26)] == [0, 1, 0]


async def test_the_span_asked_for_includes_its_start_and_excludes_its_end(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    assert await calendar_box.between(at(19, 14), at(19, 15)) == ()
    assert await calendar_box.between(at(19, 16), at(19, 17)) == ()
    assert len(await calendar_box.between(at(19, 15, 59), at(19, 17))) == 1


async def test_a_series_is_expanded_without_its_exceptions_and_with_its_changes(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    found = await calendar_box.between(at(9, 0), at(26, 0))
    assert [(event.start, event.title) for event in found] == [
        (at(9, 9, 15), "Standup"),
        (at(16, 9, 15), "Standup"),
        (at(18, 11), "Standup with cake"),
        (at(23, 9, 15), "Standup"),
        (at(25, 9, 15), "Standup"),
    ]
    assert [event.recurrence for event in found][2] == at(18, 9, 15)
    assert all(event.series and event.rrule.startswith("FREQ=WEEKLY") for event in found)


async def test_a_series_keeps_its_local_time_when_the_clocks_change(calendar_box: CalendarBox) -> None:
    start = at(20, 9, month=10, zone=NEW_YORK)
    calendar_box.put(GivenEvent("Call", start, start.replace(hour=10), rrule="FREQ=WEEKLY;COUNT=4"))
    starts = [event.start for event in await calendar_box.all()]
    # Berlin leaves summer time on 25 October, New York on 1 November.
    assert starts == [at(20, 15, month=10), at(27, 14, month=10), at(3, 15), at(10, 15)]


async def test_an_endless_series_goes_on_for_ever(calendar_box: CalendarBox) -> None:
    start = datetime(2020, 1, 1, 8, tzinfo=BERLIN)
    calendar_box.put(GivenEvent("Tea", start, start.replace(hour=9), rrule="FREQ=DAILY"))
    far = datetime(2030, 6, 1, tzinfo=BERLIN)
    assert len(await calendar_box.between(far, far + timedelta(days=10))) == 10


async def test_extra_dates_of_a_series_are_included(calendar_box: CalendarBox) -> None:
    calendar_box.needs("dates")
    weekly = GivenEvent("Tea", at(19, 9), at(19, 10), rrule="FREQ=WEEKLY;COUNT=2", rdates=(at(22, 11),))
    calendar_box.put(weekly)
    assert [event.start for event in await calendar_box.all()] == [at(19, 9), at(22, 11), at(26, 9)]


async def test_an_all_day_series_is_expanded_by_days(calendar_box: CalendarBox) -> None:
    first = date(2026, 10, 23)
    weekly = GivenEvent("Bins", first, date(2026, 10, 24), rrule="FREQ=WEEKLY;COUNT=3", without=(date(2026, 10, 30),))
    calendar_box.put(weekly)
    found = await calendar_box.all()
    assert [(event.start, event.end) for event in found] == [
        (at(23, 0, month=10), at(24, 0, month=10)),
        (at(6, 0), at(7, 0)),
    ]
    assert found[1].recurrence == at(6, 0)


async def test_cancelled_events_and_instances_are_left_out(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Off", at(19, 9), at(19, 10), cancelled=True))
    ((start, cake),) = STANDUP.instances
    calendar_box.put(STANDUP.but(instances=((start, cake.but(cancelled=True)),)))
    assert await calendar_box.on(19) == []
    assert await calendar_box.on(18) == []
    assert len(await calendar_box.on(23)) == 1


@pytest.mark.parametrize(
    ("words", "people", "found"),
    [
        (("budget",), (), True),
        (("BUDGET", "figures"), (), True),
        (("room a",), (), True),
        (("budget", "nowhere"), (), False),
        ((), ("anna",), True),
        ((), ("Anna Berg",), True),
        ((), ("anna.berg@north.example",), True),
        ((), ("nobody", "Tom"), True),
        ((), ("ann",), False),
        ((), ("anna@north.example",), False),
        (("budget",), ("nobody",), False),
    ],
)
async def test_events_are_found_by_words_and_people(
    calendar_box: CalendarBox, words: tuple[str, ...], people: tuple[str, ...], found: bool
) -> None:
    calendar_box.put(MEETING)
    assert bool(await calendar_box.between(at(1, 0), at(30, 0), words=words, people=people)) is found


async def test_case_and_accents_do_not_matter_in_a_search(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Déjeuner au Café Müller 食事", at(19, 9), at(19, 10)))
    for word in ("dejeuner", "CAFÉ", "muller", "食事"):
        assert len(await calendar_box.between(at(1, 0), at(30, 0), words=(word,))) == 1, word


async def test_everything_non_ascii_arrives_as_written(calendar_box: CalendarBox) -> None:
    given = GivenEvent(
        "Größe 食 💡", at(19, 9), at(19, 10), location="Łódź; Straße 1, Köln", description="до свидания\nzweite, Zeile"
    )
    calendar_box.put(given)
    event = await calendar_box.only()
    assert (event.title, event.location, event.description) == (given.title, given.location, given.description)


async def test_the_limit_keeps_the_earliest_and_total_counts_all(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    page = await calendar_box.reader.events(EventQuery(start=at(1, 0), end=at(30, 0), limit=2))
    assert [event.start for event in page.items] == [at(2, 9, 15), at(4, 9, 15)]
    assert page.total == 7


async def test_all_of_very_many_events_are_listed_once_each(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Tea", at(1, 9), at(1, 10), rrule="FREQ=DAILY;COUNT=2600"))
    page = await calendar_box.reader.events(EventQuery(start=at(1, 0), end=at(1, 0) + timedelta(days=3000), limit=5000))
    days = [event.start.date() for event in page.items]
    assert len(days) == len(set(days)) == 2600 and days == sorted(days)
    assert page.total in (None, 2600)


async def test_an_instance_and_its_series_can_both_be_fetched(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    moved = (await calendar_box.on(18))[0]
    assert await calendar_box.reader.get(moved.ref) == moved
    series = await calendar_box.reader.get(moved.ref.model_copy(update={"recurrence": None}))
    assert (series.title, series.start, series.recurrence) == ("Standup", at(5, 9, 15, month=10), None)


async def test_what_does_not_exist_is_not_found(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    ref = (await calendar_box.all())[0].ref
    for missing in (
        ref.model_copy(update={"id": calendar_box.gone}),
        ref.model_copy(update={"id": "../../outside.ics"}),
        ref.model_copy(update={"recurrence": at(11, 9, 15)}),
        ref.model_copy(update={"recurrence": at(12, 9, 15)}),
    ):
        with pytest.raises(NotFound):
            await calendar_box.reader.get(missing)


async def test_an_event_that_somebody_else_removed_is_not_found(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    calendar_box.remove(event.ref)
    with pytest.raises(NotFound):
        await calendar_box.reader.get(event.ref)
    assert await calendar_box.all() == ()


async def test_a_declined_or_transparent_event_does_not_take_time(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("t", at(19, 9), at(19, 10), uid="t", busy=False))
    declined = (Attendee(address=ME, answer="declined"),)
    calendar_box.put(GivenEvent("d", at(19, 9), at(19, 10), uid="d", organizer=ANNA, attendees=declined))
    assert [event.busy for event in await calendar_box.all()] == [False, False]


async def test_calendars_are_listed_and_one_can_be_looked_into(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    (calendar,) = await calendar_box.reader.calendars()
    assert calendar.name and not calendar.read_only
    assert len(await calendar_box.between(at(1, 0), at(30, 0), calendars=(calendar.id,))) == 1
    assert await calendar_box.between(at(1, 0), at(30, 0), calendars=("another",)) == ()


# Invitations


async def test_invitations_are_the_events_that_await_the_owners_answer(calendar_box: CalendarBox) -> None:
    calendar_box.put(INVITATION)
    calendar_box.put(MEETING)
    (event,) = await calendar_box.reader.invitations(NOW)
    assert (event.title, event.my_answer) == ("Kick-off", "needs-action")
    assert await calendar_box.reader.invitations(at(21, 0)) == ()


async def test_an_invitation_to_a_series_is_asked_once_for_all_of_it(calendar_box: CalendarBox) -> None:
    start = at(1, 10, month=10)
    calendar_box.put(
        GivenEvent("Course", start, start.replace(hour=11), rrule="FREQ=WEEKLY", organizer=ANNA, attendees=(Attendee(address=ME),))
    )
    (event,) = await calendar_box.reader.invitations(NOW)
    assert event.recurrence is None
    assert event.start == at(19, 10)


# When others have time


async def test_when_somebody_has_no_time_is_told_of_the_span_asked_for(calendar_box: CalendarBox) -> None:
    calendar_box.needs("busy")
    calendar_box.occupy(ANNA.email, at(19, 9), at(19, 10, 30))
    calendar_box.occupy(ANNA.email, at(19, 10), at(19, 11))
    calendar_box.occupy(ANNA.email, at(19, 15), at(19, 16))
    calendar_box.occupy(ANNA.email, at(21, 9), at(21, 10))
    calendar_box.occupy(TOM.email, at(20, 9), at(20, 10))
    anna, tom = await calendar_box.reader.busy([ANNA.email, TOM.email], at(19, 0), at(20, 0))
    assert (anna.email, anna.times, anna.unknown) == (ANNA.email, ((at(19, 9), at(19, 11)), (at(19, 15), at(19, 16))), "")
    assert (tom.email, tom.times, tom.unknown) == (TOM.email, (), "")


async def test_somebody_whose_time_cannot_be_told_is_unknown_and_hides_nobody_else(calendar_box: CalendarBox) -> None:
    if "busy" not in calendar_box.lacks:
        calendar_box.occupy(ANNA.email, at(19, 9), at(19, 10))
    stranger, anna = await calendar_box.reader.busy(["stranger@far.example", ANNA.email], at(19, 0), at(20, 0))
    assert (stranger.email, stranger.times) == ("stranger@far.example", ())
    assert stranger.unknown and not stranger.unknown.endswith(".")
    assert bool(anna.unknown) is ("busy" in calendar_box.lacks)


async def test_many_people_can_be_asked_about_at_once(calendar_box: CalendarBox) -> None:
    people = [f"person{number}@far.example" for number in range(60)]
    assert [one.email for one in await calendar_box.reader.busy(people, at(19, 0), at(20, 0))] == people
