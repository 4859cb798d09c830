"""What is Google's own about writing its calendars; all that every provider promises stands in the contract suite."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.google import GoogleEmulator
from doubles.google.calendar import Calendar as Book
from doubles.google.calls import Call, Handler
from doubles.google.emulator import HANDLERS

from integrations.actions import AnswerInvitation, CancelEvent, CreateEvent, RestoreEvent, UpdateEvent
from integrations.errors import Conflict, InvalidResponse, NotFound, ReadOnly, Unavailable, Unknowable
from integrations.registry import Account
from integrations.types import Address, Event, EventQuery
from risk.provenance import addresses_in_ics

BERLIN = ZoneInfo("Europe/Berlin")
ME, ANNA, TOM = "me@home.example", "anna@north.example", "tom@north.example"
DAY = datetime(2026, 11, 19, tzinfo=BERLIN)


@pytest.fixture
def mine(google: GoogleEmulator) -> Book:
    google.account(ME)
    book = google.world.calendars.primary(ME)
    book.zone = "Europe/Berlin"
    return book


@pytest.fixture
def hers(google: GoogleEmulator) -> Book:
    google.account(ANNA, name="Anna Berg")
    return google.world.calendars.primary(ANNA)


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=BERLIN)


def event(title: str = "Review", hour: int = 15, **fields: Any) -> dict[str, Any]:
    times = {"start": at(19, hour), "end": at(19, hour + 1)}
    return {"summary": title, **{k: {"dateTime": v.isoformat(), "timeZone": "Europe/Berlin"} for k, v in times.items()}, **fields}


def create(*invited: str, **fields: Any) -> CreateEvent:
    people = tuple(Address(email=email) for email in invited)
    given = {"account": "home", "title": "Lunch", "start": at(19, 12), "end": at(19, 13), "attendees": people}
    return CreateEvent(**(given | fields))


async def events(account: Account, days: int = 1) -> tuple[Event, ...]:
    return (await account.readers.calendar.events(EventQuery(start=DAY, end=DAY + timedelta(days=days)))).items


async def only(account: Account) -> Event:
    (found,) = await events(account)
    return found


def mails(google: GoogleEmulator) -> list[tuple[str, str]]:
    return [(notice.to, notice.kind) for notice in google.world.calendars.notices]


# Who hears of it


async def test_whoever_is_invited_hears_of_it_and_has_it_in_their_calendar(
    account: Account, google: GoogleEmulator, mine: Book, hers: Book
) -> None:
    receipt = await account.writers.calendar.execute(create(ANNA, TOM), "k1")
    assert mails(google) == [(ANNA, "invitation"), (TOM, "invitation")]
    assert hers.event(receipt.id)["summary"] == "Lunch"  # type: ignore[index]


async def test_an_event_of_ones_own_mails_nobody(account: Account, google: GoogleEmulator, mine: Book) -> None:
    await account.writers.calendar.execute(create(), "k1")
    await account.writers.calendar.execute(UpdateEvent(account="home", event=(await only(account)).ref, title="Brunch"), "k2")
    await account.writers.calendar.execute(CancelEvent(account="home", event=(await only(account)).ref), "k3")
    assert mails(google) == []


async def test_the_first_guest_of_an_event_is_invited(account: Account, google: GoogleEmulator, mine: Book) -> None:
    mine.put(event())
    change = UpdateEvent(account="home", event=(await only(account)).ref, add_attendees=(Address(email=ANNA),))
    await account.writers.calendar.execute(change, "k1")
    assert mails(google) == [(ANNA, "invitation")]


async def test_those_who_come_stay_and_go_are_told_apart(account: Account, google: GoogleEmulator, mine: Book) -> None:
    mine.put(event(attendees=[{"email": ANNA, "responseStatus": "accepted"}, {"email": TOM}]))
    eva = Address(email="eva@south.example")
    change = UpdateEvent(account="home", event=(await only(account)).ref, add_attendees=(eva,), remove_attendees=(TOM,))
    await account.writers.calendar.execute(change, "k1")
    assert mails(google) == [(ANNA, "update"), ("eva@south.example", "invitation"), (TOM, "cancellation")]


@pytest.mark.parametrize("others", [(), (TOM,)])
async def test_an_answer_reaches_the_organizer(
    account: Account, google: GoogleEmulator, mine: Book, hers: Book, others: tuple[str, ...]
) -> None:
    id = hers.put(event("Kick-off", attendees=[{"email": email} for email in (ME, *others)]))
    answer = AnswerInvitation(account="home", event=(await only(account)).ref, answer="declined")
    await account.writers.calendar.execute(answer, "k1")
    answers = {one["email"]: one["responseStatus"] for one in (hers.event(id) or {})["attendees"]}
    assert answers == {ME: "declined", **dict.fromkeys(others, "needsAction")}
    assert mails(google) == [(ANNA, "reply")]


async def test_words_go_along_with_an_answer_and_are_said_not_to_with_a_cancellation(
    account: Account, google: GoogleEmulator, mine: Book, hers: Book
) -> None:
    id = hers.put(event("Kick-off", attendees=[{"email": ME}]))
    answer = AnswerInvitation(account="home", event=(await only(account)).ref, answer="declined", comment="I am away.")
    await account.writers.calendar.execute(answer, "k1")
    assert [one.get("comment") for one in (hers.event(id) or {})["attendees"] if one["email"] == ME] == ["I am away."]
    own = mine.put(event("Own", attendees=[{"email": ANNA}]))
    (theirs,) = [one for one in await events(account) if one.id == own]
    receipt = await account.writers.calendar.execute(CancelEvent(account="home", event=theirs.ref, comment="I am ill."), "k2")
    assert "yours were not told" in receipt.note


async def test_what_an_undo_holds_names_those_who_will_hear_of_it(account: Account, mine: Book) -> None:
    mine.put(event(attendees=[{"email": ANNA}, {"email": TOM}]))
    eva = Address(email="eva@south.example")
    change = UpdateEvent(account="home", event=(await only(account)).ref, add_attendees=(eva,), remove_attendees=(TOM,))
    (undo,) = (await account.writers.calendar.execute(change, "k1")).undo
    assert isinstance(undo, RestoreEvent)
    assert addresses_in_ics(undo.ics) == {ANNA, TOM, "eva@south.example"}


# Somebody else's event


async def test_what_is_the_organizers_a_guest_cannot_change(account: Account, mine: Book, hers: Book) -> None:
    hers.put(event("Kick-off", attendees=[{"email": ME}]))
    with pytest.raises(ReadOnly):
        await account.writers.calendar.execute(UpdateEvent(account="home", event=(await only(account)).ref, title="Mine"), "k1")
    assert (await only(account)).title == "Kick-off"


async def test_a_guest_removes_only_the_own_copy_and_can_have_it_back(account: Account, mine: Book, hers: Book) -> None:
    id = hers.put(event("Kick-off", attendees=[{"email": ME, "responseStatus": "accepted"}]))
    before = await only(account)
    receipt = await account.writers.calendar.execute(CancelEvent(account="home", event=before.ref), "k1")
    assert await events(account) == ()
    assert (hers.event(id) or {})["status"] == "confirmed"
    assert receipt.note == "It is gone from your calendar only: Anna Berg organises it."
    await account.writers.calendar.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert (await only(account)).model_copy(update={"etag": before.etag}) == before


async def test_nobody_is_told_that_a_guest_leaves_nor_why(account: Account, google: GoogleEmulator, mine: Book, hers: Book) -> None:
    hers.put(event("Kick-off", attendees=[{"email": ME, "responseStatus": "accepted"}]))
    theirs = await only(account)
    assert theirs.guest
    receipt = await account.writers.calendar.execute(CancelEvent(account="home", event=theirs.ref, comment="I am ill."), "k1")
    assert mails(google) == []
    assert receipt.note.endswith("Your words were told to nobody.")


async def test_ones_own_event_is_no_guests_copy(account: Account, mine: Book) -> None:
    mine.put(event(attendees=[{"email": ANNA}]))
    assert not (await only(account)).guest


# Once only


async def test_a_change_made_twice_under_one_key_is_sent_once(account: Account, google: GoogleEmulator, mine: Book) -> None:
    mine.put(event())
    change = UpdateEvent(account="home", event=(await only(account)).ref, title="Talk")
    first = await account.writers.calendar.execute(change, "k1")
    again = await account.writers.calendar.execute(change, "k1")
    assert (first.id, first.etag) == (again.id, again.etag)
    assert [request.api for request in google.requests].count("calendar.events.patch") == 1


async def test_the_same_change_by_somebody_else_is_not_taken_for_ones_own(account: Account, mine: Book) -> None:
    id = mine.put(event())
    change = UpdateEvent(account="home", event=(await only(account)).ref, title="Talk")
    mine.change(id, summary="Talk")
    assert await account.writers.calendar.find(change, "k1") is None


async def test_a_change_is_found_though_somebody_changed_the_event_since(account: Account, mine: Book) -> None:
    id = mine.put(event())
    change = UpdateEvent(account="home", event=(await only(account)).ref, title="Talk")
    await account.writers.calendar.execute(change, "k1")
    mine.change(id, summary="Speech")
    assert await account.writers.calendar.find(change, "k1") is not None


async def test_a_change_is_found_though_another_of_ones_own_came_after_it(account: Account, mine: Book) -> None:
    mine.put(event())
    first = UpdateEvent(account="home", event=(await only(account)).ref, title="Talk")
    await account.writers.calendar.execute(first, "k1")
    for number in range(2, 5):
        later = UpdateEvent(account="home", event=(await only(account)).ref, title=f"Talk {number}")
        await account.writers.calendar.execute(later, f"k{number}")
    assert await account.writers.calendar.find(first, "k1") is not None


async def test_a_change_of_the_series_is_not_taken_for_one_of_its_instances(account: Account, mine: Book) -> None:
    mine.put(event(recurrence=["RRULE:FREQ=DAILY;COUNT=3"]))
    instance = (await only(account)).ref
    series = instance.model_copy(update={"recurrence": None})
    await account.writers.calendar.execute(UpdateEvent(account="home", event=series, title="Talk"), "k1")
    assert await account.writers.calendar.find(UpdateEvent(account="home", event=instance, title="Talk"), "k2") is None


async def test_the_key_is_seen_by_nobody_else(account: Account, mine: Book, hers: Book) -> None:
    receipt = await account.writers.calendar.execute(create(ANNA), "k1")
    assert "extendedProperties" not in (hers.event(receipt.id) or {})


@pytest.mark.parametrize("made", [create, CancelEvent, UpdateEvent])
async def test_of_a_calendar_that_is_no_longer_shared_nothing_is_taken_for_certain(
    account: Account, google: GoogleEmulator, mine: Book, made: Any
) -> None:
    theirs = google.world.calendars.add(ANNA, "Team")
    google.world.calendars.share(theirs.id, ME, "writer")
    theirs.put(event())
    action = create(calendar=theirs.id) if made is create else made(account="home", event=(await only(account)).ref)
    assert await account.writers.calendar.find(action, "k1") is None
    theirs.roles.pop(ME)
    with pytest.raises(Unknowable):
        await account.writers.calendar.find(action, "k1")


async def test_a_lost_reply_leaves_one_event_and_is_settled_by_asking(account: Account, google: GoogleEmulator, mine: Book) -> None:
    google.fail("drop_after", on="calendar.events.insert")
    with pytest.raises(Unavailable):
        await account.writers.calendar.execute(create(), "k1")
    found = await account.writers.calendar.find(create(), "k1")
    assert found == await account.writers.calendar.execute(create(), "k1")
    assert len(await events(account)) == 1


@pytest.fixture
def hasty(mine: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody changes the event in the moment before a change or a removal arrives."""
    for method in ("calendar.events.patch", "calendar.events.delete"):

        def behind(call: Call, real: Handler = HANDLERS[method]) -> Any:
            mine.change(call.params["eventId"], summary="Theirs")
            return real(call)

        monkeypatch.setitem(HANDLERS, method, behind)


@pytest.mark.parametrize(
    "change", [lambda ref: UpdateEvent(account="home", event=ref, title="Talk"), lambda ref: CancelEvent(account="home", event=ref)]
)
async def test_a_change_between_reading_and_writing_is_a_conflict(account: Account, mine: Book, hasty: None, change: Any) -> None:
    mine.put(event())
    with pytest.raises(Conflict):
        await account.writers.calendar.execute(change((await only(account)).ref), "k1")
    assert (await only(account)).title == "Theirs"


# Where it goes and in which form


async def test_without_a_calendar_named_it_goes_into_the_primary_one(account: Account, google: GoogleEmulator, mine: Book) -> None:
    google.world.calendars.add(ME, "A club")
    receipt = await account.writers.calendar.execute(create(), "k1")
    assert (await only(account)).calendar == ME
    assert isinstance(receipt.undo[0], CancelEvent) and receipt.undo[0].event.calendar == ME


async def test_an_event_can_go_into_a_calendar_that_somebody_shares(account: Account, google: GoogleEmulator, mine: Book) -> None:
    theirs = google.world.calendars.add(ANNA, "Team")
    google.world.calendars.share(theirs.id, ME, "writer")
    await account.writers.calendar.execute(create(calendar=theirs.id), "k1")
    assert ((await only(account)).calendar, (await only(account)).my_answer) == (theirs.id, "")


async def test_what_is_not_named_stays_as_google_has_it(account: Account, mine: Book) -> None:
    kept = {"colorId": "7", "reminders": {"useDefault": False, "overrides": [{"method": "popup", "minutes": 5}]}}
    shared = {"extendedProperties": {"shared": {"project": "north"}, "private": {"theirs": "1"}}}
    id = mine.put(event(**kept, **shared, visibility="private", guestsCanModify=True))
    await account.writers.calendar.execute(UpdateEvent(account="home", event=(await only(account)).ref, start=at(19, 9)), "k1")
    standing = mine.event(id) or {}
    assert {name: standing[name] for name in kept} == kept
    assert (standing["visibility"], standing["guestsCanModify"]) == ("private", True)
    assert standing["extendedProperties"]["shared"] == {"project": "north"}
    assert standing["extendedProperties"]["private"]["theirs"] == "1"


async def test_an_event_that_ends_in_another_zone_keeps_both(account: Account, mine: Book) -> None:
    landing = {"dateTime": "2026-11-19T12:00:00-05:00", "timeZone": "America/New_York"}
    id = mine.put({**event("Flight", 10), "end": landing})
    await account.writers.calendar.execute(UpdateEvent(account="home", event=(await only(account)).ref, start=at(19, 11)), "k1")
    standing = mine.event(id) or {}
    assert (standing["start"]["timeZone"], standing["end"]["timeZone"]) == ("Europe/Berlin", "America/New_York")
    assert (await only(account)).end == at(19, 19)


async def test_a_new_end_leaves_the_start_alone(account: Account, mine: Book) -> None:
    id = mine.put(event())
    before = mine.event(id) or {}
    await account.writers.calendar.execute(UpdateEvent(account="home", event=(await only(account)).ref, end=at(19, 18)), "k1")
    assert ((mine.event(id) or {})["start"], (await only(account)).end) == (before["start"], at(19, 18))


async def test_an_event_that_was_turned_into_an_all_day_one_can_be_turned_back(account: Account, mine: Book) -> None:
    mine.put(event())
    before = await only(account)
    receipt = await account.writers.calendar.execute(UpdateEvent(account="home", event=before.ref, all_day=True), "k1")
    assert (await only(account)).all_day
    await account.writers.calendar.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert (await only(account)).model_copy(update={"etag": before.etag}) == before


async def test_a_field_can_be_emptied(account: Account, mine: Book) -> None:
    mine.put(event(location="Room A"))
    await account.writers.calendar.execute(UpdateEvent(account="home", event=(await only(account)).ref, location=""), "k1")
    assert (await only(account)).location == ""


async def test_an_address_with_an_umlaut_in_its_domain_is_invited_and_read_back(account: Account, mine: Book) -> None:
    await account.writers.calendar.execute(create("eva@münchen.example"), "k1")
    assert [one.address.email for one in (await only(account)).attendees] == ["eva@münchen.example"]


@pytest.mark.parametrize(
    ("until", "all_day", "sent"),
    [
        ("20261225T090000", False, "20261225T080000Z"),
        ("20261225T080000Z", False, "20261225T080000Z"),
        ("20261225", False, "20261225"),
        ("20261225T230000Z", True, "20261226"),
        ("20261225", True, "20261225"),
    ],
)
async def test_the_end_of_a_series_is_sent_as_google_takes_it(
    account: Account, mine: Book, until: str, all_day: bool, sent: str
) -> None:
    action = create(start=DAY, end=DAY + timedelta(days=1), all_day=all_day, rrule=f"FREQ=WEEKLY;UNTIL={until}")
    receipt = await account.writers.calendar.execute(action, "k1")
    assert (mine.event(receipt.id) or {})["recurrence"] == [f"RRULE:FREQ=WEEKLY;UNTIL={sent}"]


async def test_a_series_with_two_ends_is_refused(account: Account, mine: Book) -> None:
    with pytest.raises(InvalidResponse):
        await account.writers.calendar.execute(create(rrule="FREQ=DAILY;COUNT=3;UNTIL=20261225"), "k1")
    assert mine.entries == {}


@pytest.mark.parametrize("held", ["", "BEGIN:VEVENT\nEND:VEVENT", "BEGIN:VEVENT\nX-GOOGLE-PATCH:[1]\nEND:VEVENT"])
async def test_what_holds_nothing_to_restore_is_refused(account: Account, mine: Book, held: str) -> None:
    mine.put(event())
    with pytest.raises(InvalidResponse):
        await account.writers.calendar.execute(RestoreEvent(account="home", event=(await only(account)).ref, ics=held), "k1")


async def test_what_stands_again_is_not_brought_back_over_it(account: Account, mine: Book) -> None:
    id = mine.put(event())
    receipt = await account.writers.calendar.execute(CancelEvent(account="home", event=(await only(account)).ref), "k1")
    mine.change(id, status="confirmed", summary="Theirs")
    with pytest.raises(Conflict):
        await account.writers.calendar.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert (await only(account)).title == "Theirs"


async def test_what_google_has_forgotten_cannot_be_brought_back(account: Account, mine: Book) -> None:
    id = mine.put(event())
    receipt = await account.writers.calendar.execute(CancelEvent(account="home", event=(await only(account)).ref), "k1")
    del mine.entries[id]
    with pytest.raises(NotFound):
        await account.writers.calendar.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]


# Series that move


@pytest.fixture
def series(mine: Book) -> str:
    """Daily at 15:00 for five days: the second was removed, the third moved to 18:00, the fourth has its own title."""
    id = mine.put(event(recurrence=["RRULE:FREQ=DAILY;COUNT=5"], attendees=[{"email": ANNA}]))
    mine.change(f"{id}_20261120T140000Z", status="cancelled")
    moved = {side: {"dateTime": at(21, hour).isoformat()} for side, hour in (("start", 18), ("end", 19))}
    mine.change(f"{id}_20261121T140000Z", **moved)
    mine.change(f"{id}_20261122T140000Z", summary="With cake")
    return id


def shape(found: tuple[Event, ...]) -> list[tuple[int, int, str]]:
    return [(one.start.day, one.start.hour, one.title) for one in found]


BEFORE = [(19, 15, "Review"), (21, 18, "Review"), (22, 15, "With cake"), (23, 15, "Review")]


async def move_to(account: Account, hour: int) -> Any:
    first = (await events(account, 9))[0].ref.model_copy(update={"recurrence": None, "etag": ""})
    return await account.writers.calendar.execute(UpdateEvent(account="home", event=first, start=at(19, hour)), "k1")


async def test_a_series_that_moves_takes_along_what_was_changed_in_single_instances(account: Account, series: str) -> None:
    assert shape(await events(account, 9)) == BEFORE
    receipt = await move_to(account, 10)
    assert shape(await events(account, 9)) == [(19, 10, "Review"), (21, 18, "Review"), (22, 10, "With cake"), (23, 10, "Review")]
    assert receipt.note == ""


async def test_a_series_that_moved_goes_back_with_all_that_was_changed_in_it(account: Account, series: str) -> None:
    receipt = await move_to(account, 10)
    again = (await account.writers.calendar.execute(receipt.undo[0], "k2")).undo[0]
    assert shape(await events(account, 9)) == BEFORE
    await account.writers.calendar.execute(again, "k3")  # type: ignore[arg-type]
    assert [hour for _, hour, _ in shape(await events(account, 9))] == [10, 18, 10, 10]


async def test_what_was_removed_stays_away_when_the_series_goes_back(account: Account, mine: Book, series: str) -> None:
    receipt = await move_to(account, 10)
    mine.entries.pop(f"{series}_20261120T140000Z")  # as if Google had not kept it
    await account.writers.calendar.execute(receipt.undo[0], "k2")
    assert shape(await events(account, 9)) == BEFORE


@pytest.mark.parametrize("after", [0, 1, 2, 3])
async def test_what_was_cut_off_while_a_series_moved_is_carried_on(
    account: Account, google: GoogleEmulator, mine: Book, series: str, after: int
) -> None:
    first = (await events(account, 9))[0].ref.model_copy(update={"recurrence": None})
    action = UpdateEvent(account="home", event=first, start=at(19, 10))
    google.fail("drop_after", on="calendar.events.patch", after=after)
    with pytest.raises(Unavailable):
        await account.writers.calendar.execute(action, "k1")
    assert await account.writers.calendar.find(action, "k1") is not None
    assert shape(await events(account, 9)) == [(19, 10, "Review"), (21, 18, "Review"), (22, 10, "With cake"), (23, 10, "Review")]
    assert list((mine.event(series) or {})["extendedProperties"]["private"]) == ["assistantKeys"]


@pytest.mark.parametrize("size", [5_000, 40_000])
async def test_long_texts_of_single_instances_are_taken_along_too(account: Account, mine: Book, series: str, size: int) -> None:
    mine.change(f"{series}_20261122T140000Z", description="x" * size)
    await move_to(account, 10)
    assert [len(one.description) for one in await events(account, 9)] == [0, 0, size, 0]


async def test_a_series_does_not_move_onto_instances_that_were_changed(account: Account, series: str) -> None:
    first = (await events(account, 9))[0].ref.model_copy(update={"recurrence": None})
    with pytest.raises(InvalidResponse):
        await account.writers.calendar.execute(UpdateEvent(account="home", event=first, start=at(20, 15)), "k1")
    assert shape(await events(account, 9)) == BEFORE


async def test_what_could_not_be_taken_along_is_said(account: Account, google: GoogleEmulator, series: str) -> None:
    google.fail("conflict", on="calendar.events.patch", after=1)
    receipt = await move_to(account, 10)
    assert receipt.note == 'What was changed in single instances could not be kept for "Review", 21 November.'
    assert shape(await events(account, 9))[2] == (22, 10, "With cake")
