"""Invitations that came by mail: which are believed, and which are not."""

from collections.abc import Callable
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any, cast

import pytest
from doubles.boxes.base import BERLIN, NOW

from integrations.common.ical import read_objects
from integrations.errors import Conflict, NotFound
from integrations.readers import MailReader
from integrations.registry import AccountConfig, open_account
from integrations.standards.scheduling.inbound import CALENDAR, MOST_SHOWN, Inbound
from integrations.types import Event, EventQuery, Mail, MailQuery, Oddity, Page

ME, ANNA, EVE = "me@home.example", "anna@south.example", "eve@evil.example"
Deliver = Callable[..., None]


def calendar(
    method: str = "REQUEST",
    *,
    uid: str = "u1",
    start: str = "20261120T110000Z",
    sequence: int = 0,
    organiser: str = ANNA,
    invited: str = ME,
    more: str = "",
) -> str:
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"METHOD:{method}" if method else "X-NO:METHOD",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        f"DTSTART:{start}",
        "SUMMARY:Kick-off",
        f"SEQUENCE:{sequence}",
        f"ORGANIZER:mailto:{organiser}",
        f"ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:{invited}",
        *more.splitlines(),
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    )
    return "\n".join(lines)


@pytest.fixture
def deliver(tmp_path: Path) -> Deliver:
    for folder in ("cur", "new", "tmp"):
        (tmp_path / "mail" / folder).mkdir(parents=True)
    count = 0

    def arrive(content: str, *, sender: str = ANNA, date: datetime = NOW - timedelta(days=1), folder: str = "") -> None:
        nonlocal count
        count += 1
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, ME, "Invitation"
        mail["Date"], mail["Message-ID"] = format_datetime(date + timedelta(minutes=count)), f"<{count}@south.example>"
        mail.set_content("You are invited.")
        mail.add_alternative(content, subtype="calendar")
        place = tmp_path / "mail" / folder / "cur"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"17000{count:05}.M{count}P1.host:2,").write_bytes(mail.as_bytes())

    return arrive


@pytest.fixture
def inbound(tmp_path: Path, deliver: Deliver) -> Inbound:
    config = AccountConfig(name="mine", kind="local", address=ME, settings={"mail": str(tmp_path / "mail")})
    account = open_account(config, zone=BERLIN, index=tmp_path / "index")
    return Inbound(account.readers.mail, account="mine", owner=ME, zone=BERLIN)


async def offered(inbound: Inbound, *stored: str) -> list[str]:
    known = {source.uid: source for text in stored for source in read_objects(text.encode())}
    return [f"{event.uid} {event.start:%d}" for event in await inbound.invitations(NOW, known)]


async def only(inbound: Inbound) -> Event:
    (event,) = await inbound.invitations(NOW, {})
    return event


# Offered


async def test_an_invitation_that_came_by_mail_is_offered(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar())
    event = await only(inbound)
    assert (event.title, event.start, event.my_answer) == ("Kick-off", datetime(2026, 11, 20, 12, tzinfo=BERLIN), "needs-action")
    assert event.organizer is not None and event.organizer.email == ANNA
    assert inbound.holds(event.ref) and event.calendar == CALENDAR
    assert await inbound.get(event.ref) == event
    assert (await inbound.source(event.ref)).uid == "u1"


async def test_what_lies_in_a_calendar_already_is_not_offered(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar())
    deliver(calendar(uid="u2"))
    assert await offered(inbound, calendar()) == ["u2 20"]


async def test_the_newest_of_several_counts_whichever_came_last(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(sequence=1, start="20261121T110000Z"))
    deliver(calendar(sequence=0))
    assert await offered(inbound) == ["u1 21"]


async def test_of_two_with_the_same_number_the_later_mail_counts(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar())
    deliver(calendar(start="20261121T110000Z"))
    assert await offered(inbound) == ["u1 21"]


async def test_of_two_with_the_same_number_what_was_written_later_counts_whichever_came_last(
    inbound: Inbound, deliver: Deliver
) -> None:
    deliver(calendar(start="20261121T110000Z", more="DTSTAMP:20261102T090000Z"))
    deliver(calendar(more="DTSTAMP:20261101T090000Z"))
    assert await offered(inbound) == ["u1 21"]


async def test_an_old_cancellation_that_is_sent_once_more_calls_nothing_off(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar("CANCEL", sequence=1, more="DTSTAMP:20261101T090000Z"))
    deliver(calendar(sequence=2, more="DTSTAMP:20261102T090000Z"))
    deliver(calendar("CANCEL", sequence=1, more="DTSTAMP:20261101T090000Z"))
    assert await offered(inbound) == ["u1 20"]


async def test_what_the_organiser_has_called_off_is_not_offered(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar())
    deliver(calendar("CANCEL", sequence=1))
    assert await offered(inbound) == []


async def test_what_is_over_is_not_offered(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(start="20261117T110000Z"))
    assert await offered(inbound) == []


async def test_a_series_of_which_one_day_is_called_off_is_still_offered(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(more="RRULE:FREQ=WEEKLY;COUNT=4"))
    deliver(calendar("CANCEL", sequence=1, start="20261127T110000Z", more="RECURRENCE-ID:20261127T110000Z"))
    assert await offered(inbound) == ["u1 20"]


async def test_an_invitation_that_was_called_off_since_can_no_longer_be_answered(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar())
    event = await only(inbound)
    deliver(calendar("CANCEL", sequence=1))
    with pytest.raises(NotFound):
        await inbound.source(event.ref)


async def test_an_invitation_that_was_changed_since_is_a_conflict(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar())
    event = await only(inbound)
    deliver(calendar(sequence=1, start="20261121T110000Z"))
    with pytest.raises(Conflict):
        await inbound.source(event.ref)


@pytest.mark.parametrize("id", ["", "/", "nonsense", "nonsense/1", "../../etc/passwd/1"])
async def test_what_is_no_invitation_is_not_found(inbound: Inbound, deliver: Deliver, id: str) -> None:
    deliver(calendar())
    ref = (await only(inbound)).ref.model_copy(update={"id": id})
    with pytest.raises(NotFound):
        await inbound.get(ref)


async def test_another_part_of_the_mail_is_no_invitation(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar())
    ref = (await only(inbound)).ref
    with pytest.raises(NotFound):
        await inbound.get(ref.model_copy(update={"id": f"{ref.id.rpartition('/')[0]}/1"}))


# Not believed


async def test_who_is_not_the_organiser_cannot_invite_in_that_name(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(organiser=ANNA), sender=EVE)
    deliver(calendar(organiser=ANNA), sender=f"{ANNA} <{EVE}>")
    deliver(calendar(organiser=f"{ANNA}?cc={EVE}", uid="u2"), sender=EVE)
    assert await offered(inbound) == []


async def test_acting_for_somebody_must_be_more_than_said(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar().replace("ORGANIZER:", f'ORGANIZER;SENT-BY="mailto:{EVE}":'), sender=EVE)
    assert await offered(inbound) == []


class _Doubted:
    """A mailbox whose server has found that no mail comes from where it says."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    async def search(self, query: MailQuery) -> Page[Mail]:
        page = await self._reader.search(query)
        forged = (Oddity(kind="forged", where="sender"),)
        return Page(items=tuple(mail.model_copy(update={"oddities": forged}) for mail in page.items))


async def test_a_mail_that_its_senders_domain_disowns_neither_invites_nor_calls_off(tmp_path: Path, deliver: Deliver) -> None:
    config = AccountConfig(name="mine", kind="local", address=ME, settings={"mail": str(tmp_path / "mail")})
    reader = _Doubted(open_account(config, zone=BERLIN, index=tmp_path / "index").readers.mail)
    doubting = Inbound(cast(MailReader, reader), account="mine", owner=ME, zone=BERLIN)
    deliver(calendar())
    deliver(calendar("CANCEL", uid="u2", sequence=1))
    assert await offered(doubting) == []
    (stored,) = read_objects(calendar(uid="u2").encode())
    assert await doubting.overtaken(NOW, {"u2": stored}) == {}


@pytest.mark.parametrize("sender", [f"{ANNA}, {EVE}", f"{ANNA}\nFrom: {EVE}"], ids=["in one line", "in two lines"])
async def test_a_mail_of_several_senders_invites_in_nobodys_name(inbound: Inbound, tmp_path: Path, sender: str) -> None:
    head = f"From: {sender}\nTo: {ME}\nDate: {format_datetime(NOW)}\nMIME-Version: 1.0\n"
    mixed = 'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nHi\n'
    part = f"--b\nContent-Type: text/calendar; method=REQUEST\nContent-Disposition: attachment\n\n{calendar()}\n--b--\n"
    (tmp_path / "mail" / "cur" / "1.several:2,").write_text(head + mixed + part)
    assert await offered(inbound) == []
    (tmp_path / "mail" / "cur" / "2.one:2,").write_text(head.replace(sender, ANNA) + mixed + part)
    assert await offered(inbound) == ["u1 20"]


async def test_what_an_invitation_hides_is_gone_and_noted(inbound: Inbound, deliver: Deliver) -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    deliver(calendar(more="DESCRIPTION:<p>Hi <b style='display:none'>obey</b></p>").replace("Kick-off", f"Kick{tags}-off"))
    event = await only(inbound)
    assert (event.title, event.description) == ("Kick-off", "Hi")
    assert {(odd.kind, odd.where) for odd in event.oddities} == {("invisible", "title"), ("hidden_text", "description")}


async def test_a_second_organiser_in_another_part_of_it_is_not_overlooked(inbound: Inbound, deliver: Deliver) -> None:
    own, others = calendar(organiser=EVE), calendar(organiser=ANNA, more="RECURRENCE-ID:20261120T110000Z")
    block = others[others.index("BEGIN:VEVENT") : others.index("END:VCALENDAR")]
    deliver(own.replace("END:VCALENDAR", f"{block}END:VCALENDAR"), sender=EVE)
    assert await offered(inbound) == []


async def test_nobody_else_calls_off_or_changes_an_invitation(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar())
    deliver(calendar("CANCEL", sequence=9), sender=EVE)
    deliver(calendar("CANCEL", sequence=9, organiser=EVE), sender=EVE)
    deliver(calendar(sequence=9, organiser=EVE, start="20261124T110000Z"), sender=EVE)
    assert await offered(inbound) == ["u1 20", "u1 24"]
    assert (await inbound.invitations(NOW, {}))[0].organizer.email == ANNA  # type: ignore[union-attr]


async def test_what_seems_to_come_from_the_owner_is_not_offered(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(organiser=ME), sender=ME)
    assert await offered(inbound) == []


async def test_who_is_not_invited_is_not_asked(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(invited="tom@north.example"))
    assert await offered(inbound) == []


async def test_what_lies_outside_the_inbox_is_not_offered(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(), folder=".Spam")
    assert await offered(inbound) == []


@pytest.mark.parametrize(
    "content",
    [
        calendar(""),
        calendar("REPLY"),
        calendar("PUBLISH"),
        calendar() + calendar("REQUEST", uid="u2"),
        calendar().replace("UID:u1\n", ""),
        calendar().replace("DTSTART:2026", "DTSTART:nonsense2026"),
        calendar(more="RRULE:FREQ=SECONDLY"),
        calendar(more="X-BIG:" + "x" * 300_000),
        "BEGIN:VCALENDAR\n" * 5000,
        "\0\1\2",
        "",
    ],
    ids=["no method", "reply", "publish", "two", "no uid", "no start", "too often", "too big", "nested", "garbage", "empty"],
)
async def test_what_is_none_is_passed_over_and_keeps_nothing_else_back(inbound: Inbound, deliver: Deliver, content: str) -> None:
    deliver(content)
    deliver(calendar(uid="good"))
    assert await offered(inbound) == ["good 20"]


async def test_a_huge_number_neither_breaks_nor_wins(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar().replace("SEQUENCE:0", "SEQUENCE:" + "9" * 5000))
    assert await offered(inbound) == ["u1 20"]


async def test_a_strangers_series_does_not_crowd_out_other_events(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(more="RRULE:FREQ=HOURLY"))
    query = EventQuery(start=NOW, end=NOW + timedelta(days=60))
    assert len(await inbound.events(query, NOW, {})) == MOST_SHOWN


async def test_a_rule_that_never_comes_again_keeps_nobody_waiting(inbound: Inbound, deliver: Deliver) -> None:
    deliver(calendar(uid="never", more="RRULE:FREQ=DAILY;INTERVAL=0"))
    deliver(calendar(uid="fine"))
    assert await offered(inbound) == ["fine 20"]
