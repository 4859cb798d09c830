"""Writing mail at the emulated Gmail: what the contract for every provider doesn't say."""

import asyncio
from datetime import datetime
from typing import Any

import pytest
from doubles.boxes.letters import letter
from doubles.google import GoogleEmulator
from doubles.google.gmail.mailbox import Mailbox

from integrations.actions import DeleteDraft, MarkMail, MoveMail, SaveDraft, SendMail
from integrations.common.mime import read_message
from integrations.errors import Conflict, InvalidResponse, NotFound, RateLimited, ReadOnly, Unavailable, Unknowable
from integrations.google.mail_writer import SMALL, GoogleMailWriter
from integrations.readers import MailReader
from integrations.registry import Account
from integrations.types import ARCHIVE, DRAFTS, INBOX, SENT, TRASH, Address, MailRef
from integrations.writers import MailWriter

KEY, OTHER = "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "f" * 32
ANNA = Address(email="anna@acme.example", name="Anna")
PLAN = SendMail(account="home", to=(ANNA,), subject="Plan", body="All set.")
SEND, CREATE, DELETE = "gmail.users.drafts.send", "gmail.users.drafts.create", "gmail.users.drafts.delete"


@pytest.fixture
def box(google: GoogleEmulator, account: Account) -> Mailbox:
    return google.world.mail("me@home.example")


@pytest.fixture
def reader(account: Account) -> MailReader:
    return account.readers.mail


@pytest.fixture
def writer(account: Account) -> MailWriter:
    return account.writers.mail


def afresh(account: Account) -> MailWriter:
    """As after a restart: it remembers nothing."""
    old = account.writers.mail
    assert isinstance(old, GoogleMailWriter)
    return GoogleMailWriter(old._google, account="home", owner="me@home.example", zone=old._zone, clock=old._clock)


def subjects(box: Mailbox, label: str) -> list[str]:
    return [read_message(message.raw).subject for message in box.labelled(label)]


# Sending


async def test_a_mail_reaches_everybody_once_and_bcc_shows_to_nobody(
    google: GoogleEmulator, writer: MailWriter, box: Mailbox
) -> None:
    others = [google.world.mail(google.account(name).email) for name in ("anna@acme.example", "boss@acme.example")]
    await writer.execute(PLAN.model_copy(update={"bcc": (Address(email="boss@acme.example"),)}), KEY)
    assert [subjects(other, "INBOX") for other in others] == [["Plan"], ["Plan"]]
    assert [read_message(other.labelled("INBOX")[0].raw).bcc for other in others] == [(), ()]
    assert (subjects(box, "SENT"), box.drafts) == (["Plan"], {})


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("fault", ["drop_after", "garbage"])
async def test_a_mail_whose_sending_was_not_confirmed_is_found_and_not_sent_again(
    google: GoogleEmulator, account: Account, writer: MailWriter, box: Mailbox, fault: str, restarted: bool
) -> None:
    google.fail(fault, on=SEND)
    with pytest.raises((Unavailable, InvalidResponse)):
        await writer.execute(PLAN, KEY)
    asker = afresh(account) if restarted else writer
    found = await asker.find(PLAN, KEY)
    assert found is not None and found == await asker.execute(PLAN, KEY)
    assert subjects(box, "SENT") == ["Plan"]


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize(("call", "fault"), [(SEND, "drop_before"), (SEND, "unavailable"), (CREATE, "drop_after")])
async def test_a_draft_that_was_not_sent_is_thrown_away_before_anything_is_sent_again(
    google: GoogleEmulator, account: Account, writer: MailWriter, box: Mailbox, call: str, fault: str, restarted: bool
) -> None:
    google.fail(fault, on=call)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    assert subjects(box, "DRAFT") == ["Plan"]
    asker = afresh(account) if restarted else writer
    assert await asker.find(PLAN, KEY) is None
    assert (box.drafts, subjects(box, "SENT")) == ({}, [])
    await asker.execute(PLAN, KEY)
    assert (box.drafts, subjects(box, "SENT")) == ({}, ["Plan"])


async def test_an_edited_draft_of_an_earlier_attempt_is_not_what_is_sent(
    google: GoogleEmulator, writer: MailWriter, box: Mailbox
) -> None:
    google.fail("drop_before", on=SEND)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    (draft,) = box.drafts
    edited = box.add(letter(sender="me@home.example", id=f"<{KEY}@home.example>", body="Never!"), {"DRAFT"}, box.world.now())
    box.delete(box.messages[box.drafts[draft]])
    box.drafts[draft] = edited.id
    receipt = await writer.execute(PLAN, KEY)
    assert read_message(box.raw(receipt.id)).text == "All set."
    assert box.drafts == {}


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_mail_that_went_out_and_is_nowhere_to_be_found_is_not_said_to_be_unsent(
    google: GoogleEmulator, account: Account, writer: MailWriter, box: Mailbox, restarted: bool
) -> None:
    google.fail("drop_after", on=SEND)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    box.remove(box.labelled("SENT")[0].id)
    with pytest.raises(Unknowable):
        await (afresh(account) if restarted else writer).find(PLAN, KEY)


async def test_a_mail_that_could_not_be_written_was_certainly_not_sent(
    google: GoogleEmulator, writer: MailWriter, box: Mailbox
) -> None:
    google.fail("drop_before", on=CREATE)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    assert await writer.find(PLAN, KEY) is None


async def test_a_mail_whose_sending_was_broken_off_is_not_said_to_be_unsent(
    writer: GoogleMailWriter, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = writer._google.write

    async def broken_off(build: Any) -> Any:
        if box.drafts:
            raise asyncio.CancelledError
        return await write(build)

    monkeypatch.setattr(writer._google, "write", broken_off)
    with pytest.raises(asyncio.CancelledError):
        await writer.execute(PLAN, KEY)
    box.remove(*box.drafts.values())
    with pytest.raises(Unknowable):
        await writer.find(PLAN, KEY)


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_mail_is_found_by_its_key_though_gmail_gave_it_another_message_id(
    google: GoogleEmulator, account: Account, writer: MailWriter, box: Mailbox, restarted: bool
) -> None:
    google.fail("drop_after", on=SEND)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    (mail,) = box.labelled("SENT")
    mail.raw = mail.raw.replace(f"<{KEY}@home.example>".encode(), b"<CAother@mail.gmail.com>")
    vars(mail).pop("root", None)
    vars(mail).pop("message_id", None)
    asker = afresh(account) if restarted else writer
    found = await asker.find(PLAN, KEY)
    assert found is not None and found == await asker.execute(PLAN, KEY)
    assert subjects(box, "SENT") == ["Plan"]


async def test_whether_a_mail_was_sent_is_open_while_its_draft_can_not_be_thrown_away(
    google: GoogleEmulator, writer: MailWriter, box: Mailbox
) -> None:
    google.fail("drop_before", on=SEND)
    google.fail("unavailable", on=DELETE)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    with pytest.raises(Unavailable):
        await writer.find(PLAN, KEY)
    assert await writer.find(PLAN, KEY) is None


async def test_a_mail_that_gmail_refuses_to_send_leaves_no_draft(google: GoogleEmulator, writer: MailWriter, box: Mailbox) -> None:
    google.fail("quota", on=SEND)
    with pytest.raises(RateLimited):
        await writer.execute(PLAN, KEY)
    assert box.drafts == {}
    assert await writer.find(PLAN, KEY) is None


async def test_a_mail_whose_draft_another_process_took_away_is_not_failed_but_open(
    account: Account, writer: GoogleMailWriter, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, other = writer._google.write, afresh(account)

    async def meanwhile(build: Any) -> Any:
        if box.drafts:
            monkeypatch.undo()
            assert await other.find(PLAN, KEY) is None
        return await write(build)

    monkeypatch.setattr(writer._google, "write", meanwhile)
    with pytest.raises(Unavailable):
        await writer.execute(PLAN, KEY)
    assert subjects(box, "SENT") == []


async def test_a_reply_names_the_thread_it_belongs_to(
    writer: MailWriter, reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gmail wants it beside the headers; the emulator would do without."""
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter(subject="Plan"))))
    add, threads = box.add, list[str]()

    def noted(raw: bytes, labels: set[str], moment: datetime, thread_id: str = "") -> Any:
        threads.append(thread_id)
        return add(raw, labels, moment, thread_id)

    monkeypatch.setattr(box, "add", noted)
    await writer.execute(PLAN.model_copy(update={"reply_to": mail.ref}), KEY)
    assert threads[0] == mail.thread


async def test_a_mail_in_the_trash_was_sent_all_the_same(writer: MailWriter, box: Mailbox) -> None:
    receipt = await writer.execute(PLAN, KEY)
    box.change(receipt.id, add=["TRASH"])
    found = await writer.find(PLAN, KEY)
    assert found is not None and found.id == receipt.id


@pytest.mark.parametrize("call", [SEND, CREATE])
async def test_what_was_written_is_found_before_gmails_search_knows_of_it(
    google: GoogleEmulator, writer: MailWriter, box: Mailbox, call: str
) -> None:
    action = PLAN if call == SEND else SaveDraft(account="home", subject="Plan", body="All set.")
    google.fail("drop_after", on=call)
    box.indexing = False
    with pytest.raises(Unavailable):
        await writer.execute(action, KEY)
    assert await writer.find(action, KEY) is not None


async def test_a_large_mail_goes_as_an_upload(google: GoogleEmulator, writer: MailWriter, box: Mailbox) -> None:
    given = MailRef(account="home", id=box.deliver(letter(subject="Big", files={"big.pdf": bytes(range(256)) * (SMALL // 256)})))
    receipt = await writer.execute(PLAN.model_copy(update={"forward_of": given}), KEY)
    (attachment,) = read_message(box.raw(receipt.id)).attachments
    assert (attachment.filename, attachment.size) == ("big.pdf", SMALL // 256 * 256)
    assert next(request.path for request in google.requests if request.api == CREATE).lstrip("/").startswith("upload/")


async def test_the_owners_name_stands_in_what_is_sent_and_lines_end_as_on_the_wire(
    account: Account, writer: MailWriter, box: Mailbox
) -> None:
    named = afresh(account)
    assert isinstance(named, GoogleMailWriter)
    named._name = "Jörg M."
    given = MailRef(account="home", id=box.deliver(letter(files={"a.pdf": b"%PDF\r\n"})))
    raw = box.raw((await named.execute(PLAN.model_copy(update={"forward_of": given}), KEY)).id)
    assert read_message(raw).sender == Address(email="me@home.example", name="Jörg M.")
    assert b"\r\r" not in raw and raw.count(b"\n") == raw.count(b"\r\n")


# Drafts


async def test_somebody_elses_mail_with_ones_own_message_id_is_no_draft(writer: MailWriter, box: Mailbox) -> None:
    box.deliver(letter(id=f"<{KEY}@home.example>"))
    action = SaveDraft(account="home", to=(ANNA,), subject="Plan", body="x")
    assert await writer.find(action, KEY) is None
    assert (await writer.execute(action, KEY)).id in box.drafts.values()


async def test_a_deleted_draft_is_written_anew_by_its_undo(writer: MailWriter, reader: MailReader, box: Mailbox) -> None:
    original = MailRef(account="home", id=box.deliver(letter(id="<q@x.example>", subject="Plan")))
    saved = await writer.execute(
        SaveDraft(account="home", to=(ANNA,), subject="Re: Plan", body="Grüße\n\nich", reply_to=original), KEY
    )
    draft = await reader.get(MailRef(account="home", id=saved.id))
    (undo,) = (await writer.execute(DeleteDraft(account="home", mail=draft.ref), OTHER)).undo
    assert box.drafts == {}
    again = await reader.get(MailRef(account="home", id=(await writer.execute(undo, OTHER)).id))
    told = ("folder", "to", "subject", "body", "in_reply_to", "thread")
    assert [getattr(again, name) for name in told] == [getattr(draft, name) for name in told]


async def test_a_draft_with_more_than_plain_text_can_not_be_undeleted(writer: MailWriter, box: Mailbox) -> None:
    draft = box.deliver(letter(files={"a.pdf": b"%PDF"}), ("DRAFT",))
    receipt = await writer.execute(DeleteDraft(account="home", mail=MailRef(account="home", id=draft)), KEY)
    assert receipt.undo == () and box.drafts == {}


async def test_a_draft_is_neither_marked_nor_moved(writer: MailWriter, box: Mailbox) -> None:
    ref = MailRef(account="home", id=box.deliver(letter(), ("DRAFT",)))
    for action in (MarkMail(account="home", mail=ref, flagged=True), MoveMail(account="home", mail=ref, folder=ARCHIVE)):
        with pytest.raises(ReadOnly):
            await writer.execute(action, KEY)


# Folders and flags


@pytest.mark.parametrize(
    ("labels", "folder", "after"),
    [
        ("INBOX", ARCHIVE, ""),
        ("INBOX UNREAD Work", ARCHIVE, "UNREAD Work"),
        ("INBOX IMPORTANT", "work", "IMPORTANT Work"),
        ("INBOX Work", "Work", "Work"),
        ("Home", "Work", "Work"),
        ("Home", ARCHIVE, ""),
        ("Home", INBOX, "Home INBOX"),
        ("Home", TRASH, "Home TRASH"),
        ("TRASH Home", INBOX, "INBOX Home"),
        ("SPAM", INBOX, "INBOX"),
        ("INBOX", "Spam", "SPAM"),
        ("SENT INBOX", SENT, "SENT"),
        ("SENT", TRASH, "SENT TRASH"),
        ("SENT TRASH", SENT, "SENT"),
        ("SENT INBOX", ARCHIVE, "SENT"),
        ("SENT", "Work", "SENT Work"),
        ("SENT Work", "Work", "SENT Work"),
    ],
    ids=str,
)
async def test_moving_changes_only_the_labels_that_stand_for_a_place(
    writer: MailWriter, reader: MailReader, box: Mailbox, labels: str, folder: str, after: str
) -> None:
    names = {box.labels.ensure(name).id: name for name in ("Work", "Home")}
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter(), labels.split())))
    action = MoveMail(account="home", mail=mail.ref, folder=folder)
    await writer.execute(action, KEY)
    assert {names.get(label, label) for label in box.messages[mail.id].labels} == set(after.split())
    assert await writer.find(action, KEY) is not None


@pytest.mark.parametrize(("labels", "folder"), [("INBOX", SENT), ("INBOX", DRAFTS), ("SENT", ARCHIVE)])
async def test_gmail_alone_decides_what_is_sent_and_what_is_a_draft(
    writer: MailWriter, reader: MailReader, box: Mailbox, labels: str, folder: str
) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter(), [labels])))
    with pytest.raises(ReadOnly):
        await writer.execute(MoveMail(account="home", mail=mail.ref, folder=folder), KEY)
    assert box.messages[mail.id].labels == {labels}


async def test_a_folder_that_is_not_there_is_named_with_those_that_are(writer: MailWriter, box: Mailbox) -> None:
    ref = MailRef(account="home", id=box.deliver(letter(), ("INBOX", "Work")))
    with pytest.raises(NotFound, match=r"Wurk; there are: INBOX, .*Work"):
        await writer.execute(MoveMail(account="home", mail=ref, folder="Wurk"), KEY)


async def test_a_mail_that_was_read_elsewhere_meanwhile_is_not_moved(writer: MailWriter, reader: MailReader, box: Mailbox) -> None:
    mail = await reader.get(MailRef(account="home", id=box.deliver(letter())))
    box.change(mail.id, remove=["UNREAD"])
    with pytest.raises(Conflict):
        await writer.execute(MoveMail(account="home", mail=mail.ref, folder=ARCHIVE), KEY)


async def test_marking_what_is_marked_already_changes_nothing(google: GoogleEmulator, writer: MailWriter, box: Mailbox) -> None:
    ref = MailRef(account="home", id=box.deliver(letter(), ("INBOX", "STARRED")))
    receipt = await writer.execute(MarkMail(account="home", mail=ref, seen=True, flagged=True), KEY)
    assert receipt.undo == ()
    assert not [request for request in google.requests if request.api == "gmail.users.messages.modify"]
