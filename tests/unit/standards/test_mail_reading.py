"""Reading mail at a real Dovecot: what is looked for, what is kept, and what other programs do meanwhile."""

import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles.boxes.letters import MONDAY, letter
from servers import Servers, User

from integrations.errors import NotFound
from integrations.readers import MailReader
from integrations.registry import Account
from integrations.standards.mailbox import mail_order, mail_search
from integrations.types import INBOX, TRASH, Mail, MailQuery, MailRef

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


EXPECTED = {"ines": ("<i@x", "<j@x"), "a@x.example": ("<a@x",), "even": ("even",)}


@pytest.fixture
def user(servers: Servers) -> User:
    return servers.user("me@home.example")


@pytest.fixture
async def account(servers: Servers, user: User, tmp_path: Path) -> AsyncIterator[Account]:
    account = servers.open(user, tmp_path / "index")
    yield account
    await account.close()


@pytest.fixture
def mail(account: Account) -> MailReader:
    return account.readers.mail


def append(user: User, letters: Iterable[bytes], folder: str = INBOX, dates: Iterable[datetime] = ()) -> None:
    """Quickly."""
    with user.mailbox as imap:
        imap.create(folder)
        for raw, date in zip(letters, dates or [START] * 10_000, strict=False):
            imap.append(folder, "", f'"{date:%d-%b-%Y %H:%M:%S %z}"', raw.replace(b"\n", b"\r\n"))  # type: ignore[arg-type]


async def every(mail: MailReader, **fields: Any) -> list[Mail]:
    mails: list[Mail] = []
    cursor = None
    while True:
        page = await mail.search(MailQuery(cursor=cursor, **fields))
        mails += page.items
        cursor = page.next
        if cursor is None:
            return mails


async def one(mail: MailReader, **fields: Any) -> Mail:
    (found,) = (await mail.search(MailQuery(**fields))).items
    return found


# Order and pages


@pytest.mark.parametrize("oldest_first", [False, True])
@pytest.mark.parametrize("words", [(), ("even",)])
async def test_mails_come_by_date_however_they_came_into_their_folders(
    user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch, oldest_first: bool, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(mail_order, "AT_ONCE", 5)
    monkeypatch.setattr(mail_order, "NEWEST", 10)
    rng = random.Random(3)
    for folder in (INBOX, "Archive"):
        dates = [START + timedelta(days=rng.randrange(30), hours=rng.randrange(3)) for _ in range(40)]
        append(user, [letter(subject=f"{'even' if at % 2 else 'odd'} {at}") for at in range(40)], folder, dates)
    found = await every(mail, subject=words, limit=7, oldest_first=oldest_first)
    dates = [one.date for one in found]
    assert dates == sorted(dates, reverse=not oldest_first)
    assert len({one.id for one in found}) == len(found) == (40 if words else 80)
    again = await every(mail, subject=words, limit=7, oldest_first=oldest_first)
    assert [one.id for one in again] == [one.id for one in found]


@pytest.mark.parametrize("newest", ["Anna <a@x.example>", "Inés <i@x.example>"])
async def test_somebody_is_found_in_old_mails_by_a_name_without_its_accent(
    user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch, newest: str
) -> None:
    monkeypatch.setattr(mail_order, "NEWEST", 4)
    old = [letter(sender="Inés <i@x.example>", subject=str(at)) for at in range(3)]
    dates = [START + timedelta(days=at) for at in range(20)]
    append(user, [*old, *(letter(sender=newest) for _ in range(17))], dates=dates)
    found = {one.subject for one in await every(mail, sender=("ines",))}
    assert found >= {"0", "1", "2"} and ("Hello" in found) is newest.startswith("Inés")


@pytest.mark.parametrize("oldest_first", [False, True])
@pytest.mark.parametrize("asked", [{"sender": ("ines",)}, {"sender": ("a@x.example",)}, {"subject": ("even",)}])
async def test_a_large_folder_is_searched_in_shares_that_together_are_the_whole(
    servers: Servers, user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch, oldest_first: bool, asked: dict[str, Any]
) -> None:
    monkeypatch.setattr(mail_order, "NEWEST", 5)
    rng = random.Random(5)
    senders = ["Anna <a@x.example>", "Inés <i@x.example>", "Ines <j@x.example>", "Tom <t@x.example>"]
    letters = [letter(sender=rng.choice(senders), subject=f"{rng.choice(('even', 'odd'))} {at}") for at in range(40)]
    append(user, letters, dates=[START + timedelta(hours=rng.randrange(2000)) for _ in letters])
    wanted = {
        each for at, each in enumerate(letters) if any(term.encode() in each for term in EXPECTED[next(iter(asked.values()))[0]])
    }
    found = await every(mail, limit=7, folders=(INBOX,), oldest_first=oldest_first, **asked)
    assert {one.subject.split()[1].encode() for one in found} == {each.partition(b"Subject: ")[2].split()[1] for each in wanted}
    dates = [one.date for one in found]
    assert len(found) == len(wanted) and dates == sorted(dates, reverse=not oldest_first)
    searched = [line for line in servers.imap.lines if b"SEARCH" in line and b" UID " in line.partition(b"SEARCH")[2]]
    assert len(searched) > 1


@pytest.mark.parametrize("asked", [{}, {"unread": True}, {"oldest_first": True}, {"unread": True, "oldest_first": True}])
async def test_somebody_with_an_accent_is_found_on_every_page_whatever_else_is_asked(
    user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    monkeypatch.setattr(mail_order, "NEWEST", 5)
    senders = ["Inés <i@x.example>", "Ines <j@x.example>"] * 10 + ["Tom <t@x.example>"] * 10 + ["Inés <i@x.example>"] * 10
    append(user, [letter(sender=one) for one in senders], dates=[START + timedelta(days=at) for at in range(len(senders))])
    assert len(await every(mail, folders=(INBOX,), sender=("ines",), limit=5, **asked)) == 30


async def test_somebody_with_an_accent_is_found_where_the_newest_mails_were_removed(
    user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_order, "NEWEST", 5)
    senders = ["Inés <i@x.example>", "Ines <j@x.example>"] * 10 + ["Tom <t@x.example>"] * 7
    append(user, [letter(sender=one) for one in senders], dates=[START + timedelta(days=at) for at in range(len(senders))])
    user.mailbox.remove(INBOX, "21:27")
    assert len(await every(mail, folders=(INBOX,), sender=("ines",))) == 20


async def test_an_address_is_found_however_it_is_written(user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_order, "NEWEST", 1)
    written = ["anna.berg@acme.example", '"anna.berg"@acme.example', 'Anna <"anna.berg"@acme.example>']
    append(user, [letter(sender=one) for one in written])
    assert len(await every(mail, folders=(INBOX,), sender=("anna.berg@acme.example",))) == 3


async def test_a_large_folder_is_searched_over_one_connection_where_no_other_can_be_had(
    servers: Servers, user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_order, "NEWEST", 2)
    append(user, [letter(subject=f"mail {at}") for at in range(10)], dates=[START + timedelta(days=at) for at in range(10)])
    assert len((await mail.search(MailQuery(folders=(INBOX,), limit=1))).items) == 1
    servers.imap.instead(rb"AUTHENTICATE", b"%t NO [UNAVAILABLE] try later\r\n", times=99)
    found = await mail.search(MailQuery(folders=(INBOX,), sender=("anna.berg@acme.example",), limit=4))
    assert [one.subject for one in found.items] == ["mail 9", "mail 8", "mail 7", "mail 6"] and found.total == 10


async def test_a_mail_that_lies_in_several_folders_is_listed_once(user: User, mail: MailReader) -> None:
    same = [letter(subject=str(at)) for at in range(6)]
    append(user, same)
    append(user, same, "Archive")
    assert len(await every(mail, limit=2)) == 6
    assert {one.folder for one in await every(mail, folders=("archive",))} == {"Archive"}


async def test_a_listing_that_is_repeated_transfers_no_head_again(servers: Servers, user: User, mail: MailReader) -> None:
    append(user, [letter(subject=str(at)) for at in range(5)])
    await mail.search(MailQuery())
    servers.imap.lines.clear()
    assert len((await mail.search(MailQuery())).items) == 5
    assert not [line for line in servers.imap.lines if b"BODY" in line]


async def test_another_process_lists_what_one_has_read_without_reading_it_again(
    servers: Servers, user: User, mail: MailReader, tmp_path: Path
) -> None:
    append(user, [letter(subject=str(at)) for at in range(5)])
    await mail.search(MailQuery())
    other = servers.open(user, tmp_path / "index")
    servers.imap.lines.clear()
    assert len((await other.readers.mail.search(MailQuery())).items) == 5
    assert not [line for line in servers.imap.lines if b"BODY" in line]
    await other.close()


async def test_what_a_listing_says_is_what_the_mail_says(user: User, mail: MailReader) -> None:
    user.mailbox.append(
        letter(
            sender="Jürgen Groß <jg@acme.example>",
            cc="Tom <tom@acme.example>",
            subject="Übergröße",
            body="Grüße\n\nan alle",
            files={"Plan für alle.pdf": b"%PDF" * 2000},
            References="<a@x.example> <b@x.example>",
        )
    )
    listed = await one(mail)
    read = await mail.get(listed.ref)
    (told,), (true,) = listed.attachments, read.attachments
    assert abs(told.size - true.size) <= 2 and told.filename == true.filename == "Plan für alle.pdf"
    assert listed.model_copy(update={"attachments": ()}) == read.model_copy(update={"attachments": (), "body": ""})


@pytest.mark.parametrize(
    ("field", "moment", "number"), [("since", FIRST, 1), ("before", LAST, 1), ("since", LAST, 0), ("before", FIRST, 0)]
)
async def test_a_search_may_begin_or_end_at_either_end_of_time(
    user: User, mail: MailReader, field: str, moment: datetime, number: int
) -> None:
    user.mailbox.append(letter())
    assert len(await every(mail, **{field: moment})) == number


async def test_a_folder_that_goes_while_it_is_searched_has_no_mails(servers: Servers, user: User, mail: MailReader) -> None:
    append(user, [letter()])
    append(user, [letter(), letter()], "Projects")
    servers.imap.instead(rb'EXAMINE "?Projects', b"%t NO [NONEXISTENT] gone\r\n", times=9)
    assert len((await mail.search(MailQuery())).items) == 1


async def test_a_connection_that_is_lost_in_a_search_is_not_noticed(servers: Servers, user: User, mail: MailReader) -> None:
    append(user, [letter(), letter()])
    servers.imap.lose(rb"FETCH", "after")
    assert len((await mail.search(MailQuery())).items) == 2


async def test_a_mail_whose_structure_cannot_be_read_is_named(servers: Servers, user: User, mail: MailReader) -> None:
    append(user, [letter(subject="one"), letter(subject="two")])
    header = b"From: a@x.example\r\n\r\n"
    told = b'* 1 FETCH (UID 1 FLAGS () INTERNALDATE "16-Nov-2026 09:00:00 +0000" RFC822.SIZE 9 BODYSTRUCTURE ("x") '
    told += b"BODY[HEADER.FIELDS (FROM)] {%d}\r\n%s)\r\n%%t OK done\r\n" % (len(header), header)
    servers.imap.instead(rb"BODYSTRUCTURE", told)
    page = await mail.search(MailQuery())
    assert [(one.where, "can't be read" in one.reason) for one in page.skipped] == [("message 1 in INBOX", True)]


# Finding again


async def test_a_mail_is_found_by_its_id_in_whatever_folder_it_was_moved_to(user: User, mail: MailReader) -> None:
    user.mailbox.append(letter(subject="moved"))
    found = await one(mail)
    user.mailbox.append(letter(subject="other"), "Projects/North")
    user.mailbox.move(INBOX, "1", "Projects/North")
    assert (await mail.get(found.ref)).folder == "Projects/North"


async def test_a_process_that_knows_nothing_finds_a_mail_by_its_id(
    servers: Servers, user: User, mail: MailReader, tmp_path: Path
) -> None:
    append(user, [letter(subject=str(at)) for at in range(5)], "Archive")
    found = (await mail.search(MailQuery())).items[2]
    other = servers.open(user, tmp_path / "another index")
    assert (await other.readers.mail.get(found.ref)).subject == found.subject
    await other.close()


async def test_of_a_mail_in_two_folders_that_one_is_meant_that_was_listed(user: User, mail: MailReader) -> None:
    raw = letter()
    for folder in (TRASH, "Archive", INBOX):
        user.mailbox.append(raw, folder)
    ref = (await one(mail, folders=(TRASH,))).ref
    assert (await mail.get(ref)).folder == TRASH
    assert (await mail.get(MailRef(account=ref.account, id=ref.id))).folder == INBOX


async def test_a_mailbox_that_was_made_anew_gives_its_mails_the_same_ids(servers: Servers, user: User, mail: MailReader) -> None:
    letters = [letter(subject=str(at)) for at in range(4)]
    append(user, letters, "Projects")
    before = {one.subject: one.id for one in await every(mail)}
    with user.mailbox as imap:
        imap.delete("Projects")
    append(user, reversed(letters), "Projects")
    assert {one.subject: one.id for one in await every(mail)} == before
    assert (await mail.get(MailRef(account="acc", id=before["2"]))).subject == "2"


async def test_what_is_marked_to_be_removed_is_gone(user: User, mail: MailReader) -> None:
    user.mailbox.append(letter())
    found = await one(mail)
    user.mailbox.flag(INBOX, "1", "\\Deleted")
    assert (await mail.search(MailQuery())).items == ()
    with pytest.raises(NotFound):
        await mail.get(found.ref)


@pytest.mark.parametrize("broken", [b"", b"SQLite format 3\0 but not really", b"x" * 100_000])
async def test_what_is_remembered_is_begun_anew_where_its_file_is_broken(
    servers: Servers, user: User, mail: MailReader, tmp_path: Path, broken: bytes
) -> None:
    user.mailbox.append(letter(subject="still there"))
    found = await one(mail)
    other = tmp_path / "other"
    (file,) = (tmp_path / "index").glob("*.sqlite3")
    other.mkdir()
    (other / file.name).write_bytes(broken)
    account = servers.open(user, other)
    assert (await account.readers.mail.get(found.ref)).subject == "still there"
    await account.close()


@pytest.mark.parametrize("part", ["", "0", "9", "1.1", "TEXT", "1]", "1] BODY[", "1\r\nx LOGOUT", "٣"])
async def test_a_part_that_is_none_is_not_found(user: User, mail: MailReader, part: str) -> None:
    user.mailbox.append(letter(files={"a.pdf": b"%PDF"}))
    found = await one(mail)
    with pytest.raises(NotFound):
        await mail.attachment(found.ref, part)


async def test_a_mail_that_is_attached_can_be_taken_out(user: User, mail: MailReader) -> None:
    inner = letter(subject="inner").replace(b"\n", b"\r\n")
    outer = b'From: a@x.example\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nsee\r\n--b\r\n'
    outer += b"Content-Type: message/rfc822\r\n\r\n"
    user.mailbox.append(outer + inner + b"\r\n--b--\r\n")
    found = await one(mail)
    assert [one.part for one in found.attachments] == ["2"]
    assert b"Subject: inner" in await mail.attachment(found.ref, "2")


# Searches that a server can't do


@pytest.mark.parametrize("answer", [b"%t NO [BADCHARSET (US-ASCII)] no\r\n", b"%t BAD what?\r\n", b"%t NO can't\r\n"])
async def test_what_the_server_cannot_search_for_is_looked_for_here(
    servers: Servers, user: User, mail: MailReader, answer: bytes
) -> None:
    append(user, [letter(subject=f"letter {at}", body="the budget" if at % 2 else "nothing") for at in range(6)])
    servers.imap.instead(rb"SEARCH.*TEXT", answer, times=9)
    assert {one.subject for one in await every(mail, words=("budgets",))} == {"letter 1", "letter 3", "letter 5"}


async def test_where_not_all_could_be_looked_through_it_is_said(
    servers: Servers, user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_search, "MOST_LOOKED_AT", 50)
    append(user, [letter(subject=str(at)) for at in range(60)], dates=[START + timedelta(hours=at) for at in range(60)])
    servers.imap.instead(rb"SEARCH.*TEXT", b"%t NO can't\r\n", times=9)
    page = await mail.search(MailQuery(words=("figures",)))
    assert (page.items, page.total) == ((), None) and page.next
    (skipped,) = page.skipped
    assert "mails were looked through" in skipped.reason
    last = await mail.search(MailQuery(words=("figures",), cursor=page.next))
    assert (last.items, last.next) == ((), None)


# Threads


async def test_a_chain_of_answers_that_each_name_only_the_last_is_one_thread(user: User, mail: MailReader) -> None:
    for at in range(5):
        further = {"In-Reply-To": f"<{at - 1}@x.example>"} if at else {}
        user.mailbox.append(letter(id=f"<{at}@x.example>", date=MONDAY + timedelta(hours=at), body=str(at), **further))
    (thread,) = {one.thread for one in await every(mail)}
    for name in (thread, "<4@x.example>", "<2@x.example>"):
        assert [one.body.strip() for one in await mail.thread(name)] == ["0", "1", "2", "3", "4"]


async def test_a_thread_is_found_that_was_never_listed(user: User, mail: MailReader) -> None:
    for at in range(3):
        further = {"In-Reply-To": f"<{at - 1}@x.example>"} if at else {}
        raw = letter(id=f"<{at}@x.example>", date=MONDAY + timedelta(hours=at), **further)
        user.mailbox.append(raw, "Archive" if at % 2 else INBOX)
    assert len(await mail.thread("<1@x.example>")) == 3


@pytest.mark.parametrize("thread", ["", "x", "<", '<a"@x>', "<a\r\nb@x>", "1-2-3", "*", "<é@x>"])
async def test_a_thread_that_cannot_be_is_empty(user: User, mail: MailReader, thread: str) -> None:
    user.mailbox.append(letter())
    assert await mail.thread(thread) == ()


# Changes


async def test_a_folder_that_is_renamed_takes_no_mail_away(user: User, mail: MailReader) -> None:
    append(user, [letter(subject=str(at)) for at in range(3)], "Projects")
    ids = {one.id for one in await every(mail)}
    start = await mail.changes()
    with user.mailbox as imap:
        imap.rename("Projects", "Done")
    told = await mail.changes(start.cursor)
    assert (told.gone, told.complete) == ((), True)
    assert {ref.id for ref in told.changed} == ids


async def test_a_copy_that_is_removed_takes_no_mail_away(user: User, mail: MailReader) -> None:
    raw = letter()
    user.mailbox.append(raw)
    user.mailbox.append(raw, "Archive")
    await every(mail, folders=(INBOX,))
    start = await mail.changes()
    user.mailbox.remove(INBOX, "1")
    assert (await mail.changes(start.cursor)).gone == ()


async def test_a_folder_made_anew_is_told_as_what_cannot_be_told(user: User, mail: MailReader) -> None:
    append(user, [letter()], "Projects")
    start = await mail.changes()
    with user.mailbox as imap:
        imap.delete("Projects")
    append(user, [letter()], "Projects")
    told = await mail.changes(start.cursor)
    assert not told.complete and (await mail.changes(told.cursor)).complete


async def test_folders_in_which_nothing_has_happened_are_not_looked_into(servers: Servers, user: User, mail: MailReader) -> None:
    for folder in (INBOX, "Archive", "Projects"):
        append(user, [letter(), letter()], folder)
    start = await mail.changes()
    user.mailbox.append(letter(), "Projects")
    servers.imap.lines.clear()
    assert len((await mail.changes(start.cursor)).changed) == 1
    assert len([line for line in servers.imap.lines if b"EXAMINE" in line]) <= 2


async def test_without_condstore_marks_are_told_as_well(servers: Servers, user: User, tmp_path: Path) -> None:
    servers.imap.hide(b"CONDSTORE", b"QRESYNC", b"ESEARCH", b"LIST-STATUS", b"SORT")
    account = servers.open(user, tmp_path / "index")
    append(user, [letter(subject=str(at)) for at in range(3)])
    start = await account.readers.mail.changes()
    user.mailbox.flag(INBOX, "2", "\\Seen")
    told = await account.readers.mail.changes(start.cursor)
    (changed,) = told.changed
    assert (await account.readers.mail.get(changed)).subject == "1" and told.gone == ()
    await account.close()


async def test_a_mail_that_goes_while_it_is_read_is_not_there(servers: Servers, user: User, mail: MailReader) -> None:
    """Servers tell of no text then."""
    user.mailbox.append(letter(files={"plan.pdf": b"%PDF"}))
    listed = await one(mail)
    told = b'* 1 FETCH (UID 1 FLAGS () INTERNALDATE "05-Jan-2026 09:00:00 +0000" RFC822.SIZE 9 BODY[%s] NIL)\r\n%%t OK done\r\n'
    servers.imap.instead(rb"BODY.PEEK\[\]", told % b"")
    with pytest.raises(NotFound, match="no longer there"):
        await mail.get(listed.ref)
    part = listed.attachments[0].part
    servers.imap.instead(rb"BODY.PEEK\[", told % part.encode())
    with pytest.raises(NotFound, match="no longer there"):
        await mail.attachment(listed.ref, part)


async def test_nothing_is_searched_twice(servers: Servers, user: User, mail: MailReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail_order, "NEWEST", 4)
    append(user, [letter(subject=f"Plan {at}") for at in range(20)], dates=[START + timedelta(days=at) for at in range(20)])
    user.mailbox.remove(INBOX, "18")
    servers.imap.lines.clear()
    assert len(await every(mail, subject=("plan",))) == 19
    sets = [found[1].decode() for line in servers.imap.lines if (found := re.search(rb" UID ([\d:,]+) .*SUBJECT", line))]
    ranges = [tuple(map(int, part.split(":"))) for one in sets for part in one.split(",")]
    searched = Counter(uid for first, *last in ranges for uid in range(first, min([*last, first][0], 20) + 1))
    assert searched.keys() >= set(range(1, 21)) - {18} and set(searched.values()) == {1}


async def test_the_same_search_asks_only_about_what_came_since(servers: Servers, user: User, mail: MailReader) -> None:
    append(user, [letter(subject=f"Plan {at}") for at in range(6)], dates=[START + timedelta(days=at) for at in range(6)])
    query = MailQuery(subject=("plan",), folders=(INBOX,))
    assert len((await mail.search(query)).items) == 6
    user.mailbox.remove(INBOX, "2")
    user.mailbox.flag(INBOX, "3", "\\Deleted")
    append(user, [letter(subject="Plan 6"), letter(subject="Lunch")], dates=[START + timedelta(days=9)] * 2)
    servers.imap.lines.clear()
    assert [one.subject for one in (await mail.search(query)).items] == ["Plan 6", "Plan 5", "Plan 4", "Plan 3", "Plan 0"]
    (asked,) = [line for line in servers.imap.lines if b"SUBJECT" in line and b"SEARCH" in line]
    assert b"UID 7:" in asked
