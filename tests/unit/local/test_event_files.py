"""What is particular to events in .ics files, beside the contract of every calendar."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from integrations.actions import Action, AnswerInvitation, CancelEvent, CreateEvent, RestoreEvent, UpdateEvent
from integrations.errors import InvalidResponse
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


@pytest.fixture
def calendar_box(tmp_path: Path) -> CalendarBox:
    return local_box(tmp_path / "calendars")


def at(day: int, hour: int, minute: int = 0, month: int = 11, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=zone)


def create(**changes: object) -> CreateEvent:
    given: dict[str, object] = {"account": "acc", "title": "Lunch", "start": at(20, 12), "end": at(20, 13)}
    return CreateEvent.model_validate(given | changes)


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


async def test_an_all_day_event_without_end_lasts_a_day(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART;VALUE=DATE:20261119"))
    assert (await calendar_box.only()).end == at(20, 0)


async def test_extra_dates_of_a_series_are_included(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "DURATION:PT1H", "RDATE:20261122T080000Z,20261201T100000Z"))
    assert [event.start for event in await calendar_box.all()] == [at(19, 9), at(22, 9), at(1, 11, month=12)]


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
    assert event.organizer is not None and event.organizer.email == calendar_box.owner
    assert (receipt.id, receipt.etag) == (event.id, event.etag)
    assert event.uid == "abc123"


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


async def test_an_event_with_a_duration_keeps_it_when_moved_and_loses_it_when_given_an_end(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "DURATION:PT45M"))
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(UpdateEvent(account="acc", event=event.ref, start=at(19, 11)), "k1")
    assert (await calendar_box.only()).end == at(19, 11, 45)
    ref = event.ref.model_copy(update={"etag": receipt.etag})
    await calendar_box.writer.execute(UpdateEvent(account="acc", event=ref, end=at(19, 13)), "k2")
    after = await calendar_box.only()
    assert (after.start, after.end) == (at(19, 11), at(19, 13))


async def test_a_rule_that_cannot_be_moved_is_left_alone_and_says_so(calendar_box: CalendarBox) -> None:
    await calendar_box.put(event_text("DTSTART:20261119T080000Z", "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3"))
    before = await calendar_box.all()
    series = before[0].ref.model_copy(update={"recurrence": None})
    with pytest.raises(InvalidResponse):
        await calendar_box.writer.execute(UpdateEvent(account="acc", event=series, start=at(20, 9)), "k1")
    assert await calendar_box.all() == before


async def test_a_cancelled_event_is_gone(calendar_box: CalendarBox) -> None:
    await calendar_box.put(MEETING)
    event = await calendar_box.only()
    receipt = await calendar_box.writer.execute(CancelEvent(account="acc", event=event.ref), "k1")
    assert await calendar_box.all() == ()
    assert (receipt.id, receipt.etag) == ("", "")
    assert "were not told" in receipt.note


Change = Callable[[EventRef], UpdateEvent | CancelEvent | AnswerInvitation]
CHANGES: list[Change] = [
    lambda ref: UpdateEvent(account="acc", event=ref, title="Other", start=at(20, 16)),
    lambda ref: CancelEvent(account="acc", event=ref),
    lambda ref: AnswerInvitation(account="acc", event=ref, answer="declined"),
]


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
