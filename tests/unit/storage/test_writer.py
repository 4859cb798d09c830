"""Writes that wait for one another share a transaction; each still stands or falls by itself."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from storage import conversations, settings, sqlite
from storage.database import Database
from storage.errors import DatabaseLocked, DiskFull, Duplicate, StorageError
from storage.session import Session
from storage.writer import MOST

Work = Callable[[Session], Any]


def put(name: str, value: str = "there") -> Work:
    return lambda s: settings.put(s, name, value)


def append(word: str) -> Work:
    return lambda s: settings.put(s, "words", (settings.get(s, "words") or "") + word)


def fail(s: Session) -> None:
    settings.put(s, "words", "spoilt")
    raise LookupError("changed my mind")


async def stored(db: Database, name: str) -> str | None:
    return await db.read(lambda s: settings.get(s, name))


@asynccontextmanager
async def held(db: Database) -> AsyncIterator[None]:
    """The writer's thread is busy until this is left, so that all writes begun within wait for one another."""
    busy, go_on = threading.Event(), threading.Event()

    def hold(s: Session) -> None:
        busy.set()
        go_on.wait(10)

    holding = asyncio.create_task(db.write(hold))
    await asyncio.to_thread(busy.wait, 10)
    try:
        yield
    finally:
        go_on.set()
        await holding


async def together(db: Database, *works: Work) -> list[Any]:
    """What each write returned or raised."""
    async with held(db):
        writes = [db.write_behind(work) for work in works]
    return await asyncio.gather(*writes, return_exceptions=True)


def statements(db: Database, wanted: str, kind: str = "write") -> list[str]:
    """Grows with each such statement of the transactions of one kind."""
    seen: list[str] = []
    (connection,) = db._store._connections[kind]._opened
    connection.set_trace_callback(lambda statement: seen.append(statement) if statement == wanted else None)
    return seen


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("kind", ["write", "synced"])
async def test_writes_that_wait_are_committed_together(db: Database, kind: str) -> None:
    write = db.write if kind == "write" else db.write_synced
    await write(put("first"))
    await db.write(put("second"))
    seen = statements(db, "COMMIT", kind)
    async with held(db):
        writes = [asyncio.create_task(write(put(str(n)))) for n in range(MOST)]
        await asyncio.sleep(0)
    await asyncio.gather(*writes)
    assert len(seen) == (2 if kind == "write" else 1)  # with the one that held them up
    assert len(await db.read(settings.all)) == MOST + 2


async def test_more_than_one_transaction_takes_are_all_written(db: Database) -> None:
    told = await together(db, *(append(".") for _ in range(3 * MOST + 1)))
    assert await stored(db, "words") == "." * len(told)


async def test_writes_keep_their_order(db: Database) -> None:
    await together(db, *(append(f"{n} ") for n in range(2 * MOST)))
    assert await stored(db, "words") == "".join(f"{n} " for n in range(2 * MOST))


async def test_writes_of_both_kinds_keep_their_order(db: Database) -> None:
    async with held(db):
        kinds = (db.write, db.write_synced, db.write_synced, db.write)
        writes = [asyncio.create_task(kinds[n % 4](append(f"{n} "))) for n in range(2 * MOST)]
        await asyncio.sleep(0)
    await asyncio.gather(*writes)
    assert await stored(db, "words") == "".join(f"{n} " for n in range(2 * MOST))


async def test_a_synced_write_comes_after_all_that_waited_before_it(db: Database) -> None:
    async with held(db):
        before = [db.write_behind(append(f"{n} ")) for n in range(2 * MOST)]
        last = asyncio.create_task(db.write_synced(append("synced")))
        await asyncio.sleep(0)
    await asyncio.gather(last, *before)
    assert (await stored(db, "words") or "").endswith(f"{2 * MOST - 1} synced")


async def test_a_write_sees_what_those_before_it_wrote(db: Database) -> None:
    _, seen = await together(db, put("name", "Ada"), lambda s: settings.get(s, "name"))
    assert seen == "Ada"


async def test_what_one_write_raises_undoes_that_one_alone(db: Database) -> None:
    first, wrong, last = await together(db, append("first "), fail, append("last"))
    assert isinstance(wrong, LookupError) and (first, last) == (None, None)
    assert await stored(db, "words") == "first last"


async def test_what_the_database_refuses_one_write_is_told_to_that_one_in_words(db: Database) -> None:
    def twice(s: Session) -> None:
        s.connection.execute("INSERT INTO setting SELECT * FROM setting")

    await db.write(put("name"))
    _, wrong, _ = await together(db, append("first "), twice, append("last"))
    assert isinstance(wrong, Duplicate)
    assert await stored(db, "words") == "first last"


async def test_what_the_database_finds_only_at_the_commit_is_told_to_its_writer_alone(db: Database, now: datetime) -> None:
    def into_a_flow_that_is_not_there(s: Session) -> None:
        conversations.add_message(s, "c", "user", "hello", now, flow_id="nowhere")

    await db.write(lambda s: conversations.ensure(s, "c", now))
    _, wrong, _ = await together(db, append("first "), into_a_flow_that_is_not_there, append("last"))
    assert isinstance(wrong, StorageError)
    assert await stored(db, "words") == "first last"


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
async def test_a_full_disk_fails_only_what_it_has_no_room_for(db: Database) -> None:
    await db.write(append("begun "))
    await db.write(lambda s: s.connection.execute("PRAGMA max_page_count=1").fetchone())
    _, wrong, _ = await together(db, append("first "), put("large", "x" * 200_000), append("last"))
    assert isinstance(wrong, DiskFull)
    assert await stored(db, "words") == "begun first last"


async def test_a_file_that_another_program_holds_is_waited_for_once_by_all(path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 50)
    db = Database.open(path)
    await db.write(put("before"))
    begun = statements(db, "BEGIN IMMEDIATE")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    go_on = threading.Event()
    db._writer._thread.submit(go_on.wait, 10)
    writes = [db.write_behind(put(str(n))) for n in range(3)]
    go_on.set()
    assert [type(one) for one in await asyncio.gather(*writes, return_exceptions=True)] == [DatabaseLocked] * 3
    assert len(begun) == 1
    other.close()
    await db.write(put("after"))
    assert set(await db.read(settings.all)) == {"before", "after"}
    await db.close()


async def test_a_caller_that_is_cancelled_leaves_the_others_alone(db: Database) -> None:
    async with held(db):
        gone = asyncio.create_task(db.write(append("gone ")))
        stays = asyncio.create_task(db.write(append("stays")))
        await asyncio.sleep(0)
        gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    await stays
    assert await stored(db, "words") == "gone stays"


async def test_closing_writes_all_that_waited(place: Path | str) -> None:
    db = Database.open(place)
    writes = [db.write_behind(append(".")) for _ in range(5 * MOST)]
    await db.close()
    await asyncio.gather(*writes)
    again = Database.open(place)
    assert await stored(again, "words") == "." * len(writes)
    await again.close()


SIDE_BY_SIDE = """
import asyncio, sys
from storage import settings
from storage.database import Database

def both(s, name, n):
    settings.put(s, f"{name} first", str(n))
    settings.put(s, f"{name} second", str(n))

async def count(db, name):
    for n in range(1_000_000):
        await db.write(lambda s: both(s, name, n))
        print(name, n, flush=True)

async def main():
    db = Database.open(sys.argv[1])
    await asyncio.gather(*(count(db, f"flow{k}") for k in range(20)))

asyncio.run(main())
"""


def kill_while_counting(place: Path | str) -> dict[str, int]:
    """The last numbers that the killed process reported as stored."""
    with subprocess.Popen([sys.executable, "-c", SIDE_BY_SIDE, str(place)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(300)]
        process.send_signal(signal.SIGKILL)
        lines += [line for line in process.stdout if line.endswith("\n")]
    return {name: int(n) for name, n in (line.split() for line in lines)}


async def test_a_killed_process_leaves_whole_writes_and_all_that_it_reported(place: Path | str) -> None:
    reported = await asyncio.to_thread(kill_while_counting, place)
    db = Database.open(place)
    found = await db.read(settings.all)
    await db.close()
    for name, n in reported.items():
        assert found[f"{name} first"] == found[f"{name} second"]
        assert int(found[f"{name} first"]) >= n
