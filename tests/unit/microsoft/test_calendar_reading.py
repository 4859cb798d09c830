"""What is Microsoft's own about reading its calendars; all that every provider promises stands in the contract suite."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.graph import GraphEmulator
from doubles.graph.calendar import Calendar as Book
from doubles.secrets import KeptSecrets

from integrations.errors import NotFound, Unavailable
from integrations.microsoft.calendar import read_all
from integrations.microsoft.events import Place
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import Event, EventQuery, EventRef, Page

BERLIN = ZoneInfo("Europe/Berlin")
ME, ANNA, TOM = "me@home.example", "anna@north.example", "tom@north.example"
DAY = datetime(2026, 11, 19, tzinfo=BERLIN)


@pytest.fixture
def mine(graph: GraphEmulator, account: Account) -> Book:
    book = graph.world.calendars(ME).default
    book.zone = "Europe/Berlin"
    return book


@pytest.fixture
def hers(graph: GraphEmulator) -> Book:
    graph.account(ANNA, name="Anna Berg")
    return graph.world.calendars(ANNA).default


def at(hour: int, day: int = 19, zone: str = "W. Europe Standard Time") -> dict[str, str]:
    return {"dateTime": f"2026-11-{day:02}T{hour:02}:00:00", "timeZone": zone}


def guests(*emails: str, type: str = "required") -> list[dict[str, Any]]:
    return [{"emailAddress": {"address": email}, "type": type} for email in emails]


def event(title: str = "Review", hour: int = 15, **fields: Any) -> dict[str, Any]:
    return {"subject": title, "start": at(hour), "end": at(hour + 1), **fields}


def repeated(count: int, kind: str = "daily", **pattern: Any) -> dict[str, Any]:
    span = {"type": "numbered", "startDate": "2026-11-19", "numberOfOccurrences": count}
    return {"pattern": {"type": kind, "interval": 1, **pattern}, "range": {**span, "recurrenceTimeZone": "W. Europe Standard Time"}}


def person(email: str) -> dict[str, Any]:
    return {"emailAddress": {"address": email, "name": ""}}


async def read(account: Account, days: int = 1, **query: Any) -> Page[Event]:
    return await account.readers.calendar.events(EventQuery(start=DAY, end=DAY + timedelta(days=days), **query))


async def only(account: Account) -> Event:
    (found,) = (await read(account)).items
    return found


def sent(graph: GraphEmulator) -> list[str]:
    return [request.api for request in graph.requests if not request.api.startswith("oauth")]


async def test_rooms_are_no_people(account: Account, mine: Book) -> None:
    mine.put(event(attendees=[*guests(TOM, type="optional"), *guests("room@home.example", type="resource")]))
    assert [(one.address.email, one.optional) for one in (await only(account)).attendees] == [(TOM, True)]


async def test_a_description_with_markup_is_read_as_what_it_shows(account: Account, mine: Book) -> None:
    mine.put(event(body={"contentType": "html", "content": "<p>Bring <b>figures</b><br>and 3 &lt; 4 cakes</p>"}))
    assert (await only(account)).description == "Bring figures\nand 3 < 4 cakes"


async def test_an_event_of_ones_own_has_no_organizer(account: Account, mine: Book) -> None:
    mine.put(event())
    assert (await only(account)).organizer is None


@pytest.mark.parametrize("name", ["Eastern Standard Time", "America/New_York"])
async def test_a_zone_is_told_by_its_iana_name_however_it_was_written(account: Account, mine: Book, name: str) -> None:
    mine.put({"subject": "Call", "start": at(9, zone=name), "end": at(10, zone=name)})
    found = await only(account)
    assert (found.zone, found.start) == ("America/New_York", DAY.replace(hour=15))


async def test_an_all_day_event_written_in_another_zone_is_the_users_day(account: Account, mine: Book) -> None:
    zone = "New Zealand Standard Time"
    mine.put({"subject": "Fair", "isAllDay": True, "start": at(0, zone=zone), "end": at(0, 20, zone=zone)})
    found = await only(account)
    assert (found.start, found.end, found.all_day) == (DAY, DAY + timedelta(days=1), True)
    evening = EventQuery(start=DAY.replace(hour=20), end=DAY.replace(hour=22))
    assert [one.title for one in (await account.readers.calendar.events(evening)).items] == ["Fair"]


async def test_calendars_that_others_share_may_be_read_only(account: Account, graph: GraphEmulator, mine: Book) -> None:
    calendars = graph.world.calendars(ME)
    calendars.add("A boss's", owner="boss@home.example", can_edit=False)
    calendars.add("A team's", owner="team@home.example")
    listed = await account.readers.calendar.calendars()
    assert [(one.name, one.read_only) for one in listed] == [("Calendar", False), ("A team's", False), ("A boss's", True)]


async def test_the_events_of_all_calendars_are_read_together_and_those_of_one_alone(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    club = graph.world.calendars(ME).add("Club")
    mine.put(event("Review", 15))
    club.put(event("Training", 9))
    assert [(one.title, one.calendar) for one in (await read(account)).items] == [("Training", club.id), ("Review", mine.id)]
    assert [one.title for one in (await read(account, calendars=(club.id,))).items] == ["Training"]


async def test_what_stands_in_somebody_elses_calendar_and_names_nobody_is_theirs(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    graph.world.calendars(ME).add("Anna", owner=ANNA, can_edit=False).put(event("Dentist"))
    assert [one.address.email for one in (await only(account)).attendees] == [ANNA]


async def test_a_series_tells_its_rule_at_every_instance_for_one_request_more_and_only_once(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    for hour in (9, 11):
        mine.put(event(hour=hour, recurrence=repeated(3)))
    for _ in range(2):
        assert [(one.series, one.rrule) for one in (await read(account)).items] == [(True, "FREQ=DAILY;COUNT=3")] * 2
    listing = ["GET /me/calendars", "GET /me/calendars/{calendar}/calendarView"]
    assert sent(graph) == [*listing, "GET /me/events/{event}", "GET /me/events/{event}", *listing]


async def test_a_rule_that_was_changed_is_asked_for_again(account: Account, mine: Book) -> None:
    id = mine.put(event(recurrence=repeated(3)))
    await read(account)
    mine.change(id, recurrence=repeated(4))
    assert (await only(account)).rrule == "FREQ=DAILY;COUNT=4"


async def test_a_very_long_time_is_asked_for_in_pieces_and_each_event_listed_once(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    far = datetime(2031, 10, 25, tzinfo=BERLIN)
    mine.put(event())
    zone = {"timeZone": "UTC"}
    mine.put(
        {
            "subject": "Trip",
            "start": {"dateTime": f"{far:%Y}-10-20T08:00:00", **zone},
            "end": {"dateTime": "2031-10-31T08:00:00", **zone},
        }
    )
    page = await read(account, days=3000)
    assert [one.title for one in page.items] == ["Review", "Trip"]
    assert sent(graph).count("GET /me/calendars/{calendar}/calendarView") == 2


async def test_an_etag_stays_while_exchange_keeps_its_books(account: Account, mine: Book) -> None:
    id = mine.put(event(attendees=guests(ANNA)))
    before = await only(account)
    mine.mailbox.stamp(mine.entries[id])
    assert await only(account) == before


async def test_instances_do_not_change_with_one_another(account: Account, mine: Book) -> None:
    id = mine.put(event(recurrence=repeated(3)))
    before = (await read(account, 9)).items
    mine.change(mine.occurrence_id(id, before[1].start), subject="With cake")
    after = (await read(account, 9)).items
    assert [one.etag == other.etag for one, other in zip(before, after, strict=True)] == [True, False, True]


@pytest.mark.parametrize(
    "broken",
    [
        {"start": {"dateTime": "yesterday"}},
        {"end": None},
        {"start": {}},
        {"attendees": "everybody"},
        {"recurrence": {"pattern": {"type": "hourly"}}},
        {"seriesMasterId": "x", "originalStart": "soon"},
    ],
)
def test_an_event_that_cannot_be_read_is_skipped_with_a_reason(broken: dict[str, Any]) -> None:
    place = Place(account="home", calendar="c", owner=ME, zone=BERLIN)
    good = event("Review") | {"id": "a1"}
    events, skipped = read_all([good | {"subject": "Broken"} | broken, good], place, {})
    assert [one.title for one in events] == ["Review"]
    assert [(one.where, bool(one.reason)) for one in skipped] == [("Broken", True)]


@pytest.mark.parametrize("name", ["Customized Time Zone", "tzone://Microsoft/Custom", "", None])
def test_an_event_in_a_zone_that_nobody_knows_is_read_all_the_same(name: str | None) -> None:
    place = Place(account="home", calendar="c", owner=ME, zone=BERLIN)
    utc = {side: at(hour, zone="UTC") for side, hour in (("start", 14), ("end", 15))}
    weekly = repeated(3, "weekly", daysOfWeek=["thursday"], firstDayOfWeek="sunday")
    (found,), _ = read_all([{"id": "a1", **utc, "originalStartTimeZone": name, "recurrence": weekly}], place, {})
    assert (found.start, found.zone, found.rrule) == (DAY.replace(hour=15), "", "FREQ=WEEKLY;BYDAY=TH;COUNT=3")


async def test_a_calendar_that_cannot_be_read_does_not_hide_the_others(account: Account, graph: GraphEmulator, mine: Book) -> None:
    graph.world.calendars(ME).add("Club")
    mine.put(event("Review"))
    graph.fail("not_found", on="GET /me/calendars/{calendar}/calendarView")
    page = await read(account)
    assert len(page.skipped) == 1
    assert not page.skipped[0].account and page.skipped[0].whole


async def test_an_account_out_of_reach_is_no_empty_calendar(account: Account, graph: GraphEmulator, mine: Book) -> None:
    mine.put(event("Review"))
    graph.fail("unavailable", on="GET /me/calendars/{calendar}/calendarView", times=99)
    with pytest.raises(Unavailable):
        await read(account)


async def test_what_has_no_answer_is_not_taken_for_gone(account: Account, graph: GraphEmulator, mine: Book) -> None:
    id = mine.put(event(recurrence=repeated(3)))
    instance = EventRef(account="home", calendar=mine.id, id=id, recurrence=DAY.replace(hour=15))
    graph.fail("unavailable", on="GET /me/events/{event}/instances", times=99)
    with pytest.raises(Unavailable):
        await account.readers.calendar.get(instance)


async def test_an_instance_that_was_moved_far_away_is_found(account: Account, mine: Book) -> None:
    id = mine.put(event(recurrence=repeated(3, "weekly", daysOfWeek=["thursday"], firstDayOfWeek="monday")))
    original = DAY.replace(hour=15) + timedelta(days=7)
    mine.change(mine.occurrence_id(id, original), start=at(15, 30), end=at(16, 30))
    found = await account.readers.calendar.get(EventRef(account="home", calendar=mine.id, id=id, recurrence=original))
    assert (found.start.day, found.recurrence) == (30, original)


async def test_an_instance_in_an_hour_that_comes_twice_is_found(account: Account, mine: Book) -> None:
    night = {
        side: {"dateTime": f"2026-10-24T0{hour}:30:00", "timeZone": "Europe/Berlin"} for side, hour in (("start", 2), ("end", 5))
    }
    span = {"type": "numbered", "startDate": "2026-10-24", "numberOfOccurrences": 3, "recurrenceTimeZone": "Europe/Berlin"}
    mine.put({"subject": "Watch", **night, "recurrence": {"pattern": {"type": "daily", "interval": 1}, "range": span}})
    start = datetime(2026, 10, 24, tzinfo=BERLIN)
    page = await account.readers.calendar.events(EventQuery(start=start, end=start + timedelta(days=3)))
    for one in page.items:
        assert await account.readers.calendar.get(EventRef.model_validate_json(one.ref.model_dump_json())) == one


async def test_an_event_has_no_instances_unless_it_repeats(account: Account, mine: Book) -> None:
    id = mine.put(event())
    with pytest.raises(NotFound):
        await account.readers.calendar.get(EventRef(account="home", calendar="", id=id, recurrence=DAY.replace(hour=15)))


async def test_an_event_of_the_own_calendar_is_found_without_its_name(account: Account, mine: Book) -> None:
    id = mine.put(event(attendees=guests(ME)), organizer=person(ANNA))
    found = await account.readers.calendar.get(EventRef(account="home", calendar="", id=id))
    assert (found.my_answer, found.calendar) == ("needs-action", mine.id)


async def test_a_meeting_that_was_called_off_is_gone(account: Account, mine: Book) -> None:
    id = mine.put(event(attendees=guests(ME)), organizer=person(ANNA))
    mine.entries[id].event["isCancelled"] = True
    assert (await read(account)).items == ()
    with pytest.raises(NotFound):
        await account.readers.calendar.get(EventRef(account="home", calendar=mine.id, id=id))


# Invitations


async def invitations(account: Account) -> list[Event]:
    return list(await account.readers.calendar.invitations(DAY))


async def test_an_invitation_from_another_account_arrives_and_awaits_an_answer(account: Account, mine: Book, hers: Book) -> None:
    hers.put(event("Kick-off", attendees=guests(ME)))
    (found,) = await invitations(account)
    assert (found.title, found.my_answer, str(found.organizer)) == ("Kick-off", "needs-action", f"Anna Berg <{ANNA}>")


async def test_whoever_is_invited_by_a_list_is_asked_too(account: Account, mine: Book) -> None:
    mine.put(event("All hands", attendees=guests("all@home.example")), organizer=person(ANNA))
    assert [(one.title, one.my_answer) for one in await invitations(account)] == [("All hands", "needs-action")]


async def test_a_long_series_is_asked_for_in_few_requests(account: Account, graph: GraphEmulator, mine: Book) -> None:
    mine.put(event("Daily", recurrence=repeated(300), attendees=guests(ME)), organizer=person(ANNA))
    (found,) = await invitations(account)
    assert (found.title, found.recurrence, found.start) == ("Daily", None, DAY.replace(hour=15))
    assert len(sent(graph)) <= 4
    assert found == await account.readers.calendar.get(found.ref)


async def test_what_is_over_awaits_no_answer(account: Account, mine: Book) -> None:
    mine.put({**event(attendees=guests(ME)), "start": at(9, 18), "end": at(10, 18)}, organizer=person(ANNA))
    assert await invitations(account) == []


# Free/busy


async def busy(account: Account, *emails: str, days: int = 1) -> list[tuple[str, list[tuple[int, int]], str]]:
    told = await account.readers.calendar.busy(emails, DAY, DAY + timedelta(days=days))
    return [(one.email, [(start.hour, end.hour) for start, end in one.times], one.unknown) for one in told]


async def test_busy_times_of_others_are_told_as_far_as_they_are_known(account: Account, mine: Book, hers: Book) -> None:
    for hour, shown in ((9, "free"), (11, "tentative"), (13, "workingElsewhere"), (15, "busy"), (17, "oof")):
        hers.put(event(shown, hour, showAs=shown))
    anna, stranger = await busy(account, ANNA, "who@ever.example")
    assert anna == (ANNA, [(11, 12), (15, 16), (17, 18)], "")
    assert stranger[:2] == ("who@ever.example", [])
    assert stranger[2]


async def test_more_people_than_one_question_may_name_are_asked_for_in_several(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    many = [f"p{number}@north.example" for number in range(45)]
    assert [email for email, _, _ in await busy(account, *many)] == many
    assert sent(graph) == ["POST /me/calendar/getSchedule"] * 3


async def test_a_long_time_is_asked_for_in_pieces(account: Account, graph: GraphEmulator, mine: Book, hers: Book) -> None:
    hers.put(event(recurrence=repeated(4, "absoluteMonthly", dayOfMonth=19)))
    (told,) = await account.readers.calendar.busy([ANNA], DAY, DAY + timedelta(days=200))
    assert [start.month for start, _ in told.times] == [11, 12, 1, 2]
    assert sent(graph) == ["POST /me/calendar/getSchedule"] * 4


async def test_a_personal_account_tells_its_own_time_and_says_why_it_cannot_tell_others(
    graph: GraphEmulator, tmp_path: Any
) -> None:
    secrets = KeptSecrets(home=graph.secret(graph.account(ME, kind="personal")))
    settings = {"endpoint": graph.url, "personal": "yes"}
    config = AccountConfig(name="home", kind="microsoft", address=ME, settings=settings)
    opened = open_account(config, zone=BERLIN, index=tmp_path, secrets=secrets)
    book = graph.world.calendars(ME).default
    book.put(event())
    book.put(event("Idle", 9, showAs="free"))
    me, anna = await busy(opened, ME, ANNA)
    await opened.close()
    assert me == (ME, [(15, 16)], "")
    assert anna == (ANNA, [], "a personal Microsoft account can't ask when others have time")


async def test_what_others_have_in_shared_calendars_is_not_ones_own_time(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    graph.fail("forbidden", on="POST /me/calendar/getSchedule")
    calendars = graph.world.calendars(ME)
    calendars.add("Club").put(event(hour=19))
    calendars.add("Anna", owner=ANNA, can_edit=False).put(event(hour=9))
    assert await busy(account, ME) == [(ME, [(19, 20)], "")]


async def test_where_an_organisation_lets_nobody_ask_nothing_is_told(account: Account, graph: GraphEmulator, mine: Book) -> None:
    graph.fail("forbidden", on="POST /me/calendar/getSchedule")
    mine.put(event())
    me, anna = await busy(account, ME, ANNA)
    assert (me[1], anna[1], bool(anna[2])) == ([(15, 16)], [], True)
