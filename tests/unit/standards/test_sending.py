"""A mail that leaves once, at servers of several habits."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from servers import Servers, User
from servers.dovecot import UNANNOUNCED

from integrations.actions import SendMail
from integrations.common.mail_building import build_message, message_id
from integrations.errors import IntegrationError, InvalidResponse, Unavailable, Unknowable
from integrations.registry import Account
from integrations.standards.imap.session import Selected, Session
from integrations.standards.provider import StandardsAccount
from integrations.standards.sending import filing
from integrations.standards.sending.sending import Sending
from integrations.types import Address, MailQuery, MailRef

KEY, OTHER = "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "f" * 32
NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
BELOW_INBOX = {"namespace/plain/separator": ".", "namespace/plain/prefix": "INBOX."}


@pytest.fixture
def anna(servers: Servers) -> User:
    servers.user("ben@home.example")
    return servers.user("anna@home.example", name="Anna Berg")


@pytest.fixture
async def account(servers: Servers, anna: User, tmp_path: Path) -> AsyncIterator[Account]:
    account = opened(servers, anna, tmp_path)
    yield account
    await account.close()


def opened(servers: Servers, user: User, index: Path) -> Account:
    return servers.open(user, index, smtp=f"smtp://127.0.0.1:{servers.smtp_steps.port}", files_sent="")


def sending(account: Account) -> Sending:
    assert isinstance(account, StandardsAccount)
    found = account._connection.sending
    assert found is not None
    return found


def arrived(servers: Servers) -> int:
    return len(servers.users["ben@home.example"].mailbox.mails())


def letter(**fields: object) -> SendMail:
    given = {"account": "acc", "to": (Address(email="ben@home.example"),), "subject": "Plan", "body": "All set."}
    return SendMail.model_validate({**given, **fields})


async def test_a_server_that_files_by_itself_is_known_from_the_first_mail_on(
    servers: Servers, account: Account, anna: User
) -> None:
    anna.files_sent = True
    for number, key in enumerate((KEY, OTHER), start=1):
        receipt = await account.writers.mail.execute(letter(), key)
        assert receipt.id and not receipt.note
        assert (len(anna.mailbox.mails("Sent")), len(anna.mailbox.mails("Drafts")), arrived(servers)) == (number, 0, number)


async def test_a_server_that_files_late_leaves_no_second_copy(
    servers: Servers, account: Account, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "LATER", 0.0)
    monkeypatch.setattr(filing, "PATIENCE", {"server": 10.0, "": 0.0, "here": 0.0})
    again = filing._one_too_many

    def late(session: Session, doubt: filing.Doubt) -> bool:
        files_late(servers, anna)
        return again(session, doubt)

    monkeypatch.setattr(filing, "_one_too_many", late)
    receipt = await account.writers.mail.execute(letter(), KEY)
    await asyncio.gather(*sending(account)._filing._afterwards)
    assert len(anna.mailbox.mails("Sent")) == 1
    assert (await account.readers.mail.get(MailRef(account="acc", id=receipt.id))).folder == "Sent"
    assert sending(account)._filing._filer() == "server"


async def test_a_program_that_ends_at_once_leaves_the_second_copy_to_the_next_one(
    servers: Servers, anna: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "PATIENCE", {"server": 0.0, "": 0.0, "here": 0.0})
    account = opened(servers, anna, tmp_path)
    await account.writers.mail.execute(letter(), KEY)
    await account.close()
    files_late(servers, anna)
    monkeypatch.setattr(filing, "LATER", 0.0)
    account = opened(servers, anna, tmp_path)
    try:
        await sending(account)._filing.look_again()
        assert len(anna.mailbox.mails("Sent")) == 1
        assert sending(account)._filing._filer() == "server"
    finally:
        await account.close()


def files_late(servers: Servers, user: User) -> None:
    user.mailbox.append(servers.smtp.taken[-1].raw, "Sent", flags=["\\Seen"])


async def test_what_became_of_a_mail_is_told_where_the_server_files_it_late(
    servers: Servers, anna: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = filing.Filing._appeared

    async def late(self: filing.Filing, own_id: str, patience: float) -> bool:
        files_late(servers, anna)
        return await looked(self, own_id, patience)

    monkeypatch.setattr(filing.Filing, "_appeared", late)
    account = servers.open(anna, tmp_path, smtp=f"smtp://127.0.0.1:{servers.smtp_steps.port}", files_sent="yes")
    servers.smtp_steps.at("before the reply")
    try:
        with pytest.raises(Unavailable):
            await account.writers.mail.execute(letter(), KEY)
        receipt = await account.writers.mail.find(letter(), KEY)
        assert receipt is not None and receipt.etag == "Sent:S"
    finally:
        await account.close()


@pytest.mark.parametrize("habit", ["", "yes"])
async def test_a_mail_that_can_not_be_put_into_sent_was_sent_all_the_same(
    servers: Servers, anna: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, habit: str
) -> None:
    monkeypatch.setattr(filing, "ATTEMPTS", (0.0,))
    monkeypatch.setattr(filing, "PATIENCE", {"server": 0.0, "": 0.0, "here": 0.0})
    anna.mailbox.append(b"Subject: old\n\nold", "Sent")
    servers.dovecot.forbid(anna.email, "lr", ".Sent")
    account = opened(servers, anna, tmp_path)
    sending(account)._filing._know(filing.FILER, "server" if habit else "here")
    receipt = await account.writers.mail.execute(letter(), KEY)
    await account.close()
    assert (receipt.id, receipt.note, arrived(servers)) == ("", filing.LEFT_BEHIND, 1)
    account = opened(servers, anna, tmp_path / "another")
    try:
        found = await account.writers.mail.find(letter(), KEY)
        again = await account.writers.mail.execute(letter(), KEY)
    finally:
        await account.close()
    assert found == again == receipt and arrived(servers) == 1


@pytest.mark.parametrize("hidden", [(b"MOVE",), (b"MOVE", b"UIDPLUS"), (b"CONDSTORE", b"QRESYNC", b"ESEARCH", b"UIDPLUS", b"MOVE")])
async def test_servers_of_few_abilities_file_it_once_too(
    servers: Servers, account: Account, anna: User, hidden: tuple[bytes, ...]
) -> None:
    servers.imap.hide(*hidden)
    action = letter(bcc=(Address(email="boss@other.example"),))
    receipt = await account.writers.mail.execute(action, KEY)
    assert receipt.etag == "Sent:S" and await account.writers.mail.find(action, KEY) == receipt
    (filed,) = anna.mailbox.mails("Sent")
    assert b"boss@other.example" in filed and b"boss" not in servers.smtp.taken[0].raw
    assert servers.smtp.taken[0].recipients == ("ben@home.example", "boss@other.example")
    page = await account.readers.mail.search(MailQuery(folders=("Drafts",)))
    assert page.items == () and arrived(servers) == 1


@pytest.mark.parametrize("layout", [{}, BELOW_INBOX], ids=["plain", "below INBOX"])
async def test_folders_that_are_missing_are_made_where_the_servers_others_are(
    servers: Servers, tmp_path: Path, layout: dict[str, str]
) -> None:
    servers.user("ben@home.example")
    anna = servers.user("anna@home.example", dovecot={**UNANNOUNCED, **layout})
    account = opened(servers, anna, tmp_path)
    try:
        receipt = await account.writers.mail.execute(letter(), KEY)
        assert receipt.etag == "Sent:S"
        assert len(anna.mailbox.mails("INBOX.Sent" if layout else "Sent")) == 1
    finally:
        await account.close()


async def test_where_no_words_of_ours_are_kept_a_flag_says_what_may_have_left(
    servers: Servers, account: Account, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Session.open

    def without(self: Session, *given: object, **more: object) -> Selected:
        return whole(self, *given, **more)._replace(keywords=False)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "open", without)
    servers.smtp_steps.at("in the text")
    with pytest.raises(Unavailable):
        await account.writers.mail.execute(letter(), KEY)
    with pytest.raises(Unknowable):
        await account.writers.mail.find(letter(), KEY)
    receipt = await account.writers.mail.execute(letter(), OTHER)
    assert receipt.etag == "Sent:S"


@pytest.mark.parametrize("when", ["before the draft", "before its mark", "in the text", "before it is filed"])
async def test_two_programs_that_send_the_same_at_once_send_one(
    servers: Servers, account: Account, anna: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Wherever the first is when the second one does all of it."""
    told: list[object] = []

    async def other() -> None:
        second = opened(servers, anna, tmp_path / "other")
        try:
            told.append(await second.writers.mail.execute(letter(), KEY))
        except (Unavailable, Unknowable) as error:
            told.append(error)
        await second.close()

    def first(step: str) -> None:
        whole = getattr(Session, step)

        def after_the_other(self: Session, *given: object, **more: object) -> object:
            if not told:
                told.append(None)
                asyncio.run(other())
            return whole(self, *given, **more)

        monkeypatch.setattr(Session, step, after_the_other)

    if when == "in the text":
        servers.smtp_steps.at("in the text", lambda: asyncio.run(other()), cuts=False)
    else:
        first({"before the draft": "append", "before its mark": "store", "before it is filed": "move"}[when])
    try:
        told.append(await account.writers.mail.execute(letter(), KEY))
    except (Unavailable, Unknowable) as error:
        told.append(error)
    assert any(told) and (arrived(servers), len(servers.smtp.taken)) == (1, 1)
    assert (await account.writers.mail.find(letter(), KEY)) is not None
    assert (len(anna.mailbox.mails("Sent")), len(anna.mailbox.mails("Drafts"))) == (1, 0)


async def test_two_who_send_the_same_at_once_send_one(servers: Servers, account: Account, anna: User) -> None:
    receipts = await asyncio.gather(*(account.writers.mail.execute(letter(), KEY) for _ in range(3)))
    assert len(set(receipts)) == 1 and (arrived(servers), len(anna.mailbox.mails("Sent"))) == (1, 1)


async def test_whoever_was_told_that_it_was_not_sent_was_told_the_truth(
    servers: Servers, account: Account, anna: User, tmp_path: Path
) -> None:
    """Another program asks in the middle of it."""
    told: list[object] = []

    async def ask() -> None:
        other = opened(servers, anna, tmp_path / "other")
        told.append(await other.writers.mail.find(letter(), KEY))
        await other.close()

    servers.smtp_steps.at("before RCPT", lambda: asyncio.run(ask()), cuts=False)
    with pytest.raises(Unavailable):
        await account.writers.mail.execute(letter(), KEY)
    assert told == [None] and arrived(servers) == 0 and servers.smtp.taken == []


async def test_whoever_asks_once_its_text_goes_out_is_not_told_that_it_was_not_sent(
    servers: Servers, account: Account, anna: User, tmp_path: Path
) -> None:
    told: list[object] = []

    async def ask() -> None:
        other = opened(servers, anna, tmp_path / "other")
        try:
            told.append(await other.writers.mail.find(letter(), KEY))
        except Unknowable as unknown:
            told.append(unknown)
        await other.close()

    servers.smtp_steps.at("in the text", lambda: asyncio.run(ask()), cuts=False)
    await account.writers.mail.execute(letter(), KEY)
    assert isinstance(told[0], Unknowable) and (arrived(servers), len(anna.mailbox.mails("Sent"))) == (1, 1)


async def test_a_mail_of_other_hands_may_be_sent_with_its_own_recipients(servers: Servers, account: Account, anna: User) -> None:
    raw = build_message(letter(), key=KEY, owner=anna.email, now=NOW)
    sent = await sending(account).send(raw, KEY, ["ben@home.example"])
    assert sent.etag == "Sent:S" and await sending(account).settle(KEY) == sent
    assert message_id(KEY, anna.email).encode() in servers.users["ben@home.example"].mailbox.mails()[0]
    with pytest.raises(InvalidResponse):
        await sending(account).send(raw, OTHER, [])


# Mailboxes that refuse


@pytest.mark.parametrize("command", [rb"APPEND", rb"UID STORE"])
@pytest.mark.parametrize("reply", [b"NO [OVERQUOTA] full", b"NO [NOPERM] no", b"NO [READ-ONLY] no", b"NO no", b"BAD what"])
async def test_what_can_not_be_noted_beforehand_is_not_sent(
    servers: Servers, account: Account, command: bytes, reply: bytes
) -> None:
    servers.imap.instead(command, b"%t " + reply + b"\r\n", times=9)
    with pytest.raises(IntegrationError) as raised:
        await account.writers.mail.execute(letter(), KEY)
    assert servers.smtp.taken == [] and raised.value.account == "acc"
    servers.imap.reset()
    assert await account.writers.mail.find(letter(), KEY) is None


async def test_drafts_that_can_only_be_read_let_nothing_be_sent(servers: Servers, account: Account, anna: User) -> None:
    anna.mailbox.append(b"Subject: old\n\nold", "Drafts")
    servers.dovecot.forbid(anna.email, "lr", ".Drafts")
    with pytest.raises(IntegrationError):
        await account.writers.mail.execute(letter(), KEY)
    assert servers.smtp.taken == [] and len(anna.mailbox.mails("Drafts")) == 1


async def test_what_was_refused_is_known_not_to_be_sent_where_a_server_removes_no_single_mail(
    servers: Servers, account: Account, anna: User, tmp_path: Path
) -> None:
    servers.imap.hide(b"UIDPLUS", b"MOVE")
    servers.smtp.answer("DATA", "554 5.6.0 spam")
    with pytest.raises(InvalidResponse):
        await account.writers.mail.execute(letter(), KEY)
    other = opened(servers, anna, tmp_path / "other")
    try:
        assert await other.writers.mail.find(letter(), KEY) is None
    finally:
        await other.close()


async def test_what_one_program_was_refused_says_nothing_of_what_another_sends(
    servers: Servers, account: Account, anna: User, tmp_path: Path
) -> None:
    servers.smtp.answer("DATA", "554 5.6.0 spam")
    with pytest.raises(InvalidResponse):
        await account.writers.mail.execute(letter(), KEY)
    other = opened(servers, anna, tmp_path / "other")
    servers.smtp_steps.at("before the reply")
    try:
        with pytest.raises(Unavailable):
            await other.writers.mail.execute(letter(), KEY)
    finally:
        await other.close()
    for _ in range(2):
        with pytest.raises(Unknowable):
            await account.writers.mail.find(letter(), KEY)
    with pytest.raises(Unknowable):
        await account.writers.mail.execute(letter(), KEY)
    assert arrived(servers) == 1


async def test_a_mark_that_somebody_takes_away_makes_nobody_send_it_again(servers: Servers, account: Account, anna: User) -> None:
    servers.smtp_steps.at("before the reply")
    with pytest.raises(Unavailable):
        await account.writers.mail.execute(letter(), KEY)
    anna.mailbox.flag("Drafts", "1", "$SubmitPending", add=False)
    with pytest.raises(Unknowable):
        await account.writers.mail.execute(letter(), KEY)
    assert arrived(servers) == 1


async def test_a_refusal_that_comes_while_the_mailbox_is_out_of_reach_is_remembered(
    servers: Servers, account: Account, anna: User
) -> None:
    servers.smtp.answer("DATA", "554 5.6.0 spam")
    servers.smtp_steps.at("before the reply", servers.imap.refuse, cuts=False)
    with pytest.raises(InvalidResponse):
        await account.writers.mail.execute(letter(), KEY)
    servers.imap.refuse(False)
    assert await account.writers.mail.find(letter(), KEY) is None
    assert anna.mailbox.mails("Drafts") == []


@pytest.mark.parametrize("reply", [b"NO [OVERQUOTA] full", b"NO no", b"OK No matching messages"])
async def test_what_can_not_be_filed_after_it_was_taken_is_said_to_be_sent(
    servers: Servers, account: Account, anna: User, monkeypatch: pytest.MonkeyPatch, reply: bytes
) -> None:
    monkeypatch.setattr(filing, "ATTEMPTS", (0.0, 0.0))
    servers.imap.instead(rb"UID MOVE", b"%t " + reply + b"\r\n", times=2)
    receipt = await account.writers.mail.execute(letter(), KEY)
    assert (receipt.id, receipt.note, arrived(servers)) == ("", filing.LEFT_BEHIND, 1)
    found = await account.writers.mail.find(letter(), KEY)
    assert found is not None and found.etag == "Sent:S" and anna.mailbox.mails("Drafts") == []
