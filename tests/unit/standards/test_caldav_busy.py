"""When others have no time, as calendar servers tell it that take care of meetings themselves."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import Servers

from integrations.actions import CreateEvent
from integrations.common.contentline import Malformed, decode, parse
from integrations.common.remote import Unreadable
from integrations.registry import Account
from integrations.standards.calendar import NOBODY_ELSE
from integrations.standards.dav.caldav_busy import answers, question

Opening = Callable[..., Account]

START = datetime(2026, 11, 19, tzinfo=UTC)
END = START + timedelta(days=1)
ZONE = ZoneInfo("Europe/Berlin")
XML = {"Content-Type": "application/xml; charset=utf-8"}
HOME = b"""<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><response><href>/</href><propstat><prop>
<C:calendar-home-set><href>/me@home.example/</href></C:calendar-home-set>
<C:schedule-outbox-URL><href>/outbox/</href></C:schedule-outbox-URL>
</prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>"""


def responded(*people: tuple[str, str, str]) -> bytes:
    each = "".join(
        f"<C:response><C:recipient><D:href>mailto:{email}</D:href></C:recipient><C:request-status>{status}</C:request-status>"
        f"<C:calendar-data>BEGIN:VCALENDAR\nBEGIN:VFREEBUSY\n{lines}\nEND:VFREEBUSY\nEND:VCALENDAR</C:calendar-data></C:response>"
        for email, status, lines in people
    )
    return f'<C:schedule-response xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">{each}</C:schedule-response>'.encode()


def at(hour: int) -> datetime:
    return START + timedelta(hours=hour)


def test_times_are_joined_and_kept_within_what_was_asked() -> None:
    lines = (
        "FREEBUSY:20261119T090000Z/20261119T100000Z,20261119T093000Z/PT2H\n"
        "FREEBUSY;FBTYPE=BUSY-TENTATIVE:20261119T200000Z/20261125T000000Z\n"
        "FREEBUSY;FBTYPE=FREE:20261119T150000Z/20261119T160000Z"
    )
    told = answers(responded(("Anna@home.example", "2.0;Success", lines)), START, END, ZONE)
    assert told["anna@home.example"].times == ((at(9), at(11) + timedelta(minutes=30)), (at(20), END))


@pytest.mark.parametrize(
    ("status", "lines"),
    [("3.7;Invalid calendar user", ""), ("", ""), ("2.0", "FREEBUSY:nonsense")],
)
def test_who_can_not_be_told_of_hides_nobody_else(status: str, lines: str) -> None:
    fine = ("tom@home.example", "2.0;Success", "FREEBUSY:20261119T090000Z/PT1H")
    told = answers(responded(("anna@home.example", status, lines), fine), START, END, ZONE)
    assert told["anna@home.example"].unknown and not told["anna@home.example"].times
    assert told["tom@home.example"].times == ((at(9), at(10)),)


SAID = st.text().map(lambda text: responded(("a@b.example", "2.0", text.replace("<", ""))))


@given(st.binary() | st.text().map(str.encode) | SAID)
def test_an_answer_of_any_kind_is_read_or_refused(content: bytes) -> None:
    with suppress(Malformed):
        answers(content, START, END, ZONE)


def test_entities_are_not_followed() -> None:
    with pytest.raises(Malformed):
        answers(b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>', START, END, ZONE)


@given(st.lists(st.emails(), max_size=5))
def test_a_question_names_those_it_is_about_and_nobody_else(emails: list[str]) -> None:
    text = question("me@home.example", emails, START, END, START)
    (calendar,) = parse(decode(text))
    (asked,) = calendar.walk("VFREEBUSY")  # type: ignore[union-attr]
    assert [line.value for line in asked.all("ATTENDEE")] == [f"mailto:{email}" for email in emails]


async def test_the_server_is_asked_where_it_takes_care_of_meetings(servers: Servers, tmp_path: Path, opened: Opening) -> None:
    me = servers.user("me@home.example")
    reader = opened(me, tmp_path, scheduling="server").readers.calendar
    servers.dav.instead("PROPFIND", 207, XML, HOME)
    servers.dav.instead("POST", 200, XML, responded(("anna@home.example", "2.0;Success", "FREEBUSY:20261119T090000Z/PT1H")))
    anna, stranger = await reader.busy(["Anna@home.example", "stranger@far.example"], START, END)
    assert (anna.email, anna.times, anna.unknown) == ("Anna@home.example", ((at(9), at(10)),), "")
    assert stranger.unknown
    asked = servers.dav.requests[-1]
    assert (asked.method, asked.path) == ("POST", "/outbox/")
    servers.dav.instead("POST", 200, XML, b"<html>")
    with pytest.raises(Unreadable):
        await reader.busy(["anna@home.example"], START, END)


async def test_ones_own_time_is_that_of_ones_calendars(servers: Servers, tmp_path: Path, opened: Opening) -> None:
    account = opened(servers.user("me@home.example"), tmp_path)
    for hour in (1, 2, 5):
        event = CreateEvent(account="acc", title="e", start=at(hour), end=at(hour + 1))
        await account.writers.calendar.execute(event, f"k{hour}")
    mine, anna = await account.readers.calendar.busy(["me@home.example", "anna@home.example"], START, END)
    assert (mine.times, mine.unknown) == (((at(1), at(3)), (at(5), at(6))), "")
    assert anna.unknown == NOBODY_ELSE
