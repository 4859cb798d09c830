"""What befalls a mailbox and the way to it: each is mended in silence or said in clear words, and nothing is lost or done twice."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from doubles.imap import LETTER, add, imap_of, inbox
from servers import Servers, User
from servers.certificates import Authority

from integrations.common import retrying
from integrations.common.remote import Unreached
from integrations.errors import AuthExpired, NotFound, RateLimited, Unavailable
from integrations.registry import Account
from integrations.standards.imap.imap import CONNECTIONS, Imap
from integrations.standards.imap.session import Session
from integrations.types import INBOX, Mail, MailQuery


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


@pytest_asyncio.fixture
async def account(servers: Servers, anna: User, tmp_path: Path) -> AsyncIterator[Account]:
    account = servers.open(anna, tmp_path)
    yield account
    await account.close()


async def mails(account: Account) -> dict[str, Mail]:
    """By subject."""
    return {mail.subject: mail for mail in (await account.readers.mail.search(MailQuery())).items}


# The server is restarted ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("crash", [False, True])
async def test_a_restart_between_two_reads_goes_unnoticed(servers: Servers, imap: Imap, crash: bool) -> None:
    await imap.write(add)
    before = await imap.read(inbox)
    await asyncio.to_thread(lambda: servers.dovecot.restart(crash=crash))
    assert await imap.read(inbox) == before


async def test_a_restart_leaves_no_dead_connection_of_several(servers: Servers, imap: Imap) -> None:
    await asyncio.gather(*(imap.read(inbox) for _ in range(CONNECTIONS)))
    await asyncio.to_thread(servers.dovecot.restart)
    assert await asyncio.gather(*(imap.read(inbox) for _ in range(CONNECTIONS))) == [[]] * CONNECTIONS


async def test_a_restart_between_a_read_and_a_write_goes_unnoticed(servers: Servers, imap: Imap, anna: User) -> None:
    await imap.read(inbox)
    await asyncio.to_thread(servers.dovecot.restart)
    await imap.write(add)
    assert len(anna.mailbox.mails()) == 1


async def test_a_line_that_breaks_during_a_read_goes_unnoticed(servers: Servers, imap: Imap) -> None:
    servers.imap.lose(rb"UID SEARCH")
    assert await imap.read(inbox) == []


async def test_a_line_that_breaks_before_a_write_arrives_leaves_it_unknown_and_undone(
    servers: Servers, imap: Imap, anna: User
) -> None:
    servers.imap.lose(rb"APPEND", "before")
    with pytest.raises(Unavailable) as lost:
        await imap.write(add)
    assert not isinstance(lost.value, Unreached)
    assert anna.mailbox.mails() == []


async def test_a_line_that_breaks_after_a_write_leaves_it_unknown_and_done_once(servers: Servers, imap: Imap, anna: User) -> None:
    servers.imap.lose(rb"APPEND", "after")
    with pytest.raises(Unavailable) as lost:
        await imap.write(add)
    assert not isinstance(lost.value, Unreached)
    assert anna.mailbox.mails() == [LETTER]


async def test_a_server_that_is_down_is_named_and_nothing_was_sent(servers: Servers, imap: Imap) -> None:
    servers.imap.refuse()
    for work in (imap.read(inbox), imap.write(inbox)):
        with pytest.raises(Unreached, match=r"127\.0\.0\.1 can't be reached"):
            await work


async def test_reading_goes_on_once_the_server_is_up_again(servers: Servers, imap: Imap) -> None:
    servers.imap.refuse()
    with pytest.raises(Unreached):
        await imap.read(inbox)
    servers.imap.refuse(False)
    assert await imap.read(inbox) == []


async def test_a_write_ends_though_nobody_waits_for_it_any_more(imap: Imap, anna: User) -> None:
    writing = asyncio.create_task(imap.write(add))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await imap.close()
    assert anna.mailbox.mails() == [LETTER]


# Its connections are limited -----------------------------------------------------------------------------------------


async def test_what_the_server_lets_nobody_do_at_once_is_done_in_turn(servers: Servers, imap: Imap) -> None:
    servers.imap.limit(1)
    assert await asyncio.gather(*(imap.read(inbox) for _ in range(5))) == [[]] * 5


async def test_a_limit_that_others_have_reached_is_said_and_nothing_is_written(servers: Servers, imap: Imap, anna: User) -> None:
    servers.imap.limit(1)
    other = imap_of(anna)
    await other.read(inbox)  # and keeps its connection
    for work in (imap.read(add), imap.write(add)):
        with pytest.raises(RateLimited, match="allows no more connections"):
            await work
    await other.close()
    assert anna.mailbox.mails() == []
    assert await imap.read(inbox) == []


# Others are at work in the mailbox -----------------------------------------------------------------------------------


async def test_a_mail_in_a_folder_that_was_renamed_is_found_there(anna: User, account: Account) -> None:
    anna.mailbox.append(LETTER, "Projects")
    mail = (await mails(account))["Lunch"]
    with anna.mailbox as other:
        other.rename("Projects", "Done")
    assert (await account.readers.mail.get(mail.ref)).folder == "Done"
    assert list(await mails(account)) == ["Lunch"]
    assert "Projects" not in await account.readers.mail.folders()


async def test_a_folder_that_was_renamed_is_said_to_be_gone(anna: User, imap: Imap) -> None:
    def projects(session: Session) -> list[int]:
        folder = session.folders().named("Projects")
        assert folder
        session.open(folder)
        return session.search("ALL")

    anna.mailbox.append(LETTER, "Projects")
    assert await imap.read(projects)
    with anna.mailbox as other:
        other.rename("Projects", "Done")
    with pytest.raises(NotFound, match="no folder Projects any more"):
        await imap.read(projects)


async def test_a_mail_keeps_its_id_where_its_folder_was_made_anew(servers: Servers, anna: User, account: Account) -> None:
    first = b"Subject: First\r\n\r\nOne\r\n"
    for raw in (first, LETTER):
        anna.mailbox.append(raw, "Projects")
    known = await mails(account)
    ((_, _, arrived, _),) = (one for one in anna.mailbox.everything() if one[3] == LETTER)
    with anna.mailbox as other:
        other.delete("Projects")
    anna.mailbox.append(LETTER, "Projects", date=arrived)
    assert (await account.readers.mail.get(known["Lunch"].ref)).body.strip() == "At noon?"
    with pytest.raises(NotFound):
        await account.readers.mail.get(known["First"].ref)


async def test_no_mail_is_taken_for_another_where_the_server_numbers_them_anew(
    servers: Servers, anna: User, account: Account
) -> None:
    anna.mailbox.append(b"Subject: First\r\n\r\nOne\r\n")
    anna.mailbox.append(LETTER)
    lunch = (await mails(account))["Lunch"]
    with anna.mailbox as other:  # the first is gone, and the second gets its number
        other.select()
        other.uid("STORE", "1", "+FLAGS", "(\\Deleted)")
        other.expunge()
    next(servers.dovecot.home(anna.email).rglob("dovecot-uidlist")).unlink()
    found = await account.readers.mail.get(lunch.ref)
    assert (found.subject, found.folder) == ("Lunch", INBOX)
    assert list(await mails(account)) == ["Lunch"]


# Certificates and passwords ------------------------------------------------------------------------------------------


async def test_over_tls_all_is_as_without(servers: Servers, anna: User) -> None:
    for settings in (anna.secure_settings, anna.starttls_settings):
        imap = imap_of(anna, settings["imap"], trusted=settings["trusted"])
        assert await imap.read(inbox) == []
        await imap.close()


@pytest.mark.parametrize(
    ("names", "life", "known", "why"),
    [
        (["elsewhere.example"], timedelta(days=1), True, "its certificate is for another name"),
        (["localhost"], timedelta(days=-1), True, "its certificate has expired"),
        (["localhost"], timedelta(days=1), False, "its certificate is (vouched|signed)"),
    ],
)
async def test_a_certificate_that_is_wrong_is_told_of_and_no_password_sent(
    servers: Servers, anna: User, names: list[str], life: timedelta, known: bool, why: str
) -> None:
    address = servers.imaps(*names, by=None if known else Authority(), life=life)
    imap = imap_of(anna, address, trusted=str(servers.trusted))
    for work in (imap.read(inbox), imap.write(inbox)):
        with pytest.raises(Unreached, match=f"localhost was not signed in to: {why}"):
            await work
    assert servers.imap.lines == []


async def test_a_password_that_was_changed_asks_for_connecting_again(servers: Servers, imap: Imap, anna: User) -> None:
    servers.change_password(anna, "another")
    for work in (imap.read(inbox), imap.write(inbox)):
        with pytest.raises(AuthExpired, match="connect it again") as refused:
            await work
        assert anna.password not in repr(refused.value) + repr(refused.value.__cause__) + repr(refused.value.__context__)
