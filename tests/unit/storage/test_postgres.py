"""What holds of a database on a server: others write at the same time, and the connection to it can be lost at any moment."""

import asyncio
import threading
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from doubles.postgres import OWNER, Server
from doubles.severed import Line, line
from sqlalchemy import select

from storage import accounts, conversations, settings
from storage import postgres as on_postgres
from storage.database import Database
from storage.errors import DatabaseLocked, StorageError, Uncertain, Unreachable, Unwritable
from storage.session import Prepared, Session, T, Work
from storage.tables import SETTING

COUNTER = Prepared(select(SETTING.c.value).where(SETTING.c.key == "counter").with_for_update())


def add_one(s: Session) -> None:
    before = next(iter(s.column(COUNTER)), "") or "0"
    settings.put(s, "counter", str(int(before) + 1))


async def counter(db: Database) -> int:
    return int(await db.read(lambda s: settings.get(s, "counter")) or "0")


@pytest.fixture
def place(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
async def other(place: str) -> AsyncIterator[Database]:
    opened = Database.open(place)
    yield opened
    await opened.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_postgres, "PATIENCE", 0.2)


async def test_it_is_shared_with_other_machines_and_no_file(db: Database) -> None:
    assert db.shared
    assert db.path is None


# --- time


@pytest.mark.parametrize("ahead", [timedelta(minutes=-3), timedelta(0), timedelta(hours=1)])
async def test_it_tells_how_far_this_machines_clock_is_wrong(
    db: Database, place: str, monkeypatch: pytest.MonkeyPatch, ahead: timedelta
) -> None:
    assert db.ahead == timedelta()
    monkeypatch.setattr(on_postgres, "_now", lambda: datetime.now(UTC) - ahead)
    other = Database.open(place)
    assert abs(other.ahead - ahead) < timedelta(seconds=30)
    await other.close()
    await db.write(add_one)
    assert abs(db.ahead - ahead) < timedelta(seconds=30)


# --- text


async def test_text_keeps_all_but_nul_and_json_keeps_all(db: Database, now: datetime) -> None:
    def store(s: Session) -> None:
        conversations.add_message(s, "c", "user", "a\0b %s %(c)s \\ ü 🎉", now)
        accounts.add(s, name="n", kind="local", address="a", settings={"key": "a\0b"}, at=now)

    await db.write(store)
    (message,) = await db.read(lambda s: conversations.messages(s, "c"))
    assert message.text == "a\N{REPLACEMENT CHARACTER}b %s %(c)s \\ ü 🎉"
    (account,) = await db.read(accounts.list)
    assert account.settings == {"key": "a\0b"}


# --- others at the same rows


async def alone(db: Database, work: Work[T]) -> T:
    return await db.write(work)


async def with_others(db: Database, work: Work[T]) -> T:
    """Among writes that wait for one another, and so share a transaction."""
    go_on = threading.Event()
    held = db.write_behind(lambda s: go_on.wait(5))
    before, found, after = db.write_behind(add_one), db.write_behind(work), db.write_behind(add_one)
    go_on.set()
    await asyncio.gather(held, before, after, found)
    return await found


@pytest.mark.parametrize("write", [alone, with_others])
async def test_of_two_that_store_what_neither_found_the_second_looks_again(
    db: Database, other: Database, now: datetime, write: Callable
) -> None:
    both_looked = threading.Barrier(2)
    await db.write(add_one)

    def store(s: Session) -> str:
        if accounts.get(s, "work"):
            return "found"
        with suppress(threading.BrokenBarrierError):
            both_looked.wait(0.5)
        accounts.add(s, name="work", kind="local", address="a", settings={}, at=now)
        return "stored"

    assert sorted(await asyncio.gather(write(db, store), alone(other, store))) == ["found", "stored"]
    assert len(await db.read(accounts.list)) == 1
    assert await counter(db) == (1 if write is alone else 3)


@pytest.mark.parametrize("write", [alone, with_others])
async def test_of_two_that_wait_for_each_other_both_are_written(db: Database, other: Database, write: Callable) -> None:
    await db.write(lambda s: [settings.put(s, name, "") for name in ("a", "b", "counter")])
    both_began = threading.Barrier(2)

    def store(s: Session, names: str, notices: str) -> None:
        s.connection.execute(f"SET LOCAL deadlock_timeout TO '{notices}'")
        settings.put(s, names[0], names)
        with suppress(threading.BrokenBarrierError):  # it is run anew, and the other does not come again
            both_began.wait(0.5)
        settings.put(s, names[1], names)

    await asyncio.gather(write(db, lambda s: store(s, "ab", "1ms")), alone(other, lambda s: store(s, "ba", "9s")))
    found = await db.read(settings.all)
    assert found["a"] == found["b"] != ""


async def test_a_row_that_another_program_holds_is_said_in_one_sentence(impatient: None, db: Database, place: str) -> None:
    await db.write(add_one)
    with psycopg.connect(place) as connection:
        connection.execute("SELECT * FROM setting FOR UPDATE")
        with pytest.raises(DatabaseLocked, match="Another program is holding"):
            await db.write(add_one)
    await db.write(add_one)
    assert await counter(db) == 2


# --- what the server says


async def test_an_error_that_was_passed_over_saves_nothing_and_is_told(db: Database) -> None:
    def careless(s: Session) -> None:
        add_one(s)
        with suppress(psycopg.Error):
            s.connection.execute("SELECT 1 / 0")

    with pytest.raises(StorageError, match="passed over"):
        await db.write(careless)
    assert await counter(db) == 0


async def test_a_user_who_may_not_write_is_told_in_one_sentence(db: Database, place: str) -> None:
    with psycopg.connect(place) as connection:
        connection.execute("CREATE ROLE visitor LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO visitor")
    visitor = Database.open(place.replace(f"{OWNER}@", "visitor@"))
    assert await counter(visitor) == 0
    with pytest.raises(Unwritable, match=r"can't be written \(permission denied .*check the server"):
        await visitor.write(add_one)
    await visitor.close()
    with psycopg.connect(place) as connection:
        connection.execute("DROP OWNED BY visitor; DROP ROLE visitor")


async def test_synced_writes_are_on_disk_whatever_the_server_does_otherwise(postgres: Server, place: str) -> None:
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET synchronous_commit TO off")

    def synchronous(s: Session) -> object:
        return s.connection.execute("SHOW synchronous_commit").fetchone()[0]

    db = Database.open(place)
    assert (await db.write(synchronous), await db.write_synced(synchronous), await db.write(synchronous)) == ("off", "on", "off")
    await db.close()


def test_a_server_that_is_too_old_is_refused(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_postgres, "OLDEST", 99)
    with pytest.raises(StorageError, match="must be 99 or later"):
        Database.open(place)


def test_a_database_that_can_not_hold_every_letter_is_refused(postgres: Server) -> None:
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII'")
    with pytest.raises(StorageError, match="UTF8"):
        Database.open(postgres.url("ascii"))


# --- connections that are lost


@pytest.fixture
async def severed(postgres: Server, place: str) -> AsyncIterator[tuple[Database, Line]]:
    with line(postgres) as severed:
        db = Database.open(severed.url(place))
        yield db, severed
        await db.close()


async def test_a_server_that_was_started_anew_is_connected_to_again(db: Database, postgres: Server) -> None:
    await db.write(add_one)
    assert await counter(db) == 1
    postgres.stop()
    postgres.start()
    await db.write(add_one)
    assert await counter(db) == 2


async def test_a_write_that_a_crash_of_the_server_cut_short_is_made_again_once_it_is_back(db: Database, postgres: Server) -> None:
    crashed = threading.Event()

    def crash(s: Session) -> None:
        add_one(s)
        if not crashed.is_set():
            crashed.set()
            postgres.stop(crash=True)
            threading.Timer(0.2, postgres.start).start()
        add_one(s)

    await asyncio.gather(db.write(add_one), db.write(crash), db.write(add_one))
    assert await counter(db) == 4


@pytest.mark.parametrize("loses", ["before", "after"])
@pytest.mark.parametrize("at_once", [1, 5])
async def test_a_commit_whose_answer_is_lost_counts_once(severed: tuple[Database, Line], loses, at_once: int) -> None:
    db, broken = severed
    await db.write(add_one)
    for write in (db.write, db.write_synced):
        broken.loses = loses
        await asyncio.gather(*(write(add_one) for _ in range(at_once)))
    assert broken.lost == 2
    assert await counter(db) == 1 + 2 * at_once


async def test_so_it_does_for_one_that_wrote_nothing_for_so_long_that_it_was_taken_for_ended(
    severed: tuple[Database, Line], place: str
) -> None:
    db, broken = severed
    await db.write(add_one)
    with psycopg.connect(place) as connection:
        connection.execute("DELETE FROM writer")
    broken.loses = "before"
    await db.write(add_one)
    assert broken.lost == 1
    assert await counter(db) == 2


async def test_a_commit_that_a_crash_undid_is_not_taken_for_what_another_program_wrote_after_it(
    severed: tuple[Database, Line], postgres: Server, place: str
) -> None:
    db, broken = severed
    await db.write(add_one)

    def crash() -> None:
        broken.closed = True  # nobody tries again before the others have written
        postgres.stop(crash=True)
        postgres.start()
        with psycopg.connect(place) as connection:
            for number in range(5):  # the server gives out the numbers of its lost transactions anew
                connection.execute(f"INSERT INTO setting VALUES ('owner', 'other{number}', '')")
                connection.commit()
        broken.closed = False

    broken.meanwhile, broken.loses = crash, "before"
    await db.write(add_one)
    assert broken.lost == 1 and not broken.closed
    assert await counter(db) == 2


async def test_what_became_of_a_commit_is_uncertain_where_nobody_can_be_asked(
    impatient: None, severed: tuple[Database, Line], db: Database
) -> None:
    cut_off, broken = severed
    await cut_off.write(add_one)
    broken.loses, broken.closed = "after", True
    with pytest.raises(Uncertain, match="not certain whether the last change was saved"):
        await cut_off.write(add_one)
    with pytest.raises(Unreachable):
        await cut_off.write(add_one)
    broken.closed = False
    await cut_off.write(add_one)
    assert await counter(db) == 3


async def test_a_server_that_is_gone_is_said_in_one_sentence(impatient: None, db: Database, place: str, postgres: Server) -> None:
    await db.write(add_one)
    assert await counter(db) == 1
    postgres.stop()
    try:
        for use in (db.write(add_one), db.write_synced(add_one), db.read(settings.all)):
            with pytest.raises(Unreachable, match=r"can't be reached \(.*\)\.$"):
                await use
        with pytest.raises(Unreachable):
            Database.open(place)
    finally:
        postgres.start()
    await db.write(add_one)
    assert await counter(db) == 2


# --- the address

SECRET = "pass"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:pass@127.0.0.1:1/db",
        "postgresql://me:x@pass@127.0.0.1:1/db",
        "postgresql://me:x@pass:1@127.0.0.1/db",
        "postgresql://me:x/pass@127.0.0.1/db",
        "postgresql://me:1/pass@127.0.0.1/db",
        "postgresql://me:1?pass@127.0.0.1/db",
        "postgresql://me:x?pass@127.0.0.1/db",
        "postgresql://me:%pass@127.0.0.1/db",
        "postgresql://me:1#pass@127.0.0.1:1/db",
        "postgresql://127.0.0.1:1/db?password=pass",
        "postgresql://127.0.0.1:pass/db",
    ],
)
def test_a_password_is_never_shown(address: str) -> None:
    with pytest.raises(StorageError) as raised:
        Database.open(address)
    told = "".join(traceback.format_exception(raised.value, limit=0))
    assert SECRET not in told.replace("user:password@", "").replace("in the password", "")


async def test_the_database_is_named_by_its_host(db: Database, postgres: Server) -> None:
    await db.close()
    with pytest.raises(StorageError, match=rf"The database database\d+ at {postgres.folder} is closed"):
        await db.read(settings.all)


def test_without_its_packages_postgresql_is_refused_with_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "storage.postgres", None)
    with pytest.raises(StorageError, match="cluster"):
        Database.open("postgresql://me@127.0.0.1/db")


# --- what is said in one conversation from several processes


async def test_whoever_has_heard_a_message_has_heard_all_before_it(db: Database, other: Database, now: datetime) -> None:
    """One process has written its message and not made it lasting yet when another says something there."""
    written, said = threading.Event(), threading.Event()

    def one(s: Session) -> None:
        conversations.add_message(s, "c", "user", "one", now)
        written.set()
        while not said.is_set():
            if s.connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():
                break  # the other waits

    def two(s: Session) -> list[str]:
        conversations.add_message(s, "c", "user", "two", now)
        return [message.text for message in conversations.messages(s, "c")]

    await db.write(lambda s: conversations.ensure(s, "c", now))
    first = asyncio.ensure_future(db.write(one))
    await asyncio.to_thread(written.wait)
    try:
        assert await other.write(two) == ["one", "two"]
    finally:
        said.set()
        await first
