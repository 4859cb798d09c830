"""What makes the tables of a new database, and what it does with an older one."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from storage import audit, calls, flows, users
from storage.database import Database, store_at
from storage.errors import CorruptDatabase, NewerDatabase
from storage.migrations import HEAD, configuration
from storage.migrations.__main__ import by_revisions, statements
from storage.session import Session
from storage.tables import METADATA, OWNER

Place = Path | str


@pytest.fixture
def place(new: Place) -> Place:
    return new


@pytest.fixture(params=["sqlite", "postgres"])
def new(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Where there is no database yet, or one without tables."""
    if request.param == "sqlite":
        yield request.getfixturevalue("path")
        return
    server = request.getfixturevalue("postgres")
    url = server.empty()
    yield url
    server.drop(url)


def changed(place: Place, statement: str) -> None:
    with store_at(place).migrating() as connection:
        connection.exec_driver_sql(statement)


async def test_models_and_migrations_agree(db: Database, place: Place) -> None:
    with store_at(place).migrating() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_the_constant_names_the_newest_revision(path: Path) -> None:
    store = store_at(path)
    assert store.revision() is None
    with store.migrating() as connection:
        assert ScriptDirectory.from_config(configuration(connection)).get_heads() == [HEAD]


def test_a_new_file_is_what_all_revisions_together_make(path: Path) -> None:
    """Its tables in the same words, and what stands in them."""
    asyncio.run(Database.open(path).close())
    assert sorted(statements(path)) == sorted(by_revisions())


async def test_a_new_database_has_its_owner(db: Database) -> None:
    owner = await db.read(users.get)
    assert owner is not None
    assert owner.id == OWNER
    assert await db.write(lambda s: users.rename(s, "Maja"))
    assert await db.read(users.get) == owner.model_copy(update={"name": "Maja"})


def test_a_database_of_a_newer_version_is_refused_untouched(new: Place) -> None:
    asyncio.run(Database.open(new).close())
    changed(new, "UPDATE alembic_version SET version_num = '9999'")
    before = new.read_bytes() if isinstance(new, Path) else b""
    with pytest.raises(NewerDatabase, match="newer version"):
        Database.open(new)
    assert not isinstance(new, Path) or new.read_bytes() == before
    assert store_at(new).revision() == "9999"


def test_another_programs_database_is_refused(new: Place) -> None:
    assert store_at(new).revision() is None
    changed(new, "CREATE TABLE recipes (name TEXT)")
    with pytest.raises(CorruptDatabase, match="another program"):
        Database.open(new)


async def test_a_migration_that_was_interrupted_is_made_again(new: Place) -> None:
    """Its transaction never ended, so the database is what it was: empty."""
    store = store_at(new)
    assert store.revision() is None
    with pytest.raises(KeyboardInterrupt), store.migrating() as connection:
        METADATA.create_all(connection)
        raise KeyboardInterrupt
    db = Database.open(new)
    assert await db.read(users.get) is not None
    await db.close()


async def test_calls_recorded_before_estimates_were_told_apart_count_as_counted(new: Place) -> None:
    store = store_at(new)
    assert store.revision() is None
    with store.migrating() as connection:
        command.upgrade(configuration(connection), "0002")
        columns = "user_id, at, flow_id, role, model, prompt, cached, completion, cost, seconds, trouble"
        values = "'owner', '2026-11-18 09:30:00.000000', 'f', 'reply', 'm', 3, 1, 2, 0.5, 1.0, ''"
        connection.exec_driver_sql(f"INSERT INTO model_call ({columns}) VALUES ({values})")
    db = Database.open(new)

    def made(s: Session) -> tuple[object, ...]:
        (call,) = calls.list(s, datetime(2026, 11, 18, tzinfo=UTC))
        return call.prompt, call.cost, call.estimated

    assert await db.read(made) == (3, 0.5, False)
    await db.close()


async def test_the_audit_journal_of_an_older_database_begins_empty_and_whole(new: Place) -> None:
    store = store_at(new)
    assert store.revision() is None
    with store.migrating() as connection:
        command.upgrade(configuration(connection), "0003")
    db = Database.open(new)
    found = await db.read(audit.verify)
    assert (found.count, found.wrong) == (0, "")
    await db.write(lambda s: audit.append(s, datetime(2026, 11, 18, tzinfo=UTC), audit.NewEntry(kind="proposed")))
    assert (await db.read(audit.verify)).count == 1
    await db.close()


async def test_of_several_running_flows_of_a_conversation_the_newest_still_runs(new: Place) -> None:
    store = store_at(new)
    assert store.revision() is None
    with store.migrating() as connection:
        command.upgrade(configuration(connection), "0004")
        connection.exec_driver_sql("INSERT INTO conversation (user_id, id, created) VALUES ('owner', 'c', '2026-11-18 09:00:00')")
        for id, minute in (("old", 1), ("new", 2)):
            columns = "user_id, id, conversation, about, goal, status, version, owner, created, updated, snapshot"
            at, snapshot = f"'2026-11-18 09:0{minute}:00'", '{"status":"running","text":"say \\"status\\":\\"running\\""}'
            values = f"'owner', '{id}', 'c', 'a', '', 'running', 1, 'p', {at}, {at}, '{snapshot}'"
            connection.exec_driver_sql(f"INSERT INTO flow ({columns}) VALUES ({values})")
    db = Database.open(new)
    old, newest = await db.read(lambda s: (flows.get(s, "old"), flows.get(s, "new")))
    assert old and newest and (old.status, old.owner, newest.status, newest.owner) == ("suspended", None, "running", "p")
    assert old.snapshot == '{"status":"suspended","text":"say \\"status\\":\\"running\\""}'
    await db.close()


async def test_the_owner_of_an_older_database_is_its_owner_still(new: Place) -> None:
    store = store_at(new)
    assert store.revision() is None
    with store.migrating() as connection:
        command.upgrade(configuration(connection), "0009")
        connection.exec_driver_sql("UPDATE \"user\" SET name = 'Maja'")
    before = datetime.now(UTC)
    db = Database.open(new)
    (owner,) = await db.read(users.list)
    assert (owner.id, owner.name, owner.role, owner.password, owner.disabled) == (OWNER, "Maja", "owner", "", None)
    assert before <= owner.created <= datetime.now(UTC)
    await db.close()


OPEN = "import sys; from storage.database import Database; Database.open(sys.argv[1])"


def test_processes_that_create_it_at_once_all_succeed(new: Place) -> None:
    racing = [subprocess.Popen([sys.executable, "-c", OPEN, str(new)]) for _ in range(4)]
    assert [process.wait(120) for process in racing] == [0, 0, 0, 0]


def test_alembic_is_not_imported_for_a_database_that_is_up_to_date(path: Path) -> None:
    Database.open(path)
    check = OPEN + "; sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check, str(path)], check=False).returncode == 0
