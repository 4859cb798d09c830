"""Writing mail over IMAP: what the contract does not ask for."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from doubles.boxes.letters import letter
from servers import Servers, User
from servers.dovecot import UNANNOUNCED
from servers.imap_proxy import Rule

from integrations.actions import DeleteDraft, MarkMail, MoveMail, Receipt, SaveDraft, SendMail
from integrations.errors import Conflict, IntegrationError, NotFound, Unavailable
from integrations.registry import Account
from integrations.standards.imap.session import Session
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH, Address, Mail, MailQuery, MailRef

KEY, OTHER = "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "f" * 32
BEN = Address(email="ben@home.example")


@pytest.fixture
def anna(servers: Servers) -> User:
    servers.user(BEN.email)
    return servers.user("anna@home.example", name="Anna Berg", dovecot=UNANNOUNCED)


@pytest.fixture
async def account(servers: Servers, anna: User, tmp_path: Path) -> AsyncIterator[Account]:
    account = servers.open(anna, tmp_path)
    yield account
    await account.close()


async def only(account: Account, *folders: str) -> Mail:
    (mail,) = (await account.readers.mail.search(MailQuery(folders=folders))).items
    return mail


def flags(user: User, folder: str = INBOX) -> bytes:
    with user.mailbox as imap:
        imap.select(folder, readonly=True)
        return b"".join(line for line in imap.fetch("1:*", "(FLAGS)")[1] if isinstance(line, bytes))


def mail(**fields: Any) -> SendMail:
    return SendMail(**{"account": "acc", "to": (BEN,), "subject": "Plan", "body": "All set.", **fields})


async def test_without_an_outgoing_server_a_mail_waits_in_the_outbox(servers: Servers, anna: User, tmp_path: Path) -> None:
    account = servers.open(anna, tmp_path, smtp="")
    try:
        assert not account.sends
        receipt = await account.writers.mail.execute(mail(), KEY)
        assert "Outbox" in receipt.note and (await only(account, OUTBOX)).id == receipt.id
        assert await account.writers.mail.execute(mail(), KEY) == receipt
        (undo,) = receipt.undo
        assert isinstance(undo, MoveMail)
        await account.writers.mail.execute(undo, OTHER)
        assert (await only(account, TRASH)).id == receipt.id
        found = await account.writers.mail.find(mail(), KEY)
        assert found is not None and found.undo == ()
        assert servers.smtp.taken == []
    finally:
        await account.close()


async def test_what_was_answered_and_forwarded_is_marked_so(account: Account, anna: User) -> None:
    anna.mailbox.append(letter())
    original = await only(account, INBOX)
    receipt = await account.writers.mail.execute(mail(reply_to=original.ref), KEY)
    assert receipt.changed == (original.ref,)
    assert b"\\Answered" in flags(anna)
    await account.writers.mail.execute(mail(forward_of=original.ref), OTHER)
    assert b"$Forwarded" in flags(anna)


async def test_an_original_that_can_not_be_marked_once_the_reply_has_left_makes_no_failure_of_it(
    account: Account, anna: User, servers: Servers
) -> None:
    anna.mailbox.append(letter())
    original = await only(account, INBOX)
    servers.imap.lose(rb"UID STORE .*Answered")
    receipt = await account.writers.mail.execute(mail(reply_to=original.ref), KEY)
    assert receipt.changed == () and (await only(account, SENT)).id == receipt.id


async def test_a_mark_that_somebody_sets_in_the_same_moment_is_not_written_over(
    account: Account, anna: User, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna.mailbox.append(letter())
    seen = await only(account, INBOX)
    heard = servers.imap.heard

    def meanwhile(line: bytes) -> Rule | None:
        if b"UID STORE" in line:
            anna.mailbox.flag(INBOX, "1", "\\Flagged")
        return heard(line)

    monkeypatch.setattr(servers.imap, "heard", meanwhile)
    with pytest.raises(Conflict):
        await account.writers.mail.execute(MarkMail(account="acc", mail=seen.ref, seen=True), KEY)
    assert b"\\Flagged" in flags(anna) and b"\\Seen" not in flags(anna)


async def test_both_marks_are_set_at_once_and_taken_back(account: Account, anna: User) -> None:
    anna.mailbox.append(letter(), flags=["\\Flagged"])
    before = await only(account, INBOX)
    receipt = await account.writers.mail.execute(MarkMail(account="acc", mail=before.ref, seen=True, flagged=False), KEY)
    after = await only(account, INBOX)
    assert (after.unread, after.flagged, after.etag) == (False, False, receipt.etag)
    (undo,) = receipt.undo
    await account.writers.mail.execute(undo, OTHER)
    assert (await only(account, INBOX)).etag == before.etag


@pytest.mark.parametrize("folder", [ARCHIVE, TRASH, SENT, DRAFTS])
async def test_special_folders_are_made_when_they_are_first_needed(account: Account, anna: User, folder: str) -> None:
    anna.mailbox.append(letter())
    inbox = await only(account, INBOX)
    receipt = await account.writers.mail.execute(MoveMail(account="acc", mail=inbox.ref, folder=folder), KEY)
    moved = await only(account, folder)
    assert (moved.id, moved.etag, moved.folder) == (inbox.id, receipt.etag, folder)


@pytest.mark.parametrize("folder", ['A" (\\Seen)', "a\r\nx LOGOUT", "INBOX.", "*", "%", "&", "../..", "Ä" * 300], ids=repr)
async def test_no_name_of_a_folder_does_anything_else(account: Account, anna: User, folder: str) -> None:
    anna.mailbox.append(letter())
    inbox = await only(account, INBOX)
    with pytest.raises(NotFound):
        await account.writers.mail.execute(MoveMail(account="acc", mail=inbox.ref, folder=folder), KEY)
    assert anna.mailbox.folders() == [INBOX]


async def test_a_deleted_draft_lies_in_trash_and_comes_back(account: Account) -> None:
    saved = await account.writers.mail.execute(SaveDraft(account="acc", to=(BEN,), subject="later"), KEY)
    draft = await only(account, DRAFTS)
    deleted = await account.writers.mail.execute(DeleteDraft(account="acc", mail=draft.ref), OTHER)
    assert (await only(account, TRASH)).id == draft.id
    (undo,) = deleted.undo
    await account.writers.mail.execute(undo, OTHER[::-1])
    assert (await only(account, DRAFTS)).ref == draft.ref
    assert saved.id == draft.id


async def test_servers_that_do_not_move_lose_nothing_in_moving(account: Account, anna: User, servers: Servers) -> None:
    servers.imap.hide(b"MOVE")
    anna.mailbox.append(letter())
    inbox = await only(account, INBOX)
    action = MoveMail(account="acc", mail=inbox.ref, folder=ARCHIVE)
    servers.imap.lose(rb"UID COPY", "after")
    with pytest.raises(Unavailable):
        await account.writers.mail.execute(action, KEY)
    assert (await account.readers.mail.get(inbox.ref)).id == inbox.id
    receipt = await account.writers.mail.execute(action, KEY)
    assert receipt.id == inbox.id and (await only(account, ARCHIVE)).id == inbox.id
    assert (len(anna.mailbox.mails(ARCHIVE)), len(anna.mailbox.mails(INBOX))) == (1, 0)


async def test_a_mail_that_is_nowhere_is_not_found(account: Account) -> None:
    with pytest.raises(NotFound):
        await account.writers.mail.execute(
            MoveMail(account="acc", mail=MailRef(account="acc", id="../../etc/passwd"), folder=ARCHIVE), KEY
        )


# Others at the same mail


def before(monkeypatch: pytest.MonkeyPatch, step: str, what: Callable[[], object]) -> None:
    """Done once, just before this step of a session."""
    whole, due = getattr(Session, step), [what]

    def after_it(self: Session, *given: object, **more: object) -> object:
        if due:
            due.pop()()
        return whole(self, *given, **more)

    monkeypatch.setattr(Session, step, after_it)


@pytest.mark.parametrize("hidden", [(), (b"MOVE",), (b"MOVE", b"UIDPLUS"), (b"UIDPLUS",)], ids=repr)
async def test_a_mail_that_is_taken_away_in_the_same_moment_is_not_said_to_be_moved(
    account: Account, anna: User, servers: Servers, monkeypatch: pytest.MonkeyPatch, hidden: tuple[bytes, ...]
) -> None:
    servers.imap.hide(*hidden)
    anna.mailbox.append(letter())
    inbox = await only(account, INBOX)
    before(monkeypatch, "move", lambda: anna.mailbox.remove(INBOX, "1"))
    with pytest.raises(IntegrationError):
        await account.writers.mail.execute(MoveMail(account="acc", mail=inbox.ref, folder=ARCHIVE), KEY)


@pytest.mark.parametrize("hidden", [(), (b"CONDSTORE", b"QRESYNC")], ids=repr)
async def test_a_mail_that_is_taken_away_in_the_same_moment_is_not_said_to_be_marked(
    account: Account, anna: User, servers: Servers, monkeypatch: pytest.MonkeyPatch, hidden: tuple[bytes, ...]
) -> None:
    servers.imap.hide(*hidden)
    anna.mailbox.append(letter())
    inbox = await only(account, INBOX)
    before(monkeypatch, "store", lambda: anna.mailbox.remove(INBOX, "1"))
    with pytest.raises(IntegrationError):
        await account.writers.mail.execute(MarkMail(account="acc", mail=inbox.ref, seen=True), KEY)


async def test_a_server_that_is_content_to_move_nothing_is_not_believed(account: Account, anna: User, servers: Servers) -> None:
    anna.mailbox.append(letter())
    inbox = await only(account, INBOX)
    servers.imap.instead(rb"UID MOVE", b"%t OK No matching messages\r\n")
    action = MoveMail(account="acc", mail=inbox.ref, folder=ARCHIVE)
    with pytest.raises(Unavailable):
        await account.writers.mail.execute(action, KEY)
    assert await account.writers.mail.find(action, KEY) is None


async def test_half_of_a_mark_is_not_said_to_be_none(account: Account, anna: User, servers: Servers) -> None:
    anna.mailbox.append(letter(), flags=["\\Flagged"])
    inbox = await only(account, INBOX)
    servers.imap.instead(rb"UID STORE .*-FLAGS", b"%t NO [NOPERM] not that one\r\n")
    with pytest.raises(Unavailable):
        await account.writers.mail.execute(MarkMail(account="acc", mail=inbox.ref, seen=True, flagged=False), KEY)


@pytest.mark.parametrize("draft", [True, False])
async def test_two_programs_that_write_the_same_at_once_write_one(
    servers: Servers, anna: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draft: bool
) -> None:
    action = SaveDraft(account="acc", to=(BEN,), subject="later") if draft else mail()
    told: list[Receipt] = []

    async def other() -> None:
        second = servers.open(anna, tmp_path / "other", smtp="")
        told.append(await second.writers.mail.execute(action, KEY))
        await second.close()

    account = servers.open(anna, tmp_path, smtp="")
    before(monkeypatch, "append", lambda: asyncio.run(other()))
    try:
        told.append(await account.writers.mail.execute(action, KEY))
    finally:
        await account.close()
    assert len(anna.mailbox.mails(DRAFTS if draft else OUTBOX)) == 1
    assert told[0] == told[1]
