"""Texts sealed with a key that lies outside the database. `cryptography` is imported where something is sealed or opened."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from storage.errors import StorageError

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

KEY_FILE = "secret.key"
"""The name in a home."""


def holds_key(name: str) -> bool:
    """Whether a file of this name in a home is the key, or what an interruption left of making it."""
    return name == KEY_FILE or name.startswith(_made(KEY_FILE))


class Seal:
    """Under `key`, 32 bytes in URL-safe base64; where it is empty, under the one in `file`, which is made on first use."""

    def __init__(self, file: Path, key: str = "") -> None:
        self._file, self._key = file, key

    def close(self, text: str) -> str:
        """Sealed. Raises StorageError where there is no usable key, and none can be made."""
        kind = _fernet()
        if not self._key and not self._file.exists():
            _keep(kind.generate_key(), self._file)
        fernet = self._under_key(kind)
        if fernet is None:
            raise StorageError(
                f"There is no usable key in {self._file}; put the right one back, or remove the file to begin with a new one: "
                "then each account must be connected again."
            )
        return fernet.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str | None:
        """None where it was sealed with another key, or is damaged."""
        fernet = self._under_key(_fernet())
        if fernet is None:
            return None
        from cryptography.fernet import InvalidToken

        try:
            return fernet.decrypt(sealed).decode()
        except InvalidToken:
            return None

    def _under_key(self, kind: "type[Fernet]") -> "Fernet | None":
        try:
            return kind(self._key or self._file.read_text(encoding="ascii").strip())
        except (FileNotFoundError, ValueError):
            return None


def _fernet() -> "type[Fernet]":
    try:
        from cryptography.fernet import Fernet
    except ImportError as missing:
        raise StorageError("To keep what accounts sign in with needs a further package: pip install cryptography") from missing
    return Fernet


def _keep(key: bytes, file: Path) -> None:
    """Whole or not at all; one that somebody else makes at the same moment is left."""
    handle, made = tempfile.mkstemp(prefix=_made(file.name), dir=file.parent)  # readable by the owner alone
    try:
        with os.fdopen(handle, "wb") as writing:
            writing.write(key)
            writing.flush()
            os.fsync(writing.fileno())
        _place(made, file)
    finally:
        Path(made).unlink(missing_ok=True)


def _place(made: str, file: Path) -> None:
    try:
        os.link(made, file)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not file.exists():
            os.rename(made, file)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """So that what was moved before is on disk before what comes after."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _made(name: str) -> str:
    """How the name begins under which it is written first."""
    return f".{name}-"
