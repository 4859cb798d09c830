"""Who is told by mail of an event, once, and what is said where they could not be."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.secrets import KeptSecrets
from servers import Servers, User

from integrations.actions import CalendarAction, CancelEvent, CreateEvent, UpdateEvent
from integrations.common.ical import CalendarObject, read_objects
from integrations.common.ical_edit import new_event
from integrations.common.mime import read_message
from integrations.common.remote import came_to_nothing
from integrations.errors import IntegrationError, Unavailable
from integrations.registry import AccountConfig
from integrations.standards.provider import Connection
from integrations.standards.scheduling.scheduling import Scheduling
from integrations.types import Address, EventRef

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
ME, ANNA, TOM = "me@home.example", "anna@home.example", "tom@north.example"
REF = EventRef(account="acc", calendar="c", id="e")
LUNCH = CreateEvent(
    account="acc",
    title="Lunch",
    start=NOW,
    end=NOW + timedelta(hours=1),
    attendees=(Address(email=ANNA, name="Anna Berg"), Address(email=TOM)),
)


@pytest.fixture
def user(servers: Servers) -> User:
    servers.user(ANNA)
    return servers.user(ME, name="Eva Klein")


@pytest.fixture
async def connection(servers: Servers, user: User, tmp_path: Path) -> AsyncIterator[Connection]:
    config = AccountConfig(name="acc", kind="imap", address=ME, owner=user.name, settings=user.mail_settings)
    made = Connection(config, BERLIN, tmp_path / "index", lambda: NOW, KeptSecrets(acc=user.secret))
    yield made
    await made.close()


@pytest.fixture
def scheduling(connection: Connection) -> Scheduling:
    return made(connection)


def made(connection: Connection | None, **given: bool) -> Scheduling:
    sending = connection.sending if connection else None
    return Scheduling(sending, account="acc", owner=ME, name="Eva Klein", zone=BERLIN, clock=lambda: NOW, **given)


def lunch(organiser: str = ME) -> CalendarObject:
    (found,) = read_objects(new_event(LUNCH, uid="u1", owner=organiser, zone=BERLIN, now=NOW).encode())
    return found


def subjects(servers: Servers) -> list[str]:
    return [read_message(mail.raw).subject for mail in servers.smtp.taken]


async def test_one_mail_reaches_everybody_invited(servers: Servers, user: User, scheduling: Scheduling) -> None:
    assert await scheduling.tell(LUNCH, "k1", lunch()) == ""
    (mail,) = servers.smtp.taken
    assert set(mail.recipients) == {ANNA, TOM} and mail.sender == ME
    assert len(servers.users[ANNA].mailbox.mails()) == len(user.mailbox.mails("Sent")) == 1


async def test_what_is_told_again_does_not_leave_again(servers: Servers, user: User, scheduling: Scheduling) -> None:
    await scheduling.tell(LUNCH, "k1", lunch())
    assert await scheduling.tell(LUNCH, "k1", lunch(), again=True) == ""
    assert subjects(servers) == ["Invitation: Lunch"] and len(user.mailbox.mails("Sent")) == 1


async def test_what_had_not_left_yet_leaves_when_it_is_told_again(servers: Servers, scheduling: Scheduling) -> None:
    assert await scheduling.tell(LUNCH, "k1", lunch(), again=True) == ""
    assert subjects(servers) == ["Invitation: Lunch"]


async def test_who_is_added_and_who_is_removed_get_a_mail_each(servers: Servers, scheduling: Scheduling) -> None:
    action = UpdateEvent(account="acc", event=REF, add_attendees=(Address(email=ANNA),), remove_attendees=("old@north.example",))
    await scheduling.tell(action, "k1", lunch())
    assert [(mail.recipients, subject) for mail, subject in zip(servers.smtp.taken, subjects(servers), strict=True)] == [
        ((ANNA,), "Invitation: Lunch"),
        (("old@north.example",), "No longer invited: Lunch"),
    ]


async def test_whom_the_server_refuses_is_named_and_nobody_is_told(servers: Servers, user: User, scheduling: Scheduling) -> None:
    servers.smtp.answer("RCPT", "550 5.1.1 Nobody of this name")
    with pytest.raises(IntegrationError, match=ANNA) as error:
        await scheduling.tell(LUNCH, "k1", lunch())
    assert came_to_nothing(error.value) and subjects(servers) == []
    assert user.mailbox.mails("Drafts") == user.mailbox.mails("Sent") == []


async def test_where_it_is_known_to_stand_a_refusal_is_only_said(servers: Servers, scheduling: Scheduling) -> None:
    servers.smtp.answer("RCPT", "550 5.1.1 Nobody of this name")
    note = await scheduling.tell(LUNCH, "k1", lunch(), again=True)
    assert note.startswith(f"Anna Berg and {TOM} were not told: ") and ANNA in note


async def test_where_nothing_leaves_just_now_it_is_asked_again_later(servers: Servers, scheduling: Scheduling) -> None:
    servers.smtp.answer("MAIL", "", times=9)
    with pytest.raises(Unavailable) as first:
        await scheduling.tell(LUNCH, "k1", lunch())
    assert came_to_nothing(first.value)
    with pytest.raises(Unavailable) as again:
        await scheduling.tell(LUNCH, "k1", lunch(), again=True)
    assert not came_to_nothing(again.value) and subjects(servers) == []


async def test_a_mail_of_which_nobody_knows_is_said_to_be_uncertain_and_never_repeated(
    servers: Servers, scheduling: Scheduling
) -> None:
    servers.smtp.lose("after")
    for again in (False, True, True):
        note = await scheduling.tell(LUNCH, "k1", lunch(), again=again)
        assert note.startswith(f"Whether Anna Berg and {TOM} heard of it is not certain: ")
    assert subjects(servers) == ["Invitation: Lunch"]


async def test_a_mail_whose_receipt_was_lost_counts_where_the_server_has_filed_it(
    servers: Servers, user: User, scheduling: Scheduling
) -> None:
    user.files_sent = True
    servers.smtp.lose("after")
    assert await scheduling.tell(LUNCH, "k1", lunch()) == ""
    assert len(user.mailbox.mails("Sent")) == 1 and user.mailbox.mails("Drafts") == []


@pytest.mark.parametrize("action", [LUNCH, CancelEvent(account="acc", event=REF, comment="Sorry")], ids=lambda action: action.kind)
async def test_without_an_outgoing_server_it_says_that_nobody_was_told(action: CalendarAction) -> None:
    note = await made(None).tell(action, "k1", lunch())
    assert note == f"Anna Berg and {TOM} were not told: this account has no outgoing server."


async def test_where_the_calendar_server_tells_no_mail_leaves(servers: Servers, connection: Connection) -> None:
    by_server = made(connection, by_server=True)
    assert await by_server.tell(LUNCH, "k1", lunch()) == ""
    assert "takes no words along" in await by_server.tell(CancelEvent(account="acc", event=REF, comment="Sorry"), "k2", lunch())
    assert subjects(servers) == []


async def test_who_leaves_somebody_elses_event_hears_that_only_they_do() -> None:
    note = await made(None).tell(CancelEvent(account="acc", event=REF), "k1", lunch(organiser=ANNA))
    assert note == f"It is gone from your calendar only: {ANNA} organises it."


async def test_who_leaves_hears_that_their_words_went_to_nobody_and_what_the_server_may_tell() -> None:
    leaving = CancelEvent(account="acc", event=REF, comment="Sorry")
    assert (await made(None).tell(leaving, "k1", lunch(organiser=ANNA))).endswith("Your words were told to nobody.")
    note = await made(None, by_server=True).tell(leaving, "k2", lunch(organiser=ANNA))
    assert note.endswith("Your calendar server may tell them that you do not come.")


def test_what_could_not_be_told_is_refused_before_it_is_written() -> None:
    broken = lunch().text.replace("DTSTART;TZID=Europe/Berlin:2026", "DTSTART;TZID=Europe/Berlin:nonsense")
    (source,) = read_objects(broken.encode())
    with pytest.raises(IntegrationError, match="Nobody can be told"):
        made(None).refuse(LUNCH, source)
