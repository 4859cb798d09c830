import math
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
import pytest_asyncio
from doubles.imap import LETTER, add, imap_of, inbox
from servers import Servers, User
from servers.dovecot import UNANNOUNCED

from integrations.common.remote import Unreadable
from integrations.errors import Conflict, IntegrationError, InvalidResponse, NotFound, ReadOnly, Unavailable
from integrations.standards.imap.folders import Folder
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.imap_errors import Unsearchable
from integrations.standards.imap.session import Session
from integrations.types import ARCHIVE, INBOX, SENT, TRASH

WHOLE = "(FLAGS INTERNALDATE RFC822.SIZE BODYSTRUCTURE BODY.PEEK[HEADER.FIELDS (Subject)] BODY.PEEK[1]<0.2>)"


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example", name="Anna Berg")


@pytest_asyncio.fixture
async def imap(anna: User) -> AsyncIterator[Imap]:
    imap = imap_of(anna)
    yield imap
    await imap.close()


def opened(session: Session, name: str = INBOX, *, writing: bool = False) -> Folder:
    folder = session.folders().special(name)
    session.open(folder, writing=writing)
    return folder


# Reading -------------------------------------------------------------------------------------------------------------


async def test_a_mail_is_told_in_parts(imap: Imap) -> None:
    uid = await imap.write(lambda session: add(session))

    def read(session: Session) -> list[dict[str, object]]:
        opened(session)
        return session.fetch([uid or 0], WHOLE).rows

    (row,) = await imap.read(read)
    assert row["UID"] == uid and row["RFC822.SIZE"] == len(LETTER)
    assert row["BODY[1]<0>"] == b"At" and row["BODY[HEADER.FIELDS (SUBJECT)]"] == b"Subject: Lunch\r\n\r\n"
    assert row["BODYSTRUCTURE"][:2] == [b"text", b"plain"]  # type: ignore[index]


async def test_a_folder_is_not_looked_at_again_for_who_knows_no_later_state_of_it(servers: Servers, imap: Imap) -> None:
    def seen(session: Session, since: float = math.inf) -> float:
        session.open(session.folders().special(INBOX), since=since)
        return session.seen

    first = await imap.read(seen)
    servers.imap.lines.clear()
    assert await imap.read(lambda session: seen(session, first)) == first
    assert not servers.imap.lines
    later = first + 1
    assert await imap.read(lambda session: seen(session, later)) > first
    assert any(b"NOOP" in line for line in servers.imap.lines)


async def test_a_mail_that_is_gone_has_no_row(imap: Imap) -> None:
    def read(session: Session) -> object:
        opened(session)
        return session.fetch([4711], WHOLE)

    assert await imap.read(read) == ([], set())


@pytest.mark.parametrize("hidden", [(), (b"LITERAL+",), (b"ESEARCH",), (b"LITERAL+", b"ESEARCH", b"SORT")])
async def test_words_of_any_script_are_found(servers: Servers, imap: Imap, hidden: tuple[bytes, ...]) -> None:
    servers.imap.hide(*hidden)
    subject = 'Grüße "an" \\ 雪'
    raw = f"Subject: {subject}\nFrom: Jürgen <j@north.example>\n\nHällo\n".encode()

    def work(session: Session) -> tuple[list[int], list[int], list[int]]:
        uid = add(session, raw)
        add(session)
        opened(session)
        words = [one.encode() for one in subject.split()]
        every = [part for word in words for part in ("SUBJECT", word)]
        return [uid or 0], session.search(*every, "TEXT", "Hällo".encode()), session.search("NOT", "SUBJECT", b"Lunch")

    added, found, others = await imap.write(work)
    assert found == added == others


async def test_mails_are_sorted_where_the_server_can(servers: Servers, imap: Imap) -> None:
    def work(session: Session) -> tuple[list[int | None], list[int] | None]:
        folder = session.folders().special(INBOX)
        at = [datetime(2024, 5, day, tzinfo=UTC) for day in (2, 3, 1)]
        uids = [session.append(folder, LETTER, [], moment) for moment in at]
        session.open(folder)
        return uids, session.sort("REVERSE ARRIVAL", "SUBJECT", b"Lunch")

    uids, found = await imap.write(work)
    assert found == [uids[1], uids[0], uids[2]]
    servers.imap.hide(b"SORT")
    without = imap_of(servers.users["anna@home.example"])
    assert await without.read(lambda session: (inbox(session), session.sort("ARRIVAL"))[1]) is None
    await without.close()


async def test_what_has_vanished_since_is_told(imap: Imap) -> None:
    def work(session: Session) -> tuple[object, object]:
        gone, stays = add(session), add(session)
        folder = opened(session, writing=True)
        before = session.status(folder).modseq
        assert gone and stays
        session.expunge(gone)
        session.store([stays], "+FLAGS", ["\\Seen"])
        fetched = session.fetch("1:*", "(FLAGS)", changed_since=before, vanished=True)
        return (gone in fetched.vanished, [row["UID"] for row in fetched.rows]), (True, [stays])

    told, expected = await imap.write(work)
    assert told == expected


@pytest.mark.parametrize("word", [b"a\r\nA1 DELETE INBOX", b"a\0b", b"a\nb"])
async def test_a_line_break_never_gets_into_a_command(servers: Servers, imap: Imap, word: bytes) -> None:
    with pytest.raises(InvalidResponse, match="line break"):
        await imap.read(lambda session: (opened(session), session.search("SUBJECT", word)))
    with pytest.raises(InvalidResponse, match="line break"):
        await imap.read(lambda session: session.status(Folder("Odd", word.decode())))
    with pytest.raises(InvalidResponse, match="can't be asked"):
        await imap.read(lambda session: (opened(session), session.search("SUBJECT " + word.decode())))
    assert not any(b"DELETE" in line for line in servers.imap.lines)


async def test_flags_that_are_none_are_refused(imap: Imap) -> None:
    with pytest.raises(ValueError, match="no flags"):
        await imap.write(lambda session: (opened(session, writing=True), session.store([1], "+FLAGS", ["a) (b"])))


async def test_what_the_server_cannot_look_for_is_said(servers: Servers, imap: Imap) -> None:
    for reply in (b"%t NO [BADCHARSET (US-ASCII)] no\r\n", b"%t BAD what?\r\n"):
        servers.imap.instead(rb"SEARCH", reply)
        with pytest.raises(Unsearchable):
            await imap.read(inbox)


# Writing -------------------------------------------------------------------------------------------------------------


async def test_what_is_stored_has_lines_of_the_standard_and_its_date(imap: Imap, anna: User) -> None:
    at = datetime(2024, 2, 1, 9, 30, tzinfo=timezone(timedelta(hours=-5)))
    await imap.write(lambda session: session.append(session.folders().special(INBOX), b"A: b\n\nx\r\ny\rz\n", ["\\Seen"], at))
    ((_, _, arrived, raw),) = anna.mailbox.everything()
    assert (raw, arrived) == (b"A: b\r\n\r\nx\r\ny\r\nz\r\n", at)


async def test_a_large_mail_arrives_whole(imap: Imap, anna: User) -> None:
    raw = b"Subject: Large\r\n\r\n" + b"x" * 76 * 20_000 + b"\r\n"
    await imap.write(lambda session: add(session, raw))
    assert anna.mailbox.mails() == [raw]


async def test_a_mail_that_has_changed_since_is_left_alone(imap: Imap) -> None:
    def work(session: Session) -> tuple[int | None, set[int], set[int]]:
        uid = add(session) or 0
        folder = opened(session, writing=True)
        before = session.status(folder).modseq
        session.store([uid], "+FLAGS", ["\\Flagged"])
        changed = session.store([uid], "+FLAGS", ["\\Seen"], unchanged_since=before)
        return uid, changed, session.store([uid], "+FLAGS", ["\\Seen"], unchanged_since=session.status(folder).modseq)

    uid, refused, done = await imap.write(work)
    assert (refused, done) == ({uid}, set())


@pytest.mark.parametrize("hidden", [(), (b"MOVE",)])
async def test_a_mail_is_moved_and_others_stay(servers: Servers, imap: Imap, anna: User, hidden: tuple[bytes, ...]) -> None:
    servers.imap.hide(*hidden)
    other = b"Subject: Other\r\n\r\nmarked as deleted by another program\r\n"
    anna.mailbox.append(other, flags=["\\Deleted"])

    def work(session: Session) -> tuple[int | None, list[int]]:
        uid = add(session) or 0
        trash = session.folders().special(TRASH)
        session.create(trash)
        opened(session, writing=True)
        new = session.move(uid, trash)
        session.open(trash)
        return new, session.search("ALL")

    new, there = await imap.write(work)
    assert there == [new]
    assert (anna.mailbox.mails(), anna.mailbox.mails(TRASH)) == ([other], [LETTER])


async def test_nothing_is_removed_where_single_mails_cannot_be(servers: Servers, imap: Imap, anna: User) -> None:
    servers.imap.hide(b"MOVE", b"UIDPLUS")
    anna.mailbox.append(LETTER)

    def move(session: Session) -> None:
        opened(session, writing=True)
        session.move(1, session.folders().special(INBOX))

    with pytest.raises(ReadOnly, match="can't remove a single mail"):
        await imap.write(move)
    assert anna.mailbox.mails() == [LETTER]


async def test_a_special_folder_is_made_where_it_belongs(servers: Servers) -> None:
    courier = {"namespace/plain/separator": ".", "namespace/plain/prefix": "INBOX."}
    imap = imap_of(servers.user("courier@home.example", dovecot={**UNANNOUNCED, **courier}))

    def work(session: Session) -> tuple[Folder, Folder | None]:
        made = session.folders().special(ARCHIVE)
        session.create(made)
        session.create(made)
        return made, session.folders().named(ARCHIVE)

    made, found = await imap.write(work)
    assert made == found == Folder(ARCHIVE, "INBOX.Archive")
    await imap.close()


async def test_folders_with_odd_names_are_opened(imap: Imap, anna: User) -> None:
    odd = {"Grüße & mehr": "Gr&APwA3w-e &- mehr", 'quo"ted': 'quo"ted', "back\\slash": "back\\slash", "{5}": "{5}", "雪": "&luo-"}

    def work(session: Session) -> list[str]:
        for name, path in odd.items():
            session.create(Folder(name, path))
        for folder in session.folders():
            session.open(folder)
        return [folder.name for folder in session.folders()]

    assert odd.keys() <= set(await imap.write(work))


# Refusals and hostile answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (b"%t NO [OVERQUOTA] You are over\r\n", InvalidResponse, "is full"),
        (b"%t NO [NOPERM] no\r\n", ReadOnly, "does not allow"),
        (b"%t NO [TRYCREATE] no\r\n", NotFound, "no such folder"),
        (b"%t NO [ALREADYEXISTS] no\r\n", Conflict, "already"),
        (b"%t NO \x1b[31mred\x07 words\r\n", InvalidResponse, r"refused the request: \[31mred words"),
        (b"%t BAD nonsense\r\n", InvalidResponse, "refused the request: nonsense"),
        (b"* BYE going down\r\n", Unavailable, "was lost"),
    ],
)
async def test_a_refusal_is_put_into_words(
    servers: Servers, imap: Imap, reply: bytes, kind: type[IntegrationError], words: str
) -> None:
    servers.imap.instead(rb"APPEND", reply)
    with pytest.raises(kind, match=words) as refused:
        await imap.write(lambda session: add(session, b"Subject: {}\r\n\r\n" + b"x" * 5000))
    assert refused.value.account == "acc" and str(refused.value).isprintable()


@pytest.mark.parametrize(
    "reply",
    [
        b"* 1 FETCH (UID 1 BODY[] {999999999}\r\n",
        b"* 1 FETCH (UID 1 BODY[] {" + b"9" * 5000 + b"}\r\n",
        b"* 1 FETCH (UID 1 FLAGS (((\r\n%t OK done\r\n",
        b"* 1 FETCH (UID 1 FLAGS " + b"(" * 100_000 + b")" * 100_000 + b")\r\n%t OK done\r\n",
        b"nonsense\r\n",
        b"* \xff\xfe\x00\r\n",
        b"+ more, please\r\n" * 3 + b"* 1 FETCH (UID x)\r\n%t OK done\r\n",
        b"WRONG1 OK done\r\n",
    ],
)
async def test_an_answer_that_makes_no_sense_is_said_to_be_unreadable(servers: Servers, imap: Imap, reply: bytes) -> None:
    servers.imap.instead(rb"FETCH", reply)
    with pytest.raises(Unreadable):
        await imap.read(lambda session: (opened(session), session.fetch("1:*", WHOLE)))
    assert await imap.read(inbox) == []


async def test_a_folder_is_looked_at_anew_in_each_piece_of_work(imap: Imap, anna: User) -> None:
    assert await imap.read(inbox) == []
    anna.mailbox.append(LETTER)
    assert await imap.read(lambda session: session.open(session.folders().special(INBOX)).exists) == 1


async def test_all_folders_are_looked_at_in_one_go(servers: Servers, imap: Imap, anna: User) -> None:
    anna.mailbox.append(LETTER, SENT)
    for hidden in ((), (b"LIST-STATUS",)):
        servers.imap.hide(*hidden)
        told = await imap.read(lambda session: session.statuses(session.folders()))
        assert {folder.name: status.messages for folder, status in told.items()} == {INBOX: 0, SENT: 1}


# The inbox stays open ------------------------------------------------------------------------------------------------


def counted(session: Session) -> tuple[int, list[int]]:
    folder = session.folders().special(INBOX)
    return session.open(folder).exists, session.search("ALL")


def openings(servers: Servers) -> int:
    return sum(b"EXAMINE" in line for line in servers.imap.lines)


async def test_an_inbox_in_which_nothing_has_happened_is_not_opened_again(servers: Servers, anna: User, imap: Imap) -> None:
    anna.mailbox.append(LETTER)
    await imap.read(counted)
    servers.imap.lines.clear()
    assert await imap.read(counted) == (1, [1]) and openings(servers) == 0


async def test_an_open_inbox_has_what_comes_and_loses_what_goes(anna: User, imap: Imap) -> None:
    assert await imap.read(counted) == (0, [])
    for number in (1, 2):
        anna.mailbox.append(LETTER)
        assert await imap.read(counted) == (number, list(range(1, number + 1)))
    anna.mailbox.remove(INBOX, "1")
    assert await imap.read(counted) == (1, [2])


async def test_what_comes_while_the_inbox_is_read_counts_for_the_next_who_opens_it(anna: User, imap: Imap) -> None:
    def read(session: Session) -> list[int]:
        opened(session)
        anna.mailbox.append(LETTER)
        session.alive()
        return session.search("ALL")

    assert await imap.read(read) == [1]
    assert await imap.read(counted) == (1, [1])


@pytest.mark.parametrize("number", [2**63, 10**19])
async def test_a_server_that_counts_too_far_is_not_understood(servers: Servers, imap: Imap, number: int) -> None:
    told = f"* 0 EXISTS\r\n* OK [UIDVALIDITY {number}] so\r\n* OK [UIDNEXT 1] so\r\n%t OK [READ-ONLY] done\r\n"
    servers.imap.instead(b"EXAMINE", told.encode())
    with pytest.raises(Unreadable):
        await imap.read(counted)
    servers.imap.instead(b"STATUS", f"* STATUS INBOX (UIDVALIDITY {number} UIDNEXT 1 MESSAGES 0)\r\n%t OK done\r\n".encode())
    with pytest.raises(Unreadable):
        await imap.read(lambda session: session.status(session.folders().special(INBOX)))
