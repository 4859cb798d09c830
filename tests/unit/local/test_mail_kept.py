"""Mails and correspondents are kept from one question to the next, and never a moment too long."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from integrations.local.mail import LocalMailReader
from integrations.local.mail_index import MailIndex
from integrations.types import Mail, MailQuery

FOLDERS = ("", ".Archive", ".Trash")


def letter(subject: str, *, sender: str = "anna@x.example", key: str = "1", parent: str = "") -> bytes:
    refers = f"References: <{parent}@x>\n" if parent else ""
    return (
        f"From: Anna <{sender}>\nTo: me@home.example\nSubject: {subject}\nMessage-ID: <{key}@x>\n{refers}"
        "Date: Fri, 20 Nov 2026 10:00:00 +0000\n\nText.\n"
    ).encode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in FOLDERS:
        for sub in ("cur", "new", "tmp"):
            (tmp_path / "Mail" / folder / sub).mkdir(parents=True)
    (tmp_path / "Mail" / "cur" / "1.a.host:2,").write_bytes(letter("first"))
    return tmp_path / "Mail"


@pytest.fixture
async def reader(root: Path, tmp_path: Path) -> AsyncIterator[LocalMailReader]:
    index = MailIndex(root, tmp_path / "index.sqlite3", owner="me@home.example")
    yield LocalMailReader(index, account="home", zone=ZoneInfo("Europe/Berlin"))
    index.close()


def settle(root: Path) -> None:
    """As if nobody had touched its directories for years."""
    for directory, _, _ in os.walk(root):
        os.utime(directory, ns=(1_700_000_000_000_000_123, 1_700_000_000_000_000_123))


async def found(reader: LocalMailReader, **fields: object) -> tuple[Mail, ...]:
    return (await reader.search(MailQuery.model_validate(fields))).items


async def test_a_mail_found_again_is_the_same_object(reader: LocalMailReader) -> None:
    assert (await found(reader))[0] is (await found(reader, words=("first",)))[0]


async def test_marking_and_moving_show_at_once(reader: LocalMailReader, root: Path) -> None:
    (before,) = await found(reader)
    (root / "cur" / "1.a.host:2,").rename(root / "cur" / "1.a.host:2,FS")
    (marked,) = await found(reader)
    (root / "cur" / "1.a.host:2,FS").rename(root / ".Archive" / "cur" / "1.a.host:2,FS")
    (moved,) = await found(reader)
    assert [(m.unread, m.flagged, m.folder) for m in (before, marked, moved)] == [
        (True, False, "INBOX"),
        (False, True, "INBOX"),
        (False, True, "Archive"),
    ]
    assert len({m.etag for m in (before, marked, moved)}) == 3


async def test_another_mail_under_the_name_and_date_of_a_deleted_one_shows_as_itself(reader: LocalMailReader, root: Path) -> None:
    assert [m.subject for m in await found(reader)] == ["first"]
    (root / "cur" / "1.a.host:2,").unlink()
    assert await found(reader) == ()
    (root / "cur" / "1.a.host:2,").write_bytes(letter("second", key="2"))
    assert [m.subject for m in await found(reader)] == ["second"]


async def test_a_mail_that_joins_two_threads_changes_the_thread_of_mails_already_seen(reader: LocalMailReader, root: Path) -> None:
    (root / "cur" / "2.a.host:2,").write_bytes(letter("other", key="2"))
    assert len({m.thread for m in await found(reader)}) == 2
    joining = letter("joins", key="3").replace(b"Subject", b"References: <1@x> <2@x>\nSubject")
    (root / "cur" / "3.a.host:2,").write_bytes(joining)
    assert len({m.thread for m in await found(reader)}) == 1


async def test_correspondents_are_the_same_object_until_a_mail_arrives(reader: LocalMailReader, root: Path) -> None:
    settle(root)
    before = await reader.correspondents()
    assert await reader.correspondents() is before
    (root / "new" / "2.a.host").write_bytes(letter("hello", sender="tom@x.example", key="2"))
    assert {one.address.email for one in await reader.correspondents()} == {"anna@x.example", "tom@x.example"}


async def test_what_another_process_indexed_changes_the_correspondents(root: Path, reader: LocalMailReader, tmp_path: Path) -> None:
    await reader.correspondents()
    (root / "new" / "2.a.host").write_bytes(letter("hello", sender="tom@x.example", key="2"))
    other = MailIndex(root, tmp_path / "index.sqlite3", owner="me@home.example")
    other.prepare()
    other.close()
    assert len(await reader.correspondents()) == 2


async def test_a_folder_made_by_another_program_is_found_in_a_quiet_mailbox(reader: LocalMailReader, root: Path) -> None:
    settle(root)
    await found(reader)
    assert await reader.folders() == ("INBOX", "Archive", "Trash")
    (root / ".Lists" / "cur").mkdir(parents=True)
    (root / ".Lists" / "cur" / "5.a.host:2,S").write_bytes(letter("from a list", key="5"))
    assert [m.folder for m in await found(reader, words=("list",))] == ["Lists"]
