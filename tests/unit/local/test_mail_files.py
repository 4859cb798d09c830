"""What is particular to mail in a Maildir, beside the contract of every mailbox."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from doubles.boxes import opened
from doubles.boxes.base import MailBox
from doubles.boxes.letters import MONDAY, letter

from integrations.types import MailQuery


@pytest.fixture
async def mail_box(tmp_path: Path) -> AsyncIterator[MailBox]:
    async with opened("local", tmp_path) as boxes:
        yield boxes.mail


async def test_a_malformed_mail_is_named_and_ends_no_listing(mail_box: MailBox) -> None:
    mail_box.deliver(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    mail_box.deliver(b"")
    mail_box.deliver(letter(subject="fine"))
    page = await mail_box.reader.search(MailQuery())
    assert [mail.subject for mail in page.items] == ["fine"]
    assert len(page.skipped) == 2 and all(one.reason and one.where for one in page.skipped)


@pytest.mark.parametrize("order", ["abc", "cba", "bca", "acb"])
async def test_answers_form_one_thread_in_whatever_order_they_arrive(mail_box: MailBox, order: str) -> None:
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
    found = await mail_box.reader.search(MailQuery(thread=threads["b"]))
    assert [mail.subject for mail in found.items] == ["c", "b", "a"]


async def test_a_thread_keeps_answering_to_the_name_it_had_before_it_was_joined(mail_box: MailBox) -> None:
    mail_box.deliver(letter(id="<b@x>", subject="b"))
    mail_box.deliver(letter(id="<z@x>", subject="z"))
    before = [mail.thread for mail in (await mail_box.reader.search(MailQuery())).items]
    mail_box.deliver(letter(id="<c@x>", subject="c", References="<b@x> <z@x>"))
    await mail_box.reader.search(MailQuery())
    for thread in before:
        assert len(await mail_box.reader.thread(thread)) == 3


async def test_what_happened_before_the_index_was_built_anew_cannot_be_told(tmp_path: Path) -> None:
    async with opened("local", tmp_path) as boxes:
        boxes.mail.deliver(letter())
        start = await boxes.mail.reader.changes()
    for file in (tmp_path / "index").glob("mail-*"):
        file.unlink()
    async with opened("local", tmp_path) as boxes:
        told = await boxes.mail.reader.changes(start.cursor)
        assert not told.complete and told.cursor != start.cursor


async def test_what_happened_while_the_program_was_away_is_told(tmp_path: Path) -> None:
    async with opened("local", tmp_path) as boxes:
        start = await boxes.mail.reader.changes()
    async with opened("local", tmp_path) as boxes:
        boxes.mail.deliver(letter())
        told = await boxes.mail.reader.changes(start.cursor)
        assert len(told.changed) == 1 and told.complete
