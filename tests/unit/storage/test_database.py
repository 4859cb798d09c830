import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from storage import settings, sqlite
from storage.database import Database
from storage.errors import CorruptDatabase, DatabaseLocked, DiskFull, StorageError, Unwritable
from storage.session import Session


def add_one(s: Session) -> None:
    settings.put(s, "counter", str(int(settings.get(s, "counter") or "0") + 1))


async def counter(db: Database) -> int:
    return int(await db.read(lambda s: settings.get(s, "counter")) or "0")


async def test_simultaneous_read_modify_writes_are_all_counted(db: Database) -> None:
    await asyncio.gather(*(db.write(add_one) for _ in range(150)), *(db.write_synced(add_one) for _ in range(150)))
    assert await counter(db) == 300


async def test_no_update_is_lost_between_several_openings_of_one_file(db: Database, path: Path) -> None:
    others = [Database.open(path) for _ in range(5)]
    await asyncio.gather(*(other.write(add_one) for other in others for _ in range(20)))
    for other in others:
        await other.close()
    assert await counter(db) == 100


async def test_readers_go_on_while_a_write_is_under_way(db: Database) -> None:
    writing, go_on = threading.Event(), threading.Event()

    def slow(s: Session) -> None:
        settings.put(s, "counter", "7")
        writing.set()
        go_on.wait(10)

    task = asyncio.create_task(db.write(slow))
    await asyncio.to_thread(writing.wait, 10)
    assert await counter(db) == 0
    go_on.set()
    await task
    assert await counter(db) == 7


async def test_a_read_refuses_to_write(db: Database) -> None:
    with pytest.raises(StorageError, match="readonly"):
        await db.read(add_one)
    assert await counter(db) == 0


async def test_an_exception_rolls_everything_back(db: Database) -> None:
    def fail(s: Session) -> None:
        add_one(s)
        raise LookupError("changed my mind")

    for write in (db.write, db.write_synced):
        with pytest.raises(LookupError, match="changed my mind"):
            await write(fail)
    assert await counter(db) == 0


async def test_a_cancelled_callers_transaction_finishes_before_it_hears_of_it(db: Database) -> None:
    writing, go_on = threading.Event(), threading.Event()

    def slow(s: Session) -> None:
        add_one(s)
        writing.set()
        go_on.wait(10)
        add_one(s)

    task = asyncio.create_task(db.write(slow))
    await asyncio.to_thread(writing.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await counter(db) == 2


async def test_a_write_that_waits_for_its_turn_survives_cancellation_too(db: Database) -> None:
    go_on = threading.Event()
    first = asyncio.create_task(db.write(lambda s: go_on.wait(10)))
    second = asyncio.create_task(db.write(add_one))
    await asyncio.sleep(0)
    second.cancel()
    go_on.set()
    await first
    with pytest.raises(asyncio.CancelledError):
        await second
    assert await counter(db) == 1


async def test_close_waits_for_what_was_begun_and_nothing_goes_on_after(path: Path) -> None:
    db = Database.open(path)
    writes = [asyncio.create_task(db.write(add_one)) for _ in range(20)]
    await asyncio.sleep(0)
    await db.close()
    await asyncio.gather(*writes)
    with pytest.raises(StorageError, match="closed"):
        await db.write(add_one)
    again = Database.open(path)
    assert await counter(again) == 20
    await again.close()


async def test_folder_and_files_are_the_users_own(db: Database, path: Path) -> None:
    await db.write(add_one)
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
        await db.write(add_one)
    other.execute("ROLLBACK")
    other.close()
    await db.write(add_one)
    assert await counter(db) == 1
    await db.close()


async def test_the_outboxs_writes_are_fully_synced_and_the_rest_normally(db: Database) -> None:
    def synchronous(s: Session) -> object:
        return s.connection.execute("PRAGMA synchronous").fetchone()[0]

    assert await db.write(synchronous) == 1
    assert await db.write_synced(synchronous) == 2


async def test_a_full_disk_is_said_in_one_sentence_and_loses_nothing(db: Database) -> None:
    await db.write(add_one)
    await db.write(lambda s: s.connection.execute("PRAGMA max_page_count=1").fetchone())
    with pytest.raises(DiskFull, match="disk is full"):
        await db.write(lambda s: settings.put(s, "large", "x" * 200_000))
    assert await counter(db) == 1
    assert await db.read(lambda s: settings.get(s, "large")) is None


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


COUNTING = """
import asyncio, sys
from pathlib import Path
from storage import settings, sqlite
from storage.database import Database

def both(s, n):
    settings.put(s, "first", str(n))
    settings.put(s, "second", str(n))

async def main():
    db = Database.open(Path(sys.argv[1]))
    for n in range(1_000_000):
        await (db.write_synced if n % 2 else db.write)(lambda s: both(s, n))
        print(n, flush=True)

asyncio.run(main())
"""


def kill_while_counting(path: Path) -> int:
    """The last number that the killed process reported as stored."""
    with subprocess.Popen([sys.executable, "-c", COUNTING, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        reported = [process.stdout.readline() for _ in range(25)]
        process.send_signal(signal.SIGKILL)
        reported += [line for line in process.stdout if line.endswith("\n")]
    return int(reported[-1])


async def test_a_killed_process_leaves_whole_transactions_and_all_that_it_reported(path: Path) -> None:
    for _ in range(3):
        reported = await asyncio.to_thread(kill_while_counting, path)
        db = Database.open(path)
        stored = await db.read(settings.all)
        await db.close()
        assert stored["first"] == stored["second"]
        assert int(stored["first"]) >= reported
