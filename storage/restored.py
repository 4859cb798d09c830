"""What is known of a database that was put back from a backup: it does not know what was done between."""

from datetime import datetime
from pathlib import Path

from storage import settings
from storage.errors import StorageError
from storage.session import Session

UNPACKED = ".restore-unpacked"
"""The folder in a home that is being put in place."""
RESTORED = "restored"
"""The key under which the time of the last restore is kept."""


def check_whole(home: Path) -> None:
    """Raises StorageError where a restore was interrupted while it put files into their places."""
    if (home / UNPACKED).exists():
        raise StorageError(
            f"A restore into {home} was interrupted, so it is not whole; repeat it: assistant restore FILE --replace."
        )


def identity(path: Path | None) -> tuple[int, int] | None:
    """Of the file that is there now; None where there is none."""
    try:
        status = path.stat() if path else None
    except FileNotFoundError:
        return None
    return (status.st_dev, status.st_ino) if status else None


def note(s: Session, at: datetime) -> None:
    """It is kept with the owner's settings, and holds for everybody."""
    settings.put(s, RESTORED, at.isoformat())


def at(s: Session) -> datetime | None:
    """When the database was last put back."""
    noted = settings.get(s, RESTORED)
    return datetime.fromisoformat(noted) if noted else None
