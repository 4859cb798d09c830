"""Reading mail at the emulated Gmail: what the contract for every provider doesn't say."""

from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from itertools import count
from typing import Any

import pytest
from doubles.boxes.letters import MONDAY, letter
from doubles.google import GoogleEmulator
from doubles.google.gmail.mailbox import Mailbox
from doubles.google.gmail.message import Message as GmailMessage

from integrations.common import retrying
from integrations.common.headers import encode_header
from integrations.common.mime import part_bytes, read_message
from integrations.errors import InvalidResponse
from integrations.google import mail_search
from integrations.google.heads import read_in_batches
from integrations.google.mail import GoogleMailReader
from integrations.google.mail_query import Asked
from integrations.readers import MailReader
from integrations.registry import Account
from integrations.types import ARCHIVE, INBOX, SENT, Mail, MailQuery, MailRef

INBOXED = ("INBOX", "UNREAD")


@pytest.fixture
def box(google: GoogleEmulator, account: Account) -> Mailbox:
    return google.world.mail("me@home.example")


@pytest.fixture
def reader(account: Account) -> MailReader:
    return account.readers.mail


async def subjects(reader: MailReader, **fields: Any) -> list[str]:
    return [mail.subject for mail in (await reader.search(MailQuery(**fields))).items]


async def all_pages(reader: MailReader, **fields: Any) -> list[Mail]:
    page = await reader.search(MailQuery(**fields))
    mails = [*page.items]
    while page.next:
        page = await reader.search(MailQuery(**fields, cursor=page.next))
        mails += page.items
    return mails


def asked(google: GoogleEmulator) -> list[str]:
    """The requests, a batch for one."""
    return [request.api for request in google.requests if not request.batched]


# As they are written


def nested() -> bytes:
    inner = EmailMessage()
    inner["From"], inner["Subject"] = "x@y.example", "inner"
    inner.set_content("inside")
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@x.example", "me@home.example", "outer"
    message.set_content("outside")
    message.add_alternative("<p>outside, <b>rich</b></p>", subtype="html")
    message.add_attachment(inner)
    message.add_attachment(b"BEGIN:VCALENDAR", maintype="text", subtype="calendar", filename="")
    return message.as_bytes()


HEAD = b"From: a@x.example\r\nTo: me@home.example\r\nSubject: s\r\n"
ODD = {
    "nested": nested(),
    "files": letter(body="Grüße", files={"März.pdf": b"%PDF \x80", "b.pdf": b""}),
    "html": HEAD + b'Content-Type: text/html; charset="iso-8859-1"\r\n\r\n<p>Gr\xfc\xdfe &amp; mehr</p><p>Zwei</p>',
    "charset": HEAD + b"Content-Type: text/plain; charset=windows-1251; format=flowed\r\n\r\n\xcf\xf0\xe8\xe2\xe5\xf2",
    "no type": HEAD + b"\r\nline\r\n\r\n-- \r\nsignature\r\n",
    "nothing": HEAD + b"\r\n",
    "quoted": HEAD
    + b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe =\r\nalle",
    "boundary": HEAD
    + b"X-Odd: a\r\n --part\r\nContent-Type: multipart/mixed; boundary=part\r\n\r\n"
    + b"--part\r\n\r\n--part.0\r\n--part--\r\n",
}


@pytest.mark.parametrize("raw", ODD.values(), ids=ODD)
async def test_a_mail_reads_the_same_as_from_its_bytes(reader: MailReader, box: Mailbox, raw: bytes) -> None:
    ref = MailRef(account="home", id=box.deliver(raw))
    mail, expected = await reader.get(ref), read_message(raw)
    (listed,) = (await reader.search(MailQuery())).items
    assert (mail.body, mail.subject, mail.sender, mail.to) == (expected.text, expected.subject, expected.sender, expected.to)
    for found in (mail, listed):
        parts = [(one.part, one.filename, one.content_type) for one in found.attachments]
        assert parts == [(one.part, one.filename, one.content_type) for one in expected.attachments]
    for one in mail.attachments:
        assert await reader.attachment(ref, one.part) == part_bytes(box.raw(ref.id), one.part)


async def test_what_looks_encoded_in_a_subject_that_comes_decoded_stays_as_written(reader: MailReader, box: Mailbox) -> None:
    subject = "=?utf-8?q?x?= Größe"
    box.deliver(f"From: a@x.example\r\nSubject: {encode_header(subject)}\r\n\r\n".encode())
    assert await subjects(reader) == [subject]


# Folders


async def test_a_label_is_known_by_its_name_whatever_is_asked_first(reader: MailReader, box: Mailbox) -> None:
    first = box.deliver(letter(), ("Projects",))
    mail = await reader.get(MailRef(account="home", id=first))
    box.change(first, add=[box.labels.ensure("Attic").id])
    assert (mail.folder, (await reader.thread(mail.thread))[0].folder) == ("Projects", "Attic")


async def test_a_mail_with_several_labels_is_found_in_each_of_its_folders(reader: MailReader, box: Mailbox) -> None:
    box.deliver(letter(subject="both"), (*INBOXED, "Projects", "CATEGORY_PERSONAL", "IMPORTANT"))
    box.deliver(letter(subject="self"), (*INBOXED, "SENT"))
    box.deliver(letter(subject="filed", date=MONDAY - timedelta(days=1)), ("Projects",))
    assert sorted(await subjects(reader, folders=(INBOX,))) == ["both", "self"]
    assert await subjects(reader, folders=("projects",)) == ["both", "filed"]
    assert await subjects(reader, folders=(SENT,)) == ["self"]
    assert await subjects(reader, folders=(ARCHIVE,)) == []
    folders = {mail.subject: mail.folder for mail in (await reader.search(MailQuery())).items}
    assert folders == {"both": INBOX, "self": INBOX, "filed": "Projects"}


async def test_a_label_called_archive_is_part_of_the_archive(reader: MailReader, box: Mailbox) -> None:
    box.deliver(letter(subject="labelled"), ("archive",))
    box.deliver(letter(subject="plain", date=MONDAY - timedelta(days=1)), ())
    box.deliver(letter(subject="filed"), ("Work",))
    assert await subjects(reader, folders=(ARCHIVE,)) == ["labelled", "plain"]
    assert [name for name in await reader.folders() if name.lower() == "archive"] == [ARCHIVE]


async def test_the_etag_changes_with_labels_but_not_with_what_gmail_thinks_of_it(reader: MailReader, box: Mailbox) -> None:
    ref = MailRef(account="home", id=box.deliver(letter()))
    first = (await reader.get(ref)).etag
    box.change(ref.id, add=["IMPORTANT", "CATEGORY_UPDATES"])
    assert (await reader.get(ref)).etag == first
    box.change(ref.id, add=["STARRED"])
    assert (await reader.get(ref)).etag != first


async def test_spam_is_searched_only_when_named(reader: MailReader, box: Mailbox) -> None:
    box.deliver(letter(subject="win"), ("SPAM",))
    assert await subjects(reader) == []
    assert await subjects(reader, folders=("Spam",)) == ["win"]


# Requests


async def test_a_head_is_read_once_and_again_when_its_labels_changed(
    google: GoogleEmulator, reader: MailReader, box: Mailbox
) -> None:
    ids = [box.deliver(letter(subject=str(number))) for number in range(60)]
    await reader.search(MailQuery(limit=100))
    box.change(ids[7], add=["STARRED"])
    box.remove(ids[8])
    seen = len(google.requests)
    mails = (await reader.search(MailQuery(limit=100))).items
    assert len(mails) == 59 and [mail.subject for mail in mails if mail.flagged] == ["7"]
    assert [request.path.rpartition("/")[2] for request in google.requests[seen:] if request.batched] == [ids[7]]


async def test_all_heads_are_read_again_when_the_history_is_forgotten(reader: MailReader, box: Mailbox) -> None:
    first = box.deliver(letter())
    await reader.search(MailQuery())
    box.change(first, add=["STARRED"])
    box.forget_history()
    assert [mail.flagged for mail in (await reader.search(MailQuery())).items] == [True]


async def test_many_mails_take_few_requests(google: GoogleEmulator, reader: MailReader, box: Mailbox) -> None:
    for number in range(300):
        box.deliver(letter(date=MONDAY + timedelta(minutes=number)))
    page = await reader.search(MailQuery(limit=250))
    assert (len(page.items), page.total) == (250, 300)
    calls = asked(google)
    assert calls.count("batch") <= 6
    assert sorted(set(calls)) == ["batch", "gmail.users.getProfile", "gmail.users.labels.list", "gmail.users.messages.list"]
    assert len(calls) == calls.count("batch") + 3


async def test_what_changes_while_it_is_read_is_read_again(
    reader: GoogleMailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = box.deliver(letter())

    async def meanwhile(*given: Any) -> Any:
        answer = await read_in_batches(*given)
        box.change(first, add=["STARRED"])
        await reader._heads.refresh()
        return answer

    with monkeypatch.context() as patched:
        patched.setattr("integrations.google.heads.read_in_batches", meanwhile)
        await reader.search(MailQuery())
    assert [mail.flagged for mail in (await reader.search(MailQuery())).items] == [True]


# Paging


@pytest.mark.parametrize("oldest_first", [False, True])
async def test_pages_lose_and_double_nothing_where_many_came_at_once(
    reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch, oldest_first: bool
) -> None:
    """Whatever their order is at Gmail."""
    monkeypatch.setattr(GmailMessage, "order", property(lambda self: (-self.date, int(self.id, 16))))
    for number in range(130):
        box.deliver(letter(subject=str(number)))
    mails = await all_pages(reader, limit=55, oldest_first=oldest_first)
    assert sorted(int(mail.subject) for mail in mails) == list(range(130))


@pytest.mark.parametrize("oldest_first", [False, True])
async def test_pages_of_what_gmail_can_not_tell_lose_nothing(reader: MailReader, box: Mailbox, oldest_first: bool) -> None:
    for number in range(130):
        headers = {"List-Id": "<x.y>"} if number % 3 else {}
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number // 7), **headers))
    mails = await all_pages(reader, bulk=False, limit=10, oldest_first=oldest_first)
    assert sorted(int(mail.subject) for mail in mails) == list(range(0, 130, 3))
    assert [mail.date for mail in mails] == sorted((mail.date for mail in mails), reverse=not oldest_first)


async def test_a_total_is_not_known_where_only_a_part_was_listed(
    reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_search, "IN_A_LISTING", 20)
    monkeypatch.setattr(mail_search, "MOST_COUNTED", 40)
    for number in range(130):
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)))
    page = await reader.search(MailQuery(limit=5))
    assert (len(page.items), page.total) == (5, None)
    assert len(await all_pages(reader, limit=50)) == 130
    assert await subjects(reader, oldest_first=True, limit=2) == ["0", "1"]


async def test_what_must_be_looked_for_in_texts_is_looked_for_in_a_part_and_the_rest_is_told(
    reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_search, "MOST_SCANNED", 50)
    for number in range(120):
        box.deliver(letter(subject=str(number), body="🎉" if number in (3, 100) else "-", date=MONDAY + timedelta(hours=number)))
    page = await reader.search(MailQuery(words=("🎉",)))
    assert ([mail.subject for mail in page.items], page.total) == (["100"], None)
    assert "🎉" in page.skipped[0].reason
    assert [mail.subject for mail in await all_pages(reader, words=("🎉",))] == ["100", "3"]


async def test_one_page_looks_through_a_part_and_the_next_goes_on(
    reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_search, "MOST_LOOKED_AT", 100)
    for number in range(240):
        headers = {"List-Id": "<x.y>"} if number in (7, 230) else {}
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number), **headers))
    page = await reader.search(MailQuery(bulk=True))
    assert ([mail.subject for mail in page.items], page.total, len(page.skipped)) == (["230"], None, 1)
    assert [mail.subject for mail in await all_pages(reader, bulk=True)] == ["230", "7"]


# What can't be read


async def test_a_listing_without_end_is_given_up(reader: GoogleMailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(_: Any) -> dict[str, Any]:
        return {"nextPageToken": str(next(tokens))}

    tokens = count()
    monkeypatch.setattr(reader._google, "read", endless)
    with pytest.raises(InvalidResponse):
        await mail_search.Listing(reader._google, Asked("")).reach(1)


async def test_a_mail_of_a_year_without_a_date_in_the_users_zone_is_named_and_ends_no_listing(
    reader: MailReader, box: Mailbox
) -> None:
    box.deliver(letter(subject="far"), date=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
    box.deliver(letter(subject="near"))
    page = await reader.search(MailQuery())
    assert ([mail.subject for mail in page.items], len(page.skipped)) == (["near"], 1)


async def test_an_answer_that_can_not_be_read_hides_one_mail_only(google: GoogleEmulator, reader: MailReader, box: Mailbox) -> None:
    for number in range(3):
        box.deliver(letter(subject=str(number)))
    google.fail("garbage", on="gmail.users.messages.get")
    page = await reader.search(MailQuery())
    assert (len(page.items), len(page.skipped)) == (2, 1)


# Threads and people


async def test_a_thread_shows_what_was_answered_and_leaves_out_drafts(reader: MailReader, box: Mailbox) -> None:
    asked_first = box.deliver(letter(id="<a@x.example>", subject="Plan"))
    answer: dict[str, Any] = {"In-Reply-To": "<a@x.example>", "References": "<a@x.example>", "subject": "Re: Plan"}
    box.deliver(letter(sender="me@home.example", date=MONDAY + timedelta(hours=1), **answer), ("SENT",))
    box.deliver(letter(sender="me@home.example", date=MONDAY + timedelta(hours=2), **answer), ("DRAFT",))
    mail = await reader.get(MailRef(account="home", id=asked_first))
    thread = await reader.thread(mail.thread)
    assert mail.answered
    assert [(one.subject, one.answered, one.folder) for one in thread] == [("Plan", True, INBOX), ("Re: Plan", False, SENT)]
    assert await subjects(reader, thread=mail.thread, folders=(SENT,)) == ["Re: Plan"]


async def test_words_are_looked_for_within_a_thread(reader: MailReader, box: Mailbox) -> None:
    for number in range(3):
        box.deliver(letter(id=f"<{number}@x.example>", body=f"number {number}", References="<0@x.example>"))
    box.deliver(letter(subject="elsewhere", body="number 1", date=MONDAY))
    thread = (await reader.search(MailQuery(words=("number 2",)))).items[0].thread
    assert await subjects(reader, thread=thread, words=("number 1",)) == ["Hello"]
    assert await subjects(reader, thread=thread, subject=("hello",)) == ["Hello"] * 3


@pytest.mark.parametrize("thread", ["<a@x.example>", "19aa0000deadbeef", "../labels", ""])
async def test_a_thread_that_is_none_is_empty(reader: MailReader, thread: str) -> None:
    assert await reader.thread(thread) == ()


async def test_nobody_becomes_known_by_spam(reader: MailReader, box: Mailbox) -> None:
    box.deliver(letter(sender="x@evil.example"), ("SPAM",))
    box.deliver(letter(to="anna@acme.example"), ("SENT",))
    assert [(one.address.email, one.sent) for one in await reader.correspondents()] == [("anna@acme.example", 1)]


async def test_a_mail_that_gmail_fails_to_give_at_first_is_asked_for_again(
    google: GoogleEmulator, reader: MailReader, box: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "PAUSE", 0.001)
    box.deliver(letter(subject="there"))
    google.fail("server_error", on="gmail.users.messages.get")
    assert await subjects(reader) == ["there"]
