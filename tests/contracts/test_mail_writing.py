"""What every mailbox does with the writes it is given."""

from email import message_from_bytes
from email.policy import default
from typing import Any

import pytest
from doubles.boxes.base import MailBox
from doubles.boxes.letters import letter

from assistant.pipeline import sent_copy
from integrations.actions import DeleteDraft, MailAction, MarkMail, MoveMail, SaveDraft, SendMail
from integrations.errors import Conflict, InvalidResponse, NotFound, Unavailable
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH, Address, Mail, MailQuery, MailRef

KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
SMUGGLED = [
    "Hi 💩 =?UTF-8?Q?=0A?=Bcc: injected@evil.example",
    "=?utf-8?b?CkJjYzogeEBldmlsLmV4YW1wbGU=?=",
]
ODD = ['a"b\\c, <x@y.z>;', "=?utf-8?q?x?= ok", "Größe 🎉"]
ANNA = Address(email="anna.berg@acme.example", name="Anna Berg")


async def found(mail_box: MailBox, **fields: Any) -> list[str]:
    return [mail.subject for mail in (await mail_box.reader.search(MailQuery(**fields))).items]


async def only(mail_box: MailBox, **fields: Any) -> Mail:
    (mail,) = (await mail_box.reader.search(MailQuery(**fields))).items
    return mail


async def gone_out(mail_box: MailBox) -> list[str]:
    return await found(mail_box, folders=(SENT,) if mail_box.account.sends else (OUTBOX,))


def new_mail(mail_box: MailBox, **fields: Any) -> SendMail:
    return SendMail(account=mail_box.name, **{"to": (ANNA,), "subject": "Plan", "body": "All set.", **fields})


async def test_a_sent_mail_says_exactly_what_was_approved(mail_box: MailBox) -> None:
    action = new_mail(
        mail_box,
        cc=(Address(email="jg@bücher.example", name='Jürgen "JG" Groß'),),
        bcc=(Address(email="boss@acme.example"),),
        subject="Größe: =?utf-8?q?x?= ok",
        body="Grüße,\nFrom me.\n\n.\n  indented",
    )
    receipt = await mail_box.writer.execute(action, KEY)
    mail = await mail_box.reader.get(MailRef(account=mail_box.name, id=receipt.id))
    assert mail.folder in (OUTBOX, SENT)
    assert (mail.to, mail.cc, mail.bcc) == (action.to, action.cc, action.bcc)
    assert (mail.sender, mail.subject, mail.body) == (Address(email=mail_box.owner), action.subject, action.body)
    assert mail.message_id
    assert (receipt.key, receipt.action, receipt.account) == (KEY, "send_mail", mail_box.name)


async def test_a_mail_with_html_arrives_as_both(mail_box: MailBox) -> None:
    action = new_mail(mail_box, to=(Address(email=mail_box.owner),), body="Grüße,\nme", html="<p>Grüße,<br><b>me</b></p>")
    receipt = await mail_box.writer.execute(action, KEY)
    mail = await mail_box.reader.get(MailRef(account=mail_box.name, id=receipt.id))
    assert (mail.body, mail.attachments) == (action.body, ())
    built = message_from_bytes(mail_box.raw(receipt.id), policy=default)
    parts = [(part.get_content_type(), part.get_content().split()) for part in built.iter_parts()]
    assert (built.get_content_type(), built["Auto-Submitted"]) == ("multipart/alternative", "auto-generated")
    assert parts == [("text/plain", action.body.split()), ("text/html", action.html.split())]


async def test_a_mail_of_text_alone_does_not_say_that_a_program_wrote_it(mail_box: MailBox) -> None:
    receipt = await mail_box.writer.execute(new_mail(mail_box), KEY)
    built = message_from_bytes(mail_box.raw(receipt.id), policy=default)
    assert built.get_content_type() == "text/plain" and built["Auto-Submitted"] is None


async def test_the_same_key_never_writes_twice(mail_box: MailBox) -> None:
    for action in (new_mail(mail_box), SaveDraft(account=mail_box.name, subject="D", body="draft")):
        key = KEY[::-1] if isinstance(action, SaveDraft) else KEY
        await mail_box.never_happened(action, key)
        first = await mail_box.writer.execute(action, key)
        assert await mail_box.writer.execute(action, key) == first
        assert await mail_box.writer.find(action, key) == first
    assert (await gone_out(mail_box), await found(mail_box, folders=(DRAFTS,))) == (["Plan"], ["D"])


@pytest.mark.parametrize(
    "fields",
    [
        {"subject": "Hi\nBcc: x@evil.example"},
        {"subject": "Hi\r\n\r\nbody"},
        {"to": (Address(email="a@b.example", name="x\nBcc: y@evil.example"),)},
        {"to": (Address(email="a@b.example>, <x@evil.example"),)},
        {"to": (Address(email="not an address"),)},
        {"to": ()},
        {"body": "\ud800"},
    ],
    ids=repr,
)
async def test_what_can_not_be_written_exactly_is_not_written(mail_box: MailBox, fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidResponse):
        await mail_box.writer.execute(new_mail(mail_box, **fields), KEY)
    assert await gone_out(mail_box) == []
    await mail_box.never_happened(new_mail(mail_box), KEY)


@pytest.mark.parametrize("text", SMUGGLED)
@pytest.mark.parametrize("field", ["subject", "name"])
async def test_encoded_words_that_end_a_line_are_not_written(mail_box: MailBox, text: str, field: str) -> None:
    fields: dict[str, Any] = {"subject": text} if field == "subject" else {"to": (Address(email="a@b.example", name=text),)}
    with pytest.raises(InvalidResponse):
        await mail_box.writer.execute(new_mail(mail_box, **fields), KEY)
    assert await gone_out(mail_box) == []
    await mail_box.never_happened(new_mail(mail_box), KEY)


@pytest.mark.parametrize("text", ODD)
async def test_odd_subjects_and_names_add_no_header(mail_box: MailBox, text: str) -> None:
    action = new_mail(mail_box, subject=text, to=(Address(email="a@b.example", name=text),))
    receipt = await mail_box.writer.execute(action, KEY)
    mail = await mail_box.reader.get(MailRef(account=mail_box.name, id=receipt.id))
    assert [address.email for address in mail.recipients] == ["a@b.example"]
    assert mail.subject == text
    head = mail_box.raw(receipt.id).replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    assert not [line for line in head.splitlines() if line.lower().startswith(b"bcc")]


# The copy that the provider keeps


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"bcc": (Address(email="thief@evil.example"),)}, "it also went to thief@evil.example"),
        ({"subject": "Another plan"}, "its subject is “Another plan”"),
        ({"body": "All set. Pay at once."}, "its text is not the one that you approved"),
    ],
    ids=["bcc", "subject", "text"],
)
async def test_a_copy_that_is_not_as_approved_is_told(mail_box: MailBox, fields: dict[str, Any], told: str) -> None:
    approved = new_mail(mail_box)
    receipt = await mail_box.writer.execute(approved.model_copy(update=fields), KEY)
    assert (await sent_copy.compared(mail_box.account, approved, receipt)).differs == told


@pytest.mark.parametrize("enclosed", [False, True])
async def test_a_copy_that_is_as_approved_alarms_nobody(mail_box: MailBox, enclosed: bool) -> None:
    mail_box.deliver(
        letter(subject="Numbers", body="Zahlen für März.", files={"März.pdf": b"%PDF-1.4 \x80" * 900} if enclosed else {})
    )
    original = await only(mail_box)
    cc, bcc = Address(email="jg@bücher.example", name='Jürgen "JG" Groß'), Address(email="boss@acme.example")
    action = new_mail(mail_box, cc=(cc,), bcc=(bcc,), subject="Fwd: Größe", body="Grüße,\nme.", forward_of=original.ref)
    receipt = await mail_box.writer.execute(action, KEY)
    assert (await sent_copy.compared(mail_box.account, action, receipt)).differs == ""


async def test_a_forward_takes_along_no_header_of_the_original(mail_box: MailBox) -> None:
    odd = letter(**{"List-Id": "<x.example>"}).replace(b"\n", b"\nList-Unsubscribe: =?UTF-8?Q?=0A?=Bcc: x@evil.example\n", 1)
    mail_box.deliver(odd)
    original = await only(mail_box)
    receipt = await mail_box.writer.execute(new_mail(mail_box, forward_of=original.ref), KEY)
    head = mail_box.raw(receipt.id).replace(b"\r\n", b"\n").partition(b"\n\n")[0].lower()
    assert b"list-" not in head and b"bcc" not in head


async def test_a_reply_joins_its_thread_and_marks_what_it_answers(mail_box: MailBox) -> None:
    mail_box.deliver(letter(id="<b@x.example>", References="<root@x.example>"))
    original = await only(mail_box)
    receipt = await mail_box.writer.execute(new_mail(mail_box, subject="Re: Hello", reply_to=original.ref), KEY)
    reply = await mail_box.reader.get(MailRef(account=mail_box.name, id=receipt.id))
    assert reply.in_reply_to == "<b@x.example>"
    assert reply.references == ("<root@x.example>", "<b@x.example>")
    assert reply.thread == original.thread
    assert (await mail_box.reader.get(original.ref)).answered
    assert reply.body == "All set."


async def test_a_forward_carries_text_and_attachments_of_the_original(mail_box: MailBox) -> None:
    mail_box.deliver(letter(subject="Numbers", body="Zahlen für März.", files={"März.pdf": b"%PDF-1.4 \x80"}))
    original = await only(mail_box)
    action = new_mail(mail_box, subject="Fwd: Numbers", body="See below.", forward_of=original.ref)
    receipt = await mail_box.writer.execute(action, KEY)
    forward = await mail_box.reader.get(MailRef(account=mail_box.name, id=receipt.id))
    assert forward.body.startswith("See below.\n")
    assert "Anna Berg <anna.berg@acme.example>" in forward.body and "Zahlen für März." in forward.body
    (attachment,) = forward.attachments
    assert attachment.filename == "März.pdf"
    assert await mail_box.reader.attachment(forward.ref, attachment.part) == b"%PDF-1.4 \x80"


async def test_a_reply_to_what_is_gone_is_not_sent(mail_box: MailBox) -> None:
    with pytest.raises(NotFound):
        await mail_box.writer.execute(new_mail(mail_box, reply_to=MailRef(account=mail_box.name, id=mail_box.gone)), KEY)
    assert await gone_out(mail_box) == []


async def test_a_draft_is_kept_and_taken_back_by_its_undo(mail_box: MailBox) -> None:
    action = SaveDraft(account=mail_box.name, to=(Address(email="a@b.example"),), subject="Später", body="Entwurf")
    receipt = await mail_box.writer.execute(action, KEY)
    draft = await only(mail_box, folders=(DRAFTS,))
    assert (draft.id, draft.subject, draft.to) == (receipt.id, "Später", action.to)
    (undo,) = receipt.undo
    assert isinstance(undo, DeleteDraft)
    await mail_box.writer.execute(undo, KEY[::-1])
    assert await found(mail_box, folders=(DRAFTS,)) == []
    assert await mail_box.writer.find(undo, KEY[::-1]) is not None


async def test_only_a_draft_is_deleted_as_one(mail_box: MailBox) -> None:
    mail_box.deliver(letter())
    mail = await only(mail_box)
    with pytest.raises(Conflict):
        await mail_box.writer.execute(DeleteDraft(account=mail_box.name, mail=mail.ref), KEY)
    assert await found(mail_box, folders=(INBOX,)) == ["Hello"]


async def test_marking_changes_only_what_was_said_and_can_be_undone(mail_box: MailBox) -> None:
    mail_box.deliver(letter())
    before = await only(mail_box)
    assert before.unread and not before.flagged
    action = MarkMail(account=mail_box.name, mail=before.ref, flagged=True)
    assert await mail_box.writer.find(action, KEY) is None
    receipt = await mail_box.writer.execute(action, KEY)
    marked = await only(mail_box)
    assert (marked.unread, marked.flagged, marked.id, marked.etag) == (True, True, receipt.id, receipt.etag)
    found_again = await mail_box.writer.find(action, KEY)
    assert found_again is not None and found_again.undo == receipt.undo
    (undo,) = receipt.undo
    await mail_box.writer.execute(undo, KEY[::-1])
    assert not (await only(mail_box)).flagged


@pytest.mark.parametrize("folder", [ARCHIVE, TRASH, "Projects/2026"])
async def test_moving_keeps_the_mail_findable_and_can_be_undone(mail_box: MailBox, folder: str) -> None:
    mail_box.deliver(letter(subject="other"), "Projects/2026", seen=True)
    mail_box.deliver(letter(), seen=True)
    before = await only(mail_box, folders=(INBOX,))
    action = MoveMail(account=mail_box.name, mail=before.ref, folder=folder)
    assert await mail_box.writer.find(action, KEY) is None
    receipt = await mail_box.writer.execute(action, KEY)
    moved = await mail_box.reader.get(before.ref)
    assert (moved.folder, moved.id, moved.etag, moved.unread) == (folder, receipt.id, receipt.etag, False)
    assert moved.etag != before.etag
    assert (await mail_box.writer.find(action, KEY)) is not None
    (undo,) = receipt.undo
    await mail_box.writer.execute(undo, KEY[::-1])
    assert (await mail_box.reader.get(before.ref)).folder == INBOX


@pytest.mark.parametrize("kind", ["mark", "move"])
async def test_a_stale_etag_is_refused_and_an_empty_one_is_not_checked(mail_box: MailBox, kind: str) -> None:
    mail_box.deliver(letter())
    stale = (await only(mail_box)).ref
    await mail_box.writer.execute(MarkMail(account=mail_box.name, mail=stale, flagged=True), KEY)

    def action(ref: MailRef) -> MailAction:
        if kind == "mark":
            return MarkMail(account=mail_box.name, mail=ref, seen=True)
        return MoveMail(account=mail_box.name, mail=ref, folder=ARCHIVE)

    with pytest.raises(Conflict):
        await mail_box.writer.execute(action(stale), KEY)
    now = await mail_box.reader.get(stale)
    assert now.unread and now.folder == INBOX
    await mail_box.writer.execute(action(stale.model_copy(update={"etag": ""})), KEY)


async def test_what_somebody_else_has_filed_stays_where_it_is(mail_box: MailBox) -> None:
    mail_box.deliver(letter(subject="other"), "Projects")
    mail_box.deliver(letter())
    read = await only(mail_box, folders=(INBOX,))
    mail_box.file(read.id, "Projects")
    with pytest.raises(Conflict):
        await mail_box.writer.execute(MoveMail(account=mail_box.name, mail=read.ref, folder=TRASH), KEY)
    assert (await mail_box.reader.get(read.ref)).folder == "Projects"


async def test_changing_what_is_gone_is_not_found(mail_box: MailBox) -> None:
    gone = MailRef(account=mail_box.name, id=mail_box.gone)
    actions: list[MailAction] = [
        MarkMail(account=mail_box.name, mail=gone, seen=True),
        MoveMail(account=mail_box.name, mail=gone, folder=ARCHIVE),
        DeleteDraft(account=mail_box.name, mail=gone),
    ]
    for action in actions:
        with pytest.raises(NotFound):
            await mail_box.writer.execute(action, KEY)


@pytest.mark.parametrize("folder", ["Nowhere", "../outside", "", ".hidden", "a\x00b"])
async def test_a_mail_is_moved_to_folders_that_exist_only(mail_box: MailBox, folder: str) -> None:
    mail_box.deliver(letter())
    mail = await only(mail_box)
    with pytest.raises(NotFound):
        await mail_box.writer.execute(MoveMail(account=mail_box.name, mail=mail.ref, folder=folder), KEY)
    assert (await mail_box.reader.get(mail.ref)).folder == INBOX


async def test_an_attachment_of_a_draft_that_forwards_is_kept(mail_box: MailBox) -> None:
    mail_box.deliver(letter(subject="Numbers", files={"a.pdf": b"%PDF-1.4"}))
    original = await only(mail_box)
    action = SaveDraft(account=mail_box.name, to=(ANNA,), subject="Fwd: Numbers", body="x", forward_of=original.ref)
    receipt = await mail_box.writer.execute(action, KEY)
    (attachment,) = (await mail_box.reader.get(MailRef(account=mail_box.name, id=receipt.id))).attachments
    assert attachment.filename == "a.pdf"


# Replies that were lost


async def actions(mail_box: MailBox) -> dict[str, MailAction]:
    """One of every kind, on a mail and a draft that are there."""
    mail_box.deliver(letter(subject="here"))
    mail = await only(mail_box)
    draft = await mail_box.writer.execute(SaveDraft(account=mail_box.name, to=(ANNA,), subject="kept"), KEY[::-1])
    reference = MailRef(account=mail_box.name, id=draft.id, etag=draft.etag)
    return {
        "send": new_mail(mail_box),
        "reply": new_mail(mail_box, subject="Re: here", reply_to=mail.ref),
        "draft": SaveDraft(account=mail_box.name, to=(ANNA,), subject="a draft"),
        "delete": DeleteDraft(account=mail_box.name, mail=reference),
        "mark": MarkMail(account=mail_box.name, mail=mail.ref, flagged=True),
        "archive": MoveMail(account=mail_box.name, mail=mail.ref, folder=ARCHIVE),
        "trash": MoveMail(account=mail_box.name, mail=mail.ref, folder=TRASH),
    }


KINDS = ["send", "reply", "draft", "delete", "mark", "archive", "trash"]


async def everything(mail_box: MailBox) -> list[tuple[str, str, bool]]:
    mails = (await mail_box.reader.search(MailQuery(folders=await mail_box.reader.folders()))).items
    return sorted((mail.subject, mail.folder, mail.flagged) for mail in mails)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_write_whose_reply_is_lost_took_effect_once_and_is_found(mail_box: MailBox, kind: str) -> None:
    mail_box.needs("connection")
    action = (await actions(mail_box))[kind]
    mail_box.lose(action, "after")
    with pytest.raises(Unavailable):
        await mail_box.writer.execute(action, KEY)
    once = await everything(mail_box)
    receipt = await mail_box.writer.find(action, KEY)
    assert receipt is not None and (receipt.key, receipt.action) == (KEY, action.kind)
    assert await everything(mail_box) == once


@pytest.mark.parametrize("kind", KINDS)
async def test_a_write_that_never_arrived_is_not_found_and_can_be_done_again(mail_box: MailBox, kind: str) -> None:
    mail_box.needs("connection")
    action = (await actions(mail_box))[kind]
    before = await everything(mail_box)
    mail_box.lose(action, "before")
    with pytest.raises(Unavailable):
        await mail_box.writer.execute(action, KEY)
    assert await mail_box.writer.find(action, KEY) is None
    assert await everything(mail_box) == before
    await mail_box.writer.execute(action, KEY)
    assert await mail_box.writer.find(action, KEY) is not None
    assert await everything(mail_box) != before
