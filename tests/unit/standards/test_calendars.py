"""Calendars at a real server, also where that answers as no server should."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from doubles.boxes.files import calendar_file
from doubles.given import GivenEvent
from doubles.secrets import KeptSecrets
from servers import Servers, User

from integrations.common.remote import Unreached
from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, NotFound, RateLimited, Unavailable
from integrations.registry import Account
from integrations.standards.credentials import Credentials
from integrations.standards.dav.calendars import Calendars
from integrations.standards.endpoints import endpoint_of
from integrations.types import Event as AnEvent
from integrations.types import EventQuery, EventRef, Page

Opening = Callable[..., Account]

DAY = datetime(2026, 11, 19, tzinfo=UTC)
WEEK = EventQuery(start=DAY, end=DAY + timedelta(days=7))
XML = {"Content-Type": "application/xml; charset=utf-8"}


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example")


@pytest.fixture
async def calendars(anna: User) -> AsyncIterator[Calendars]:
    opened = calendars_of(anna)
    yield opened
    await opened.close()


def calendars_of(user: User, **settings: str) -> Calendars:
    given = {**user.settings, **settings}
    credentials = Credentials("acc", KeptSecrets(acc=user.secret), user.email)
    return Calendars("acc", endpoint_of(given["caldav"], "http"), credentials, trusted=given.get("trusted", ""))


def event(number: int, title: str = "", **more: object) -> bytes:
    start = DAY + timedelta(hours=number)
    return calendar_file(GivenEvent(title or f"e{number}", start, start + timedelta(hours=1), uid=f"u{number}").but(**more))


async def filled(calendars: Calendars, *numbers: int) -> str:
    path = (await calendars.default()).path
    for number in numbers:
        await calendars.put(f"{path}u{number}.ics", event(number), None)
    return path


def asked(servers: Servers) -> list[str]:
    return [request.method for request in servers.dav.requests]


async def titles(reader: object) -> list[str]:
    page: Page[AnEvent] = await reader.events(WEEK)  # type: ignore[attr-defined]
    return [one.title for one in page.items]


def multistatus(*responses: str) -> bytes:
    return f'<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">{"".join(responses)}</multistatus>'.encode()


def response(href: str, content: bytes = b"", status: str = "200 OK") -> str:
    data = f"<C:calendar-data><![CDATA[{content.decode()}]]></C:calendar-data>" if content else ""
    return (
        f"<response><href>{href}</href><propstat><prop><getetag>1</getetag>{data}</prop>"
        f"<status>HTTP/1.1 {status}</status></propstat></response>"
    )


# Kept at hand


async def test_what_has_not_changed_is_not_fetched_again(
    servers: Servers, anna: User, calendars: Calendars, tmp_path: Path, opened: Opening
) -> None:
    path = await filled(calendars, 1, 2, 3)
    reader = opened(anna, tmp_path).readers.calendar
    assert await titles(reader) == ["e1", "e2", "e3"]
    servers.dav.requests.clear()
    assert await titles(reader) == ["e1", "e2", "e3"]
    assert asked(servers) == ["PROPFIND"]
    await calendars.put(f"{path}u4.ics", event(4), None)
    changed = await calendars.get(f"{path}u1.ics")
    await calendars.put(changed.path, event(1, "other"), changed.tag)
    gone = await calendars.get(f"{path}u2.ics")
    await calendars.delete(gone.path, gone.tag)
    servers.dav.requests.clear()
    assert await titles(reader) == ["other", "e3", "e4"]
    assert asked(servers) == ["PROPFIND", "REPORT", "REPORT"]
    assert b"u3.ics" not in servers.dav.requests[-1].body


async def test_where_the_server_has_forgotten_what_changed_everything_is_asked_for_again(
    servers: Servers, anna: User, calendars: Calendars, tmp_path: Path, opened: Opening
) -> None:
    path = await filled(calendars, 1)
    reader = opened(anna, tmp_path).readers.calendar
    await titles(reader)
    await calendars.put(f"{path}u2.ics", event(2), None)
    servers.dav.instead("REPORT", 403, XML, b'<error xmlns="DAV:"><valid-sync-token/></error>')
    assert await titles(reader) == ["e1", "e2"]


async def test_an_event_that_was_moved_into_the_span_since_is_seen(
    anna: User, calendars: Calendars, tmp_path: Path, opened: Opening
) -> None:
    path = (await calendars.default()).path
    far = DAY + timedelta(days=900)
    await calendars.put(f"{path}u1.ics", event(1, start=far, end=far + timedelta(hours=1)), None)
    reader = opened(anna, tmp_path).readers.calendar
    assert await titles(reader) == []
    stored = await calendars.get(f"{path}u1.ics")
    await calendars.put(stored.path, event(1), stored.tag)
    assert await titles(reader) == ["e1"]


async def test_spans_far_apart_are_each_asked_for(anna: User, calendars: Calendars, tmp_path: Path, opened: Opening) -> None:
    await filled(calendars, 1)
    reader = opened(anna, tmp_path).readers.calendar
    ages = [datetime(1, 6, 1, tzinfo=UTC), datetime(9999, 6, 1, tzinfo=UTC)]
    for start in ages:
        assert (await reader.events(EventQuery(start=start, end=start + timedelta(days=3)))).items == ()
    assert await titles(reader) == ["e1"]
    assert len((await reader.events(EventQuery(start=ages[0], end=ages[1]))).items) == 1


async def test_many_listings_at_once_agree(anna: User, calendars: Calendars, tmp_path: Path, opened: Opening) -> None:
    await filled(calendars, 1, 2)
    reader = opened(anna, tmp_path).readers.calendar
    assert await asyncio.gather(*(titles(reader) for _ in range(6))) == [["e1", "e2"]] * 6


# Which calendars there are


async def test_a_calendar_that_nobody_may_write_to_is_listed_last_and_as_such(
    servers: Servers, anna: User, calendars: Calendars, tmp_path: Path, opened: Opening
) -> None:
    servers.radicale.add(anna.email, "a-readonly", {"tag": "VCALENDAR", "D:displayname": "Holidays"})
    servers.radicale.add(anna.email, "readonly", {"tag": "VCALENDAR", "D:displayname": "Holidays"})
    found = await opened(anna, tmp_path).readers.calendar.calendars()
    assert (found[-1].name, found[-1].read_only) == ("Holidays", True)
    assert (await calendars.default()).path == found[0].id


async def test_lists_of_tasks_are_no_calendars(servers: Servers, anna: User, calendars: Calendars) -> None:
    before = await calendars.names()
    servers.radicale.add(anna.email, "tasks", {"tag": "VCALENDAR", "C:supported-calendar-component-set": "VTODO"})
    assert await calendars.names() == before


@pytest.mark.parametrize("path", ["/", "/.well-known/caldav", "/anna@home.example/", "/anna%40home.example/"])
async def test_calendars_are_found_from_any_address_that_leads_to_them(servers: Servers, anna: User, path: str) -> None:
    found = calendars_of(anna, caldav=f"http://127.0.0.1:{servers.dav.port}{path}")
    assert [one.path for one in await found.collections()] == ["/anna@home.example/calendar/"]


@pytest.mark.parametrize(("status", "body"), [(405, b""), (404, b""), (200, b"<html>Welcome</html>"), (403, b"")])
async def test_behind_a_page_for_people_calendars_are_found_where_they_are_known_to_be(
    servers: Servers, calendars: Calendars, status: int, body: bytes
) -> None:
    servers.dav.instead("PROPFIND", status, {"Content-Type": "text/html"}, body, path="^/$")
    assert [one.path for one in await calendars.collections()] == ["/anna@home.example/calendar/"]
    assert "/.well-known/caldav" in [request.path for request in servers.dav.requests]


async def test_where_there_are_no_calendars_that_is_said(servers: Servers, anna: User) -> None:
    found = calendars_of(anna, caldav=f"http://127.0.0.1:{servers.dav.port}/.web/")
    with pytest.raises(IntegrationError):
        await found.collections()


@pytest.mark.parametrize("name", ["a b%25.ics", "größe;1.ics", "u@x=y.ics", "a+b&c=d(e)!~#.ics", "食.ics"])
async def test_objects_may_have_any_name(anna: User, calendars: Calendars, tmp_path: Path, name: str, opened: Opening) -> None:
    path = (await calendars.default()).path
    await calendars.put(f"{path}{name}", event(1), None)
    reader = opened(anna, tmp_path).readers.calendar
    (listed,) = (await reader.events(WEEK)).items
    assert listed.id == f"{path}{name}"
    assert await reader.get(listed.ref) == listed


@pytest.mark.parametrize(
    "id",
    ["", "x", "/", "../../etc/passwd", "/anna@home.example/calendar/", "/anna@home.example/calendar/..", "//evil.example/x.ics",
     "http://evil.example/x.ics", "/anna@home.example/calendar/a\r\nX: y.ics", "/anna@home.example/calendar/a\0.ics",
     "/anna@home.example/calendar/../../tom@home.example/calendar/x.ics", "/tom@home.example/calendar/x.ics"],
)  # fmt: skip
async def test_what_lies_in_none_of_the_accounts_calendars_is_not_even_asked_for(
    servers: Servers, anna: User, tmp_path: Path, id: str, opened: Opening
) -> None:
    reader = opened(anna, tmp_path).readers.calendar
    with pytest.raises(NotFound):
        await reader.get(EventRef(account="acc", calendar="x", id=id))
    assert all("?" not in request.path and "tom" not in request.path for request in servers.dav.requests)


# Answers that no server should give


async def test_a_broken_event_and_a_hidden_one_are_skipped_with_reasons(
    servers: Servers, anna: User, tmp_path: Path, opened: Opening
) -> None:
    home = "/anna@home.example/calendar/"
    answer = multistatus(
        response(f"{home}good.ics", event(1)),
        response(f"{home}broken.ics", b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:x\nDTSTART:nonsense\nEND:VEVENT\nEND:VCALENDAR"),
        response(f"{home}none.ics", b"hello"),
        response(f"{home}two.ics", event(2).replace(b"END:VCALENDAR\r\n", b"") + event(3).partition(b"PRODID:-//other//EN\r\n")[2]),
        response(f"{home}hidden.ics", event(4), status="403 Forbidden"),
        f"<response><href>{home}refused.ics</href><status>HTTP/1.1 500 no</status></response>",
        f"<response><href>{home}gone.ics</href><status>HTTP/1.1 404 Not Found</status></response>",
    )
    servers.dav.instead("REPORT", 207, XML, answer)
    page = await opened(anna, tmp_path).readers.calendar.events(WEEK)
    assert [one.title for one in page.items] == ["e1"]
    names = {one.where.rpartition("/")[2] for one in page.skipped}
    assert names == {"broken.ics", "none.ics", "two.ics", "hidden.ics", "refused.ics"}
    assert all(one.reason and not one.reason.endswith(".") for one in page.skipped)


async def test_a_calendar_that_refuses_to_tell_does_not_hide_the_others(
    servers: Servers, anna: User, calendars: Calendars, tmp_path: Path, opened: Opening
) -> None:
    await filled(calendars, 1)
    servers.radicale.add(anna.email, "other", {"tag": "VCALENDAR", "D:displayname": "Other"})
    servers.dav.instead("REPORT", 403, path="/other/")
    page = await opened(anna, tmp_path).readers.calendar.events(WEEK)
    assert [one.title for one in page.items] == ["e1"]
    assert [(one.where, one.whole) for one in page.skipped] == [("Other", True)]


async def test_a_property_that_is_refused_does_not_hide_the_calendar(servers: Servers, calendars: Calendars) -> None:
    await calendars.home()
    refused = "<propstat><prop><current-user-privilege-set/></prop><status>HTTP/1.1 403 Forbidden</status></propstat>"
    told = "<resourcetype><collection/><C:calendar/></resourcetype><displayname>Office</displayname>"
    fine = f"<propstat><prop>{told}</prop><status>HTTP/1.1 200 OK</status></propstat>"
    answer = multistatus(f"<response><href>/anna@home.example/office</href>{refused}{fine}</response>")
    servers.dav.instead("PROPFIND", 207, XML, answer)
    (found,) = await calendars.collections()
    assert (found.path, found.name, found.read_only) == ("/anna@home.example/office/", "Office", False)


BOMB = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
<multistatus xmlns="DAV:"><response><href>&b;&f;</href></response></multistatus>"""


@pytest.mark.parametrize("content_type", ["application/xml", "text/html", "text/calendar", ""])
@pytest.mark.parametrize(
    "body",
    [
        b"", b"hello", b"<html><body>Sign in</body></html>", b"<multistatus xmlns='DAV:'>",
        BOMB, BOMB.decode().encode("utf-16"),
        b"\xff\xfe\0",
        b"<multistatus xmlns='DAV:'><response/></multistatus>", b"<response xmlns='DAV:'><href>/</href></response>",
        b"<multistatus xmlns='DAV:'><response><href>/x</href><status>nonsense</status></response></multistatus>",
        b"<multistatus xmlns='DAV:'><response><href>http://[</href></response></multistatus>",
        b"<multistatus xmlns='DAV:'><x/><!-- y --><?z z?><response><href>%</href><y/></response></multistatus>",
    ],
)  # fmt: skip
async def test_an_answer_of_any_kind_is_an_error_for_people_or_nothing(
    servers: Servers, calendars: Calendars, caplog: pytest.LogCaptureFixture, body: bytes, content_type: str
) -> None:
    caplog.set_level(logging.INFO)
    collection = await calendars.default()
    headers = {"Content-Type": content_type} if content_type else {}
    for ask in (
        calendars.collections,
        lambda: calendars.between(collection, DAY, DAY + timedelta(days=1)),
        lambda: calendars.changed(collection, "http://radicale.org/ns/sync/x"),
        lambda: calendars.these(collection, [f"{collection.path}x.ics"]),
    ):
        servers.dav.instead("", 207, headers, body)
        try:
            await ask()
        except IntegrationError as error:
            assert error.account == "acc" and len(str(error).split()) > 3 and "\n" not in str(error)
        servers.dav.reset()
    assert "Sign in" not in caplog.text and "ENTITY" not in caplog.text


async def test_an_object_that_a_server_says_lies_elsewhere_is_never_asked_for(
    servers: Servers, anna: User, calendars: Calendars, tmp_path: Path, opened: Opening
) -> None:
    await calendars.default()
    answer = multistatus(
        *(
            response(href, event(1))
            for href in ("http://evil.example/a.ics", "//evil.example/b.ics", "/tom@home.example/calendar/c.ics")
        )
    )
    servers.dav.instead("REPORT", 207, XML, answer)
    page = await opened(anna, tmp_path).readers.calendar.events(WEEK)
    assert page.items == ()


@pytest.mark.parametrize(
    "to", ["http://evil.example/", "https://127.0.0.1/", "//evil.example/x", "ftp://127.0.0.1/", "file:///etc/passwd"]
)
async def test_the_password_goes_to_no_other_server(servers: Servers, calendars: Calendars, to: str) -> None:
    servers.dav.instead("PROPFIND", 301, {"Location": to}, times=3)
    with pytest.raises(InvalidResponse, match="another server"):
        await calendars.collections()


async def test_a_home_on_another_server_is_refused(servers: Servers, calendars: Calendars) -> None:
    found = (
        "<response><href>/</href><propstat><prop><C:calendar-home-set><href>https://evil.example/anna/</href></C:calendar-home-set>"
        "</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
    )
    servers.dav.instead("PROPFIND", 207, XML, multistatus(found))
    with pytest.raises(InvalidResponse, match="another server"):
        await calendars.collections()


async def test_a_redirect_without_end_comes_to_an_end(servers: Servers, calendars: Calendars) -> None:
    servers.dav.instead("PROPFIND", 302, {"Location": "/"}, times=100)
    with pytest.raises(NotFound):
        await calendars.collections()


async def test_a_listing_of_changes_without_end_comes_to_an_end(servers: Servers, calendars: Calendars) -> None:
    collection = await calendars.default()
    more = f"<response><href>{collection.path}</href><status>HTTP/1.1 507 No</status></response><sync-token>t</sync-token>"
    servers.dav.instead("REPORT", 207, XML, multistatus(more), times=5000)
    await calendars.changed(collection, "s")
    assert len(asked(servers)) < 20


# Out of reach, refused


async def test_a_password_that_was_changed_is_asked_for_again(servers: Servers, anna: User, calendars: Calendars) -> None:
    await calendars.collections()
    servers.change_password(anna, "another")
    with pytest.raises(AuthExpired):
        await calendars.collections()


async def test_a_password_that_was_renewed_is_used_at_once(servers: Servers, anna: User) -> None:
    secrets = KeptSecrets(acc=anna.secret)
    found = Calendars("acc", endpoint_of(anna.settings["caldav"], "http"), Credentials("acc", secrets, anna.email))
    await found.collections()
    servers.change_password(anna, "another")
    await secrets.save("acc", json.dumps({"password": "another"}))
    assert len(await found.collections()) == 1


async def test_a_pause_that_the_server_asks_for_is_kept(servers: Servers, calendars: Calendars) -> None:
    await calendars.home()
    servers.dav.instead("PROPFIND", 429, {"Retry-After": "0"})
    servers.dav.instead("PROPFIND", 503, {"Retry-After": "0"})
    assert len(await calendars.collections()) == 1
    servers.dav.instead("PROPFIND", 429, {"Retry-After": "3600"})
    with pytest.raises(RateLimited) as limited:
        await calendars.collections()
    assert limited.value.retry_after == 3600


async def test_a_read_survives_a_connection_that_breaks_and_a_write_is_not_sent_twice(
    servers: Servers, calendars: Calendars
) -> None:
    path = await filled(calendars)
    servers.dav.lose("PROPFIND", "before")
    assert len(await calendars.collections()) == 1
    servers.dav.requests.clear()
    servers.dav.lose("PUT", "before")
    with pytest.raises(Unavailable):
        await calendars.put(f"{path}u1.ics", event(1), None)
    assert asked(servers) == ["PUT"]


async def test_by_tls_with_the_authority_that_was_named(anna: User) -> None:
    found = calendars_of(anna, **anna.secure_settings)
    assert len(await found.collections()) == 1


async def test_a_certificate_for_another_name_is_refused_before_anything_is_sent(servers: Servers, anna: User) -> None:
    for settings in (servers.wrong_name_settings(anna), {**anna.secure_settings, "trusted": ""}):
        servers.dav.requests.clear()
        found = calendars_of(anna, **settings)
        with pytest.raises(Unreached, match="certificate"):
            await found.collections()
        assert servers.dav.requests == []


@pytest.mark.parametrize("href", ["http://[", "//[", "http://127.0.0.1:99999/"])
async def test_a_home_that_is_nowhere_is_told(servers: Servers, anna: User, href: str) -> None:
    home = f"<propstat><prop><C:calendar-home-set><href>{href}</href></C:calendar-home-set></prop></propstat>"
    servers.dav.instead("PROPFIND", 207, XML, multistatus(f"<response><href>/</href>{home}</response>"), times=9)
    calendars = calendars_of(anna)
    with pytest.raises(InvalidResponse):
        await calendars.collections()
    await calendars.close()
