"""What holds of a database in a file."""

import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from storage import settings, sqlite
from storage.database import Database
from storage.errors import CorruptDatabase, DatabaseLocked, DiskFull, Unwritable
from storage.session import Session


@pytest.fixture
def place(path: Path) -> Path:
    return path


def put(s: Session) -> None:
    settings.put(s, "name", "Ada")


async def test_folder_and_files_are_the_users_own(db: Database, path: Path) -> None:
    await db.write(put)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert set(modes) >= {"assistant.db", "assistant.db-wal"}
    assert set(modes.values()) == {0o600}


async def test_an_empty_folder_made_by_hand_becomes_private_and_one_in_use_stays_as_it_is(tmp_path: Path) -> None:
    empty, used = tmp_path / "empty", tmp_path / "used"
    for folder in (empty, used):
        folder.mkdir()
        folder.chmod(0o755)
    (used / "letter.txt").touch()
    for folder in (empty, used, used):
        await Database.open(folder / "assistant.db").close()
    assert empty.stat().st_mode & 0o777 == 0o700
    assert used.stat().st_mode & 0o777 == 0o755
    assert (used / "assistant.db").stat().st_mode & 0o777 == 0o600


async def test_a_file_that_another_program_holds_is_said_in_one_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 50)
    db = Database.open(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseLocked, match="Another program"):
        await db.write(put)
    other.execute("ROLLBACK")
    other.close()
    await db.write(put)
    assert await db.read(settings.all) == {"name": "Ada"}
    await db.close()


async def test_the_outboxs_writes_are_fully_synced_and_the_rest_normally(db: Database) -> None:
    def synchronous(s: Session) -> object:
        return s.connection.execute("PRAGMA synchronous").fetchone()[0]

    assert await db.write(synchronous) == 1
    assert await db.write_synced(synchronous) == 2


async def test_a_full_disk_is_said_in_one_sentence_and_loses_nothing(db: Database) -> None:
    await db.write(put)
    await db.write(lambda s: s.connection.execute("PRAGMA max_page_count=1").fetchone())
    with pytest.raises(DiskFull, match="disk is full"):
        await db.write(lambda s: settings.put(s, "large", "x" * 200_000))
    assert await db.read(settings.all) == {"name": "Ada"}


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database at all " * 500)
    with pytest.raises(CorruptDatabase, match="damaged"):
        Database.open(path)


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 100] = b"\xff" * 100
    path.write_bytes(content)


async def test_damage_within_the_file_is_named(path: Path) -> None:
    db = Database.open(path)
    await db.write(lambda s: [settings.put(s, str(n), "x" * 500) for n in range(200)])
    await db.close()
    damage(path)
    with pytest.raises(CorruptDatabase, match="damaged"):
        damaged = Database.open(path)
        await damaged.read(settings.all)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may write anywhere, so it becomes somebody else for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no write permission there")
@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_folder_is_said_in_one_sentence(exists: bool) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if exists:
            sqlite3.connect(folder / "assistant.db").close()
            (folder / "assistant.db").touch()
            (folder / "assistant.db").chmod(0o444)
        folder.chmod(0o555)
        try:
            with without_privileges(), pytest.raises(Unwritable, match=r"can't be written .*check the folder"):
                Database.open(folder / "assistant.db")
        finally:
            folder.chmod(0o755)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unwritable):
        Database.open(tmp_path)
