"""What the file system refuses, as errors for people: the only place where an OSError of a local folder is put into words."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from integrations.errors import IntegrationError, ReadOnly, Unavailable

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@contextmanager
def reading(place: Path) -> Iterator[None]:
    """Unavailable, naming the path that failed, else `place`."""
    try:
        yield
    except OSError as error:
        raise Unavailable(f"{_path(error, place)} can't be read: {_reason(error)}.") from error


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """ReadOnly where writing is not allowed, else Unavailable. FileExistsError and FileNotFoundError are left to the caller."""
    try:
        yield
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError as error:
        raise _refusal(error, place) from error


@contextmanager
def on_behalf_of(account: str, place: Path) -> Iterator[None]:
    """Errors name the account, and none is a bare OSError. For writers."""
    try:
        yield
    except IntegrationError as error:
        error.account = error.account or account
        raise
    except OSError as error:
        refusal = _refusal(error, place)
        refusal.account = account
        raise refusal from error


def _refusal(error: OSError, place: Path) -> IntegrationError:
    if error.errno in FULL:
        return Unavailable(f"The disk is full; nothing could be written to {place}.")
    if error.errno in REFUSED:
        return ReadOnly(f"{_path(error, place)} can't be written to: {_reason(error)}.")
    return Unavailable(f"{_path(error, place)} can't be used just now: {_reason(error)}.")


def _path(error: OSError, place: Path) -> str:
    return str(error.filename or place)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
