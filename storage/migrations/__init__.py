"""Brings a database to the newest revision. Alembic is imported only where there is something to do.

A new revision: change `storage.tables`, run `python -m storage.migrations "what it does"`, read what came out, set HEAD, and run
`python -m storage.migrations`, which writes `new.sql`: what all revisions together make of an empty file.
"""

from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, update

from storage.errors import CorruptDatabase, NewerDatabase
from storage.store import Store
from storage.tables import USER

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0012"
BETWEEN = ";\n\n"
"""What stands between two statements of `new.sql`."""


def bring_up_to_date(store: Store) -> None:
    if store.revision() != HEAD:
        with store.migrating() as connection:
            _upgrade(connection, store.place)


def _revision(connection: Connection) -> str | None:
    """None for a database that no revision has been applied to."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def _upgrade(connection: Connection, place: str) -> None:
    """Its transaction excludes other processes. One of them may have upgraded the database just before it began: then nothing is
    left to do."""
    revision = _revision(connection)
    if revision is None and inspect(connection).get_table_names():
        raise CorruptDatabase(f"{place} is a database of another program; choose another one.")
    if revision is None and connection.dialect.name == "sqlite":
        _make(connection)
    else:
        _revise(connection, revision, place)


def _revise(connection: Connection, revision: str | None, place: str) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    config = configuration(connection)
    if revision not in {None, *(known.revision for known in ScriptDirectory.from_config(config).walk_revisions())}:
        raise NewerDatabase(f"The database {place} was made by a newer version of this program; upgrade the program to open it.")
    command.upgrade(config, "head")


def _make(connection: Connection) -> None:
    """In a hundredth of the time that the revisions take one by one."""
    for statement in files(__name__).joinpath("new.sql").read_text("utf-8").strip().split(BETWEEN):
        connection.exec_driver_sql(statement)
    connection.execute(update(USER).values(created=datetime.now(UTC)))


def configuration(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "storage:migrations")
    config.attributes["connection"] = connection
    return config
