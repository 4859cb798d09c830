"""What every mailbox tells of its mails, threads and people."""

from datetime import timedelta
from typing import Any

import pytest
from doubles.boxes.base import MailBox
from doubles.boxes.letters import MONDAY, letter

from integrations.actions import MarkMail, MoveMail
from integrations.errors import NotFound
from integrations.types import ARCHIVE, SENT, Address, Mail, MailQuery, MailRef, Oddity


async def only(mail_box: MailBox, **fields: Any) -> Mail:
    (mail,) = (await mail_box.reader.search(MailQuery(**fields))).items
    return mail


async def test_a_listing_has_a_snippet_and_get_has_the_body(mail_box: MailBox) -> None:
    mail_box.deliver(letter(body="First line.\n\nSecond line.\n> quoted\n" + "more " * 100))
    listed = await only(mail_box)
    assert listed.body == ""
    assert listed.snippet.startswith("First line. Second line.") and len(listed.snippet) <= 200
    assert (await mail_box.reader.get(listed.ref)).body.startswith("First line.\n\nSecond line.\n> quoted\nmore")


async def test_everything_non_ascii_arrives_as_written(mail_box: MailBox) -> None:
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


async def test_what_is_gone_is_not_found(mail_box: MailBox) -> None:
    with pytest.raises(NotFound):
        await mail_box.reader.get(MailRef(account=mail_box.name, id=mail_box.gone))
    with pytest.raises(NotFound):
        await mail_box.reader.attachment(MailRef(account=mail_box.name, id=mail_box.gone), "1")
    assert await mail_box.reader.thread(mail_box.gone) == ()


async def test_times_are_aware_and_bulk_mail_is_told_apart(mail_box: MailBox) -> None:
    mail_box.deliver(letter(**{"List-Id": "News <news.acme.example>"}))
    mail = await only(mail_box, bulk=True)
    assert mail.date == MONDAY and mail.date.utcoffset() is not None


async def test_a_mail_that_somebody_else_removed_is_not_found(mail_box: MailBox) -> None:
    mail_box.deliver(letter())
    mail = await only(mail_box)
    mail_box.remove(mail.id)
    with pytest.raises(NotFound):
        await mail_box.reader.get(mail.ref)
    assert (await mail_box.reader.search(MailQuery())).items == ()


async def test_hidden_text_is_no_part_of_a_mail_and_is_told_of(mail_box: MailBox) -> None:
    head = b"From: a@x.example\nTo: me@home.example\nSubject: Notice\nMessage-ID: <h@x.example>\nMIME-Version: 1.0\n"
    html = b'<p>Dear customer</p><div style="color:#ffffff">call 0900 555 at once</div><p>Bye</p>\n'
    mail_box.deliver(head + b"Content-Type: text/html; charset=utf-8\n\n" + html)
    listed = await only(mail_box)
    mail = await mail_box.reader.get(listed.ref)
    assert "0900" not in mail.body and mail.body.startswith("Dear customer")
    assert mail.oddities == (Oddity(kind="hidden_text", where="body", count=len("call 0900 555 at once")),)
    (whole,) = await mail_box.reader.thread(mail.thread)
    assert whole.oddities == mail.oddities


async def test_invisible_characters_are_no_part_of_a_mail_and_are_told_of(mail_box: MailBox) -> None:
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "pay")
    mail_box.deliver(letter(sender=f"An{tags}na <a@x.example>", subject=f"Pl{tags}an", body=f"he{tags}llo"))
    mail = await mail_box.reader.get((await only(mail_box)).ref)
    assert (mail.sender, mail.subject, mail.body.strip()) == (Address(email="a@x.example", name="Anna"), "Plan", "hello")
    assert set(mail.oddities) == {Oddity(kind="invisible", where=where, count=3) for where in ("sender", "subject", "body")}


async def test_a_sender_whom_the_domain_disowns_is_told_of_in_listings_too(mail_box: MailBox) -> None:
    mail_box.deliver(b"Authentication-Results: mx.home.example; dmarc=fail header.from=x.example\n" + letter(sender="a@x.example"))
    listed = await only(mail_box)
    mail = await mail_box.reader.get(listed.ref)
    assert listed.oddities == mail.oddities == (Oddity(kind="forged", where="sender"),)


# Threads


async def test_answers_form_one_thread(mail_box: MailBox) -> None:
    mail_box.deliver(letter(id="<a@x.example>", subject="Plan", body="a"))
    answer = letter(
        id="<b@x.example>", subject="Re: Plan", body="b", date=MONDAY + timedelta(hours=1), **{"In-Reply-To": "<a@x.example>"}
    )
    mail_box.deliver(answer)
    last = letter(
        id="<c@x.example>", subject="Re: Plan", body="c", date=MONDAY + timedelta(hours=2), References="<a@x.example> <b@x.example>"
    )
    mail_box.deliver(last, ARCHIVE)
    mail_box.deliver(letter(id="<d@x.example>", subject="Plan", body="d"))
    found = (await mail_box.reader.search(MailQuery())).items
    threads = {mail.message_id: mail.thread for mail in found}
    assert threads["<a@x.example>"] == threads["<b@x.example>"] == threads["<c@x.example>"] != threads["<d@x.example>"]
    thread = await mail_box.reader.thread(threads["<a@x.example>"])
    assert [mail.body.strip() for mail in thread] == ["a", "b", "c"]
    listed = (await mail_box.reader.search(MailQuery(thread=threads["<b@x.example>"]))).items
    assert [mail.subject for mail in listed] == ["Re: Plan", "Re: Plan", "Plan"]


async def test_a_mail_without_any_id_is_a_thread_of_its_own(mail_box: MailBox) -> None:
    mail_box.deliver(b"From: a@x.example\nSubject: one\n\nx\n")
    mail_box.deliver(b"From: a@x.example\nSubject: two\n\nx\n")
    one, two = (await mail_box.reader.search(MailQuery())).items
    assert one.thread and two.thread and one.thread != two.thread
    assert [mail.id for mail in await mail_box.reader.thread(one.thread)] == [one.id]


# Correspondents


async def test_correspondents_are_counted_and_the_owner_is_none(mail_box: MailBox) -> None:
    for number in range(3):
        mail_box.deliver(letter(body=str(number), date=MONDAY + timedelta(days=number)))
    mail_box.deliver(letter(sender="me@home.example", to="Anna Berg <anna.berg@acme.example>, tom@acme.example"), SENT)
    anna, tom = await mail_box.reader.correspondents()
    assert anna.address == Address(email="anna.berg@acme.example", name="Anna Berg")
    assert (anna.received, anna.sent, anna.last) == (3, 1, MONDAY + timedelta(days=2))
    assert (tom.address.email, tom.received, tom.sent) == ("tom@acme.example", 0, 1)


@pytest.mark.parametrize("name", ["inés", "INES", "ines garcia", "Garcia Ines", "ines.g", "acme.example", "ines.g@acme.example"])
async def test_correspondents_are_found_by_parts_of_name_or_address(mail_box: MailBox, name: str) -> None:
    mail_box.deliver(letter(sender="Inés García <ines.g@acme.example>"))
    mail_box.deliver(letter(sender="Vanessa <vanessa@other.example>"))
    assert [one.address.email for one in await mail_box.reader.correspondents(name)] == ["ines.g@acme.example"]


async def test_nobody_becomes_known_as_written_to_by_forging_the_owner(mail_box: MailBox) -> None:
    mail_box.deliver(letter(sender="me@home.example", to="me@home.example", cc="Boss <boss@evil.example>"))
    assert [one for one in await mail_box.reader.correspondents("boss") if one.sent] == []


# Changes


async def test_changes_tell_what_has_come_was_marked_was_moved_and_is_gone(mail_box: MailBox) -> None:
    mail_box.needs("changes")
    for name in ("marked", "moved", "removed", "left alone"):
        mail_box.deliver(letter(subject=name))
    before = {mail.subject: mail for mail in (await mail_box.reader.search(MailQuery())).items}
    start = await mail_box.reader.changes()
    assert (start.changed, start.gone, start.complete) == ((), (), True)
    await mail_box.writer.execute(MarkMail(account=mail_box.name, mail=before["marked"].ref, flagged=True), "1" * 32)
    await mail_box.writer.execute(MoveMail(account=mail_box.name, mail=before["moved"].ref, folder=ARCHIVE), "2" * 32)
    mail_box.remove(before["removed"].id)
    mail_box.deliver(letter(subject="new"))
    told = await mail_box.reader.changes(start.cursor)
    after = {mail.subject: mail for mail in (await mail_box.reader.search(MailQuery())).items}
    assert {ref.id for ref in told.changed} == {after[name].id for name in ("marked", "moved", "new")}
    assert ([ref.id for ref in told.gone], told.complete) == ([before["removed"].id], True)
    assert {ref.account for ref in (*told.changed, *told.gone)} == {mail_box.name}
    again = await mail_box.reader.changes(told.cursor)
    assert (again.changed, again.gone, again.complete) == ((), (), True)


async def test_what_came_and_went_in_between_is_told_of_at_most_as_gone(mail_box: MailBox) -> None:
    mail_box.needs("changes")
    start = await mail_box.reader.changes()
    mail_box.deliver(letter(subject="brief"))
    mail_box.remove((await only(mail_box)).id)
    assert (await mail_box.reader.changes(start.cursor)).changed == ()


@pytest.mark.parametrize("cursor", ["1", "nonsense"])
async def test_a_cursor_of_which_nothing_is_known_is_answered_with_a_new_one(mail_box: MailBox, cursor: str) -> None:
    mail_box.needs("changes")
    mail_box.deliver(letter())
    await only(mail_box)
    told = await mail_box.reader.changes(cursor)
    assert not told.complete
    assert (await mail_box.reader.changes(told.cursor)).complete
