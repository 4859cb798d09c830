"""What is Microsoft's own about writing its calendars; all that every provider promises stands in the contract suite."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.graph import Call, GraphEmulator
from doubles.graph.calendar import Calendar as Book
from doubles.graph.faults import Fault
from doubles.graph.operations import OPERATIONS

from integrations.actions import AnswerInvitation, CancelEvent, CreateEvent, RestoreEvent, UpdateEvent
from integrations.errors import Conflict, InvalidResponse, NotFound, ReadOnly, Unavailable, Unknowable
from integrations.registry import Account
from integrations.types import Address, Event, EventQuery
from risk.provenance import addresses_in_ics

BERLIN = ZoneInfo("Europe/Berlin")
ME, ANNA, TOM = "me@home.example", "anna@north.example", "tom@north.example"
DAY = datetime(2026, 11, 19, tzinfo=BERLIN)
PATCH, POST = "PATCH /me/events/{event}", "POST /me/calendars/{calendar}/events"


@pytest.fixture
def mine(graph: GraphEmulator, account: Account) -> Book:
    book = graph.world.calendars(ME).default
    book.zone = "Europe/Berlin"
    return book


@pytest.fixture
def hers(graph: GraphEmulator) -> Book:
    graph.account(ANNA, name="Anna Berg")
    return graph.world.calendars(ANNA).default


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 11, day, hour, tzinfo=BERLIN)


def event(title: str = "Review", hour: int = 15, **fields: Any) -> dict[str, Any]:
    times = {"start": at(19, hour), "end": at(19, hour + 1)}
    zone = {"timeZone": "W. Europe Standard Time"}
    return {"subject": title, **{name: {"dateTime": f"{it:%Y-%m-%dT%H:%M:%S}", **zone} for name, it in times.items()}, **fields}


def guests(*emails: str) -> list[dict[str, Any]]:
    return [{"emailAddress": {"address": email}, "type": "required"} for email in emails]


def person(email: str, name: str = "") -> dict[str, Any]:
    return {"emailAddress": {"address": email, "name": name}}


def create(*invited: str, **fields: Any) -> CreateEvent:
    people = tuple(Address(email=email) for email in invited)
    given = {"account": "home", "title": "Lunch", "start": at(19, 12), "end": at(19, 13), "attendees": people}
    return CreateEvent(**(given | fields))


async def events(account: Account, days: int = 1) -> tuple[Event, ...]:
    return (await account.readers.calendar.events(EventQuery(start=DAY, end=DAY + timedelta(days=days)))).items


async def only(account: Account) -> Event:
    (found,) = await events(account)
    return found


async def write(account: Account, action: Any, key: str = "k1") -> Any:
    return await account.writers.calendar.execute(action, key)


def mails(graph: GraphEmulator) -> list[tuple[str, str]]:
    return [(notice.to, notice.kind) for notice in graph.world.notices]


def sent(graph: GraphEmulator, operation: str) -> int:
    return [request.api for request in graph.requests].count(operation)


# Who hears of it


async def test_whoever_is_invited_hears_of_it_and_has_it_in_their_calendar(
    account: Account, graph: GraphEmulator, mine: Book, hers: Book
) -> None:
    await write(account, create(ANNA, TOM))
    assert mails(graph) == [(ANNA, "invitation"), (TOM, "invitation")]
    assert [entry.event["subject"] for entry in hers.entries.values()] == ["Lunch"]


async def test_an_event_of_ones_own_mails_nobody(account: Account, graph: GraphEmulator, mine: Book) -> None:
    await write(account, create())
    await write(account, UpdateEvent(account="home", event=(await only(account)).ref, title="Brunch"), "k2")
    await write(account, CancelEvent(account="home", event=(await only(account)).ref), "k3")
    assert mails(graph) == []


@pytest.mark.parametrize(
    ("answer", "told"), [("accepted", "accepted"), ("tentative", "tentativelyAccepted"), ("declined", "declined")]
)
async def test_an_answer_reaches_the_organizer_with_its_comment(
    account: Account, graph: GraphEmulator, mine: Book, hers: Book, answer: Any, told: str
) -> None:
    id = hers.put(event("Kick-off", attendees=guests(ME, TOM)))
    before = len(mails(graph))
    action = AnswerInvitation(account="home", event=(await only(account)).ref, answer=answer, comment="See you")
    await write(account, action)
    answers = {one["emailAddress"]["address"]: one["status"]["response"] for one in hers.event(id)["attendees"]}
    assert answers == {ME: told, TOM: "none"}
    assert mails(graph)[before:] == [(ANNA, "reply")]
    assert graph.world.notices[-1].comment == "See you"


async def test_an_organizer_who_wants_no_answers_is_sent_none(account: Account, graph: GraphEmulator, mine: Book) -> None:
    mine.put(event("Kick-off", attendees=guests(ME), responseRequested=False), organizer=person(ANNA))
    await write(account, AnswerInvitation(account="home", event=(await only(account)).ref, answer="accepted"))
    assert ((await only(account)).my_answer, mails(graph)) == ("accepted", [])


async def test_what_is_declined_is_gone_unless_outlook_is_set_to_keep_it(
    account: Account, graph: GraphEmulator, mine: Book, hers: Book
) -> None:
    hers.put(event("Kick-off", attendees=guests(ME)))
    action = AnswerInvitation(account="home", event=(await only(account)).ref, answer="declined")
    receipt = await write(account, action)
    assert (await events(account), receipt.id, receipt.undo) == ((), "", ())
    assert await account.writers.calendar.find(action, "k1") == receipt


async def test_an_answer_can_be_changed_back_to_an_earlier_one_only(
    account: Account, graph: GraphEmulator, mine: Book, hers: Book
) -> None:
    hers.put(event("Kick-off", attendees=guests(ME)))
    first = await write(account, AnswerInvitation(account="home", event=(await only(account)).ref, answer="tentative"))
    second = await write(account, AnswerInvitation(account="home", event=(await only(account)).ref, answer="accepted"), "k2")
    assert first.undo == ()
    await write(account, second.undo[0], "k3")
    assert (await only(account)).my_answer == "tentative"


async def test_one_cannot_answer_ones_own_invitation(account: Account, graph: GraphEmulator, mine: Book) -> None:
    mine.put(event(attendees=guests(ME, ANNA)))
    with pytest.raises(NotFound):
        await write(account, AnswerInvitation(account="home", event=(await only(account)).ref, answer="accepted"))


async def test_guests_are_told_why_a_meeting_is_called_off(account: Account, graph: GraphEmulator, mine: Book) -> None:
    mine.put(event(attendees=guests(ANNA)))
    before = len(mails(graph))
    await write(account, CancelEvent(account="home", event=(await only(account)).ref, comment="I am ill"))
    assert mails(graph)[before:] == [(ANNA, "cancellation")]
    assert graph.world.notices[-1].comment == "I am ill"


async def test_what_an_undo_holds_names_those_who_will_hear_of_it(account: Account, mine: Book) -> None:
    mine.put(event(attendees=guests(ANNA, TOM)))
    eva = Address(email="eva@south.example")
    change = UpdateEvent(account="home", event=(await only(account)).ref, add_attendees=(eva,), remove_attendees=(TOM,))
    (undo,) = (await write(account, change)).undo
    assert isinstance(undo, RestoreEvent)
    assert addresses_in_ics(undo.ics) == {ANNA, TOM, "eva@south.example"}


# Somebody else's event


async def test_what_is_the_organizers_a_guest_cannot_change(account: Account, mine: Book, hers: Book) -> None:
    hers.put(event("Kick-off", attendees=guests(ME)))
    with pytest.raises(ReadOnly, match="Anna Berg organises this event"):
        await write(account, UpdateEvent(account="home", event=(await only(account)).ref, title="Mine"))
    assert (await only(account)).title == "Kick-off"


async def test_a_guest_removes_only_the_own_copy_and_is_told_so(
    account: Account, graph: GraphEmulator, mine: Book, hers: Book
) -> None:
    id = hers.put(event("Kick-off", attendees=guests(ME)))
    before = len(mails(graph))
    receipt = await write(account, CancelEvent(account="home", event=(await only(account)).ref))
    assert (await events(account), hers.event(id)["subject"]) == ((), "Kick-off")
    assert (receipt.note, receipt.undo) == ("It is gone from your calendar only: Anna Berg organises it.", ())
    assert mails(graph)[before:] == []


async def test_nobody_is_told_why_a_guest_leaves(account: Account, graph: GraphEmulator, mine: Book, hers: Book) -> None:
    hers.put(event("Kick-off", attendees=guests(ME)))
    before = len(mails(graph))
    assert (await only(account)).guest
    receipt = await write(account, CancelEvent(account="home", event=(await only(account)).ref, comment="I am away"))
    assert (await events(account), mails(graph)[before:]) == ((), [])
    assert receipt.note.endswith("Your words were told to nobody.")


async def test_what_somebody_shares_is_no_guests_copy(account: Account, graph: GraphEmulator, mine: Book) -> None:
    hers = graph.world.calendars(ME).add("Anna", owner=ANNA)
    hers.put(event(attendees=guests(ANNA, ME)), organizer=person(TOM))
    assert not (await only(account)).guest


# Once only


@pytest.mark.parametrize(
    "change",
    [
        lambda ref: AnswerInvitation(account="home", event=ref, answer="declined"),
        lambda ref: CancelEvent(account="home", event=ref, comment="No."),
    ],
)
async def test_nobody_is_answered_in_the_name_of_who_shares_a_calendar(
    account: Account, graph: GraphEmulator, mine: Book, change: Any
) -> None:
    hers = graph.world.calendars(ME).add("Anna", owner=ANNA)
    hers.put(event(attendees=guests(ANNA, ME)), organizer=person(TOM))
    with pytest.raises(ReadOnly, match="your own"):
        await write(account, change((await only(account)).ref))
    assert mails(graph) == []


async def test_in_a_calendar_that_somebody_shares_their_events_can_be_changed(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    graph.world.calendars(ME).add("Anna", owner=ANNA).put(event("Dentist"))
    await write(account, UpdateEvent(account="home", event=(await only(account)).ref, title="Optician"))
    assert (await only(account)).title == "Optician"


async def test_a_change_made_twice_under_one_key_is_sent_once(account: Account, graph: GraphEmulator, mine: Book) -> None:
    mine.put(event())
    change = UpdateEvent(account="home", event=(await only(account)).ref, title="Talk")
    first, again = await write(account, change), await write(account, change)
    assert (first.id, first.etag) == (again.id, again.etag)
    assert sent(graph, PATCH) == 1


async def test_the_same_change_by_somebody_else_is_not_taken_for_ones_own(account: Account, mine: Book) -> None:
    id = mine.put(event())
    change = UpdateEvent(account="home", event=(await only(account)).ref, title="Talk")
    mine.change(id, subject="Talk")
    assert await account.writers.calendar.find(change, "k1") is None


async def test_a_change_is_found_though_others_came_after_it(account: Account, mine: Book) -> None:
    id = mine.put(event())
    first = UpdateEvent(account="home", event=(await only(account)).ref, title="Talk")
    await write(account, first)
    for number in range(2, 5):
        await write(account, UpdateEvent(account="home", event=(await only(account)).ref, title=f"Talk {number}"), f"k{number}")
    mine.change(id, subject="Theirs")
    assert await account.writers.calendar.find(first, "k1") is not None


async def test_a_change_of_the_series_is_not_taken_for_one_of_its_instances(account: Account, mine: Book) -> None:
    await write(account, create(rrule="FREQ=DAILY;COUNT=3"), "k0")
    instance = (await only(account)).ref
    whole = instance.model_copy(update={"recurrence": None})
    await write(account, UpdateEvent(account="home", event=whole, title="Talk"))
    assert await account.writers.calendar.find(UpdateEvent(account="home", event=instance, title="Talk"), "k1") is None


@pytest.mark.parametrize("made", [create, CancelEvent, UpdateEvent])
async def test_of_a_calendar_that_is_no_longer_shared_nothing_is_taken_for_certain(
    account: Account, graph: GraphEmulator, mine: Book, made: Any
) -> None:
    calendars = graph.world.calendars(ME)
    theirs = calendars.add("Team", owner=ANNA)
    theirs.put(event())
    action = create(calendar=theirs.id) if made is create else made(account="home", event=(await only(account)).ref)
    assert await account.writers.calendar.find(action, "k1") is None
    calendars.all.pop(theirs.id)
    with pytest.raises(Unknowable):
        await account.writers.calendar.find(action, "k1")


async def test_a_lost_reply_leaves_one_event_and_is_settled_by_asking(account: Account, graph: GraphEmulator, mine: Book) -> None:
    graph.fail("drop_after", on=POST)
    with pytest.raises(Unavailable):
        await write(account, create(ANNA))
    found = await account.writers.calendar.find(create(ANNA), "k1")
    assert found == await write(account, create(ANNA))
    assert len(await events(account)) == 1
    assert mails(graph) == [(ANNA, "invitation")]


@pytest.mark.parametrize("refusal", ["too_many", "forbidden", "unauthorized"])
async def test_an_answer_that_was_given_is_not_said_to_have_failed(
    account: Account, graph: GraphEmulator, mine: Book, hers: Book, refusal: Fault
) -> None:
    hers.put(event("Kick-off", attendees=guests(ME)))
    action = AnswerInvitation(account="home", event=(await only(account)).ref, answer="accepted")
    graph.fail(refusal, on="GET /me/events/{event}", after=1, times=10, seconds=60)
    with pytest.raises(Unavailable):
        await write(account, action)
    assert (await only(account)).my_answer == "accepted"


async def test_a_creation_is_sent_once_whatever_is_answered(account: Account, graph: GraphEmulator, mine: Book) -> None:
    graph.fail("unavailable", on=POST)
    with pytest.raises(Unavailable):
        await write(account, create())
    assert sent(graph, POST) == 1


async def test_what_was_made_under_a_key_and_changed_since_is_found_by_it(account: Account, mine: Book) -> None:
    first = await write(account, create())
    mine.change(first.id, subject="Dinner")
    found = await account.writers.calendar.find(create(), "k1")
    assert found is not None
    assert (found.id, found.etag) == (first.id, (await only(account)).etag)


@pytest.mark.parametrize("all_day", [False, True])
async def test_what_was_removed_is_gone_though_graph_still_answers_for_it(
    account: Account, graph: GraphEmulator, mine: Book, all_day: bool
) -> None:
    graph.world.calendars(ME).lingers = True
    await write(account, create(all_day=all_day), "k0")
    action = CancelEvent(account="home", event=(await only(account)).ref)
    assert await account.writers.calendar.find(action, "k1") is None
    await write(account, action)
    assert await account.writers.calendar.find(action, "k1") is not None


async def test_an_event_that_somebody_removed_is_gone_though_graph_still_answers_for_it(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    graph.world.calendars(ME).lingers = True
    id = mine.put(event())
    ref = (await only(account)).ref
    mine.remove(id)
    with pytest.raises(NotFound):
        await account.readers.calendar.get(ref)
    with pytest.raises(NotFound):
        await write(account, UpdateEvent(account="home", event=ref, title="Talk"))
    assert sent(graph, PATCH) == 0


async def test_what_was_removed_comes_back_though_graph_still_answers_for_it(
    account: Account, graph: GraphEmulator, mine: Book
) -> None:
    graph.world.calendars(ME).lingers = True
    mine.put(event())
    receipt = await write(account, CancelEvent(account="home", event=(await only(account)).ref))
    await write(account, receipt.undo[0], "k2")
    assert (await only(account)).title == "Review"


@pytest.fixture
def hasty(mine: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody changes the event in the moment before a change or a removal arrives."""
    for operation in (PATCH, "DELETE /me/events/{event}"):

        def behind(call: Call, real: Any = OPERATIONS.handlers[operation]) -> Any:
            mine.change(call.path["event"], subject="Theirs")
            return real(call)

        monkeypatch.setitem(OPERATIONS.handlers, operation, behind)


@pytest.mark.parametrize(
    "change", [lambda ref: UpdateEvent(account="home", event=ref, title="Talk"), lambda ref: CancelEvent(account="home", event=ref)]
)
async def test_a_change_between_reading_and_writing_is_a_conflict(account: Account, mine: Book, hasty: None, change: Any) -> None:
    mine.put(event())
    with pytest.raises(Conflict):
        await write(account, change((await only(account)).ref))
    assert (await only(account)).title == "Theirs"


# Where it goes and in which form


async def test_without_a_calendar_named_it_goes_into_the_default_one(account: Account, graph: GraphEmulator, mine: Book) -> None:
    graph.world.calendars(ME).add("A club")
    receipt = await write(account, create())
    assert (await only(account)).calendar == mine.id
    assert isinstance(receipt.undo[0], CancelEvent) and receipt.undo[0].event.calendar == mine.id


async def test_times_are_written_in_the_words_of_windows(account: Account, mine: Book) -> None:
    receipt = await write(account, create())
    assert mine.event(receipt.id)["start"]["timeZone"] == "W. Europe Standard Time"


async def test_an_hour_that_comes_twice_is_written_so_that_it_is_the_right_one(account: Account, mine: Book) -> None:
    second = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1)
    await write(account, create(start=second, end=second.replace(fold=0, hour=4)))
    query = EventQuery(start=datetime(2026, 10, 25, tzinfo=BERLIN), end=DAY)
    (found,) = (await account.readers.calendar.events(query)).items
    assert found.start.astimezone(ZoneInfo("UTC")).hour == 1


async def test_what_is_not_named_stays_as_outlook_has_it(account: Account, mine: Book) -> None:
    kept = {"categories": ["Red category"], "reminderMinutesBeforeStart": 5, "sensitivity": "private", "importance": "high"}
    id = mine.put(event(**kept))
    await write(account, UpdateEvent(account="home", event=(await only(account)).ref, start=at(19, 9)))
    standing = mine.event(id)
    assert {name: standing[name] for name in kept} == kept


async def test_an_event_that_ends_in_another_zone_keeps_both(account: Account, mine: Book) -> None:
    landing = {"dateTime": "2026-11-19T12:00:00", "timeZone": "Eastern Standard Time"}
    id = mine.put({**event("Flight", 10), "end": landing})
    await write(account, UpdateEvent(account="home", event=(await only(account)).ref, start=at(19, 11)))
    standing = mine.event(id)
    zones = [standing[side]["timeZone"] for side in ("start", "end")]
    assert zones == ["W. Europe Standard Time", "Eastern Standard Time"]
    assert (await only(account)).end == at(19, 19)


async def test_an_event_that_was_turned_into_an_all_day_one_can_be_turned_back(account: Account, mine: Book) -> None:
    mine.put(event())
    before = await only(account)
    receipt = await write(account, UpdateEvent(account="home", event=before.ref, all_day=True))
    assert (await only(account)).all_day
    await write(account, receipt.undo[0], "k2")
    assert (await only(account)).model_copy(update={"etag": before.etag}) == before


async def test_texts_can_be_emptied_and_come_back(account: Account, mine: Book) -> None:
    mine.put(event(location={"displayName": "Room A"}, body={"contentType": "html", "content": "<p>Bring <b>figures</b></p>"}))
    before = await only(account)
    receipt = await write(account, UpdateEvent(account="home", event=before.ref, location="", description=""))
    assert ((await only(account)).location, (await only(account)).description) == ("", "")
    await write(account, receipt.undo[0], "k2")
    assert (await only(account)) == before


async def test_an_address_with_an_umlaut_in_its_domain_is_invited_and_read_back(account: Account, mine: Book) -> None:
    await write(account, create("eva@münchen.example"))
    assert [one.address.email for one in (await only(account)).attendees] == ["eva@münchen.example"]


async def test_a_new_description_leaves_the_way_into_an_online_meeting(account: Account, mine: Book) -> None:
    way_in = f'<div class="x"><span>{"_" * 80}</span><br><a href="https://teams.example/1">Join</a></div></body></html>'
    html = f"<html><body><p>Old plan</p>{way_in}"
    mine.put(event(body={"contentType": "html", "content": html}, isOnlineMeeting=True))
    before = await only(account)
    assert before.description.startswith("Old plan")
    for description in ("New <plan>\nand more", before.description.replace("Old plan", "New <plan>\nand more")):
        change = UpdateEvent(account="home", event=(await only(account)).ref, description=description)
        await write(account, change, f"k{len(description)}")
        found = (await only(account)).description
        assert found == before.description.replace("Old plan", "New <plan>\nand more")


@pytest.mark.parametrize("rule", ["FREQ=HOURLY", "FREQ=DAILY;COUNT=3;UNTIL=20261225", "FREQ=MONTHLY;BYMONTHDAY=1,19"])
async def test_a_rule_that_outlook_cannot_follow_is_refused_before_anything_is_written(
    account: Account, graph: GraphEmulator, mine: Book, rule: str
) -> None:
    with pytest.raises(InvalidResponse):
        await write(account, create(rrule=rule))
    assert sent(graph, POST) == 0


# What was removed


async def test_what_was_removed_is_made_anew_with_all_that_it_said(account: Account, graph: GraphEmulator, mine: Book) -> None:
    mine.put(event(attendees=guests(ANNA), location={"displayName": "Room A"}, categories=["Red category"], showAs="oof"))
    before = await only(account)
    receipt = await write(account, CancelEvent(account="home", event=before.ref))
    assert addresses_in_ics(receipt.undo[0].ics) == {ANNA}
    told = len(mails(graph))
    back = await write(account, receipt.undo[0], "k2")
    after = await only(account)
    assert after.model_copy(update={"id": before.id, "uid": before.uid}) == before
    assert mine.event(after.id)["categories"] == ["Red category"]
    assert mails(graph)[told:] == [(ANNA, "invitation")]
    assert await account.writers.calendar.find(receipt.undo[0], "k2") == back
    await write(account, back.undo[0], "k3")
    assert await events(account) == ()


async def test_an_instance_that_was_removed_comes_back_as_an_event_of_its_own(account: Account, mine: Book, series: str) -> None:
    instance = (await events(account, 9))[2]
    receipt = await write(account, CancelEvent(account="home", event=instance.ref))
    assert await account.writers.calendar.find(receipt.undo[0], "k2") is None
    await write(account, receipt.undo[0], "k2")
    back = (await events(account, 9))[2]
    assert (back.title, back.start, back.end, back.series) == (instance.title, instance.start, instance.end, False)


async def test_a_series_that_was_removed_comes_back_with_all_that_was_changed_in_it(
    account: Account, mine: Book, series: str
) -> None:
    whole = (await events(account, 9))[0].ref.model_copy(update={"recurrence": None})
    receipt = await write(account, CancelEvent(account="home", event=whole))
    assert await events(account, 9) == ()
    await write(account, receipt.undo[0], "k2")
    assert shape(await events(account, 9)) == BEFORE


async def test_what_is_brought_back_twice_under_one_key_is_made_once(account: Account, graph: GraphEmulator, mine: Book) -> None:
    mine.put(event())
    receipt = await write(account, CancelEvent(account="home", event=(await only(account)).ref))
    graph.fail("drop_after", on=POST)
    with pytest.raises(Unavailable):
        await write(account, receipt.undo[0], "k2")
    assert await account.writers.calendar.find(receipt.undo[0], "k2") == await write(account, receipt.undo[0], "k2")
    assert len(await events(account)) == 1


@pytest.mark.parametrize("held", ["", "BEGIN:VEVENT\nEND:VEVENT", "BEGIN:VEVENT\nX-MICROSOFT-EVENT:[1]\nEND:VEVENT"])
async def test_what_holds_nothing_to_restore_is_refused(account: Account, mine: Book, held: str) -> None:
    mine.put(event())
    with pytest.raises(InvalidResponse):
        await write(account, RestoreEvent(account="home", event=(await only(account)).ref, ics=held))


# Series that move


@pytest.fixture
def series(mine: Book) -> str:
    """Daily at 15:00 for five days: the second was removed, the third moved to 18:00, the fourth has its own title."""
    span = {"type": "numbered", "startDate": "2026-11-19", "numberOfOccurrences": 5}
    pattern = {"type": "daily", "interval": 1}
    recurrence = {"pattern": pattern, "range": {**span, "recurrenceTimeZone": "W. Europe Standard Time"}}
    id = mine.put(event(recurrence=recurrence, attendees=guests(ANNA)))
    mine.remove(mine.occurrence_id(id, at(20, 15)))
    moved = event(hour=18)
    times = {side: {**moved[side], "dateTime": moved[side]["dateTime"].replace("-19T", "-21T")} for side in ("start", "end")}
    mine.change(mine.occurrence_id(id, at(21, 15)), **times)
    mine.change(mine.occurrence_id(id, at(22, 15)), subject="With cake")
    return id


def shape(found: tuple[Event, ...]) -> list[tuple[int, int, str]]:
    return [(one.start.day, one.start.hour, one.title) for one in found]


BEFORE = [(19, 15, "Review"), (21, 18, "Review"), (22, 15, "With cake"), (23, 15, "Review")]
AFTER = [(19, 10, "Review"), (21, 18, "Review"), (22, 10, "With cake"), (23, 10, "Review")]


async def whole_series(account: Account) -> Any:
    return (await events(account, 9))[0].ref.model_copy(update={"recurrence": None, "etag": ""})


async def move_to(account: Account, hour: int) -> Any:
    return await write(account, UpdateEvent(account="home", event=await whole_series(account), start=at(19, hour)))


async def test_a_series_that_moves_takes_along_what_was_changed_in_single_instances(account: Account, series: str) -> None:
    assert shape(await events(account, 9)) == BEFORE
    receipt = await move_to(account, 10)
    assert shape(await events(account, 9)) == AFTER
    assert receipt.note == ""


async def test_a_series_that_moved_goes_back_with_all_that_was_changed_in_it(account: Account, series: str) -> None:
    receipt = await move_to(account, 10)
    again = (await write(account, receipt.undo[0], "k2")).undo[0]
    assert shape(await events(account, 9)) == BEFORE
    await write(account, again, "k3")
    assert shape(await events(account, 9)) == AFTER


async def test_a_series_that_gets_longer_keeps_what_was_changed_in_it(account: Account, series: str) -> None:
    await write(account, UpdateEvent(account="home", event=await whole_series(account), end=at(19, 17)))
    found = await events(account, 9)
    assert shape(found) == BEFORE
    assert [one.end.hour for one in found] == [17, 19, 17, 17]


async def test_a_series_moves_by_a_day_with_all_that_was_changed_in_it(account: Account, series: str) -> None:
    await write(account, UpdateEvent(account="home", event=await whole_series(account), start=at(20, 15)))
    assert shape(await events(account, 9)) == [(20, 15, "Review"), (21, 18, "Review"), (23, 15, "With cake"), (24, 15, "Review")]


@pytest.mark.parametrize(("day", "hour"), [((2026, 10, 25), 2), ((2027, 3, 28), 3)])
async def test_what_was_changed_in_the_night_when_clocks_change_is_taken_along(
    account: Account, mine: Book, day: tuple[int, int, int], hour: int
) -> None:
    night = datetime(*day, 2, 30, tzinfo=BERLIN)
    start, query = night - timedelta(days=1), EventQuery(start=night - timedelta(days=2), end=night + timedelta(days=9))
    await write(account, create(title="Watch", start=start, end=start + timedelta(hours=3), rrule="FREQ=DAILY;COUNT=3"), "k0")
    first, changing, _ = (await account.readers.calendar.events(query)).items
    assert changing.start.hour == hour
    await write(account, UpdateEvent(account="home", event=changing.ref, title="Long watch"))
    whole = first.ref.model_copy(update={"recurrence": None, "etag": ""})
    await write(account, UpdateEvent(account="home", event=whole, start=start + timedelta(hours=1)), "k2")
    moved = (await account.readers.calendar.events(query)).items
    assert [(one.title, one.start.hour) for one in moved] == [("Watch", 3), ("Long watch", 3), ("Watch", 3)]


async def test_a_new_title_of_a_series_leaves_its_instances_as_they_were(
    account: Account, graph: GraphEmulator, series: str
) -> None:
    await write(account, UpdateEvent(account="home", event=await whole_series(account), title="Daily"))
    titles = [title for _, _, title in shape(await events(account, 9))]
    assert titles == ["Daily", "Daily", "With cake", "Daily"]
    assert sent(graph, PATCH) == 1


@pytest.mark.parametrize(
    ("fault", "after"), [*(("drop_after", after) for after in range(4)), *(("too_many", after) for after in range(1, 4))]
)
async def test_what_was_cut_off_while_a_series_moved_is_carried_on(
    account: Account, graph: GraphEmulator, mine: Book, series: str, fault: Fault, after: int
) -> None:
    action = UpdateEvent(account="home", event=await whole_series(account), start=at(19, 10))
    graph.fail(fault, on=PATCH, after=after)
    with pytest.raises(Unavailable):
        await write(account, action)
    assert await account.writers.calendar.find(action, "k1") is not None
    assert shape(await events(account, 9)) == AFTER
    held = {one["id"].rpartition(" ")[2]: one["value"] for one in mine.event(series)["singleValueExtendedProperties"]}
    assert held == {"AssistantKeys": "k1", "AssistantCarried": "[]"}


@pytest.mark.parametrize("size", [5_000, 40_000])
async def test_long_texts_of_single_instances_are_taken_along_too(account: Account, mine: Book, series: str, size: int) -> None:
    mine.change(mine.occurrence_id(series, at(22, 15)), body={"contentType": "text", "content": "x" * size})
    await move_to(account, 10)
    assert [len(one.description) for one in await events(account, 9)] == [0, 0, size, 0]


async def test_what_could_not_be_taken_along_is_said(account: Account, graph: GraphEmulator, series: str) -> None:
    graph.fail("conflict", on=PATCH, after=1)
    receipt = await move_to(account, 10)
    assert receipt.note == 'What was changed in single instances could not be kept for "Review", 21 November.'
    assert shape(await events(account, 9))[2] == (22, 10, "With cake")
