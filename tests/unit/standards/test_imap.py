"""The connections of one account: how many, which, and what becomes of them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from doubles.imap import LETTER, add, imap_of, inbox
from doubles.secrets import KeptSecrets
from servers import Servers, User

from integrations.common import retrying
from integrations.common.remote import Unreached
from integrations.errors import AuthExpired, InvalidResponse, Unavailable
from integrations.standards.credentials import Credentials, Login
from integrations.standards.endpoints import endpoint_of
from integrations.standards.imap import imap as module
from integrations.standards.imap.imap import CONNECTIONS, Imap
from integrations.standards.imap.session import Session

Ended = Callable[[], Awaitable[None]]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "PAUSE", 0.001)


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example", name="Anna Berg")


@pytest_asyncio.fixture
async def imap(anna: User) -> AsyncIterator[Imap]:
    imap = imap_of(anna)
    yield imap
    await imap.close()


def sign_ins(servers: Servers) -> int:
    return sum(b" AUTHENTICATE" in line or b" LOGIN" in line for line in servers.imap.lines)


async def test_one_connection_serves_what_comes_in_turn(servers: Servers, imap: Imap) -> None:
    for _ in range(4):
        await imap.read(inbox)
    await imap.write(add)
    assert sign_ins(servers) == 1


async def test_what_comes_at_once_is_done_on_a_few(servers: Servers, imap: Imap) -> None:
    assert await asyncio.gather(*(imap.read(inbox) for _ in range(12))) == [[]] * 12
    assert sign_ins(servers) <= CONNECTIONS


async def test_a_connection_that_lay_idle_for_long_is_not_tried(
    servers: Servers, imap: Imap, monkeypatch: pytest.MonkeyPatch
) -> None:
    await imap.read(inbox)
    monkeypatch.setattr(module, "FRESH_FOR", 0.0)
    await imap.read(inbox)
    assert sign_ins(servers) == 2


async def test_many_that_wait_are_all_told_of_a_server_that_is_down(servers: Servers, imap: Imap) -> None:
    servers.imap.refuse()
    async with asyncio.timeout(20):
        told = await asyncio.gather(*(imap.read(inbox) for _ in range(3 * CONNECTIONS)), return_exceptions=True)
    assert {type(one) for one in told} == {Unreached}


async def test_an_error_of_the_work_itself_leaves_the_connection_usable(servers: Servers, imap: Imap) -> None:
    def wrong(session: Session) -> None:
        raise LookupError("ours")

    for _ in range(2 * CONNECTIONS):
        with pytest.raises(LookupError):
            await imap.read(wrong)
    assert await imap.read(inbox) == []
    assert sign_ins(servers) == 1


async def test_work_that_never_ends_is_cut_off(servers: Servers, imap: Imap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_WRITE", 0.2)
    servers.imap.instead(rb"SEARCH", b"* OK still at it\r\n")
    with pytest.raises(Unavailable):
        await imap.write(inbox)
    assert await imap.read(inbox) == []


async def test_a_read_that_nobody_waits_for_gives_its_connection_back(servers: Servers, imap: Imap) -> None:
    for _ in range(2 * CONNECTIONS):
        reading = asyncio.create_task(imap.read(inbox))
        await asyncio.sleep(0)
        reading.cancel()
    assert await imap.read(inbox) == []


async def test_closing_ends_a_read_that_hangs_and_leaves_no_thread(servers: Servers, anna: User, no_thread_is_left: Ended) -> None:
    imap = imap_of(anna)
    servers.imap.instead(rb"SEARCH", b"* OK still at it\r\n")
    reading = asyncio.create_task(imap.read(inbox))
    while not any(b"SEARCH" in line for line in servers.imap.lines):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await imap.close()
    with pytest.raises((Unavailable, asyncio.CancelledError)):
        await reading
    with pytest.raises(Unavailable, match="was closed"):
        await imap.write(inbox)
    await no_thread_is_left()


class Renewing(Credentials):
    """The first login is refused, the other is not."""

    def __init__(self, user: User) -> None:
        super().__init__("acc", KeptSecrets(acc=user.secret), user.email)
        self._user = user

    async def current(self) -> Login:
        return Login(self._user.email, "yesterday's")

    async def other_than(self, login: Login) -> Login:
        return Login(self._user.email, self._user.password)


async def test_a_login_that_is_refused_is_renewed_once(anna: User) -> None:
    imap = Imap("acc", endpoint_of(anna.settings["imap"], "imap"), Renewing(anna))
    await imap.write(add)
    await imap.close()
    assert anna.mailbox.mails() == [LETTER]


@pytest.mark.parametrize("password", ["pässwörd", 'quo"te\\s', "a b{5}", "x" * 400])
async def test_any_password_signs_in(servers: Servers, password: str) -> None:
    user = servers.user("odd@home.example", password=password)
    for hidden in ((), (b"AUTH=PLAIN",), (b"AUTH=PLAIN", b"LITERAL+")):
        servers.imap.hide(*hidden)
        imap = imap_of(user)
        assert await imap.read(inbox) == []
        await imap.close()


async def test_a_password_with_a_line_break_gives_no_command(servers: Servers) -> None:
    user = servers.user("odd@home.example")
    user.password = "x\r\nA1 DELETE INBOX"
    servers.imap.hide(b"AUTH=PLAIN")
    imap = imap_of(user)
    with pytest.raises((InvalidResponse, AuthExpired)):
        await imap.read(inbox)
    await imap.close()
    assert not any(b"DELETE" in line for line in servers.imap.lines)


async def test_no_password_is_kept_or_told(servers: Servers, anna: User, caplog: pytest.LogCaptureFixture) -> None:
    servers.imap.hide(b"AUTH=PLAIN")
    servers.imap.instead(rb"LOGIN", b"%t BAD I did not get: LOGIN " + anna.password.encode() + b"\r\n")
    imap = imap_of(anna)
    with caplog.at_level(0), pytest.raises(AuthExpired) as refused:
        await imap.read(inbox)
    error: BaseException | None = refused.value
    while error is not None:
        assert anna.password not in repr(error)
        error = error.__cause__ or error.__context__
    assert anna.password not in caplog.text
    await imap.close()


async def test_certificates_that_cannot_be_read_are_told_of(anna: User, tmp_path: Path) -> None:
    imap = imap_of(anna, anna.secure_settings["imap"], trusted=str(tmp_path / "none.pem"))
    with pytest.raises(InvalidResponse, match=r"none\.pem can't be read"):
        await imap.read(inbox)
    await imap.close()
