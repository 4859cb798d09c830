"""What every mail provider must do."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

import pytest

from integrations.actions import DeleteDraft, MailAction, MarkMail, MoveMail, SaveDraft, SendMail
from integrations.errors import Conflict, InvalidResponse, NotFound
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH, Address, Mail, MailQuery, MailRef

KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
ODD_WORDS = ["can't", "C++", "a:b", "AND", "NOT (", '"', "x*", "^", "-", "näh\x00t", "{col}:", "(", "NEAR/2", "'--"]
SMUGGLED = [
    "Hi 💩 =?UTF-8?Q?=0A?=Bcc: injected@evil.example",
    "=?utf-8?b?CkJjYzogeEBldmlsLmV4YW1wbGU=?=",
    'a"b\\c, <x@y.z>;',
]
MONDAY = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


@pytest.fixture
def letter() -> Callable[..., bytes]:
    """A mail as other people's programs write it."""

    def build(**given: Any) -> bytes:
        message = EmailMessage()
        message["From"] = given.get("sender", "Anna Berg <anna.berg@acme.example>")
        message["To"] = given.get("to", "me@home.example")
        if "cc" in given:
            message["Cc"] = given["cc"]
        message["Subject"] = given.get("subject", "Hello")
        message["Date"] = format_datetime(given.get("date", MONDAY))
        message["Message-ID"] = given.get("id", f"<{abs(hash(str(given)))}@acme.example>")
        for name in ("In-Reply-To", "References", "List-Id"):
            if name in given:
                message[name] = given[name]
        message.set_content(given.get("body", "How are you?"))
        for filename, data in given.get("files", {}).items():
            message.add_attachment(data, maintype="application", subtype="pdf", filename=filename)
        return message.as_bytes()

    return build


async def found(mail_box: Any, **fields: Any) -> list[str]:
    page = await mail_box.reader.search(MailQuery(**fields))
    assert page.total == len(page.items)
    return [mail.subject for mail in page.items]


async def only(mail_box: Any, **fields: Any) -> Mail:
    page = await mail_box.reader.search(MailQuery(**fields))
    (mail,) = page.items
    return mail


def new_mail(mail_box: Any, **fields: Any) -> SendMail:
    people = {"to": (Address(email="anna.berg@acme.example", name="Anna Berg"),)}
    return SendMail(account=mail_box.account, **{**people, "subject": "Plan", "body": "All set.", **fields})


# Searching


async def test_newest_comes_first_unless_asked_otherwise(mail_box: Any, letter: Any) -> None:
    for day in (2, 0, 1):
        mail_box.deliver(letter(subject=f"day {day}", date=MONDAY + timedelta(days=day)))
    assert await found(mail_box) == ["day 2", "day 1", "day 0"]
    assert await found(mail_box, oldest_first=True) == ["day 0", "day 1", "day 2"]


@pytest.mark.parametrize(
    "fields",
    [
        {"words": ("budget",)},
        {"words": ("BUDGETS",)},
        {"words": ("budget", "anna")},
        {"words": ("yearly budget",)},
        {"subject": ("figures",)},
        {"sender": ("anna.berg@acme.example",)},
        {"sender": ("ANNA",)},
        {"sender": ("berg",)},
        {"sender": ("Anna Berg",)},
        {"sender": ("Berg, Anna",)},
        {"sender": ("acme.example",)},
        {"sender": ("nobody", "anna")},
        {"recipient": ("tom@acme.example",)},
        {"recipient": ("Jürgen",)},
        {"recipient": ("jurgen",)},
        {"with_person": ("tom",)},
        {"with_person": ("anna",)},
        {"since": MONDAY, "before": MONDAY + timedelta(seconds=1)},
        {"folders": (INBOX,)},
        {"folders": ("inbox", ARCHIVE)},
        {"unread": True},
        {"has_attachment": True},
        {"bulk": False, "words": ("budget",)},
        {"message_id": "<wanted@acme.example>"},
        {"message_id": "wanted@acme.example"},
        {"words": ("budget",), "sender": ("anna",), "since": MONDAY, "has_attachment": True, "unread": True},
    ],
    ids=str,
)
async def test_each_field_finds_the_mail_it_describes(mail_box: Any, letter: Any, fields: dict[str, Any]) -> None:
    mail_box.deliver(
        letter(
            id="<wanted@acme.example>",
            subject="The figures",
            to="Tom Novak <tom@acme.example>",
            cc="Jürgen Groß <jg@acme.example>",
            body="Here is the yearly budget.",
            files={"budget.pdf": b"%PDF"},
        )
    )
    other = letter(sender="Mia <mia@other.example>", subject="Lunch?", date=MONDAY - timedelta(days=40), **{"List-Id": "<x.y>"})
    mail_box.deliver(other, "Archive" if "unread" in fields or "folders" not in fields else "Projects", seen=True)
    assert await found(mail_box, **fields) == ["The figures"]


@pytest.mark.parametrize(
    "fields",
    [
        {"words": ("budget", "holiday")},
        {"words": ("budget yearly",)},
        {"subject": ("budget",)},
        {"sender": ("tom",)},
        {"sender": ("ann",)},
        {"sender": ("Anna Novak",)},
        {"recipient": ("anna",)},
        {"since": MONDAY + timedelta(seconds=1)},
        {"before": MONDAY},
        {"flagged": True},
        {"unread": False},
        {"has_attachment": True},
        {"bulk": True},
        {"folders": (ARCHIVE,)},
        {"thread": "<unknown@acme.example>"},
    ],
    ids=str,
)
async def test_each_field_leaves_out_what_does_not_match(mail_box: Any, letter: Any, fields: dict[str, Any]) -> None:
    mail_box.deliver(letter(to="Tom Novak <tom@acme.example>", body="Here is the yearly budget."))
    assert await found(mail_box, **fields) == []


@pytest.mark.parametrize("word", ODD_WORDS)
async def test_no_word_breaks_the_search(mail_box: Any, letter: Any, word: str) -> None:
    mail_box.deliver(letter(body="Nothing of that kind."))
    for field in ("words", "subject", "sender", "recipient", "with_person"):
        page = await mail_box.reader.search(MailQuery(**{field: (word,)}))
        assert page.total == len(page.items)


@pytest.mark.parametrize("word", ["C++", "naïve", "Straße", "会議", "Встреча", "💩", "can't", "a:b", "snake_case"])
async def test_words_of_any_script_and_symbols_are_found(mail_box: Any, letter: Any, word: str) -> None:
    mail_box.deliver(letter(subject="yes", body=f"Es geht um {word} und明日の会議です."))
    mail_box.deliver(letter(subject="no", body="C is a letter, 50 a number.", date=MONDAY - timedelta(days=1)))
    assert await found(mail_box, words=(word,)) == ["yes"]


async def test_trash_drafts_and_outbox_are_searched_only_when_named(mail_box: Any, letter: Any) -> None:
    for folder in (INBOX, SENT, ARCHIVE, TRASH, DRAFTS, OUTBOX, "Lists.python"):
        mail_box.deliver(letter(subject=folder), folder)
    assert sorted(await found(mail_box)) == sorted([INBOX, SENT, ARCHIVE, "Lists.python"])
    for folder in (TRASH, DRAFTS, OUTBOX):
        assert await found(mail_box, folders=(folder,)) == [folder]
    assert {INBOX, SENT, ARCHIVE, TRASH, DRAFTS, OUTBOX, "Lists/python"} <= set(await mail_box.reader.folders())


async def test_pages_lose_and_double_nothing_even_when_dates_are_equal(mail_box: Any, letter: Any) -> None:
    for number in range(23):
        mail_box.deliver(letter(subject=f"mail {number}", date=MONDAY + timedelta(hours=number // 5)))
    for oldest_first in (False, True):
        seen: list[Mail] = []
        cursor: str | None = None
        while True:
            page = await mail_box.reader.search(MailQuery(limit=4, cursor=cursor, oldest_first=oldest_first))
            assert page.total == 23
            seen += page.items
            cursor = page.next
            if cursor is None:
                break
        assert sorted(mail.subject for mail in seen) == sorted(f"mail {number}" for number in range(23))
        assert [mail.date for mail in seen] == sorted((mail.date for mail in seen), reverse=not oldest_first)


async def test_a_mail_that_arrives_between_pages_shifts_nothing(mail_box: Any, letter: Any) -> None:
    for number in range(6):
        mail_box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)))
    first = await mail_box.reader.search(MailQuery(limit=3))
    mail_box.deliver(letter(subject="late", date=MONDAY + timedelta(days=9)))
    second = await mail_box.reader.search(MailQuery(limit=3, cursor=first.next))
    assert [mail.subject for mail in (*first.items, *second.items)] == ["5", "4", "3", "2", "1", "0"]


async def test_a_cursor_that_is_none_is_refused(mail_box: Any) -> None:
    with pytest.raises(NotFound):
        await mail_box.reader.search(MailQuery(cursor="; DROP TABLE mail"))


# Reading


async def test_a_listing_has_a_snippet_and_get_has_the_body(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(letter(body="First line.\n\nSecond line.\n> quoted\n" + "more " * 100))
    listed = await only(mail_box)
    assert listed.body == ""
    assert listed.snippet.startswith("First line. Second line. more more") and len(listed.snippet) <= 200
    assert (await mail_box.reader.get(listed.ref)).body.startswith("First line.\n\nSecond line.\n> quoted\nmore")


async def test_everything_non_ascii_arrives_as_written(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(
        letter(
            sender='"Müller, Jörg" <joerg@xn--bcher-kva.example>',
            to="王小明 <wang@example.example>, me@home.example",
            subject="Übergröße: 価格 💡",
            body="Grüße aus Łódź, до свидания!",
            files={"Überblick 2026.pdf": b"\x00\xff"},
        )
    )
    mail = await mail_box.reader.get((await only(mail_box)).ref)
    assert mail.sender == Address(email="joerg@bücher.example", name="Müller, Jörg")
    assert mail.to[0] == Address(email="wang@example.example", name="王小明")
    assert mail.subject == "Übergröße: 価格 💡"
    assert mail.body.strip() == "Grüße aus Łódź, до свидания!"
    (attachment,) = mail.attachments
    assert (attachment.filename, attachment.size) == ("Überblick 2026.pdf", 2)
    assert await mail_box.reader.attachment(mail.ref, attachment.part) == b"\x00\xff"
    with pytest.raises(NotFound):
        await mail_box.reader.attachment(mail.ref, "77")


async def test_what_is_gone_is_not_found(mail_box: Any) -> None:
    with pytest.raises(NotFound):
        await mail_box.reader.get(MailRef(account=mail_box.account, id="1.nothing"))
    with pytest.raises(NotFound):
        await mail_box.reader.attachment(MailRef(account=mail_box.account, id="1.nothing"), "1")
    assert await mail_box.reader.thread("<nothing@x>") == ()


async def test_times_are_aware_and_bulk_mail_is_told_apart(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(letter(**{"List-Id": "News <news.acme.example>"}))
    mail = await only(mail_box, bulk=True)
    assert mail.date == MONDAY and mail.date.utcoffset() is not None


async def test_a_malformed_mail_is_named_and_ends_no_listing(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    mail_box.deliver(b"")
    mail_box.deliver(letter(subject="fine"))
    page = await mail_box.reader.search(MailQuery())
    assert [mail.subject for mail in page.items] == ["fine"]
    assert len(page.skipped) == 2 and all(one.reason and one.where for one in page.skipped)


# Threads


@pytest.mark.parametrize("order", ["abc", "cba", "bca", "acb"])
async def test_answers_form_one_thread_in_whatever_order_they_arrive(mail_box: Any, letter: Any, order: str) -> None:
    mails = {
        "a": letter(id="<a@x>", subject="a", date=MONDAY),
        "b": letter(id="<b@x>", subject="b", date=MONDAY + timedelta(hours=1), **{"In-Reply-To": "<a@x>"}),
        "c": letter(id="<c@x>", subject="c", date=MONDAY + timedelta(hours=2), References="<b@x>"),
    }
    for name in order:
        mail_box.deliver(mails[name])
        await mail_box.reader.search(MailQuery())
    mail_box.deliver(letter(id="<d@x>", subject="d"))
    threads = {mail.subject: mail.thread for mail in (await mail_box.reader.search(MailQuery())).items}
    assert threads["a"] == threads["b"] == threads["c"] != threads["d"]
    thread = await mail_box.reader.thread(threads["a"])
    assert [mail.subject for mail in thread] == ["a", "b", "c"]
    assert all(mail.body for mail in thread)
    assert await found(mail_box, thread=threads["b"]) == ["c", "b", "a"]


async def test_a_thread_keeps_answering_to_the_name_it_had_before_it_was_joined(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(letter(id="<b@x>", subject="b"))
    mail_box.deliver(letter(id="<z@x>", subject="z"))
    before = [mail.thread for mail in (await mail_box.reader.search(MailQuery())).items]
    mail_box.deliver(letter(id="<c@x>", subject="c", References="<b@x> <z@x>"))
    await mail_box.reader.search(MailQuery())
    for thread in before:
        assert len(await mail_box.reader.thread(thread)) == 3


async def test_a_mail_without_any_id_is_a_thread_of_its_own(mail_box: Any) -> None:
    mail_box.deliver(b"From: a@x.example\nSubject: one\n\nx\n")
    mail_box.deliver(b"From: a@x.example\nSubject: two\n\nx\n")
    one, two = (await mail_box.reader.search(MailQuery())).items
    assert one.thread and two.thread and one.thread != two.thread
    assert [mail.id for mail in await mail_box.reader.thread(one.thread)] == [one.id]


# Correspondents


async def test_correspondents_are_counted_and_the_owner_is_none(mail_box: Any, letter: Any) -> None:
    for number in range(3):
        mail_box.deliver(letter(body=str(number), date=MONDAY + timedelta(days=number)))
    mail_box.deliver(letter(sender="me@home.example", to="Anna Berg <anna.berg@acme.example>, tom@acme.example"), SENT)
    anna, tom = await mail_box.reader.correspondents()
    assert anna.address == Address(email="anna.berg@acme.example", name="Anna Berg")
    assert (anna.received, anna.sent, anna.last) == (3, 1, MONDAY + timedelta(days=2))
    assert (tom.address.email, tom.received, tom.sent) == ("tom@acme.example", 0, 1)


@pytest.mark.parametrize("name", ["inés", "INES", "ines garcia", "Garcia Ines", "ines.g", "acme.example", "ines.g@acme.example"])
async def test_correspondents_are_found_by_parts_of_name_or_address(mail_box: Any, letter: Any, name: str) -> None:
    mail_box.deliver(letter(sender="Inés García <ines.g@acme.example>"))
    mail_box.deliver(letter(sender="Vanessa <vanessa@other.example>"))
    assert [one.address.email for one in await mail_box.reader.correspondents(name)] == ["ines.g@acme.example"]


async def test_nobody_becomes_known_as_written_to_by_forging_the_owner(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(letter(sender="me@home.example", to="me@home.example", cc="Boss <boss@evil.example>"))
    assert [one for one in await mail_box.reader.correspondents("boss") if one.sent] == []


# Writing


async def test_a_sent_mail_says_exactly_what_was_approved(mail_box: Any) -> None:
    action = new_mail(
        mail_box,
        cc=(Address(email="jg@bücher.example", name='Jürgen "JG" Groß'),),
        bcc=(Address(email="boss@acme.example"),),
        subject="Größe: =?utf-8?q?x?= ok",
        body="Grüße,\nFrom me.\n\n.\n  indented",
    )
    receipt = await mail_box.writer.execute(action, KEY)
    mail = await mail_box.reader.get(MailRef(account=mail_box.account, id=receipt.id))
    assert mail.folder in (OUTBOX, SENT)
    assert (mail.to, mail.cc, mail.bcc) == (action.to, action.cc, action.bcc)
    assert (mail.sender, mail.subject, mail.body) == (Address(email=mail_box.owner), action.subject, action.body)
    assert mail.message_id == f"<{KEY}@home.example>"
    assert (receipt.key, receipt.action, receipt.account) == (KEY, "send_mail", mail_box.account)


async def test_the_same_key_never_writes_twice(mail_box: Any) -> None:
    for action in (new_mail(mail_box), SaveDraft(account=mail_box.account, subject="D", body="draft")):
        key = KEY[::-1] if isinstance(action, SaveDraft) else KEY
        assert await mail_box.writer.find(action, key) is None
        first = await mail_box.writer.execute(action, key)
        assert await mail_box.writer.execute(action, key) == first
        assert await mail_box.writer.find(action, key) == first
    assert len(await found(mail_box, folders=(OUTBOX, SENT, DRAFTS))) == 2


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
async def test_what_can_not_be_written_exactly_is_not_written(mail_box: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidResponse):
        await mail_box.writer.execute(new_mail(mail_box, **fields), KEY)
    assert await found(mail_box, folders=(OUTBOX, SENT)) == []
    assert await mail_box.writer.find(new_mail(mail_box), KEY) is None


@pytest.mark.parametrize("text", SMUGGLED)
async def test_encoded_words_smuggle_in_no_header(mail_box: Any, text: str) -> None:
    action = new_mail(mail_box, subject=text, to=(Address(email="a@b.example", name=text),))
    receipt = await mail_box.writer.execute(action, KEY)
    mail = await mail_box.reader.get(MailRef(account=mail_box.account, id=receipt.id))
    assert [address.email for address in mail.recipients] == ["a@b.example"]
    assert mail.subject == text
    head = mail_box.raw(receipt.id).partition(b"\n\n")[0]
    assert not [line for line in head.splitlines() if line.lower().startswith(b"bcc")]


async def test_a_reply_joins_its_thread_and_marks_what_it_answers(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(letter(id="<b@x.example>", References="<root@x.example>"))
    original = await only(mail_box)
    receipt = await mail_box.writer.execute(new_mail(mail_box, subject="Re: Hello", reply_to=original.ref), KEY)
    reply = await mail_box.reader.get(MailRef(account=mail_box.account, id=receipt.id))
    assert reply.in_reply_to == "<b@x.example>"
    assert reply.references == ("<root@x.example>", "<b@x.example>")
    assert reply.thread == original.thread
    assert (await mail_box.reader.get(original.ref)).answered
    assert reply.body == "All set."


async def test_a_forward_carries_text_and_attachments_of_the_original(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(letter(subject="Numbers", body="Zahlen für März.", files={"März.pdf": b"%PDF-1.4 \x80"}))
    original = await only(mail_box)
    action = new_mail(mail_box, subject="Fwd: Numbers", body="See below.", forward_of=original.ref)
    receipt = await mail_box.writer.execute(action, KEY)
    forward = await mail_box.reader.get(MailRef(account=mail_box.account, id=receipt.id))
    assert forward.body.startswith("See below.\n")
    assert "Anna Berg <anna.berg@acme.example>" in forward.body and "Zahlen für März." in forward.body
    (attachment,) = forward.attachments
    assert attachment.filename == "März.pdf"
    assert await mail_box.reader.attachment(forward.ref, attachment.part) == b"%PDF-1.4 \x80"


async def test_a_reply_to_what_is_gone_is_not_sent(mail_box: Any) -> None:
    with pytest.raises(NotFound):
        await mail_box.writer.execute(new_mail(mail_box, reply_to=MailRef(account=mail_box.account, id="1.gone")), KEY)
    assert await found(mail_box, folders=(OUTBOX, SENT)) == []


async def test_a_draft_is_kept_and_taken_back_by_its_undo(mail_box: Any) -> None:
    action = SaveDraft(account=mail_box.account, to=(Address(email="a@b.example"),), subject="Später", body="Entwurf")
    receipt = await mail_box.writer.execute(action, KEY)
    draft = await only(mail_box, folders=(DRAFTS,))
    assert (draft.id, draft.subject, draft.to) == (receipt.id, "Später", action.to)
    (undo,) = receipt.undo
    assert isinstance(undo, DeleteDraft)
    await mail_box.writer.execute(undo, KEY[::-1])
    assert await found(mail_box, folders=(DRAFTS,)) == []
    assert await mail_box.writer.find(undo, KEY[::-1]) is not None


async def test_only_a_draft_is_deleted_as_one(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(letter())
    mail = await only(mail_box)
    with pytest.raises(Conflict):
        await mail_box.writer.execute(DeleteDraft(account=mail_box.account, mail=mail.ref), KEY)
    assert await found(mail_box, folders=(INBOX,)) == ["Hello"]


async def test_marking_changes_only_what_was_said_and_can_be_undone(mail_box: Any, letter: Any) -> None:
    mail_box.deliver(letter())
    before = await only(mail_box)
    assert before.unread and not before.flagged
    action = MarkMail(account=mail_box.account, mail=before.ref, flagged=True)
    assert await mail_box.writer.find(action, KEY) is None
    receipt = await mail_box.writer.execute(action, KEY)
    marked = await only(mail_box)
    assert (marked.unread, marked.flagged, marked.id, marked.etag) == (True, True, receipt.id, receipt.etag)
    found_again = await mail_box.writer.find(action, KEY)
    assert found_again is not None and found_again.undo == receipt.undo
    (undo,) = receipt.undo
    await mail_box.writer.execute(undo, KEY[::-1])
    assert not (await only(mail_box)).flagged


@pytest.mark.parametrize("folder", [ARCHIVE, TRASH, SENT])
async def test_moving_keeps_the_mail_findable_and_can_be_undone(mail_box: Any, letter: Any, folder: str) -> None:
    mail_box.deliver(letter(), seen=True)
    before = await only(mail_box)
    action = MoveMail(account=mail_box.account, mail=before.ref, folder=folder)
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
async def test_a_stale_etag_is_refused_and_an_empty_one_is_not_checked(mail_box: Any, letter: Any, kind: str) -> None:
    mail_box.deliver(letter())
    stale = (await only(mail_box)).ref
    await mail_box.writer.execute(MarkMail(account=mail_box.account, mail=stale, flagged=True), KEY)

    def action(ref: MailRef) -> MailAction:
        if kind == "mark":
            return MarkMail(account=mail_box.account, mail=ref, seen=True)
        return MoveMail(account=mail_box.account, mail=ref, folder=ARCHIVE)

    with pytest.raises(Conflict):
        await mail_box.writer.execute(action(stale), KEY)
    now = await mail_box.reader.get(stale)
    assert now.unread and now.folder == INBOX
    await mail_box.writer.execute(action(stale.model_copy(update={"etag": ""})), KEY)


async def test_changing_what_is_gone_is_not_found(mail_box: Any) -> None:
    gone = MailRef(account=mail_box.account, id="1.gone")
    actions: list[MailAction] = [
        MarkMail(account=mail_box.account, mail=gone, seen=True),
        MoveMail(account=mail_box.account, mail=gone, folder=ARCHIVE),
        DeleteDraft(account=mail_box.account, mail=gone),
    ]
    for action in actions:
        with pytest.raises(NotFound):
            await mail_box.writer.execute(action, KEY)


@pytest.mark.parametrize("folder", ["Nowhere", "../outside", "", ".hidden", "a\x00b"])
async def test_a_mail_is_moved_to_folders_that_exist_only(mail_box: Any, letter: Any, folder: str) -> None:
    mail_box.deliver(letter())
    mail = await only(mail_box)
    with pytest.raises(NotFound):
        await mail_box.writer.execute(MoveMail(account=mail_box.account, mail=mail.ref, folder=folder), KEY)
    assert (await mail_box.reader.get(mail.ref)).folder == INBOX
