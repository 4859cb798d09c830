"""Brings a database to the newest revision. Alembic is imported only where there is something to do.

A new revision: change `storage.tables`, run `python -m storage.migrations "what it does"`, read what came out, set HEAD.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, Engine, inspect

from storage import sqlite
from storage.errors import CorruptDatabase, NewerDatabase

if TYPE_CHECKING:
    from alembic.config import Config

T = TypeVar("T")

HEAD = "0003"


def bring_up_to_date(path: Path) -> None:
    if _on(sqlite.reader(path, connections=1), _revision) != HEAD:
        _on(sqlite.migrator(path), lambda connection: _upgrade(connection, path))


def _on(engine: Engine, work: Callable[[Connection], T]) -> T:
    try:
        with engine.begin() as connection:
            return work(connection)
    finally:
        engine.dispose()


def _revision(connection: Connection) -> str | None:
    """None for a database that no revision has been applied to."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def _upgrade(connection: Connection, path: Path) -> None:
    """Its transaction excludes other processes. One of them may have upgraded the file just before it began: then nothing is left
    to do."""
    revision = _revision(connection)
    if revision is None and inspect(connection).get_table_names():
        raise CorruptDatabase(f"{path} is a database of another program; choose another file.")

    from alembic import command
    from alembic.script import ScriptDirectory

    config = configuration(connection)
    if revision not in {None, *(known.revision for known in ScriptDirectory.from_config(config).walk_revisions())}:
        raise NewerDatabase(f"The database {path} was made by a newer version of this program; upgrade the program to open it.")
    command.upgrade(config, "head")
    if broken := sqlite.dangling_reference(connection):
        raise CorruptDatabase(f"The database {path} has a row in {broken} that refers to nothing; restore a backup.")


def configuration(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "storage:migrations")
    config.attributes["connection"] = connection
    return config
