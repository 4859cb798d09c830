"""What every calendar provider promises. A further provider adds a fixture to `calendar_box` and passes all of it unchanged."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from integrations.actions import Action, AnswerInvitation, CancelEvent, CreateEvent, RestoreEvent, UpdateEvent
from integrations.errors import Conflict, InvalidResponse, NotFound, ReadOnly
from integrations.local.calendar import LocalCalendarReader
from integrations.local.calendar_writer import LocalCalendarWriter
from integrations.readers import CalendarReader
from integrations.types import Address, Event, EventQuery, EventRef
from integrations.writers import CalendarWriter

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
ME = "me@home.example"
NOW = datetime(2026, 11, 18, 10, tzinfo=BERLIN)
ANNA = Address(email="anna.berg@north.example", name="Anna Berg")
TOM = Address(email="tom@north.example", name="Tom O'Neil, PhD")

MEETING = """BEGIN:VEVENT
UID:review-1
DTSTAMP:20261101T080000Z
SEQUENCE:2
SUMMARY:Budget review
DTSTART;TZID=Europe/Berlin:20261119T150000
DTEND;TZID=Europe/Berlin:20261119T160000
LOCATION:Room A
DESCRIPTION:Bring the figures\\, please
ORGANIZER;CN=Me:mailto:me@home.example
ATTENDEE;CN="Berg, Anna";PARTSTAT=ACCEPTED;X-NUM-GUESTS=0:mailto:Anna.Berg@north.example
ATTENDEE;CN=Tom;ROLE=OPT-PARTICIPANT;PARTSTAT=TENTATIVE:mailto:tom@north.example
X-CUSTOM;X-P="a:b;c":kept as it is
CATEGORIES:money
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT10M
END:VALARM
END:VEVENT
"""
STANDUP = """BEGIN:VEVENT
UID:standup-1
DTSTAMP:20261001T080000Z
SUMMARY:Standup
DTSTART;TZID=Europe/Berlin:20261005T091500
DTEND;TZID=Europe/Berlin:20261005T093000
RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261231T081500Z
EXDATE;TZID=Europe/Berlin:20261111T091500
ATTENDEE;CN=Anna:mailto:anna.berg@north.example
END:VEVENT
BEGIN:VEVENT
UID:standup-1
DTSTAMP:20261001T080000Z
SUMMARY:Standup with cake
RECURRENCE-ID;TZID=Europe/Berlin:20261118T091500
DTSTART;TZID=Europe/Berlin:20261118T110000
DTEND;TZID=Europe/Berlin:20261118T113000
END:VEVENT
"""
INVITATION = """BEGIN:VEVENT
UID:invite-1
DTSTAMP:20261001T080000Z
SUMMARY:Kick-off
DTSTART:20261120T130000Z
DTEND:20261120T140000Z
ORGANIZER;CN=Anna Berg:mailto:anna.berg@north.example
ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:MAILTO:Me@Home.example
ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:tom@north.example
END:VEVENT
"""


@dataclass
class CalendarBox:
    """`put` files a calendar with these components as another program would; `raw` is an item's text."""

    reader: CalendarReader
    writer: CalendarWriter
    owner: str
    zone: ZoneInfo
    put: Callable[[str], Awaitable[None]]
    raw: Callable[[EventRef], Awaitable[str]]

    async def between(self, start: datetime, end: datetime, **query: tuple[str, ...]) -> tuple[Event, ...]:
        return (await self.reader.events(EventQuery(start=start, end=end, **query))).items

    async def all(self) -> tuple[Event, ...]:
        return await self.between(NOW - timedelta(days=400), NOW + timedelta(days=400))

    async def only(self) -> Event:
        (event,) = await self.all()
        return event

    async def on(self, day: int, month: int = 11) -> list[Event]:
        start = datetime(2026, month, day, tzinfo=self.zone)
        return list(await self.between(start, start + timedelta(days=1)))


def wrapped(components: str) -> str:
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//other//EN\n{components}END:VCALENDAR\n".replace("\n", "\r\n")


def event_text(*lines: str, uid: str = "single-1") -> str:
    return "\n".join(["BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20261001T080000Z", *lines, "END:VEVENT", ""])


def local_box(root: Path) -> CalendarBox:
    folder = root / "work"
    folder.mkdir(parents=True)
    settings = {"account": "acc", "owner": ME, "zone": BERLIN}
    count = iter(range(1000))

    async def put(components: str) -> None:
        (folder / f"item{next(count)}.ics").write_bytes(wrapped(components).encode())

    async def raw(ref: EventRef) -> str:
        return (root / ref.id).read_bytes().decode()

    reader = LocalCalendarReader(root, **settings)  # type: ignore[arg-type]
    writer = LocalCalendarWriter(root, **settings, clock=lambda: NOW)  # type: ignore[arg-type]
    return CalendarBox(reader, writer, ME, BERLIN, put, raw)


@pytest.fixture(params=["local"])
def calendar_box(request: pytest.FixtureRequest, tmp_path: Path) -> CalendarBox:
    boxes = {"local": lambda: local_box(tmp_path / "calendars")}
    return boxes[request.param]()


def at(day: int, hour: int, minute: int = 0, month: int = 11, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=zone)


def create(**changes: object) -> CreateEvent:
    given: dict[str, object] = {"account": "acc", "title": "Lunch", "start": at(20, 12), "end": at(20, 13)}
    return CreateEvent.model_validate(given | changes)


# Reading


async def test_an_event_is_read_with_all_that_it_says(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    assert (event.title, event.location, event.description) == ("Budget review", "Room A", "Bring the figures, please")
    assert (event.start, event.end, event.zone) == (at(19, 15), at(19, 16), "Europe/Berlin")
    assert event.organizer is not None and event.organizer.email == ME
    assert [(person.address.email, person.answer, person.optional) for person in event.attendees] == [
        ("anna.berg@north.example", "accepted", False),
        ("tom@north.example", "tentative", True),
    ]
    assert (event.series, event.recurrence, event.my_answer, event.busy) == (False, None, "", True)


async def test_times_are_in_the_users_zone_whatever_zone_they_were_written_in(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;TZID=America/New_York:20261119T090000", "DURATION:PT90M"))
    event = await calendar_box.only()
    assert (event.start, event.end) == (at(19, 15), at(19, 16, 30))
    assert event.start.tzinfo == BERLIN
    assert event.zone == "America/New_York"


async def test_a_floating_time_is_local_to_the_user(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T090000", "DTEND:20261119T100000"))
    assert (await calendar_box.only()).start == at(19, 9)


async def test_a_windows_zone_name_is_understood(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;TZID=Eastern Standard Time:20261119T090000", "DURATION:PT1H"))
    assert (await calendar_box.only()).start == at(19, 15)


async def test_a_zone_of_the_files_own_is_understood(calendar_box: CalendarBox) -> None:
    rule = "BEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0500\nTZOFFSETTO:+0500\nEND:STANDARD\n"
    zone = f"BEGIN:VTIMEZONE\nTZID:Head office\n{rule}END:VTIMEZONE\n"
    await calendar_box.put(zone + event_text("DTSTART;TZID=Head office:20261119T130000", "DURATION:PT1H"))
    assert (await calendar_box.only()).start == at(19, 9)


async def test_an_all_day_event_runs_from_local_midnight_to_local_midnight(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;VALUE=DATE:20261119", "DTEND;VALUE=DATE:20261121", "SUMMARY:Fair"))
    event = await calendar_box.only()
    assert event.all_day
    assert (event.start, event.end) == (at(19, 0), at(21, 0))
    assert [len(await calendar_box.on(day)) for day in (18, 19, 20, 21)] == [0, 1, 1, 0]


async def test_an_all_day_event_without_end_lasts_a_day(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;VALUE=DATE:20261119"))
    assert (await calendar_box.only()).end == at(20, 0)


async def test_the_span_asked_for_includes_its_start_and_excludes_its_end(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    assert await calendar_box.between(at(19, 14), at(19, 15)) == ()
    assert await calendar_box.between(at(19, 16), at(19, 17)) == ()
    assert len(await calendar_box.between(at(19, 15, 59), at(19, 17))) == 1


async def test_a_series_is_expanded_without_its_exceptions_and_with_its_changes(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
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
    await calendar_box.put(
        event_text("DTSTART;TZID=America/New_York:20261020T090000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;COUNT=4")
    )
    starts = [event.start for event in await calendar_box.all()]
    # Berlin leaves summer time on 25 October, New York on 1 November.
    assert starts == [at(20, 15, month=10), at(27, 14, month=10), at(3, 15), at(10, 15)]


async def test_an_endless_series_goes_on_for_ever(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20000101T080000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY"))
    far = datetime(2040, 6, 1, tzinfo=BERLIN)
    assert len(await calendar_box.between(far, far + timedelta(days=10))) == 10


async def test_extra_dates_of_a_series_are_included(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "DURATION:PT1H", "RDATE:20261122T080000Z,20261201T100000Z"))
    assert [event.start for event in await calendar_box.all()] == [at(19, 9), at(22, 9), at(1, 11, month=12)]


async def test_an_all_day_series_is_expanded_by_days(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;VALUE=DATE:20261023", "RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE;VALUE=DATE:20261030"))
    found = await calendar_box.all()
    assert [(event.start, event.end) for event in found] == [
        (at(23, 0, month=10), at(24, 0, month=10)),
        (at(6, 0), at(7, 0)),
    ]
    assert found[1].recurrence == at(6, 0)


async def test_cancelled_events_and_instances_are_left_out(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "STATUS:CANCELLED"))
    await calendar_box.put(STANDUP.replace("SUMMARY:Standup with cake", "STATUS:CANCELLED"))
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
    await calendar_box.put(MEETING)
    assert bool(await calendar_box.between(at(1, 0), at(30, 0), words=words, people=people)) is found


async def test_case_and_accents_do_not_matter_in_a_search(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "SUMMARY:Déjeuner au Café Müller 食事"))
    for word in ("dejeuner", "CAFÉ", "muller", "食事"):
        assert len(await calendar_box.between(at(1, 0), at(30, 0), words=(word,))) == 1, word


async def test_the_limit_keeps_the_earliest_and_total_counts_all(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    page = await calendar_box.reader.events(EventQuery(start=at(1, 0), end=at(30, 0), limit=2))
    assert [event.start for event in page.items] == [at(2, 9, 15), at(4, 9, 15)]
    assert page.total == 7


@pytest.mark.parametrize(
    "broken",
    [
        event_text("SUMMARY:no start", uid="b"),
        event_text("DTSTART:yesterday", uid="b"),
        event_text("DTSTART:20261119T080000Z", "RRULE:FREQ=SOMETIMES", uid="b"),
        event_text("DTSTART:20261119T080000Z", "DURATION:P999999999999999999W", uid="b"),
        "BEGIN:VEVENT\nUID:b\nDTSTART:20261119T080000Z\nSUMM",
        "BEGIN:VEVENT\nUID:b\nDTSTART:20261332T080000Z\nEND:VEVENT\n",
    ],
)
async def test_a_malformed_item_is_skipped_with_a_reason_and_never_ends_the_listing(calendar_box: CalendarBox, broken: str) -> None:
    await calendar_box.put(broken)
    await calendar_box.put(MEETING)
    page = await calendar_box.reader.events(EventQuery(start=at(1, 0), end=at(30, 0)))
    assert [event.title for event in page.items] == ["Budget review"]
    assert len(page.skipped) == 1
    assert page.skipped[0].reason


async def test_an_instance_and_its_series_can_both_be_fetched(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    moved = (await calendar_box.on(18))[0]
    assert await calendar_box.reader.get(moved.ref) == moved
    series = await calendar_box.reader.get(moved.ref.model_copy(update={"recurrence": None}))
    assert (series.title, series.start, series.recurrence) == ("Standup", at(5, 9, 15, month=10), None)


async def test_what_does_not_exist_is_not_found(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    ref = (await calendar_box.all())[0].ref
    for missing in (
        ref.model_copy(update={"id": "work/other.ics"}),
        ref.model_copy(update={"id": "../../outside.ics"}),
        ref.model_copy(update={"recurrence": at(11, 9, 15)}),
        ref.model_copy(update={"recurrence": at(12, 9, 15)}),
    ):
        with pytest.raises(NotFound):
            await calendar_box.reader.get(missing)


async def test_a_declined_or_transparent_event_does_not_take_time(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "TRANSP:TRANSPARENT", uid="t"))
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", f"ATTENDEE;PARTSTAT=DECLINED:mailto:{ME}", uid="d"))
    assert [event.busy for event in await calendar_box.all()] == [False, False]


# Invitations


async def test_invitations_are_the_events_that_await_the_owners_answer(calendar_box: CalendarBox) -> None:
    await calendar_box.put(INVITATION)
    await calendar_box.put(MEETING)
    (event,) = await calendar_box.reader.invitations(NOW)
    assert (event.title, event.my_answer) == ("Kick-off", "needs-action")
    assert await calendar_box.reader.invitations(at(21, 0)) == ()


async def test_an_invitation_to_a_series_is_asked_once_for_all_of_it(calendar_box: CalendarBox) -> None:
    invited = event_text("DTSTART:20261001T080000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY", f"ATTENDEE;RSVP=TRUE:mailto:{ME}")
    await calendar_box.put(invited)
    (event,) = await calendar_box.reader.invitations(NOW)
    assert event.recurrence is None
    assert event.start == at(19, 9)


async def test_an_answer_changes_the_owners_own_and_nobody_elses(calendar_box: CalendarBox) -> None:
    await calendar_box.put(INVITATION)
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(AnswerInvitation(account="acc", event=event.ref, answer="accepted"), "k1")
    after = await calendar_box.only()
    assert after.my_answer == "accepted"
    assert [(person.address.email, person.answer) for person in after.attendees] == [(ME, "accepted"), (TOM.email, "needs-action")]
    assert receipt.etag == after.etag != event.etag
    assert await calendar_box.reader.invitations(NOW) == ()
    assert "outgoing server" in receipt.note


async def test_one_instance_of_a_series_can_be_declined(calendar_box: CalendarBox) -> None:
    await calendar_box.put(
        event_text("DTSTART:20261118T080000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=3", f"ATTENDEE:mailto:{ME}")
    )
    second = (await calendar_box.all())[1]
    await calendar_box.writer.execute(AnswerInvitation(account="acc", event=second.ref, answer="declined"), "k1")
    assert [event.my_answer for event in await calendar_box.all()] == ["needs-action", "declined", "needs-action"]


async def test_who_is_not_invited_cannot_answer(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    with pytest.raises(NotFound):
        await calendar_box.writer.execute(AnswerInvitation(account="acc", event=event.ref, answer="accepted"), "k1")


# Creating


async def test_a_created_event_is_there_as_asked(calendar_box: CalendarBox) -> None:
    action = create(
        title="Mittag “Größe”, 食; \\ ok\nzweite Zeile",
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
    assert event.organizer is not None and event.organizer.email == calendar_box.owner
    assert (receipt.id, receipt.etag) == (event.id, event.etag)
    assert event.uid == "abc123"


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


async def test_a_name_cannot_smuggle_in_further_lines(calendar_box: CalendarBox) -> None:
    evil = Address(email="eve@evil.example", name='Eve"\r\nATTENDEE:mailto:hidden@evil.example\r\nX:"')
    await calendar_box.writer.execute(create(title="x\r\nATTENDEE:mailto:hidden2@evil.example", attendees=(evil,)), "k1")
    assert [person.address.email for person in (await calendar_box.only()).attendees] == ["eve@evil.example"]


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


# Changing


async def test_an_update_changes_what_it_names_and_keeps_every_other_line(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    before = (await calendar_box.raw(event.ref)).splitlines()
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=event.ref, title="Budget talk"), "k1")
    after = (await calendar_box.raw(event.ref)).splitlines()
    changed = {"SUMMARY:Budget review", "DTSTAMP:20261101T080000Z", "SEQUENCE:2"}
    assert [line for line in before if line not in after] == [line for line in before if line in changed]
    assert "SEQUENCE:3" in after
    assert (await calendar_box.only()).title == "Budget talk"


async def test_an_update_never_wipes_the_attendees(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    moved = UpdateEvent(account="acc", event=event.ref, start=at(20, 10), end=at(20, 11), title="x", location="y", description="z")
    await calendar_box.writer.execute(moved, "k1")
    after = await calendar_box.only()
    assert after.attendees == event.attendees
    assert after.organizer == event.organizer


async def test_people_are_added_and_removed_one_by_one(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    eva = Address(email="eva@south.example", name="Eva")
    action = UpdateEvent(account="acc", event=event.ref, add_attendees=(eva, ANNA), remove_attendees=("TOM@north.example",))
    await calendar_box.writer.execute(action, "k1")
    after = await calendar_box.only()
    assert [(person.address.email, person.answer) for person in after.attendees] == [
        (ANNA.email, "accepted"),
        ("eva@south.example", "needs-action"),
    ]


async def test_moving_the_start_alone_keeps_the_length(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=event.ref, start=at(21, 9)), "k1")
    after = await calendar_box.only()
    assert (after.start, after.end) == (at(21, 9), at(21, 10))


async def test_moving_across_a_clock_change_keeps_the_length(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;TZID=Europe/Berlin:20261020T230000", "DTEND;TZID=Europe/Berlin:20261021T050000"))
    event = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=event.ref, start=at(24, 23, month=10)), "k1")
    after = await calendar_box.only()
    assert after.end.astimezone(UTC) - after.start.astimezone(UTC) == timedelta(hours=6)
    assert after.end == at(25, 4, month=10)


async def test_an_event_with_a_duration_keeps_it_when_moved_and_loses_it_when_given_an_end(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "DURATION:PT45M"))
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(UpdateEvent(account="acc", event=event.ref, start=at(19, 11)), "k1")
    assert (await calendar_box.only()).end == at(19, 11, 45)
    ref = event.ref.model_copy(update={"etag": receipt.etag})
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=ref, end=at(19, 13)), "k2")
    after = await calendar_box.only()
    assert (after.start, after.end) == (at(19, 11), at(19, 13))


async def test_a_moved_event_stays_in_the_zone_it_was_written_in(calendar_box: CalendarBox) -> None:
    await calendar_box.put(
        event_text("DTSTART;TZID=America/New_York:20261119T090000", "DTEND;TZID=America/New_York:20261119T100000")
    )
    event = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=event.ref, start=at(19, 17)), "k1")
    after = await calendar_box.only()
    assert (after.start, after.end, after.zone) == (at(19, 17), at(19, 18), "America/New_York")


async def test_an_event_can_be_turned_into_an_all_day_one_and_back(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(UpdateEvent(account="acc", event=event.ref, all_day=True), "k1")
    after = await calendar_box.only()
    assert (after.all_day, after.start, after.end) == (True, at(19, 0), at(20, 0))
    ref = event.ref.model_copy(update={"etag": receipt.etag})
    back = UpdateEvent(account="acc", event=ref, all_day=False, start=at(19, 15), end=at(19, 16))
    await calendar_box.writer.execute(back, "k2")
    after = await calendar_box.only()
    assert (after.all_day, after.start, after.end, after.zone) == (False, at(19, 15), at(19, 16), "Europe/Berlin")


async def test_moving_an_all_day_event_keeps_its_days(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;VALUE=DATE:20261023", "DTEND;VALUE=DATE:20261026"))
    event = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=event.ref, start=at(2, 0)), "k1")
    after = await calendar_box.only()
    assert (after.all_day, after.start, after.end) == (True, at(2, 0), at(5, 0))


async def test_one_instance_can_be_moved_alone(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    instance = (await calendar_box.on(23))[0]
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=instance.ref, start=at(24, 16)), "k1")
    assert await calendar_box.on(23) == []
    (moved,) = await calendar_box.on(24)
    assert (moved.start, moved.end, moved.recurrence, moved.title) == (at(24, 16), at(24, 16, 15), at(23, 9, 15), "Standup")
    assert [event.start for event in await calendar_box.on(25)] == [at(25, 9, 15)]
    assert moved.attendees == instance.attendees


async def test_an_instance_that_was_moved_can_be_moved_again(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    instance = (await calendar_box.on(18))[0]
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=instance.ref, start=at(19, 8)), "k1")
    (moved,) = await calendar_box.on(19)
    assert (moved.start, moved.end, moved.title, moved.recurrence) == (at(19, 8), at(19, 8, 30), "Standup with cake", at(18, 9, 15))


async def test_a_series_moved_in_time_takes_its_exceptions_and_its_end_along(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    before = await calendar_box.all()
    series = await calendar_box.reader.get(before[0].ref.model_copy(update={"recurrence": None}))
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=series.ref, start=at(5, 14, month=10)), "k1")
    after = await calendar_box.all()
    assert len(after) == len(before)
    assert await calendar_box.on(11) == []
    assert [event.start for event in await calendar_box.on(18)] == [at(18, 11)]
    assert {(event.start.hour, event.start.minute) for event in after} == {(14, 0), (11, 0)}
    assert after[-1].start.date() == before[-1].start.date()


async def test_a_series_moved_to_another_day_repeats_on_that_day(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    series = await calendar_box.reader.get((await calendar_box.all())[0].ref.model_copy(update={"recurrence": None}))
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=series.ref, start=at(6, 9, 15, month=10)), "k1")
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
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "DURATION:PT1H", f"RRULE:{rule}"))
    series = (await calendar_box.all())[0].ref.model_copy(update={"recurrence": None})
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=series, start=at(20, 9)), "k1")
    assert [(event.start.day, event.start.month) for event in await calendar_box.all()] == expected


async def test_a_rule_that_cannot_be_moved_is_left_alone_and_says_so(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3"))
    before = await calendar_box.all()
    series = before[0].ref.model_copy(update={"recurrence": None})
    with pytest.raises(InvalidResponse):
        await calendar_box.writer.execute(UpdateEvent(account="acc", event=series, start=at(20, 9)), "k1")
    assert await calendar_box.all() == before


async def test_renaming_a_series_leaves_the_instances_that_have_their_own_name(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    series = (await calendar_box.all())[0].ref.model_copy(update={"recurrence": None})
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=series, title="Daily", location="Hall"), "k1")
    assert {event.title for event in await calendar_box.all()} == {"Daily", "Standup with cake"}
    assert {event.location for event in await calendar_box.all()} == {"Hall"}


# Cancelling


async def test_a_cancelled_event_is_gone(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(CancelEvent(account="acc", event=event.ref), "k1")
    assert await calendar_box.all() == ()
    assert (receipt.id, receipt.etag) == ("", "")
    assert "were not told" in receipt.note


@pytest.mark.parametrize("day", [18, 23])
async def test_one_cancelled_instance_leaves_the_others(calendar_box: CalendarBox, day: int) -> None:
    await calendar_box.put(STANDUP)
    before = await calendar_box.all()
    (instance,) = await calendar_box.on(day)
    await calendar_box.writer.execute(CancelEvent(account="acc", event=instance.ref), "k1")
    assert [event.start for event in await calendar_box.all()] == [event.start for event in before if event != instance]


async def test_one_instance_of_an_all_day_series_can_be_cancelled(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;VALUE=DATE:20261119", "RRULE:FREQ=DAILY;COUNT=3"))
    (instance,) = await calendar_box.on(20)
    await calendar_box.writer.execute(CancelEvent(account="acc", event=instance.ref), "k1")
    assert [event.start.day for event in await calendar_box.all()] == [19, 21]


async def test_cancelling_a_series_removes_all_of_it(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    series = (await calendar_box.all())[0].ref.model_copy(update={"recurrence": None})
    await calendar_box.writer.execute(CancelEvent(account="acc", event=series), "k1")
    assert await calendar_box.all() == ()


# Etags, once only, and back again


Change = Callable[[EventRef], UpdateEvent | CancelEvent | AnswerInvitation]
CHANGES: list[Change] = [
    lambda ref: UpdateEvent(account="acc", event=ref, title="Other", start=at(20, 16)),
    lambda ref: CancelEvent(account="acc", event=ref),
    lambda ref: AnswerInvitation(account="acc", event=ref, answer="declined"),
]


@pytest.mark.parametrize("change", CHANGES)
async def test_a_stale_etag_is_refused(calendar_box: CalendarBox, change: Change) -> None:
    await calendar_box.put(INVITATION)
    read = await calendar_box.only()
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=read.ref, location="elsewhere"), "other")
    between = await calendar_box.only()
    with pytest.raises(Conflict) as refused:
        await calendar_box.writer.execute(change(read.ref), "k1")
    assert refused.value.account == "acc"
    assert await calendar_box.only() == between


@pytest.mark.parametrize("change", CHANGES)
async def test_an_empty_etag_is_not_checked(calendar_box: CalendarBox, change: Change) -> None:
    await calendar_box.put(INVITATION)
    await calendar_box.writer.execute(change((await calendar_box.only()).ref.model_copy(update={"etag": ""})), "k1")


@pytest.mark.parametrize("change", CHANGES)
async def test_changing_what_is_gone_is_not_found(calendar_box: CalendarBox, change: Change) -> None:
    await calendar_box.put(INVITATION)
    event = await calendar_box.only()
    await calendar_box.writer.execute(CancelEvent(account="acc", event=event.ref), "k0")
    with pytest.raises(NotFound):
        await calendar_box.writer.execute(change(event.ref), "k1")


@pytest.mark.parametrize("change", CHANGES)
async def test_find_tells_whether_a_change_took_effect(calendar_box: CalendarBox, change: Change) -> None:
    await calendar_box.put(INVITATION)
    action = change((await calendar_box.only()).ref)
    assert await calendar_box.writer.find(action, "k1") is None
    done = await calendar_box.writer.execute(action, "k1")
    found = await calendar_box.writer.find(action, "k1")
    assert found is not None
    assert (found.id, found.etag) == (done.id, done.etag)


async def test_find_tells_whether_one_instance_was_cancelled(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    action = CancelEvent(account="acc", event=(await calendar_box.on(23))[0].ref)
    assert await calendar_box.writer.find(action, "k1") is None
    await calendar_box.writer.execute(action, "k1")
    assert await calendar_box.writer.find(action, "k1") is not None


async def test_find_tells_whether_an_event_was_created(calendar_box: CalendarBox) -> None:
    assert await calendar_box.writer.find(create(), "k1") is None
    receipt = await calendar_box.writer.execute(create(), "k1")
    assert await calendar_box.writer.find(create(), "k1") == receipt
    assert await calendar_box.writer.find(create(), "k2") is None


@pytest.mark.parametrize("change", CHANGES)
async def test_undo_brings_back_the_event_as_it_was_and_can_itself_be_undone(calendar_box: CalendarBox, change: Change) -> None:
    await calendar_box.put(INVITATION)
    before = await calendar_box.only()
    text = await calendar_box.raw(before.ref)
    receipt = await calendar_box.writer.execute(change(before.ref), "k1")
    changed = await calendar_box.all()
    (undo,) = receipt.undo
    assert isinstance(undo, RestoreEvent)
    assert await calendar_box.writer.find(undo, "k2") is None
    back = await calendar_box.writer.execute(undo, "k2")
    assert await calendar_box.only() == before
    assert await calendar_box.raw(before.ref) == text
    assert await calendar_box.writer.find(undo, "k2") is not None
    await calendar_box.writer.execute(back.undo[0], "k3")  # type: ignore[arg-type]
    assert await calendar_box.all() == changed


async def test_undoing_the_cancellation_of_an_instance_brings_it_back(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    before = await calendar_box.all()
    receipt = await calendar_box.writer.execute(CancelEvent(account="acc", event=(await calendar_box.on(18))[0].ref), "k1")
    await calendar_box.writer.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert await calendar_box.all() == before


async def test_undo_is_refused_when_the_event_was_changed_since(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    receipt = await calendar_box.writer.execute(UpdateEvent(account="acc", event=(await calendar_box.only()).ref, title="A"), "k1")
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=(await calendar_box.only()).ref, title="B"), "k2")
    with pytest.raises(Conflict):
        await calendar_box.writer.execute(receipt.undo[0], "k3")  # type: ignore[arg-type]
    assert (await calendar_box.only()).title == "B"


async def test_events_of_one_file_are_changed_each_by_itself(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING + INVITATION + STANDUP)
    (meeting,) = await calendar_box.on(19)
    (invitation,) = await calendar_box.on(20)
    others = [event for event in await calendar_box.all() if event.id not in (meeting.id, invitation.id)]
    removed = await calendar_box.writer.execute(CancelEvent(account="acc", event=meeting.ref), "k1")
    # The other's etag is its own: it is still as it was read.
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=invitation.ref, title="Start"), "k2")
    await calendar_box.writer.execute(removed.undo[0], "k3")  # type: ignore[arg-type]
    assert await calendar_box.on(19) == [meeting]
    assert [event.title for event in await calendar_box.on(20)] == ["Start"]
    assert [event for event in await calendar_box.all() if event.id not in (meeting.id, invitation.id)] == others


async def test_instances_read_together_can_be_cancelled_one_after_another_and_brought_back(
    calendar_box: CalendarBox,
) -> None:
    await calendar_box.put(STANDUP)
    before = await calendar_box.all()
    read = [event for event in before if event.start.month == 12] + await calendar_box.on(18)
    undo: list[Action] = []
    for number, event in enumerate(read):
        receipt = await calendar_box.writer.execute(CancelEvent(account="acc", event=event.ref), f"k{number}")
        undo += receipt.undo
    assert [event.start for event in await calendar_box.all()] == [event.start for event in before if event not in read]
    for number, action in enumerate(reversed(undo)):
        await calendar_box.writer.execute(action, f"u{number}")  # type: ignore[arg-type]
    assert await calendar_box.all() == before


OFFICE = (
    "BEGIN:VTIMEZONE\nTZID:Head office\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0500\nTZOFFSETTO:+0500\n"
    "END:STANDARD\nEND:VTIMEZONE\n"
)
HOUR, FOUR = "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=4"
WRITTEN = {
    "utc": event_text("DTSTART:20261119T080000Z", "DTEND:20261119T090000Z", FOUR),
    "floating": event_text("DTSTART:20261119T090000", HOUR, FOUR),
    "zoned": event_text("DTSTART;TZID=America/New_York:20261119T030000", HOUR, "RRULE:FREQ=DAILY;UNTIL=20261122T080000Z"),
    "windows": event_text('DTSTART;TZID="Eastern Standard Time":20261119T030000', HOUR, FOUR),
    "own zone": OFFICE + event_text("DTSTART;TZID=Head office:20261119T130000", HOUR, FOUR),
    "dates": event_text("DTSTART:20261119T080000Z", HOUR, "RDATE:20261120T080000Z,20261121T080000Z,20261122T080000Z"),
    "all-day": event_text("DTSTART;VALUE=DATE:20261119", "DTEND;VALUE=DATE:20261120", FOUR),
    "without uid": event_text("DTSTART:20261119T080000Z", HOUR, FOUR).replace("UID:single-1\n", ""),
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
async def test_instances_are_changed_alone_in_whatever_way_their_times_are_written(calendar_box: CalendarBox, written: str) -> None:
    await calendar_box.put(written)
    first, second, third, fourth = before = await calendar_box.all()
    assert [event.start.day for event in before] == [19, 20, 21, 22]
    moved_to = second.start + timedelta(days=10)
    moved = await calendar_box.writer.execute(UpdateEvent(account="acc", event=second.ref, start=moved_to, title="Moved"), "k1")
    cancelled = await calendar_box.writer.execute(CancelEvent(account="acc", event=third.ref), "k2")
    after = await calendar_box.all()
    assert [(event.start, event.title) for event in after] == [
        (first.start, first.title),
        (fourth.start, fourth.title),
        (moved_to, "Moved"),
    ]
    assert (after[2].end - after[2].start, after[2].recurrence) == (second.end - second.start, second.recurrence)
    await calendar_box.writer.execute(cancelled.undo[0], "k3")  # type: ignore[arg-type]
    await calendar_box.writer.execute(moved.undo[0], "k4")  # type: ignore[arg-type]
    assert await calendar_box.all() == before


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
async def test_a_whole_series_is_moved_in_whatever_way_its_times_are_written(calendar_box: CalendarBox, written: str) -> None:
    await calendar_box.put(written)
    before = await calendar_box.all()
    await calendar_box.writer.execute(CancelEvent(account="acc", event=before[1].ref), "k1")
    series = await calendar_box.reader.get(before[0].ref.model_copy(update={"recurrence": None}))
    by = timedelta(days=2) if before[0].all_day else timedelta(days=2, hours=3)
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=series.ref, start=series.start + by), "k2")
    assert [event.start for event in await calendar_box.all()] == [event.start + by for event in before if event != before[1]]


async def test_an_instance_is_stale_when_its_series_was_moved(calendar_box: CalendarBox) -> None:
    await calendar_box.put(STANDUP)
    (instance,) = await calendar_box.on(23)
    series = await calendar_box.reader.get(instance.ref.model_copy(update={"recurrence": None}))
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=series.ref, end=at(5, 10, month=10)), "k1")
    with pytest.raises(Conflict):
        await calendar_box.writer.execute(CancelEvent(account="acc", event=instance.ref), "k2")


async def test_calendars_are_listed_and_one_can_be_chosen(calendar_box: CalendarBox) -> None:
    (calendar,) = await calendar_box.reader.calendars()
    assert not calendar.read_only
    await calendar_box.writer.execute(create(calendar=calendar.id), "k1")
    assert (await calendar_box.only()).calendar == calendar.id
    with pytest.raises((NotFound, ReadOnly)):
        await calendar_box.writer.execute(create(calendar="no-such-calendar"), "k2")
