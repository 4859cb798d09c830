"""What a database must be able to do for `storage.database`; SQLite and PostgreSQL each are one."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Literal, Protocol

from sqlalchemy import Connection

from storage.session import Session, T, Work

Kind = Literal["read", "write", "synced"]
"""A consistent view that refuses writes; a write; a write that is on disk, with every earlier one, when it is committed."""


class Store(Protocol):
    """Each thread that uses it has connections of its own. All of it raises StorageError."""

    place: str
    """Its name for people: without a password."""

    ahead: timedelta
    """How far the clock of its server is certainly ahead of this machine's; asked for at the beginning of each write."""

    @property
    def path(self) -> Path | None:
        """The file; None on a server."""

    def revision(self) -> str | None:
        """None for a database that no revision has been applied to."""

    def migrating(self) -> AbstractContextManager[Connection]:
        """A transaction for a change of the tables, which excludes all others."""

    def transaction(self, kind: Kind) -> AbstractContextManager[Session]:
        """Committed at its end; rolled back by any exception."""

    def perform(self, kind: Kind, work: Work[T]) -> T:
        """A transaction for this work alone, which is run anew where that may help."""

    def goes_on(self, session: Session, error: BaseException) -> bool:
        """Whether the transaction can still be used after a rollback to a savepoint, and `error` concerns its own work alone."""

    def told(self, error: Exception) -> Exception:
        """The driver's error as StorageError; any other as it is."""

    def compact(self, tables: Sequence[str]) -> None:
        """Nothing of what was deleted is left in unused parts of the files; on a server, of those of these tables."""

    def close(self) -> None:
        """Call when no thread uses it any more."""
