"""What an import is told and what it tells."""

from collections.abc import Callable, Mapping
from pathlib import Path

from integrations.types import Skipped, Value

OnProgress = Callable[[int, int, str], None]
"""Called with bytes read, bytes in all, and the file at hand."""


class LocalFolders(Value):
    """Where imported items go; None where the account has no such folder."""

    mail: Path | None = None
    calendars: Path | None = None
    contacts: Path | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "LocalFolders":
        """From a local account's settings, where a folder may be missing or empty."""
        return cls(**{name: Path(settings[name]) for name in cls.model_fields if settings.get(name)})


class ImportReport(Value):
    """`events` counts calendar objects: a series with its exceptions is one."""

    mails: int = 0
    events: int = 0
    contacts: int = 0
    duplicates: int = 0
    skipped: tuple[Skipped, ...] = ()

    @property
    def taken(self) -> int:
        return self.mails + self.events + self.contacts


class Tally:
    def __init__(self) -> None:
        self.mails = self.events = self.contacts = self.duplicates = 0
        self._skipped: list[Skipped] = []

    def skip(self, where: str, reason: str) -> None:
        self._skipped.append(Skipped(where=where, reason=reason))

    def report(self) -> ImportReport:
        return ImportReport(
            mails=self.mails,
            events=self.events,
            contacts=self.contacts,
            duplicates=self.duplicates,
            skipped=tuple(self._skipped),
        )
