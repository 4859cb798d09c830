import asyncio
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from storage import calls, sqlite, users
from storage.database import Database
from storage.errors import CorruptDatabase, NewerDatabase
from storage.migrations import HEAD, configuration
from storage.tables import METADATA, OWNER


async def test_models_and_migrations_agree(db: Database) -> None:
    engine = sqlite.migrator(db.path)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def test_the_constant_names_the_newest_revision(path: Path) -> None:
    sqlite.prepare(path)
    engine = sqlite.migrator(path)
    with engine.connect() as connection:
        assert ScriptDirectory.from_config(configuration(connection)).get_heads() == [HEAD]
    engine.dispose()


async def test_a_new_database_has_its_owner(db: Database) -> None:
    owner = await db.read(users.get)
    assert owner is not None
    assert owner.id == OWNER
    assert await db.write(lambda s: users.rename(s, "Maja"))
    assert await db.read(users.get) == owner.model_copy(update={"name": "Maja"})


def test_a_database_of_a_newer_version_is_refused_untouched(path: Path) -> None:
    asyncio.run(Database.open(path).close())
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerDatabase, match="newer version"):
        Database.open(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    with pytest.raises(CorruptDatabase, match="another program"):
        Database.open(path)


async def test_a_migration_that_was_interrupted_is_made_again(path: Path) -> None:
    """Its transaction never ended, so the file is what it was: empty."""
    sqlite.prepare(path)
    engine = sqlite.migrator(path)
    with engine.connect() as connection:
        METADATA.create_all(connection)
        connection.rollback()
    engine.dispose()
    db = Database.open(path)
    assert await db.read(users.get) is not None
    await db.close()


async def test_calls_recorded_before_estimates_were_told_apart_count_as_counted(path: Path) -> None:
    sqlite.prepare(path)
    engine = sqlite.migrator(path)
    with engine.begin() as connection:
        command.upgrade(configuration(connection), "0002")
        columns = "user_id, at, flow_id, role, model, prompt, cached, completion, cost, seconds, trouble"
        values = "'owner', '2026-11-18 09:30:00.000000', 'f', 'reply', 'm', 3, 1, 2, 0.5, 1.0, ''"
        connection.exec_driver_sql(f"INSERT INTO model_call ({columns}) VALUES ({values})")
    engine.dispose()
    db = Database.open(path)
    (call,) = await db.read(lambda s: calls.list(s, datetime(2026, 11, 18, tzinfo=UTC)))
    assert (call.prompt, call.cost, call.estimated) == (3, 0.5, False)
    await db.close()


OPEN = "import sys; from pathlib import Path; from storage.database import Database; Database.open(Path(sys.argv[1]))"


def test_processes_that_create_it_at_once_all_succeed(path: Path) -> None:
    racing = [subprocess.Popen([sys.executable, "-c", OPEN, str(path)]) for _ in range(4)]
    assert [process.wait(60) for process in racing] == [0, 0, 0, 0]


def test_alembic_is_not_imported_for_a_database_that_is_up_to_date(path: Path) -> None:
    Database.open(path)
    check = OPEN + "; sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check, str(path)], check=False).returncode == 0
