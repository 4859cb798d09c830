"""What holds of a database, wherever it is."""

import asyncio
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import select

from storage import settings
from storage.database import Database
from storage.errors import StorageError
from storage.session import Prepared, Session
from storage.tables import SETTING

COUNTER = Prepared(select(SETTING.c.value).where(SETTING.c.key == "counter").with_for_update())


def add_one(s: Session) -> None:
    before = next(iter(s.column(COUNTER)), "0")
    settings.put(s, "counter", str(int(before) + 1))


async def counter(db: Database) -> int:
    return int(await db.read(lambda s: settings.get(s, "counter")) or "0")


async def test_simultaneous_read_modify_writes_are_all_counted(db: Database) -> None:
    await asyncio.gather(*(db.write(add_one) for _ in range(150)), *(db.write_synced(add_one) for _ in range(150)))
    assert await counter(db) == 300


async def test_no_update_is_lost_between_several_openings(db: Database, place: Path | str) -> None:
    await db.write(add_one)
    others = [Database.open(place) for _ in range(5)]
    await asyncio.gather(*(other.write(add_one) for other in others for _ in range(20)))
    for other in others:
        await other.close()
    assert await counter(db) == 101


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
    with pytest.raises(StorageError, match=r"read-?only"):
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


async def test_close_waits_for_what_was_begun_and_nothing_goes_on_after(place: Path | str) -> None:
    db = Database.open(place)
    writes = [asyncio.create_task(db.write(add_one)) for _ in range(20)]
    await asyncio.sleep(0)
    await db.close()
    await asyncio.gather(*writes)
    with pytest.raises(StorageError, match="closed"):
        await db.write(add_one)
    again = Database.open(place)
    assert await counter(again) == 20
    await again.close()


COUNTING = """
import asyncio, sys
from storage import settings
from storage.database import Database

def both(s, n):
    settings.put(s, "first", str(n))
    settings.put(s, "second", str(n))

async def main():
    db = Database.open(sys.argv[1])
    for n in range(1_000_000):
        await (db.write_synced if n % 2 else db.write)(lambda s: both(s, n))
        print(n, flush=True)

asyncio.run(main())
"""


def kill_while_counting(place: Path | str) -> int:
    """The last number that the killed process reported as stored."""
    with subprocess.Popen([sys.executable, "-c", COUNTING, str(place)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        reported = [process.stdout.readline() for _ in range(25)]
        process.send_signal(signal.SIGKILL)
        reported += [line for line in process.stdout if line.endswith("\n")]
    return int(reported[-1])


async def test_a_killed_process_leaves_whole_transactions_and_all_that_it_reported(place: Path | str) -> None:
    for _ in range(3):
        reported = await asyncio.to_thread(kill_while_counting, place)
        db = Database.open(place)
        stored = await db.read(settings.all)
        await db.close()
        assert stored["first"] == stored["second"]
        assert int(stored["first"]) >= reported
