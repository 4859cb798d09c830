"""What one process has read of calendars and address books, and the next one need not ask for."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from doubles.boxes.files import calendar_file
from doubles.given import GivenEvent
from servers import Servers, User
from servers.http_proxy import HttpProxy

from integrations.actions import CreateContact, DeleteContact
from integrations.registry import Account
from integrations.standards.dav import dav_kept
from integrations.standards.dav.calendars import Calendars
from integrations.standards.dav.dav_kept import DavKept, Item, State
from integrations.types import ContactQuery, ContactRef, EventQuery

DAY = datetime(2026, 11, 19, tzinfo=UTC)
URL = "http://x/a/"
FIRST, SECOND, THIRD = State("t1", "v1"), State("t2", "v2"), State("t3", "v3")
ONE, OTHER = Item("1", b"one"), Item("2", b"other")


@pytest.fixture
def kept(tmp_path: Path) -> DavKept:
    return DavKept(tmp_path / "index", "acc")


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example")


@pytest.fixture(params=["radicale", "xandikos"])
def dav(request: pytest.FixtureRequest, servers: Servers) -> HttpProxy:
    return servers.dav if request.param == "radicale" else servers.xandikos_dav


def opened(servers: Servers, user: User, dav: HttpProxy, index: Path) -> Account:
    """As a new process does."""
    at = f"http://127.0.0.1:{dav.port}/"
    return servers.open(user, index, caldav=at, carddav=at)


async def titles(servers: Servers, user: User, dav: HttpProxy, index: Path, days: int = 7) -> list[str]:
    account = opened(servers, user, dav, index)
    try:
        page = await account.readers.calendar.events(EventQuery(start=DAY, end=DAY + timedelta(days=days)))
        return sorted(event.title for event in page.items)
    finally:
        await account.close()


async def names(servers: Servers, user: User, dav: HttpProxy, index: Path) -> list[str]:
    account = opened(servers, user, dav, index)
    try:
        return [contact.name for contact in (await account.readers.contacts.search(ContactQuery())).items]
    finally:
        await account.close()


def event(number: int, title: str) -> bytes:
    start = DAY + timedelta(hours=number)
    return calendar_file(GivenEvent(title, start, start + timedelta(hours=1), uid=f"u{number}"))


def reports(dav: HttpProxy) -> list[bytes]:
    found = [request.body for request in dav.requests if request.method == "REPORT"]
    dav.requests.clear()
    return found


async def test_a_new_process_asks_only_for_the_events_that_have_changed(
    servers: Servers, anna: User, dav: HttpProxy, tmp_path: Path
) -> None:
    account = opened(servers, anna, dav, tmp_path)
    calendars: Calendars = account._connection.calendars  # type: ignore[attr-defined]
    path = (await calendars.default()).path
    for number in (1, 2, 3):
        await calendars.put(f"{path}u{number}.ics", event(number, f"e{number}"), None)
    assert await titles(servers, anna, dav, tmp_path) == ["e1", "e2", "e3"]
    reports(dav)
    assert await titles(servers, anna, dav, tmp_path) == ["e1", "e2", "e3"]
    assert reports(dav) == []
    await calendars.put(f"{path}u2.ics", event(2, "changed"), (await calendars.get(f"{path}u2.ics")).tag)
    await calendars.put(f"{path}u4.ics", event(4, "new"), None)
    await calendars.delete(f"{path}u1.ics", (await calendars.get(f"{path}u1.ics")).tag)
    for _ in range(2):
        assert await titles(servers, anna, dav, tmp_path) == ["changed", "e3", "new"]
    asked = reports(dav)
    assert len(asked) == 2 and b"u3.ics" not in b"".join(asked)
    assert await titles(servers, anna, dav, tmp_path, days=300) == ["changed", "e3", "new"]
    await account.close()


async def test_a_new_process_asks_only_for_the_cards_that_have_changed(
    servers: Servers, anna: User, dav: HttpProxy, tmp_path: Path
) -> None:
    writing = opened(servers, anna, dav, tmp_path / "other")
    made = [await writing.writers.contacts.execute(CreateContact(account="acc", name=name), name) for name in ("Ada", "Ben", "Cid")]
    assert await names(servers, anna, dav, tmp_path) == ["Ada", "Ben", "Cid"]
    reports(dav)
    assert await names(servers, anna, dav, tmp_path) == ["Ada", "Ben", "Cid"]
    assert reports(dav) == []
    gone = ContactRef(account="acc", id=made[0].id, etag=made[0].etag)
    await writing.writers.contacts.execute(DeleteContact(account="acc", contact=gone), "k")
    await writing.writers.contacts.execute(CreateContact(account="acc", name="Dan"), "Dan")
    reports(dav)
    for _ in range(2):
        assert await names(servers, anna, dav, tmp_path) == ["Ben", "Cid", "Dan"]
    assert b"Ben" not in b"".join(reports(dav))
    await writing.close()


async def test_another_sign_in_is_not_shown_what_was_kept_for_the_first(tmp_path: Path) -> None:
    mine, other = DavKept(tmp_path, "acc", "acc anna"), DavKept(tmp_path, "acc", "acc ben")
    mine.keep_all(URL, FIRST, {"a": ONE})
    assert other.held(URL) is None
    await mine.close()
    await other.close()


async def test_changes_are_kept_only_after_what_they_come_after(kept: DavKept) -> None:
    kept.keep_all(URL, FIRST, {"a": ONE, "b": ONE})
    kept.keep_changes(URL, FIRST, SECOND, {"a": OTHER}, {"b"})
    kept.keep_changes(URL, FIRST, THIRD, {"c": OTHER}, {"a"})  # of a process that has not seen the second
    held = kept.held(URL)
    assert held and held.state == SECOND and held.items == {"a": OTHER}
    kept.keep_all(URL, THIRD, {"c": ONE})
    held = kept.held(URL)
    assert held and held.state == THIRD and held.items == {"c": ONE}
    await kept.close()


async def test_nobody_else_can_read_it_and_a_broken_one_is_begun_anew(kept: DavKept, tmp_path: Path) -> None:
    kept.keep_all(URL, FIRST, {"a": ONE})
    files = list((tmp_path / "index").iterdir())
    assert files and all(stat.S_IMODE(os.stat(file).st_mode) == 0o600 for file in files)
    await kept.close()
    for file in files:
        file.write_bytes(b"something else altogether" * 100)
    assert kept.held(URL) is None
    kept.keep_all(URL, SECOND, {"a": ONE})
    held = kept.held(URL)
    assert held and held.state == SECOND
    await kept.close()


async def test_all_is_read_anew_after_a_week(kept: DavKept) -> None:
    kept.keep_all(URL, FIRST, {"a": ONE})
    assert kept.held(URL)
    with patch.object(dav_kept, "LONGEST", -1.0):
        assert kept.held(URL) is None
    await kept.close()
