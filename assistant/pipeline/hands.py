"""Which writes this process has in hand, and which it has let go of though their end could not be stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from storage.tables import OutboxRow


class Hands:
    def __init__(self) -> None:
        self._begun: dict[str, datetime] = {}
        self._let_go: dict[str, datetime] = {}

    @contextmanager
    def at(self, row: OutboxRow, begun: datetime) -> Iterator[None]:
        """An attempt at a row, from `begun` on, as it is stored."""
        self._begun[row.key] = begun
        try:
            yield
        finally:
            if row.key in self._begun:
                self._let_go[row.key] = self._begun.pop(row.key)

    def stored(self, row: OutboxRow) -> None:
        """What came of it is in the database."""
        self._begun.pop(row.key, None)
        self._let_go.pop(row.key, None)

    def hold(self, row: OutboxRow) -> bool:
        return row.key in self._begun

    def have_let_go(self, row: OutboxRow) -> bool:
        """False where somebody else has begun it since."""
        return self._let_go.get(row.key) == row.updated
