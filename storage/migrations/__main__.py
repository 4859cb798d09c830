"""Writes the next revision from the difference between the models and the newest revision; without words, `new.sql`."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command

from storage.migrations import BETWEEN, HEAD, bring_up_to_date, configuration
from storage.sqlite import SqliteStore

NEW = Path(__file__).with_name("new.sql")


def revise(message: str) -> None:
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "newest.db")
        bring_up_to_date(store)
        with store.migrating() as connection:
            command.revision(configuration(connection), message, autogenerate=True, rev_id=f"{int(HEAD) + 1:04d}")


def statements(path: Path) -> list[str]:
    """What makes a database like the one in this file, but for the moment at which its owner came."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE user SET created = '1970-01-01 00:00:00'")
        made = [one.removesuffix(";") for one in connection.iterdump()]
    return made[1:-1]  # without its transaction


def by_revisions() -> list[str]:
    """The statements for what all revisions together make of an empty file."""
    with TemporaryDirectory() as folder:
        store = SqliteStore(path := Path(folder) / "newest.db")
        store.revision()  # makes the file
        with store.migrating() as connection:
            command.upgrade(configuration(connection), "head")
        return statements(path)


def main(words: list[str]) -> None:
    if words:
        revise(" ".join(words))
    else:
        NEW.write_text(BETWEEN.join(by_revisions()) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
