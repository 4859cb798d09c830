"""What every calendar does with the writes it is given."""

from datetime import UTC, date, datetime, timedelta

import pytest
from doubles.boxes.base import NAME, NOW, OWNER, CalendarBox
from doubles.boxes.events import ANNA, INVITATION, ME, MEETING, NEW_YORK, STANDUP, TOM, at
from doubles.given import GivenEvent

from assistant.pipeline import sent_copy
from integrations.actions import AnswerInvitation, CancelEvent, CreateEvent, UpdateEvent
from integrations.errors import InvalidResponse, NotFound, ReadOnly
from integrations.types import Address, Attendee, Event


def create(**changes: object) -> CreateEvent:
    given: dict[str, object] = {"account": NAME, "title": "Lunch", "start": at(20, 12), "end": at(20, 13)}
    return CreateEvent.model_validate(given | changes)


async def series_of(calendar_box: CalendarBox) -> Event:
    """The series itself, of whichever there is."""
    return await calendar_box.reader.get((await calendar_box.all())[0].ref.model_copy(update={"recurrence": None}))


# Creating


async def test_a_created_event_is_there_as_asked(calendar_box: CalendarBox) -> None:
    action = create(
        title="Mittag “Größe”, 食; \\ ok",
        location="Café; Straße 1, Köln",
        description="Line one\nLine two " + "ß" * 200,
        attendees=(ANNA, TOM),
    )
    receipt = await calendar_box.writer.execute(action, "abc123")
    event = await calendar_box.only()
    assert (event.title, event.location, event.description) == (action.title, action.location, action.description)
    assert (event.start, event.end, event.zone) == (action.start, action.end, "Europe/Berlin")
    assert [person.address.email for person in event.attendees] == [ANNA.email, TOM.email]
    assert [person.answer for person in event.attendees] == ["needs-action", "needs-action"]
    assert event.organizer is not None and event.organizer.email == OWNER
    assert (receipt.id, receipt.etag) == (event.id, event.etag)
    assert event.uid


async def test_creating_twice_under_one_key_makes_one_event(calendar_box: CalendarBox) -> None:
    first = await calendar_box.writer.execute(create(), "abc123")
    again = await calendar_box.writer.execute(create(), "abc123")
    assert first == again
    assert len(await calendar_box.all()) == 1


async def test_an_all_day_event_is_created_by_days(calendar_box: CalendarBox) -> None:
    await calendar_box.writer.execute(create(start=at(20, 0), end=at(22, 0), all_day=True), "k1")
    event = await calendar_box.only()
    assert (event.all_day, event.start, event.end) == (True, at(20, 0), at(22, 0))


async def test_a_series_is_created_in_the_zone_it_was_meant_in(calendar_box: CalendarBox) -> None:
    start = datetime(2026, 10, 20, 9, tzinfo=NEW_YORK)
    await calendar_box.writer.execute(create(start=start, end=start + timedelta(hours=1), rrule="FREQ=WEEKLY;COUNT=4"), "k1")
    assert [event.start.astimezone(NEW_YORK).hour for event in await calendar_box.all()] == [9, 9, 9, 9]


async def test_a_time_with_a_bare_offset_is_created_at_that_moment(calendar_box: CalendarBox) -> None:
    start = datetime.fromisoformat("2026-11-20T12:00:00-03:00")
    await calendar_box.writer.execute(create(start=start, end=start + timedelta(hours=1)), "k1")
    event = await calendar_box.only()
    assert (event.start, event.zone) == (start, "Europe/Berlin")


async def test_a_title_cannot_smuggle_in_further_people(calendar_box: CalendarBox) -> None:
    await calendar_box.writer.execute(create(title="x\r\nATTENDEE:mailto:hidden@evil.example", attendees=(ANNA,)), "k1")
    assert [person.address.email for person in (await calendar_box.only()).attendees] == [ANNA.email]


@pytest.mark.parametrize(
    "guest",
    [
        Address(email="eve@evil.example", name='Eve"\r\nATTENDEE:mailto:hidden@evil.example\r\nX:"'),
        Address(email="eve@evil.example\r\nATTENDEE:mailto:hidden@evil.example"),
        Address(email="no address"),
    ],
    ids=["name", "address", "none"],
)
async def test_a_guest_who_can_not_be_written_exactly_is_not_invited(calendar_box: CalendarBox, guest: Address) -> None:
    with pytest.raises(InvalidResponse):
        await calendar_box.writer.execute(create(attendees=(guest,)), "k1")
    assert await calendar_box.all() == ()


async def test_an_event_that_invites_others_than_approved_is_told(calendar_box: CalendarBox) -> None:
    receipt = await calendar_box.writer.execute(create(title="Dinner", attendees=(ANNA, TOM)), "k1")
    told = await sent_copy.compared(calendar_box.account, create(attendees=(ANNA,)), receipt)
    assert told.differs == f"its title is “Dinner”; it also invites {TOM.email}"


async def test_an_event_as_approved_alarms_nobody(calendar_box: CalendarBox) -> None:
    for key, action in {
        "k1": create(location="Café; Köln", description="one\ntwo", attendees=(ANNA, TOM)),
        "k2": create(start=at(20, 0), end=at(22, 0), all_day=True),
        "k3": create(rrule="FREQ=WEEKLY;COUNT=4"),
    }.items():
        receipt = await calendar_box.writer.execute(action, key)
        assert (await sent_copy.compared(calendar_box.account, action, receipt)).differs == ""


@pytest.mark.parametrize("rule", ["FREQ=SOMETIMES", "nonsense", "FREQ=DAILY\r\nATTENDEE:mailto:eve@evil.example", "COUNT=3"])
async def test_a_rule_that_is_none_is_refused(calendar_box: CalendarBox, rule: str) -> None:
    with pytest.raises(InvalidResponse):
        await calendar_box.writer.execute(create(rrule=rule), "k1")
    assert await calendar_box.all() == ()


async def test_an_event_that_ends_before_it_starts_is_refused(calendar_box: CalendarBox) -> None:
    with pytest.raises(InvalidResponse):
        await calendar_box.writer.execute(create(end=at(20, 11)), "k1")


async def test_undoing_a_creation_removes_the_event(calendar_box: CalendarBox) -> None:
    receipt = await calendar_box.writer.execute(create(), "k1")
    for action in receipt.undo:
        assert not isinstance(action, CreateEvent)
        await calendar_box.writer.execute(action, "k2")  # type: ignore[arg-type]
    assert await calendar_box.all() == ()


async def test_one_calendar_can_be_chosen_and_a_missing_one_is_refused(calendar_box: CalendarBox) -> None:
    (calendar,) = await calendar_box.reader.calendars()
    await calendar_box.writer.execute(create(calendar=calendar.id), "k1")
    assert (await calendar_box.only()).calendar == calendar.id
    with pytest.raises((NotFound, ReadOnly)):
        await calendar_box.writer.execute(create(calendar="no-such-calendar"), "k2")


# Changing


@pytest.mark.parametrize(
    "change", [{"title": "Budget talk"}, {"location": "Größe 2"}, {"description": "eins\nzwei"}, {"end": at(19, 17)}], ids=str
)
async def test_an_update_changes_what_it_names_and_leaves_everything_else_alone(
    calendar_box: CalendarBox, change: dict[str, object]
) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    before = calendar_box.state(event.ref)
    action = UpdateEvent.model_validate({"account": NAME, "event": event.ref, **change})
    receipt = await calendar_box.writer.execute(action, "k1")
    after = calendar_box.state(event.ref)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == calendar_box.parts(*change)
    assert await calendar_box.only() == event.model_copy(update={**change, "etag": receipt.etag})


async def test_an_update_never_wipes_the_attendees(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    moved = UpdateEvent(account=NAME, event=event.ref, start=at(20, 10), end=at(20, 11), title="x", location="y", description="z")
    await calendar_box.writer.execute(moved, "k1")
    after = await calendar_box.only()
    assert after.attendees == event.attendees
    assert after.organizer == event.organizer


async def test_people_are_added_and_removed_one_by_one(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    eva = Address(email="eva@south.example", name="Eva")
    action = UpdateEvent(account=NAME, event=event.ref, add_attendees=(eva, ANNA), remove_attendees=("TOM@north.example",))
    await calendar_box.writer.execute(action, "k1")
    after = await calendar_box.only()
    assert [(person.address.email, person.answer) for person in after.attendees] == [
        (ANNA.email, "accepted"),
        ("eva@south.example", "needs-action"),
    ]


async def test_moving_the_start_alone_keeps_the_length(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=event.ref, start=at(21, 9)), "k1")
    after = await calendar_box.only()
    assert (after.start, after.end) == (at(21, 9), at(21, 10))


async def test_moving_across_a_clock_change_keeps_the_length(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Night", at(20, 23, month=10), at(21, 5, month=10)))
    event = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=event.ref, start=at(24, 23, month=10)), "k1")
    after = await calendar_box.only()
    assert after.end.astimezone(UTC) - after.start.astimezone(UTC) == timedelta(hours=6)
    assert after.end == at(25, 4, month=10)


async def test_an_end_can_be_changed_after_the_start(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Call", at(19, 9), at(19, 9, 45)))
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(UpdateEvent(account=NAME, event=event.ref, start=at(19, 11)), "k1")
    assert (await calendar_box.only()).end == at(19, 11, 45)
    ref = event.ref.model_copy(update={"etag": receipt.etag})
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=ref, end=at(19, 13)), "k2")
    after = await calendar_box.only()
    assert (after.start, after.end) == (at(19, 11), at(19, 13))


async def test_a_moved_event_stays_in_the_zone_it_was_written_in(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Call", at(19, 9, zone=NEW_YORK), at(19, 10, zone=NEW_YORK)))
    event = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=event.ref, start=at(19, 17)), "k1")
    after = await calendar_box.only()
    assert (after.start, after.end, after.zone) == (at(19, 17), at(19, 18), "America/New_York")


async def test_an_event_can_be_turned_into_an_all_day_one_and_back(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(UpdateEvent(account=NAME, event=event.ref, all_day=True), "k1")
    after = await calendar_box.only()
    assert (after.all_day, after.start, after.end) == (True, at(19, 0), at(20, 0))
    ref = event.ref.model_copy(update={"etag": receipt.etag})
    back = UpdateEvent(account=NAME, event=ref, all_day=False, start=at(19, 15), end=at(19, 16))
    await calendar_box.writer.execute(back, "k2")
    after = await calendar_box.only()
    assert (after.all_day, after.start, after.end, after.zone) == (False, at(19, 15), at(19, 16), "Europe/Berlin")


async def test_moving_an_all_day_event_keeps_its_days(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Fair", date(2026, 10, 23), date(2026, 10, 26)))
    event = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=event.ref, start=at(2, 0)), "k1")
    after = await calendar_box.only()
    assert (after.all_day, after.start, after.end) == (True, at(2, 0), at(5, 0))


# One instance, and the series


async def test_one_instance_can_be_moved_alone(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    instance = (await calendar_box.on(23))[0]
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=instance.ref, start=at(24, 16)), "k1")
    assert await calendar_box.on(23) == []
    (moved,) = await calendar_box.on(24)
    assert (moved.start, moved.end, moved.recurrence, moved.title) == (at(24, 16), at(24, 16, 15), at(23, 9, 15), "Standup")
    assert [event.start for event in await calendar_box.on(25)] == [at(25, 9, 15)]
    assert moved.attendees == instance.attendees


async def test_an_instance_that_was_moved_can_be_moved_again(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    instance = (await calendar_box.on(18))[0]
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=instance.ref, start=at(19, 8)), "k1")
    (moved,) = await calendar_box.on(19)
    assert (moved.start, moved.end, moved.title, moved.recurrence) == (at(19, 8), at(19, 8, 30), "Standup with cake", at(18, 9, 15))


async def test_people_invited_to_one_instance_are_not_invited_to_the_others(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    (instance,) = await calendar_box.on(23)
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=instance.ref, add_attendees=(TOM,)), "k1")
    assert [person.address.email for person in (await calendar_box.on(23))[0].attendees] == [ANNA.email, TOM.email]
    assert [person.address.email for person in (await calendar_box.on(25))[0].attendees] == [ANNA.email]


async def test_a_series_moved_in_time_takes_its_exceptions_and_its_end_along(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    before = await calendar_box.all()
    series = await calendar_box.reader.get(before[0].ref.model_copy(update={"recurrence": None}))
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=series.ref, start=at(5, 14, month=10)), "k1")
    after = await calendar_box.all()
    assert len(after) == len(before)
    assert await calendar_box.on(11) == []
    assert [event.start for event in await calendar_box.on(18)] == [at(18, 11)]
    assert {(event.start.hour, event.start.minute) for event in after} == {(14, 0), (11, 0)}
    assert after[-1].start.date() == before[-1].start.date()


async def test_a_series_moved_to_another_day_repeats_on_that_day(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    series = await calendar_box.reader.get((await calendar_box.all())[0].ref.model_copy(update={"recurrence": None}))
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=series.ref, start=at(6, 9, 15, month=10)), "k1")
    ordinary = [event for event in await calendar_box.all() if event.title == "Standup"]
    assert {event.start.weekday() for event in ordinary} == {1, 3}
    assert ordinary[0].start == at(6, 9, 15, month=10)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("FREQ=MONTHLY;BYDAY=3TH;COUNT=2", [(20, 11), (18, 12)]), ("FREQ=MONTHLY;BYMONTHDAY=19;COUNT=2", [(20, 11), (20, 12)])],
)
async def test_a_monthly_series_moved_by_a_day_keeps_to_its_kind_of_day(
    calendar_box: CalendarBox, rule: str, expected: list[tuple[int, int]]
) -> None:
    calendar_box.put(GivenEvent("Bills", at(19, 9), at(19, 10), rrule=rule))
    series = await series_of(calendar_box)
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=series.ref, start=at(20, 9)), "k1")
    assert [(event.start.day, event.start.month) for event in await calendar_box.all()] == expected


async def test_renaming_a_series_leaves_the_instances_that_have_their_own_name(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    series = (await calendar_box.all())[0].ref.model_copy(update={"recurrence": None})
    await calendar_box.writer.execute(UpdateEvent(account=NAME, event=series, title="Daily", location="Hall"), "k1")
    assert {event.title for event in await calendar_box.all()} == {"Daily", "Standup with cake"}
    assert {event.location for event in await calendar_box.all()} == {"Hall"}


# Cancelling


async def test_a_cancelled_event_is_gone(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(CancelEvent(account=NAME, event=event.ref), "k1")
    assert await calendar_box.all() == ()
    assert (receipt.id, receipt.etag) == ("", "")


@pytest.mark.parametrize("day", [18, 23])
async def test_one_cancelled_instance_leaves_the_others(calendar_box: CalendarBox, day: int) -> None:
    calendar_box.put(STANDUP)
    before = await calendar_box.all()
    (instance,) = await calendar_box.on(day)
    await calendar_box.writer.execute(CancelEvent(account=NAME, event=instance.ref), "k1")
    assert [event.start for event in await calendar_box.all()] == [event.start for event in before if event != instance]


async def test_one_instance_of_an_all_day_series_can_be_cancelled(calendar_box: CalendarBox) -> None:
    calendar_box.put(GivenEvent("Fair", date(2026, 11, 19), date(2026, 11, 20), rrule="FREQ=DAILY;COUNT=3"))
    (instance,) = await calendar_box.on(20)
    await calendar_box.writer.execute(CancelEvent(account=NAME, event=instance.ref), "k1")
    assert [event.start.day for event in await calendar_box.all()] == [19, 21]


async def test_cancelling_a_series_removes_all_of_it(calendar_box: CalendarBox) -> None:
    calendar_box.put(STANDUP)
    series = (await calendar_box.all())[0].ref.model_copy(update={"recurrence": None})
    await calendar_box.writer.execute(CancelEvent(account=NAME, event=series), "k1")
    assert await calendar_box.all() == ()


# Answering


async def test_an_answer_changes_the_owners_own_and_nobody_elses(calendar_box: CalendarBox) -> None:
    calendar_box.put(INVITATION)
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(AnswerInvitation(account=NAME, event=event.ref, answer="accepted"), "k1")
    after = await calendar_box.only()
    assert after.my_answer == "accepted"
    assert [(person.address.email, person.answer) for person in after.attendees] == [
        (OWNER, "accepted"),
        (TOM.email, "needs-action"),
    ]
    assert receipt.etag == after.etag != event.etag
    assert await calendar_box.reader.invitations(NOW) == ()


async def test_one_instance_of_a_series_can_be_declined(calendar_box: CalendarBox) -> None:
    invited = GivenEvent(
        "Course", at(18, 9), at(18, 10), rrule="FREQ=DAILY;COUNT=3", organizer=ANNA, attendees=(Attendee(address=ME),)
    )
    calendar_box.put(invited)
    second = (await calendar_box.all())[1]
    await calendar_box.writer.execute(AnswerInvitation(account=NAME, event=second.ref, answer="declined"), "k1")
    assert [event.my_answer for event in await calendar_box.all()] == ["needs-action", "declined", "needs-action"]


async def test_who_is_not_invited_cannot_answer(calendar_box: CalendarBox) -> None:
    calendar_box.put(MEETING)
    event = await calendar_box.only()
    with pytest.raises(NotFound):
        await calendar_box.writer.execute(AnswerInvitation(account=NAME, event=event.ref, answer="accepted"), "k1")
