"""Writing events at a real server: over nothing but what was read, once, and told to others once."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from doubles.boxes.base import BERLIN
from doubles.boxes.files import calendar_file
from doubles.given import GivenEvent
from servers import Servers, User

from integrations.actions import AnswerInvitation, CalendarAction, CancelEvent, CreateEvent, RestoreEvent, UpdateEvent
from integrations.errors import Conflict, InvalidResponse, ReadOnly, Unavailable, Unknowable
from integrations.registry import Account
from integrations.standards.dav.calendars import Calendars
from integrations.types import Address, Attendee, Event, EventQuery, EventRef

ME = Address(email="me@home.example", name="Me")
ANNA = Address(email="anna@home.example", name="Anna")
NOON = datetime(2026, 11, 20, 12, tzinfo=BERLIN)
LATER = NOON + timedelta(hours=1)
WEEK = EventQuery(start=NOON - timedelta(days=3), end=NOON + timedelta(days=4))
LUNCH = CreateEvent(account="acc", title="Lunch", start=NOON, end=LATER)
PARTY = LUNCH.model_copy(update={"attendees": (ANNA,)})
ALONE = GivenEvent("Alone", NOON, LATER)
OWN = GivenEvent("Own", NOON, LATER, organizer=ME, attendees=(Attendee(address=ANNA),))
THEIRS = GivenEvent("Theirs", NOON, LATER, organizer=ANNA, attendees=(Attendee(address=ME),))
KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


@pytest.fixture
def me(servers: Servers) -> User:
    servers.user(ANNA.email)
    return servers.user(ME.email, name="Me")


@pytest.fixture
async def account(servers: Servers, me: User, tmp_path: Path) -> AsyncIterator[Account]:
    opened = servers.open(me, tmp_path)
    yield opened
    await opened.close()


def connected(account: Account) -> Calendars:
    return account.readers.calendar._calendars  # type: ignore[attr-defined,no-any-return]


async def put(account: Account, event: GivenEvent) -> Event:
    calendars = connected(account)
    await calendars.put(f"{(await calendars.default()).path}{event.uid}.ics", calendar_file(event), None)
    return await only(account)


async def listed(account: Account) -> tuple[Event, ...]:
    return (await account.readers.calendar.events(WEEK)).items


async def only(account: Account) -> Event:
    (event,) = await listed(account)
    return event


async def kept(account: Account, event: Event) -> str:
    return (await connected(account).get(event.id)).content.decode().replace("\r\n ", "")


def changes(event: Event) -> dict[str, CalendarAction]:
    return {
        "update": UpdateEvent(account="acc", event=event.ref, title="Other"),
        "cancel": CancelEvent(account="acc", event=event.ref),
    }


# Over nothing but what was read


async def test_every_write_says_what_it_is_to_replace(servers: Servers, account: Account) -> None:
    await account.writers.calendar.execute(LUNCH, KEY)
    await account.writers.calendar.execute(UpdateEvent(account="acc", event=(await only(account)).ref, title="x"), "k2")
    await account.writers.calendar.execute(CancelEvent(account="acc", event=(await only(account)).ref), "k3")
    writes = [request for request in servers.dav.requests if request.method in ("PUT", "DELETE")]
    assert [request.method for request in writes] == ["PUT", "PUT", "DELETE"]
    assert writes[0].headers["if-none-match"] == "*"
    assert all(request.headers["if-match"].startswith('"') for request in writes[1:])


@pytest.mark.parametrize("kind", ["update", "cancel"])
async def test_what_changes_between_reading_and_writing_is_not_overwritten(servers: Servers, account: Account, kind: str) -> None:
    event = await put(account, ALONE)
    stored = await connected(account).get(event.id)
    servers.dav.instead("GET", 200, {"ETag": '"older"', "Content-Type": "text/calendar"}, stored.content)
    with pytest.raises(Conflict):
        await account.writers.calendar.execute(changes(event)[kind], KEY)
    assert await only(account) == event


async def test_a_weak_etag_names_the_same_state(servers: Servers, account: Account) -> None:
    event = await put(account, ALONE)
    stored = await connected(account).get(event.id)
    servers.dav.instead("GET", 200, {"ETag": f"W/{stored.tag}", "Content-Type": "text/calendar"}, stored.content)
    await account.writers.calendar.execute(changes(event)["update"], KEY)
    assert (await only(account)).title == "Other"


async def test_something_else_under_the_name_is_left_alone(account: Account) -> None:
    calendars = connected(account)
    path = f"{(await calendars.default()).path}{KEY}.ics"
    await calendars.put(path, calendar_file(ALONE), None)
    with pytest.raises(Conflict):
        await account.writers.calendar.execute(LUNCH, KEY)
    assert await account.writers.calendar.find(LUNCH, KEY) is None
    assert [event.title for event in await listed(account)] == ["Alone"]


@pytest.mark.parametrize("key", ["../../../tom@home.example/calendar/x", "a/b", "", "ключ", "a\r\nb", "x" * 300])
async def test_a_key_of_any_form_names_an_event_in_the_calendar(account: Account, key: str) -> None:
    receipt = await account.writers.calendar.execute(LUNCH, key)
    assert (await only(account)).id == receipt.id
    assert await account.writers.calendar.find(LUNCH, key) == receipt


@pytest.mark.parametrize("status", [413, 507, 400])
async def test_what_the_server_refuses_has_not_happened(servers: Servers, account: Account, status: int) -> None:
    servers.dav.instead("PUT", status)
    with pytest.raises(InvalidResponse):
        await account.writers.calendar.execute(LUNCH, KEY)
    assert await account.writers.calendar.find(LUNCH, KEY) is None


async def test_a_calendar_that_can_only_be_read_takes_nothing(servers: Servers, me: User, account: Account) -> None:
    servers.radicale.add(me.email, "readonly", {"tag": "VCALENDAR"})
    with pytest.raises(ReadOnly):
        await account.writers.calendar.execute(LUNCH.model_copy(update={"calendar": f"/{me.email}/readonly/"}), KEY)


async def test_where_the_calendar_is_gone_nobody_can_tell_what_became_of_a_write(servers: Servers, account: Account) -> None:
    event = await put(account, ALONE)
    lost = event.ref.model_copy(update={"id": event.id.replace("/calendar/", "/gone/"), "calendar": "/me@home.example/gone/"})
    for action in (CancelEvent(account="acc", event=lost), LUNCH.model_copy(update={"calendar": lost.calendar})):
        with pytest.raises(Unknowable):
            await account.writers.calendar.find(action, KEY)


async def test_an_event_comes_back_to_where_it_was_under_its_own_uid(account: Account) -> None:
    event = await put(account, ALONE)
    receipt = await account.writers.calendar.execute(changes(event)["cancel"], KEY)
    (undo,) = receipt.undo
    assert isinstance(undo, RestoreEvent)
    await account.writers.calendar.execute(undo, "k2")
    assert await only(account) == event


async def test_what_else_came_to_that_place_is_not_replaced_by_an_undo(account: Account) -> None:
    event = await put(account, ALONE)
    receipt = await account.writers.calendar.execute(changes(event)["cancel"], KEY)
    await put(account, ALONE.but(title="New"))
    with pytest.raises(Conflict):
        await account.writers.calendar.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    assert (await only(account)).title == "New"


# Others are told once


async def test_guests_are_told_by_mail_and_the_server_is_asked_not_to(servers: Servers, account: Account) -> None:
    await account.writers.calendar.execute(PARTY, KEY)
    text = await kept(account, await only(account))
    (line,) = [line for line in text.splitlines() if line.startswith("ATTENDEE")]
    assert "SCHEDULE-AGENT=CLIENT" in line
    assert len(servers.smtp.taken) == 1


async def test_where_the_server_tells_guests_no_mail_leaves(servers: Servers, me: User, tmp_path: Path) -> None:
    account = servers.open(me, tmp_path, scheduling="server")
    made = await account.writers.calendar.execute(PARTY, KEY)
    assert "SCHEDULE-AGENT" not in await kept(account, await only(account))
    await account.writers.calendar.execute(CancelEvent(account="acc", event=(await only(account)).ref), "k2")
    assert (servers.smtp.taken, made.note) == ([], "")
    await account.close()


@pytest.mark.parametrize("kind", ["create", "update", "cancel"])
async def test_where_nobody_can_be_told_nothing_stays_changed(servers: Servers, account: Account, kind: str) -> None:
    event = None if kind == "create" else await put(account, OWN)
    before = await listed(account)
    servers.smtp.answer("RCPT", "550 5.1.1 nobody here", times=5)
    action = PARTY if event is None else changes(event)[kind]
    with pytest.raises(InvalidResponse):
        await account.writers.calendar.execute(action, KEY)
    assert await listed(account) == before
    assert servers.smtp.taken == []


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_cancellation_that_breaks_off_is_finished_when_asked_for(servers: Servers, account: Account, when: str) -> None:
    event = await put(account, OWN)
    action = changes(event)["cancel"]
    servers.dav.lose("DELETE", when)  # type: ignore[arg-type]
    with pytest.raises(Unavailable):
        await account.writers.calendar.execute(action, KEY)
    assert await account.writers.calendar.find(action, KEY) is not None
    assert await account.writers.calendar.find(action, KEY) is not None
    assert await listed(account) == ()
    assert len(servers.smtp.taken) == 1


@pytest.mark.parametrize("kind", ["create", "update", "cancel"])
async def test_what_was_written_but_not_told_is_told_when_asked_for(servers: Servers, account: Account, kind: str) -> None:
    event = None if kind == "create" else await put(account, OWN)
    action = PARTY if event is None else changes(event)[kind]
    servers.dav.lose("PUT", "after")
    with pytest.raises(Unavailable):
        await account.writers.calendar.execute(action, KEY)
    assert servers.smtp.taken == []
    for _ in range(2):
        assert await account.writers.calendar.find(action, KEY) is not None
        assert len(servers.smtp.taken) == 1


async def test_somebody_elses_cancellation_is_not_taken_for_ones_own(servers: Servers, account: Account) -> None:
    event = await put(account, OWN)
    action = changes(event)["cancel"]
    servers.dav.lose("DELETE", "before")
    with pytest.raises(Unavailable):
        await account.writers.calendar.execute(action, KEY)
    assert await account.writers.calendar.find(action, "another key") is None


@pytest.mark.parametrize(
    ("scheduling", "status", "guest"),
    [("mail", "CONFIRMED", True), ("mail", "CANCELLED", True), ("server", "CONFIRMED", False), ("server", "CANCELLED", True)],
)
async def test_a_guest_removes_only_the_own_copy_where_no_server_tells_of_it(
    servers: Servers, me: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheduling: str, status: str, guest: bool
) -> None:
    account = servers.open(me, tmp_path, scheduling=scheduling)
    try:
        calendars = connected(account)
        text = calendar_file(THEIRS).replace(b"BEGIN:VEVENT", b"BEGIN:VEVENT\r\nSTATUS:" + status.encode())
        folder = (await calendars.default()).path
        path = await calendars.put(f"{folder}{THEIRS.uid}.ics", text, None)
        theirs = await account.readers.calendar.get(EventRef(account="acc", calendar=folder, id=path))
        asked = list[bool]()
        delete = Calendars.delete

        async def seen(calendars: Calendars, path: str, tag: str, *, quiet: bool = False) -> None:
            asked.append(quiet)
            await delete(calendars, path, tag, quiet=quiet)

        monkeypatch.setattr(Calendars, "delete", seen)
        receipt = await account.writers.calendar.execute(CancelEvent(account="acc", event=theirs.ref), KEY)
        assert (theirs.guest, asked, await listed(account)) == (guest, [guest], ())
        assert receipt.note.startswith("It is gone from your calendar only: Anna organises it.")
        assert ("may tell them" in receipt.note) is not guest
        assert servers.smtp.taken == []
    finally:
        await account.close()


async def test_an_event_brought_back_is_newer_to_guests_than_its_cancellation(servers: Servers, account: Account) -> None:
    event = await put(account, OWN)
    receipt = await account.writers.calendar.execute(changes(event)["cancel"], KEY)
    await account.writers.calendar.execute(receipt.undo[0], "k2")  # type: ignore[arg-type]
    cancelled, back = (mail.raw.decode() for mail in servers.smtp.taken)
    assert "METHOD:CANCEL" in cancelled and "METHOD:REQUEST" in back
    assert sequence(back) > sequence(cancelled)
    assert await account.writers.calendar.find(receipt.undo[0], "k2") is not None  # type: ignore[arg-type]
    assert len(servers.smtp.taken) == 2


def sequence(raw: str) -> int:
    return int(raw.partition("SEQUENCE:")[2].split()[0])


# Invitations that came by mail


def invitation(me: User, method: str = "REQUEST", *, start: datetime = NOON, number: int = 0, more: str = "") -> None:
    end = start + timedelta(hours=1)
    text = calendar_file(GivenEvent("Kick-off", start, end, uid="kick-off", organizer=ANNA, attendees=(Attendee(address=ME),)))
    text = text.replace(b"VERSION:2.0\r\n", f"VERSION:2.0\r\nMETHOD:{method}\r\n".encode())
    text = text.replace(b"UID:kick-off\r\n", f"UID:kick-off\r\nSEQUENCE:{number}\r\n{more}".encode())
    head = b"From: anna@home.example\r\nTo: me@home.example\r\nSubject: Kick-off\r\nMessage-ID: <i@home.example>\r\n"
    head = head.replace(b"<i@", f"<{method}{number}@".encode())
    date = f"Date: {datetime.now(BERLIN):%a, %d %b %Y %H:%M:%S %z}\r\n".encode()
    me.mailbox.append(head + date + b"Content-Type: text/calendar; method=REQUEST; charset=utf-8\r\n\r\n" + text, "INBOX")


async def test_an_invitation_by_mail_is_answered_into_the_calendar_once(servers: Servers, me: User, account: Account) -> None:
    invitation(me)
    now = NOON - timedelta(days=1)
    (asked,) = await account.readers.calendar.invitations(now)
    action = AnswerInvitation(account="acc", event=asked.ref, answer="accepted")
    assert await account.writers.calendar.find(action, KEY) is None
    receipt = await account.writers.calendar.execute(action, KEY)
    event = await only(account)
    assert (event.id, event.uid, event.my_answer) == (receipt.id, "kick-off", "accepted")
    assert await account.readers.calendar.invitations(now) == ()
    assert await account.writers.calendar.find(action, KEY) is not None
    assert [mail.recipients for mail in servers.smtp.taken] == [(ANNA.email,)]


ALARM = ("BEGIN:VALARM", "ACTION:EMAIL", "TRIGGER:-PT10M", "SUMMARY:I quit", "ATTENDEE:mailto:boss@work.example", "END:VALARM", "")


async def test_an_invitation_brings_nothing_that_would_act_in_the_owners_name(me: User, account: Account) -> None:
    invitation(me, more="\r\n".join(ALARM))
    (asked,) = await account.readers.calendar.invitations(NOON - timedelta(days=1))
    await account.writers.calendar.execute(AnswerInvitation(account="acc", event=asked.ref, answer="accepted"), KEY)
    text = await kept(account, await only(account))
    assert "VALARM" not in text and "boss@work.example" not in text
    (organiser,) = (line for line in text.splitlines() if line.startswith("ORGANIZER"))
    assert "SCHEDULE-AGENT=CLIENT" in organiser  # no server answers a second time


# Mails about what was answered: these count as long as it is ahead

TODAY = datetime.now(BERLIN)
SOON = (TODAY + timedelta(days=2)).replace(hour=12, minute=0, second=0, microsecond=0)
AHEAD = EventQuery(start=TODAY, end=TODAY + timedelta(days=7))


async def upcoming(account: Account) -> Event:
    (event,) = (await account.readers.calendar.events(AHEAD)).items
    return event


async def accepted(me: User, account: Account) -> Event:
    invitation(me, start=SOON)
    (asked,) = await account.readers.calendar.invitations(TODAY)
    await account.writers.calendar.execute(AnswerInvitation(account="acc", event=asked.ref, answer="accepted"), KEY)
    return await upcoming(account)


async def test_what_the_organiser_moves_by_mail_awaits_an_answer_beside_what_was_accepted(me: User, account: Account) -> None:
    """Whoever writes in the organiser's name takes nothing out of the calendar."""
    before = await accepted(me, account)
    invitation(me, start=SOON + timedelta(hours=3), number=1)
    stays, moved = (await account.readers.calendar.events(AHEAD)).items
    assert stays == before
    assert (moved.uid, moved.start, moved.my_answer) == (before.uid, SOON + timedelta(hours=3), "needs-action")
    assert [event.start for event in await account.readers.calendar.invitations(TODAY)] == [moved.start]


async def test_the_answer_to_what_was_moved_takes_the_place_of_the_event(servers: Servers, me: User, account: Account) -> None:
    before = await accepted(me, account)
    invitation(me, start=SOON + timedelta(hours=3), number=1)
    (asked,) = await account.readers.calendar.invitations(TODAY)
    action = AnswerInvitation(account="acc", event=asked.ref, answer="accepted")
    assert await account.writers.calendar.find(action, "k2") is None
    receipt = await account.writers.calendar.execute(action, "k2")
    moved = await upcoming(account)
    assert (moved.id, moved.start, moved.my_answer) == (before.id, SOON + timedelta(hours=3), "accepted")
    assert await account.writers.calendar.find(action, "k2") is not None
    assert [mail.recipients for mail in servers.smtp.taken] == [(ANNA.email,)] * 2
    assert await account.readers.calendar.invitations(TODAY) == ()
    (undo,) = receipt.undo
    await account.writers.calendar.execute(undo, "k3")
    assert [event.start for event in await account.readers.calendar.invitations(TODAY)] == [SOON + timedelta(hours=3)]


async def test_what_the_organiser_calls_off_by_mail_is_shown_as_cancelled_until_it_is_removed(me: User, account: Account) -> None:
    before = await accepted(me, account)
    invitation(me, "CANCEL", start=SOON, number=1)
    assert await upcoming(account) == before.model_copy(update={"status": "cancelled"})
    await account.writers.calendar.execute(CancelEvent(account="acc", event=before.ref), "k2")
    assert (await account.readers.calendar.events(AHEAD)).items == ()


@pytest.mark.parametrize("number", [0, 1])
async def test_an_older_mail_changes_nothing(me: User, account: Account, number: int) -> None:
    invitation(me, start=SOON + timedelta(hours=3), number=1)
    (asked,) = await account.readers.calendar.invitations(TODAY)
    await account.writers.calendar.execute(AnswerInvitation(account="acc", event=asked.ref, answer="accepted"), KEY)
    before = await upcoming(account)
    invitation(me, start=SOON, number=number)
    assert await upcoming(account) == before
