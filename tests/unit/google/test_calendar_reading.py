"""What is Google's own about reading its calendars; all that every provider promises stands in the contract suite."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.google import GoogleEmulator
from doubles.google.calendar import Calendar as Book

from integrations.errors import NotFound, Unavailable
from integrations.google.calendar import GoogleCalendarReader, read_all
from integrations.google.events import Place
from integrations.registry import Account
from integrations.types import Event, EventQuery, EventRef, Page

BERLIN = ZoneInfo("Europe/Berlin")
ME, ANNA, TOM = "me@home.example", "anna@north.example", "tom@north.example"
DAY = datetime(2026, 11, 19, tzinfo=BERLIN)


@pytest.fixture
def mine(google: GoogleEmulator) -> Book:
    google.account(ME)
    book = google.world.calendars.primary(ME)
    book.zone = "Europe/Berlin"
    return book


def at(hour: int, day: int = 19) -> dict[str, str]:
    return {"dateTime": f"2026-11-{day}T{hour:02}:00:00+01:00", "timeZone": "Europe/Berlin"}


def event(title: str = "Review", hour: int = 15, **fields: Any) -> dict[str, Any]:
    return {"summary": title, "start": at(hour), "end": at(hour + 1), **fields}


async def read(account: Account, **query: Any) -> Page[Event]:
    return await account.readers.calendar.events(EventQuery(start=DAY, end=DAY + timedelta(days=1), **query))


async def only(account: Account) -> Event:
    (found,) = (await read(account)).items
    return found


async def test_rooms_are_no_people(account: Account, mine: Book) -> None:
    room = {"email": "room-1@resource.calendar.google.com", "resource": True, "responseStatus": "accepted"}
    mine.put(event(attendees=[{"email": TOM, "optional": True}, room]))
    assert [(one.address.email, one.optional) for one in (await only(account)).attendees] == [(TOM, True)]


async def test_a_description_with_markup_is_read_as_what_it_shows(account: Account, mine: Book) -> None:
    mine.put(event(description="Bring <b>figures</b><br>and 3 &lt; 4 cakes"))
    assert (await only(account)).description == "Bring figures\nand 3 < 4 cakes"


async def test_a_description_without_markup_stays_as_it_is(account: Account, mine: Book) -> None:
    text = "if a < b > c:\n    ask <tom@north.example> &amp; go"
    mine.put(event(description=text))
    assert (await only(account)).description == text


async def test_an_event_of_ones_own_has_no_organizer(account: Account, mine: Book) -> None:
    mine.put(event())
    assert (await only(account)).organizer is None


async def test_an_all_day_event_of_a_calendar_in_another_zone_is_the_users_day(account: Account, mine: Book) -> None:
    mine.zone = "Pacific/Auckland"
    mine.put({"summary": "Fair", "start": {"date": "2026-11-19"}, "end": {"date": "2026-11-20"}})
    assert ((await only(account)).start, (await only(account)).all_day) == (DAY, True)


async def test_an_all_day_event_of_another_zone_lasts_as_long_as_the_users_day(account: Account, mine: Book) -> None:
    mine.zone = "Pacific/Auckland"  # where the day ends at noon in Berlin
    mine.put({"summary": "Fair", "start": {"date": "2026-11-19"}, "end": {"date": "2026-11-20"}})
    evening = EventQuery(start=DAY.replace(hour=20), end=DAY.replace(hour=22))
    assert [one.title for one in (await account.readers.calendar.events(evening)).items] == ["Fair"]


async def test_calendars_of_others_are_read_only_unless_they_may_be_written(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    calendars = google.world.calendars
    shared = {role: calendars.add(ANNA, f"As {role}") for role in ("reader", "writer", "freeBusyReader")}
    for role, book in shared.items():
        calendars.share(book.id, ME, role)
    listed = await account.readers.calendar.calendars()
    assert [calendar.id for calendar in listed][:2] == [ME, shared["writer"].id]
    assert {calendar.name: calendar.read_only for calendar in listed} == {
        ME: False,
        "As writer": False,
        "As reader": True,
    }


async def test_a_calendar_goes_by_the_name_that_the_user_gave_it(account: Account, mine: Book) -> None:
    mine.looks[ME] = {"summaryOverride": "Mine"}
    assert [calendar.name for calendar in await account.readers.calendar.calendars()] == ["Mine"]


async def test_the_events_of_all_calendars_are_read_together_and_those_of_one_alone(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    club = google.world.calendars.add(ME, "Club")
    mine.put(event("Review", 15))
    club.put(event("Training", 9))
    assert [(one.title, one.calendar) for one in (await read(account)).items] == [("Training", club.id), ("Review", ME)]
    assert [one.title for one in (await read(account, calendars=(club.id,))).items] == ["Training"]


async def test_in_a_calendar_that_somebody_shares_the_answer_is_not_mine(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    google.account(ANNA)
    hers = google.world.calendars.primary(ANNA)
    google.world.calendars.share(ANNA, ME, "reader")
    hers.put(event(attendees=[{"email": ANNA, "responseStatus": "declined"}, {"email": TOM}]))
    found = await only(account)
    assert (found.my_answer, found.busy) == ("", True)


async def test_what_stands_in_somebody_elses_calendar_and_names_nobody_is_theirs(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    google.account(ANNA, name="Anna Berg")
    google.world.calendars.primary(ANNA).put(event("Dentist"))
    google.world.calendars.share(ANNA, ME, "reader")
    assert [str(one.address) for one in (await only(account)).attendees] == [f"Anna Berg <{ANNA}>"]


async def test_a_series_tells_its_rule_at_every_instance_for_one_request_more(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    for hour in (9, 11, 13):
        mine.put(event(hour=hour, recurrence=["RRULE:FREQ=DAILY;COUNT=3"]))
    found = (await read(account)).items
    assert [(one.series, one.rrule) for one in found] == [(True, "FREQ=DAILY;COUNT=3")] * 3
    sent = [request.api for request in google.requests if not request.batched]
    assert sent == ["calendar.calendarList.list", "calendar.events.list", "batch"]


async def test_long_listings_are_read_to_their_end(account: Account, mine: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("doubles.google.calendar.reading.LARGEST_PAGE", 2)
    for number in range(5):
        mine.put(event(f"Talk {number}"))
    assert [one.title for one in (await read(account)).items] == [f"Talk {number}" for number in range(5)]


@pytest.mark.parametrize(
    "broken",
    [
        {"start": {"dateTime": "yesterday"}},
        {"end": None},
        {"start": {"date": "2026-13-40"}},
        {"start": {}},
        {"attendees": "everybody"},
        {"start": {"dateTime": "2026-11-19T15:00:00", "timeZone": "Nowhere/Land"}},
    ],
)
def test_an_event_that_cannot_be_read_is_skipped_with_a_reason(broken: dict[str, Any]) -> None:
    place = Place(account="home", calendar=ME, owner=ME, zone=BERLIN)
    good = event("Review") | {"id": "a1"}
    events, skipped = read_all([good | {"summary": "Broken"} | broken, good], place, {})
    assert [one.title for one in events] == ["Review"]
    assert [(one.where, bool(one.reason)) for one in skipped] == [("Broken", True)]


async def test_a_calendar_that_cannot_be_read_does_not_hide_the_others(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    google.world.calendars.add(ME, "Club")
    mine.put(event("Review"))
    google.fail("not_found", on="calendar.events.list", after=1)
    page = await read(account)
    assert len(page.skipped) == 1
    assert not page.skipped[0].account and page.skipped[0].whole


async def test_an_account_out_of_reach_is_no_empty_calendar(
    account: Account, google: GoogleEmulator, mine: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("integrations.common.retrying.PAUSE", 0.0)
    mine.put(event("Review"))
    google.fail("unavailable", on="calendar.events.list", times=99)
    with pytest.raises(Unavailable):
        await read(account)


async def test_where_somebody_works_is_no_event(account: Account, mine: Book) -> None:
    id = mine.put(event("Home"))
    mine.entries[id].event["eventType"] = "workingLocation"
    mine.entries[id].event["workingLocationProperties"] = {"type": "homeOffice"}
    assert (await read(account)).items == ()


async def test_a_single_instance_that_one_is_invited_to_can_be_read_without_its_series(account: Account, mine: Book) -> None:
    id = mine.put(event(recurrence=["RRULE:FREQ=DAILY;COUNT=3"]))
    instance = await only(account)
    mine.entries[f"{id}_20261119T140000Z"] = mine.entries.pop(id)
    alone = mine.entries[f"{id}_20261119T140000Z"].event
    alone.pop("recurrence")
    alone |= {"id": f"{id}_20261119T140000Z", "recurringEventId": id, "originalStartTime": at(15)}
    found = await account.readers.calendar.get(instance.ref)
    assert (found.title, found.recurrence, found.rrule) == ("Review", instance.recurrence, "")


async def test_an_instance_of_an_all_day_series_is_found_by_its_day(account: Account, mine: Book) -> None:
    mine.put(
        {"summary": "Fair", "start": {"date": "2026-11-18"}, "end": {"date": "2026-11-19"}, "recurrence": ["RRULE:FREQ=DAILY"]}
    )
    instance = await only(account)
    assert await account.readers.calendar.get(instance.ref) == instance


async def test_an_all_day_instance_is_found_on_a_day_without_midnight(google: GoogleEmulator, account: Account, mine: Book) -> None:
    cairo = ZoneInfo("Africa/Cairo")  # on 30 April 2027 its clocks go from 00:00 to 01:00
    reader = GoogleCalendarReader(account.readers.calendar._google, account="home", owner=ME, zone=cairo)  # type: ignore[attr-defined]
    days = {"start": {"date": "2027-04-30"}, "end": {"date": "2027-05-01"}}
    mine.put({"summary": "Fair", "recurrence": ["RRULE:FREQ=WEEKLY"], **days})
    day = datetime(2027, 4, 30, tzinfo=cairo)
    (found,) = (await reader.events(EventQuery(start=day, end=day + timedelta(days=1)))).items
    kept = EventRef.model_validate_json(found.ref.model_dump_json())
    assert (await reader.get(kept)).title == "Fair"


async def test_an_event_of_the_own_calendar_is_found_without_its_name(account: Account, mine: Book) -> None:
    id = mine.put(event(attendees=[{"email": ME, "responseStatus": "accepted"}]))
    assert (await account.readers.calendar.get(EventRef(account="home", calendar="", id=id))).my_answer == "accepted"


async def test_what_was_removed_is_not_found_though_google_still_tells_of_it(account: Account, mine: Book) -> None:
    id = mine.put(event())
    mine.remove(id)
    with pytest.raises(NotFound):
        await account.readers.calendar.get(EventRef(account="home", calendar=ME, id=id))


# Invitations


async def invitations(account: Account) -> list[Event]:
    return list(await account.readers.calendar.invitations(DAY))


async def test_an_invitation_from_another_account_arrives_and_awaits_an_answer(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    google.account(ANNA, name="Anna Berg")
    google.world.calendars.primary(ANNA).put(event("Kick-off", attendees=[{"email": ME}]))
    (found,) = await invitations(account)
    assert (found.title, found.my_answer, str(found.organizer)) == ("Kick-off", "needs-action", f"Anna Berg <{ANNA}>")


async def test_an_instance_is_asked_for_by_itself_where_its_series_was_answered(account: Account, mine: Book) -> None:
    organizer = {"email": ANNA}
    asked, accepted = {"email": ME, "responseStatus": "needsAction"}, {"email": ME, "responseStatus": "accepted"}
    id = mine.put(event(recurrence=["RRULE:FREQ=DAILY;COUNT=3"], organizer=organizer, attendees=[accepted]))
    mine.change(f"{id}_20261120T140000Z", attendees=[asked], summary="Moved")
    (found,) = await invitations(account)
    assert (found.title, found.recurrence) == ("Moved", datetime(2026, 11, 20, 15, tzinfo=BERLIN))


async def test_a_series_and_its_changed_instances_are_asked_for_once(account: Account, mine: Book) -> None:
    id = mine.put(event("Daily", recurrence=["RRULE:FREQ=DAILY;COUNT=3"], organizer={"email": ANNA}, attendees=[{"email": ME}]))
    mine.change(f"{id}_20261120T140000Z", summary="Moved")
    (found,) = await invitations(account)
    assert (found.title, found.recurrence, found.start) == ("Daily", None, DAY.replace(hour=15))
    assert found == (await account.readers.calendar.get(found.ref)).model_copy(update={"start": found.start, "end": found.end})


async def test_a_series_that_vanishes_meanwhile_does_not_hide_the_other_invitations(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    asked = {"organizer": {"email": ANNA}, "attendees": [{"email": ME}]}
    mine.put(event("Series", recurrence=["RRULE:FREQ=DAILY;COUNT=3"], **asked))
    mine.put(event("Single", **asked))
    google.fail("not_found", on="calendar.events.instances")
    assert [one.title for one in await invitations(account)] == ["Single"]


async def test_what_is_over_awaits_no_answer(account: Account, mine: Book) -> None:
    mine.put({**event(attendees=[{"email": ME}], organizer={"email": ANNA}), "start": at(9, 18), "end": at(10, 18)})
    assert await invitations(account) == []


# Free/busy of others


async def busy(account: Account, *emails: str) -> list[tuple[str, list[tuple[int, int]], str]]:
    told = await account.readers.calendar.busy(emails, DAY, DAY + timedelta(days=1))
    return [(one.email, [(start.hour, end.hour) for start, end in one.times], one.unknown) for one in told]


async def test_busy_times_of_others_are_told_as_far_as_they_are_shared(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    google.account(ANNA)
    google.account(TOM)
    hers = google.world.calendars.primary(ANNA)
    hers.put(event("Review", 15))
    hers.put(event("Free", 9, transparency="transparent"))
    google.world.calendars.share(ANNA, ME, "freeBusyReader")
    anna, tom, stranger = await busy(account, ANNA, TOM, "who@ever.example")
    assert anna == (ANNA, [(15, 16)], "")
    assert (tom[:2], stranger[:2]) == ((TOM, []), ("who@ever.example", []))
    assert tom[2] and stranger[2]


async def test_more_people_than_one_question_may_name_are_asked_for_in_several(
    account: Account, google: GoogleEmulator, mine: Book
) -> None:
    many = [f"p{number}@north.example" for number in range(120)]
    assert [email for email, _, _ in await busy(account, *many)] == many
    assert [request.api for request in google.requests] == ["calendar.freebusy.query"] * 3


async def test_a_long_time_is_asked_for_in_pieces(account: Account, google: GoogleEmulator, mine: Book) -> None:
    google.account(ANNA)
    hers = google.world.calendars.primary(ANNA)
    hers.put(event(recurrence=["RRULE:FREQ=MONTHLY;COUNT=4"]))
    google.world.calendars.share(ANNA, ME, "freeBusyReader")
    (told,) = await account.readers.calendar.busy([ANNA], DAY, DAY + timedelta(days=200))
    assert [start.month for start, _ in told.times] == [11, 12, 1, 2]
    assert [request.api for request in google.requests] == ["calendar.freebusy.query"] * 4
