"""The index says what the folders hold, whoever changed them and whatever became of its file."""

import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from integrations.errors import NotFound, Unavailable
from integrations.local.mail_index import MailIndex
from integrations.local.mail_query import select
from integrations.types import ARCHIVE, INBOX, MailQuery

OWNER = "me@home.example"
FOLDERS = ("", ".Archive", ".Sent", ".Trash")


def letter(number: int, parent: int | None = None, word: str = "plain") -> bytes:
    refers = f"References: <{parent}@x>\n" if parent is not None else ""
    return (
        f"From: P{number % 3} <p{number % 3}@x.example>\nTo: me@home.example\nSubject: mail {number}\nMessage-ID: <{number}@x>\n"
        f"{refers}Date: Fri, 20 Nov 2026 {number % 24:02}:00:00 +0000\n\nThe {word} text.\n"
    ).encode()


def make(root: Path) -> Path:
    for folder in FOLDERS:
        for sub in ("cur", "new", "tmp"):
            (root / folder / sub).mkdir(parents=True, exist_ok=True)
    return root


def search(index: MailIndex, **fields: Any) -> list[str]:
    query = MailQuery(limit=1000, **fields)
    return [row["subject"] for row in index.search(select(query), query.folders, query.limit).rows]


def picture(index: MailIndex) -> list[Any]:
    """Everything a reader can learn, with threads as the sets of their mails."""
    everything = MailQuery(limit=1000, folders=(INBOX, ARCHIVE, "Sent", "Trash"))
    rows = index.search(select(everything), everything.folders, 1000).rows
    threads: dict[str, set[str]] = {}
    for row in rows:
        threads.setdefault(row["thread"], set()).add(row["subject"])
    mails = sorted((row["id"], row["etag"], row["subject"], row["unread"], sorted(threads[row["thread"]])) for row in rows)
    counts = sorted((row["email"], row["received"], row["sent"]) for row in index.correspondents(""))
    return [mails, counts, sorted(search(index, words=("plain",))), sorted(search(index, unread=True))]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "Mail")


@pytest.fixture
def index(root: Path, tmp_path: Path) -> Iterator[MailIndex]:
    index = MailIndex(root, tmp_path / "index.sqlite3", owner=OWNER)
    yield index
    index.close()


steps = st.lists(
    st.tuples(st.sampled_from(["add", "mark", "move", "delete", "ask"]), st.integers(0, 11), st.sampled_from(FOLDERS)), max_size=25
)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_following_changes_ends_where_building_anew_does(changes: list[tuple[str, int, str]]) -> None:
    with TemporaryDirectory() as folder:
        root = make(Path(folder) / "Mail")
        index = MailIndex(root, Path(folder) / "followed.sqlite3", owner=OWNER)
        for number, (kind, which, target) in enumerate(changes):
            files = sorted(path for path in root.rglob("*") if path.is_file())
            if kind == "ask":
                index.prepare()
            elif kind == "add":
                (root / target / "new" / f"{number}.M{which}.host,U={number}").write_bytes(
                    letter(number, which if which % 2 else None)
                )
            elif files:
                file = files[which % len(files)]
                base = file.name.partition(":2,")[0]
                if kind == "delete":
                    file.unlink()
                elif kind == "mark":
                    file.rename(file.parent.parent / "cur" / f"{base}:2,{'FRS'[: which % 4]}")
                else:
                    file.rename(root / target / "cur" / f"{base.partition(',U=')[0]}:2,S")
        fresh = MailIndex(root, Path(folder) / "fresh.sqlite3", owner=OWNER)
        if not any(kind == "delete" for kind, _, _ in changes):  # a deleted mail still joins those that it joined
            assert picture(index)[0] == picture(fresh)[0]
        assert picture(index)[1:] == picture(fresh)[1:]
        index.close()
        fresh.close()


def test_reading_moves_nothing(index: MailIndex, root: Path) -> None:
    (root / "new" / "1.a.host").write_bytes(letter(1))
    assert search(index, unread=True) == ["mail 1"]
    index.get("1.a.host")
    assert (root / "new" / "1.a.host").exists()


def test_a_change_in_the_same_tick_of_the_clock_is_seen(index: MailIndex, root: Path) -> None:
    for number in range(30):
        (root / "cur" / f"{number}.a.host:2,S").write_bytes(letter(number))
        assert len(search(index)) == number + 1


def test_a_directory_whose_time_was_set_back_is_read_again(index: MailIndex, root: Path) -> None:
    (root / "cur" / "1.a.host:2,S").write_bytes(letter(1))
    os.utime(root / "cur", (1_000_000, 1_000_000))
    assert search(index) == ["mail 1"]
    (root / "cur" / "2.a.host:2,S").write_bytes(letter(2))
    os.utime(root / "cur", (2_000_000, 2_000_000))
    assert search(index) == ["mail 2", "mail 1"]


def test_only_new_files_are_read(index: MailIndex, root: Path) -> None:
    (root / "cur" / "1.a.host,U=1:2,").write_bytes(letter(1))
    assert search(index) == ["mail 1"]
    (root / "cur" / "1.a.host,U=1:2,").rename(root / ".Archive" / "cur" / "1.a.host,U=9:2,S")
    (root / ".Archive" / "cur" / "1.a.host,U=9:2,S").write_bytes(b"no longer a mail")
    assert search(index, folders=(ARCHIVE,), unread=False) == ["mail 1"]


@pytest.mark.parametrize("mail_id", ["1.a.host", "1.a.host,U=1", "1.a.host,U=99"])
def test_a_mail_is_found_by_its_id_with_and_without_the_uid(index: MailIndex, root: Path, mail_id: str) -> None:
    (root / "cur" / "1.a.host,U=1:2,").write_bytes(letter(1))
    assert index.get(mail_id)["subject"] == "mail 1"


def test_trashed_mail_is_hidden(index: MailIndex, root: Path) -> None:
    (root / "cur" / "1.a.host:2,ST").write_bytes(letter(1))
    assert search(index) == []
    with pytest.raises(NotFound):
        index.get("1.a.host")


@pytest.mark.parametrize("damage", ["missing", "garbage", "empty", "truncated", "flipped", "other version"])
def test_a_broken_index_is_built_again(root: Path, tmp_path: Path, damage: str) -> None:
    for number in range(40):
        (root / "cur" / f"{number}.a.host:2,S").write_bytes(letter(number))
    file = tmp_path / "index.sqlite3"
    first = MailIndex(root, file, owner=OWNER)
    before = picture(first)
    first.close()
    if damage == "missing":
        file.unlink()
    elif damage == "other version":
        sqlite3.connect(file).execute("PRAGMA user_version = 999")
    else:
        data = file.read_bytes()
        middle = data[:4096] + b"\xff" * (len(data) - 4096)
        file.write_bytes(
            {"garbage": b"not a database" * 999, "empty": b"", "truncated": data[: len(data) // 3]}.get(damage, middle)
        )
    second = MailIndex(root, file, owner=OWNER)
    assert picture(second) == before
    second.close()


def test_an_index_deleted_while_in_use_is_built_again(index: MailIndex, root: Path, tmp_path: Path) -> None:
    for number in range(3):
        (root / "cur" / f"{number}.a.host:2,S").write_bytes(letter(number))
        assert len(search(index)) == number + 1
        for file in tmp_path.glob("index.sqlite3*"):
            file.unlink()


def test_two_processes_share_one_index(root: Path, tmp_path: Path) -> None:
    indexes = [MailIndex(root, tmp_path / "index.sqlite3", owner=OWNER) for _ in range(3)]
    for number in range(300):
        (root / "cur" / f"{number}.a.host:2,S").write_bytes(letter(number))
    errors: list[Exception] = []

    def ask(index: MailIndex, first: int) -> None:
        try:
            for number in range(first, first + 20):
                (root / "tmp" / f"n{number}.a.host").write_bytes(letter(number))
                (root / "tmp" / f"n{number}.a.host").rename(root / "new" / f"n{number}.a.host")
                search(index, words=("plain",))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, args=(index, 1000 * (place + 1))) for place, index in enumerate(indexes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for index in indexes:
        assert len(search(index)) == len(set(search(index))) == 360
        index.close()


def test_a_folder_that_is_gone_does_not_empty_the_index(index: MailIndex, root: Path) -> None:
    (root / "cur" / "1.a.host:2,S").write_bytes(letter(1))
    assert search(index) == ["mail 1"]
    root.rename(root.with_name("unmounted"))
    with pytest.raises(Unavailable):
        search(index)
    root.with_name("unmounted").rename(root)
    assert search(index) == ["mail 1"]


def test_a_folder_that_never_was_is_empty(tmp_path: Path) -> None:
    index = MailIndex(tmp_path / "nothing", tmp_path / "index.sqlite3", owner=OWNER)
    assert search(index) == []
    index.close()


def test_a_long_build_tells_how_far_it_is(root: Path, tmp_path: Path) -> None:
    for number in range(600):
        (root / "cur" / f"{number}.a.host:2,S").write_bytes(letter(number))
    heard: list[tuple[int, int]] = []
    index = MailIndex(root, tmp_path / "index.sqlite3", owner=OWNER, on_progress=lambda done, total: heard.append((done, total)))
    assert index.prepare() == 600
    assert heard[-1] == (600, 600) and [done for done, _ in heard] == sorted(done for done, _ in heard)
    index.close()


def test_a_mail_without_a_date_has_its_files(index: MailIndex, root: Path) -> None:
    file = root / "cur" / "1.a.host:2,S"
    file.write_bytes(b"From: a@x.example\nSubject: undated\n\nx\n")
    moment = datetime(2026, 3, 1, 8, tzinfo=UTC)
    os.utime(file, (moment.timestamp(), moment.timestamp()))
    assert search(index, since=moment, before=datetime(2026, 3, 2, tzinfo=UTC)) == ["undated"]


def test_files_that_are_no_mails_are_told_apart(index: MailIndex, root: Path) -> None:
    (root / "cur" / ".DS_Store").write_bytes(b"x")
    (root / "cur" / "folder").mkdir()
    (root / "cur" / "1.a.host:2,S").write_bytes(letter(1))
    (root / "cur" / "2.a.host:2,S").write_bytes(b"\x00\x01\x02")
    found = index.search(select(MailQuery()), (), 10)
    assert [row["subject"] for row in found.rows] == ["mail 1"]
    assert [(row["name"], row["reason"]) for row in found.skipped] == [("2.a.host:2,S", "the file is not a mail")]
    (root / "cur" / "2.a.host:2,S").unlink()
    assert index.search(select(MailQuery()), (), 10).skipped == []


def test_a_folder_that_takes_over_a_name_changes_what_its_mails_are_called(index: MailIndex, root: Path) -> None:
    for sub in ("cur", "new", "tmp"):
        (root / ".Archives" / sub).mkdir(parents=True)
    (root / ".Archives" / "cur" / "1.a.host:2,S").write_bytes(letter(1))
    (root / ".Archive").rename(root / "gone")
    assert search(index, folders=(ARCHIVE,)) == ["mail 1"]
    (root / "gone").rename(root / ".Archive")
    assert search(index, folders=("Archives",)) == ["mail 1"]
    assert index.get("1.a.host")["etag"] == "Archives:S"


def test_the_index_is_for_nobody_else_to_read(root: Path, tmp_path: Path) -> None:
    (root / "cur" / "1.a:2,").write_bytes(letter(1))
    file = tmp_path / "index" / "mail.sqlite3"
    file.parent.mkdir()
    file.touch(0o644)
    index = MailIndex(root, file, owner=OWNER, marker=tmp_path / "index" / "seen")
    index.prepare()
    assert {path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {0o600}
    index.close()


def test_what_is_strange_about_a_mail_is_kept(root: Path, tmp_path: Path) -> None:
    (root / "cur" / "1.a:2,").write_bytes(b"From: a@x.example\nSubject: one\nSubject: two\n\nhi\n")
    for _ in range(2):
        index = MailIndex(root, tmp_path / "mail.sqlite3", owner=OWNER)
        (row,) = index.search(select(MailQuery()), (), 10).rows
        assert json.loads(row["oddities"]) == [["double_header", "subject", 1]]
        index.close()


def test_nobody_else_may_read_the_index(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept" / "index.sqlite3"
    file.parent.mkdir(mode=0o700)
    file.touch(mode=0o644)  # as one of an earlier version
    index = MailIndex(root, file, owner=OWNER)
    (root / "new" / "1").write_bytes(letter(1))
    assert search(index) == ["mail 1"]
    assert {path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {0o600}
    index.close()
