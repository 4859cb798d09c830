"""Writes the next revision from the difference between the models and the newest revision."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic import command

from storage.migrations import HEAD, bring_up_to_date, configuration
from storage.sqlite import SqliteStore


def main(message: str) -> None:
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "newest.db")
        bring_up_to_date(store)
        with store.migrating() as connection:
            command.revision(configuration(connection), message, autogenerate=True, rev_id=f"{int(HEAD) + 1:04d}")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
