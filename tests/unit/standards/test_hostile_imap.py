"""Servers that mean no good, and answers of broken ones."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from doubles.hostile_imap import hostile
from doubles.imap import add, imap_of, inbox
from servers import Servers, User

from integrations.common import retrying
from integrations.common.remote import Unreached, Unreadable, came_to_nothing
from integrations.errors import AuthExpired, IntegrationError, Unavailable
from integrations.standards.endpoints import endpoint_of
from integrations.standards.imap import imap as module
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.imap_errors import Server
from integrations.standards.imap.responses import Garbled, found_by, found_in_sets, listed_in, vanished_in
from integrations.standards.imap.session import Session
from integrations.standards.imap.wire import Wire

Ended = Callable[[], Awaitable[None]]

PATIENCE = 15.0
DRIPPING = "* OK come closer\r\n…".encode()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "PAUSE", 0.001)


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example", name="Anna Berg")


@pytest.mark.parametrize("where", ["greeting", "CAPABILITY", "AUTHENTICATE"])
async def test_signing_in_comes_to_an_end_however_long_the_server_talks(
    anna: User, monkeypatch: pytest.MonkeyPatch, where: str, no_thread_is_left: Ended
) -> None:
    monkeypatch.setattr(module, "LONGEST_SIGN_IN", 0.2)
    replies = {where.encode(): (b"+ \r\n" if where == "AUTHENTICATE" else b"") + DRIPPING}
    with hostile(replies, DRIPPING if where == "greeting" else b"* OK hello\r\n") as server:
        imap = imap_of(anna, server.address)
        async with asyncio.timeout(PATIENCE):
            for work in (imap.read(inbox), imap.write(inbox)):
                with pytest.raises(Unreached, match="did not answer in time"):
                    await work
        await imap.close()
        await no_thread_is_left()


async def test_closing_ends_signing_in(anna: User, no_thread_is_left: Ended) -> None:
    with hostile(greeting=DRIPPING) as server:
        imap = imap_of(anna, server.address)
        reading = asyncio.create_task(imap.read(inbox))
        await asyncio.sleep(0.1)
        await imap.close()
        with pytest.raises((IntegrationError, asyncio.CancelledError)):
            await reading
        await no_thread_is_left()


async def test_closing_waits_for_no_farewell(anna: User, no_thread_is_left: Ended) -> None:
    with hostile({b"LOGOUT": DRIPPING}) as server:
        imap = imap_of(anna, server.address)
        await imap.read(lambda session: session.folders())
        async with asyncio.timeout(PATIENCE):
            await imap.close()
        await no_thread_is_left()


async def test_what_is_cut_stays_encrypted(servers: Servers, anna: User) -> None:
    """Another thread may be at work on it: what that still sends must not go out in plain text."""
    wire = Wire(Server("acc", "localhost"), endpoint_of(servers.imaps("localhost"), "imap"), str(servers.trusted))
    await asyncio.to_thread(wire.connect)
    wire.cut()
    assert wire.sock.version()  # type: ignore[attr-defined]
    wire.hang_up()


async def test_a_line_that_was_cut_is_not_taken_for_sound(anna: User) -> None:
    imap = imap_of(anna)
    session = await imap.connect()

    def cut_meanwhile() -> None:
        session.wire.ask("NOOP")
        session.wire._guarded(session.wire.cut)

    await asyncio.to_thread(cut_meanwhile)
    assert session.wire.broken
    session.wire.hang_up()
    await imap.close()


@pytest.mark.parametrize("why", [b"Too many commands", b"session limit exceeded", b"going down"])
async def test_a_farewell_during_a_write_does_not_mean_that_nothing_happened(servers: Servers, anna: User, why: bytes) -> None:
    imap = imap_of(anna)
    servers.imap.instead(rb"APPEND", b"* BYE " + why + b"\r\n")
    with pytest.raises(Unavailable) as lost:
        await imap.write(add)
    assert not came_to_nothing(lost.value)
    await imap.close()


async def test_answers_without_end_are_too_large_however_short_their_lines(anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    from integrations.standards.imap import wire

    monkeypatch.setattr(wire, "LARGEST_ANSWER", 100_000)
    with hostile({b"SEARCH": b"* 1 X\r\n" * 10_000 + b"%t OK done\r\n"}) as server:
        imap = imap_of(anna, server.address)
        with pytest.raises(Unreadable):
            await imap.read(inbox)
        await imap.close()


def test_no_number_of_lines_tells_of_more_mails_than_there_can_be() -> None:
    lines = [b"UID ALL %d:%d" % (n, n + 1_000_000) for n in range(1, 10_000_000, 1_000_001)]
    for reader, told in ((found_in_sets, lines), (vanished_in, lines), (found_by, [b"1 " * 5_000_001])):
        with pytest.raises(Garbled):
            reader(told)


def test_folders_that_cannot_be_named_to_the_server_are_left_out() -> None:
    listed = listed_in([(b'() "/" {8}', b"a\r\nb OK x"), b"", (b'() "/" {3}', b"a\0b"), b"", b'() "/" INBOX'])
    assert [one.path for one in listed] == ["INBOX"]


async def test_a_folder_with_a_line_break_hinders_no_other(servers: Servers, anna: User) -> None:
    imap = imap_of(anna)
    servers.imap.instead(rb"LIST", b'* LIST () "/" {5}\r\na\r\nb \r\n* LIST () "/" INBOX\r\n%t OK done\r\n')

    def every(session: Session) -> int:
        return sum(session.open(folder).exists for folder in session.folders())

    assert await imap.read(every) == 0
    await imap.close()


@pytest.mark.parametrize(
    "before",
    [
        b"* PREAUTH you are in\r\n",
        b"* OK hello\r\n",
    ],
)
async def test_without_encryption_no_password_goes_to_a_server_that_should_encrypt(anna: User, before: bytes) -> None:
    with hostile({b"CAPABILITY": b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n%t OK done\r\n"}, before) as server:
        imap = imap_of(anna, server.address.replace("imap://", "imap+starttls://"))
        with pytest.raises(Unreached):
            await imap.read(inbox)
        await imap.close()
        assert not any(b"AUTHENTICATE" in line or b"LOGIN" in line for line in server.lines)


async def test_what_was_said_before_encryption_counts_for_nothing(servers: Servers, anna: User) -> None:
    """An answer to a later command, slipped in behind the one to STARTTLS, is never read."""
    starttls = b"%t OK begin\r\n* CAPABILITY IMAP4rev1 LOGINDISABLED\r\nA1 OK done\r\n"
    with hostile({b"CAPABILITY": b"* CAPABILITY IMAP4rev1 STARTTLS\r\n%t OK done\r\n", b"STARTTLS": starttls}) as server:
        imap = imap_of(anna, server.address.replace("imap://", "imap+starttls://"), trusted=str(servers.trusted))
        with pytest.raises(Unreached):
            await imap.read(inbox)
        await imap.close()
        assert not any(anna.password.encode() in line or b"LOGIN" in line for line in server.lines)


async def test_a_password_that_is_no_text_is_refused_and_not_told(servers: Servers) -> None:
    user = servers.user("odd@home.example")
    user.password = "pass\ud800word"
    imap: Imap = imap_of(user)
    with pytest.raises(AuthExpired) as refused:
        await imap.read(inbox)
    error: BaseException | None = refused.value
    while error is not None:
        assert "pass" not in repr(error).replace("password", "")
        error = error.__cause__ or error.__context__
    await imap.close()
