"""Whether a folder that was there once still is: a disk that is not mounted must not look like an empty calendar."""

import hashlib
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from integrations.errors import ReadOnly, Unavailable


def marker_file(index: Path, account: str, root: Path) -> Path:
    """One file per account and folder."""
    slug = re.sub(r"[^\w-]+", "-", account)[:40]
    digest = hashlib.sha256(f"{account}\0{root.absolute()}".encode()).hexdigest()[:10]
    return index / f"seen-{slug}-{digest}"


def remember_folders(account: str, folders: Iterable[Path], index: Path) -> None:
    """From now on these are missed where they are gone."""
    for root in folders:
        Standing(root, marker_file(index, account, root)).look()


class Standing:
    """`marker` remembers that the folder was there, and on which mount, from one run to the next. A folder that never was there
    counts as empty."""

    def __init__(self, root: Path, marker: Path | None = None) -> None:
        self._root, self._marker = root, marker
        self._mount = ""

    def look(self, *, expected: bool = False) -> bool:
        """Whether it is there; Unavailable where it was once, or is `expected`, and now is not or can't be read."""
        try:
            with os.scandir(self._root) as listing:
                empty = next(listing, None) is None
        except (FileNotFoundError, NotADirectoryError):
            if expected or self._seen():
                raise self._missing() from None
            return False
        except OSError as error:
            raise self._missing() from error
        if empty and (mount := self._seen()) and not os.path.ismount(mount):
            raise self._missing()
        self._remember()
        return True

    def refuse(self) -> None:
        """ReadOnly where nothing may be written for the same reason: nothing has been tried, so the outcome is certain."""
        try:
            self.look()
        except Unavailable as missing:
            raise ReadOnly(str(missing)) from missing

    def _missing(self) -> Unavailable:
        return Unavailable(f"The folder {self._root} is not there or can't be read; is a disk not mounted?")

    def _seen(self) -> str:
        """Where what it lay on was mounted; empty where it never was seen."""
        if not self._mount and self._marker is not None:
            with suppress(OSError, ValueError):
                self._mount = self._marker.read_text(encoding="utf-8").strip() or os.sep
        return self._mount

    def _remember(self) -> None:
        mount = _mount_of(self._root)
        if mount == self._seen():
            return
        self._mount = mount
        if self._marker is not None:
            with suppress(OSError):  # then it is remembered for this run only
                self._marker.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with open(os.open(self._marker, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                    file.write(self._mount)


def _mount_of(path: Path) -> str:
    with suppress(OSError, RuntimeError):
        place = path.resolve()
        return str(next((above for above in (place, *place.parents) if os.path.ismount(above)), place.anchor))
    return os.sep
