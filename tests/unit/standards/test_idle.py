"""New mail, told by the server itself."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from doubles.imap import LETTER, imap_of, inbox
from servers import Servers, User

from integrations.errors import AuthExpired, IntegrationError, NotFound
from integrations.registry import Tells
from integrations.standards.imap import idle
from integrations.standards.imap.idle import Idle

PATIENCE = 10.0
QUIET = 0.3


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "PAUSE", 0.01)
    monkeypatch.setattr(idle, "LULL", 0.0)


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example", name="Anna Berg")


@pytest_asyncio.fixture(params=[False, True])
async def waiting(servers: Servers, anna: User, request: pytest.FixtureRequest) -> AsyncIterator[Idle]:
    """In plain text and over TLS."""
    imap = imap_of(anna, servers.imaps("localhost") if request.param else "", trusted=str(servers.trusted))
    waiting = Idle(imap)
    yield waiting
    await waiting.close()
    await imap.close()


async def heard(servers: Servers, command: bytes, times: int) -> None:
    for looked in count():
        if sum(line.endswith(command) for line in servers.imap.lines) >= times:
            return
        assert looked < PATIENCE * 100, command
        await asyncio.sleep(0.01)


async def begun(servers: Servers, news: Coroutine[Any, Any, None], command: bytes = b" IDLE", times: int = 1) -> asyncio.Task[None]:
    """It waits by now."""
    servers.imap.lines.clear()
    task = asyncio.create_task(news)
    await heard(servers, command, times)
    return task


async def silent(task: asyncio.Task[None]) -> bool:
    await asyncio.wait({task}, timeout=QUIET)
    return not task.done()


async def stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_a_mail_that_comes_is_told_at_once(servers: Servers, waiting: Idle, anna: User) -> None:
    anna.mailbox.append(b"Subject: Old\r\n\r\n")
    task = await begun(servers, waiting.news())
    anna.mailbox.append(LETTER)
    await asyncio.wait_for(task, PATIENCE)


async def test_a_mail_that_came_before_it_was_asked_again_is_told(servers: Servers, waiting: Idle, anna: User) -> None:
    for _ in range(3):
        task = await begun(servers, waiting.news())
        anna.mailbox.append(LETTER)
        await asyncio.wait_for(task, PATIENCE)
        anna.mailbox.append(LETTER)
        await asyncio.wait_for(waiting.news(), PATIENCE)


async def test_flags_and_what_is_removed_are_no_news(servers: Servers, waiting: Idle, anna: User) -> None:
    anna.mailbox.append(LETTER)
    task = await begun(servers, waiting.news())
    anna.mailbox.flag("INBOX", "1", "\\Seen")
    anna.mailbox.remove("INBOX", "1")
    assert await silent(task)
    anna.mailbox.append(LETTER)
    await asyncio.wait_for(task, PATIENCE)


async def test_who_stops_waiting_may_wait_again(servers: Servers, waiting: Idle, anna: User) -> None:
    task = await begun(servers, waiting.news())
    await stopped(task)
    anna.mailbox.append(LETTER)
    await asyncio.wait_for(waiting.news(), PATIENCE)


async def test_a_mail_that_came_while_the_line_was_broken_is_told(servers: Servers, anna: User) -> None:
    imap = imap_of(anna)
    waiting = Idle(imap)
    task = await begun(servers, waiting.news())
    servers.imap.refuse()
    anna.mailbox.append(LETTER)
    assert await silent(task)
    servers.imap.refuse(False)
    await asyncio.wait_for(task, PATIENCE)
    await waiting.close()
    await imap.close()


async def test_a_restart_of_the_server_goes_unnoticed(servers: Servers, anna: User) -> None:
    imap = imap_of(anna)
    waiting = Idle(imap)
    task = await begun(servers, waiting.news())
    await asyncio.to_thread(servers.dovecot.restart)
    await heard(servers, b" IDLE", 2)
    assert not task.done()
    anna.mailbox.append(LETTER)
    await asyncio.wait_for(task, PATIENCE)
    await waiting.close()
    await imap.close()


async def test_a_server_that_does_not_tell_is_asked(servers: Servers, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "LOOK", 0.01)
    servers.imap.hide(b"IDLE")
    imap = imap_of(anna)
    waiting = Idle(imap)
    task = await begun(servers, waiting.news(), b" NOOP", 2)
    anna.mailbox.append(LETTER)
    await asyncio.wait_for(task, PATIENCE)
    assert not any(line.endswith(b" IDLE") for line in servers.imap.lines)
    await waiting.close()
    await imap.close()


async def test_silence_is_looked_into_now_and_then(servers: Servers, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "RENEWED", 0.01)
    imap = imap_of(anna)
    waiting = Idle(imap)
    task = await begun(servers, waiting.news(), times=3)
    assert not task.done()
    await stopped(task)
    await waiting.close()
    await imap.close()


async def test_a_password_that_was_changed_ends_the_waiting(servers: Servers, anna: User) -> None:
    servers.change_password(anna, "another")
    imap = imap_of(anna)
    with pytest.raises(AuthExpired):
        await Idle(imap).news()
    await imap.close()


async def test_an_account_that_is_closed_ends_the_waiting(servers: Servers, anna: User, tmp_path: Path) -> None:
    account = servers.open(anna, tmp_path)
    assert isinstance(account, Tells)
    task = await begun(servers, account.news())
    await account.close()
    with pytest.raises((IntegrationError, asyncio.CancelledError)):
        await asyncio.wait_for(task, PATIENCE)


async def test_waiting_takes_no_connection_from_reading(servers: Servers, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the server bears one alone, it is asked over that one."""
    monkeypatch.setattr(idle, "LOOK", 0.05)
    servers.imap.limit(1)
    imap = imap_of(anna)
    waiting = Idle(imap)
    task = await begun(servers, waiting.news())
    for _ in range(3):
        assert await imap.read(inbox) == []
    assert not task.done()
    anna.mailbox.append(LETTER)
    await asyncio.wait_for(task, PATIENCE)
    await waiting.close()
    await imap.close()


async def test_a_line_that_breaks_whenever_it_waits_is_made_anew_ever_more_seldom(
    servers: Servers, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers.imap.instead(rb"IDLE", b"* BYE not here\r\n", times=100)
    pauses: list[float] = []
    four = asyncio.Event()

    async def noted(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 4:
            four.set()

    monkeypatch.setattr(idle, "_some", noted)
    waiting = Idle(imap := imap_of(anna))
    task = asyncio.create_task(waiting.news())
    await asyncio.wait_for(four.wait(), PATIENCE)
    await stopped(task)
    assert pauses[:4] == [0.01, 0.02, 0.04, 0.08]
    await waiting.close()
    await imap.close()


async def test_an_inbox_that_cannot_be_opened_for_a_moment_does_not_end_the_waiting(servers: Servers, anna: User) -> None:
    imap = imap_of(anna)
    servers.imap.instead(rb"EXAMINE", b"%t NO busy, later\r\n", times=2)
    waiting = Idle(imap)
    task = await begun(servers, waiting.news())
    anna.mailbox.append(LETTER)
    await asyncio.wait_for(task, PATIENCE)
    await waiting.close()
    await imap.close()


async def test_who_stops_waiting_leaves_no_connection(servers: Servers, anna: User) -> None:
    servers.imap.limit(1)
    waiting = Idle(first := imap_of(anna))
    await stopped(await begun(servers, waiting.news()))
    second = imap_of(anna)
    assert await second.read(inbox) == []
    for imap in (waiting, first, second):
        await imap.close()


async def test_an_account_without_mail_has_no_news(servers: Servers, anna: User, tmp_path: Path) -> None:
    account = servers.open(anna, tmp_path, imap="")
    assert isinstance(account, Tells)
    with pytest.raises(NotFound):
        await account.news()
    await account.close()
