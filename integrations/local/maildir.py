"""Maildir++ on disk: names, flags, folders, and the only ways a file is added or renamed here."""

import base64
import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from integrations.errors import Conflict, NotFound, Unavailable
from integrations.local.disk import reading, writing
from integrations.local.still import Times, above, identity, times_of
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH, Skipped

SPECIAL = (INBOX, SENT, DRAFTS, OUTBOX, ARCHIVE, TRASH)
SEEN, FLAGGED, ANSWERED, PASSED, DRAFT, TRASHED = "S", "F", "R", "P", "D", "T"
_FLAGS = frozenset("DFPRST")
_ALIASES = {
    "sent items": SENT,
    "sent mail": SENT,
    "sent messages": SENT,
    "deleted items": TRASH,
    "deleted messages": TRASH,
    "archives": ARCHIVE,
    "draft": DRAFTS,
}
_INFO = re.compile(r"[:;!]2,([A-Za-z]*)$")
_UID = re.compile(r",U=\d+")
_SHIFTED = re.compile(r"&([^-&]*)-")
_DEEPEST = 4


class Folder(NamedTuple):
    """`name` as shown ("Lists/python"); `path` holds cur, new and tmp."""

    name: str
    path: Path


class Located(NamedTuple):
    """Where a mail is. `flags` are the standard ones, sorted; `extra` the letters other programs keep there."""

    folder: Folder
    sub: str
    name: str
    id: str
    flags: str
    extra: str

    @property
    def path(self) -> Path:
        return self.folder.path / self.sub / self.name

    @property
    def etag(self) -> str:
        return etag(self.folder.name, self.flags)


# Names ---------------------------------------------------------------------------------------------------------------


def split_name(name: str) -> tuple[str, str, str]:
    """A file's name as (id, standard flags, other letters)."""
    found = _INFO.search(name)
    if not found:
        return name, "", ""
    letters = sorted(set(found[1]))
    flags, extra = (letter for letter in letters if letter in _FLAGS), (letter for letter in letters if letter not in _FLAGS)
    return name[: found.start()], "".join(flags), "".join(extra)


def join_name(mail_id: str, flags: str, extra: str = "") -> str:
    return f"{mail_id}:2,{''.join(sorted(set(flags + extra)))}"


def stable(mail_id: str) -> str:
    """The id without the UID that mbsync drops and renews when a mail is moved."""
    return _UID.sub("", mail_id)


def etag(folder: str, flags: str) -> str:
    return f"{folder}:{''.join(sorted(flags))}"


def state_of(tag: str) -> tuple[str, str]:
    """(folder, flags) of an etag."""
    folder, _, flags = tag.rpartition(":")
    return folder, flags


def _decoded(name: str) -> str:
    """From modified UTF-7, in which Dovecot and mbsync write folder names."""

    def shifted(found: re.Match[str]) -> str:
        if not found[1]:
            return "&"
        coded = found[1].replace(",", "/")
        return base64.b64decode(coded + "=" * (-len(coded) % 4)).decode("utf-16-be")

    try:
        return _SHIFTED.sub(shifted, name)
    except ValueError:
        return name


# Folders -------------------------------------------------------------------------------------------------------------


class Layout(NamedTuple):
    """`visited` are the directories in which another folder would show, each as it was just before it was read; `unread` those that
    could not be looked into."""

    folders: tuple[Folder, ...]
    visited: Mapping[str, Times]
    unread: tuple[Skipped, ...] = ()


class _Survey:
    """One look through all folders below `root`: dotted names of Maildir++, and plain directories as mbsync's Verbatim writes
    them. Each is met once, under its own name rather than a link's; links to what holds the root are left alone."""

    def __init__(self, root: Path) -> None:
        self.found: list[tuple[str, Path]] = []
        self.times = {str(root): times_of(str(root))}
        self.unread: list[Skipped] = []
        self._visited = {*above(root), identity(str(root))}
        self._links: list[tuple[Path, str, int]] = []
        self._look_below(root, "", 0)
        while self._links:
            self._take(*self._links.pop(0))

    def _look_below(self, path: Path, prefix: str, depth: int) -> None:
        for name, linked in _directories(path):
            if linked:
                self._links.append((path / name, prefix, depth))
            else:
                self._take(path / name, prefix, depth)

    def _take(self, path: Path, prefix: str, depth: int) -> None:
        try:
            known = identity(str(path))
            if known in self._visited:
                return
            self._visited.add(known)
            self.times[str(path)] = times_of(str(path))
            self._name(path, prefix, (path / "cur").is_dir())
            if depth < _DEEPEST and not path.name.startswith("."):
                self._look_below(path, f"{prefix}{_decoded(path.name)}/", depth + 1)
        except FileNotFoundError:  # taken away while we looked
            return
        except OSError as error:
            self.unread.append(Skipped(where=f"{prefix}{path.name}", reason=f"the folder can't be read ({error.strerror})"))

    def _name(self, path: Path, prefix: str, is_folder: bool) -> None:
        if not is_folder:
            return
        if not path.name.startswith("."):
            self.found.append((prefix + _decoded(path.name), path))
        elif not prefix:
            self.found.append((_decoded(path.name[1:]).replace(".", "/"), path))


def _directories(path: Path) -> list[tuple[str, bool]]:
    """(name, whether it is a link) of those below that might be folders or hold some."""
    with os.scandir(path) as entries:
        return sorted((entry.name, entry.is_symlink()) for entry in entries if _may_hold_folders(entry))


def _may_hold_folders(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.name not in ("cur", "new", "tmp") and entry.is_dir()
    except OSError:  # a link to where nobody may look
        return False


def folders(root: Path) -> tuple[Folder, ...]:
    """All folders, INBOX first; common other names of special folders are shown as those, where these are not there."""
    return layout(root).folders


def layout(root: Path) -> Layout:
    with reading(root):
        if not root.is_dir():
            return Layout((), {})
        survey = _Survey(root)
        found = [(INBOX, root)] if (root / "cur").is_dir() or (root / "new").is_dir() else []
    found += survey.found
    taken = {name for name, _ in found}
    shown: dict[str, Path] = {}
    for name, path in found:
        special = next((one for one in SPECIAL if one.lower() == name.lower()), None)
        alias = special or _ALIASES.get(name.removeprefix("[Gmail]/").removeprefix("INBOX/").lower(), name)
        shown.setdefault(name if alias in taken else alias, path)
        taken.add(alias)
    return Layout(tuple(Folder(name, path) for name, path in shown.items()), survey.times, tuple(survey.unread))


def folder_for(root: Path, name: str) -> Folder:
    """The folder of that name; a special one is made where it is missing, any other is NotFound."""
    known = folders(root)
    for folder in known:
        if folder.name.lower() == name.lower():
            return folder
    special = next((one for one in SPECIAL if one.lower() == name.lower()), None)
    if special is None:
        names = ", ".join(folder.name for folder in known)
        raise NotFound(f"There is no mail folder called {name}; there are: {names}.")
    nested = bool(known) and not any(folder.path == root or folder.path.name.startswith(".") for folder in known)
    path = root / special if nested else root if special == INBOX else root / f".{special}"
    with disk_errors(path):
        for sub in ("tmp", "new", "cur"):
            (path / sub).mkdir(parents=True, exist_ok=True, mode=0o700)
        if path != root and not nested:
            (path / "maildirfolder").touch()
    return Folder(special, path)


# Writing -------------------------------------------------------------------------------------------------------------


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """What the file system refuses, as errors for people."""
    try:
        with writing(folder):
            yield
    except (FileNotFoundError, FileExistsError) as error:
        raise Unavailable(f"The mail folder {folder} can't be used just now: {error.strerror}.") from error


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _place(source: Path, target: Path) -> None:
    """Moves within one file system, never over an existing file."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise Conflict(f"There is already a mail called {target.name}.") from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS):
            raise
        if target.exists():  # no hard links here: as near as this file system allows
            raise Conflict(f"There is already a mail called {target.name}.") from None
        os.rename(source, target)
    else:
        os.unlink(source)


def deliver(folder: Folder, mail_id: str, flags: str, data: bytes) -> Located:
    """A new mail, complete and on disk before it shows."""
    name = join_name(mail_id, flags)
    draft = folder.path / "tmp" / mail_id
    target = Located(folder, "cur", name, mail_id, "".join(sorted(flags)), "")
    with disk_errors(folder.path):
        try:
            _write(draft, data)
            _place(draft, target.path)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
        _sync_directory(target.path.parent)
    return target


def _write(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _rename(mail: Located, target: Located) -> Located:
    if target.path == mail.path:
        return mail
    with disk_errors(target.folder.path):
        if target.path.exists():
            raise Conflict(f"There is already a mail called {target.name} in {target.folder.name}.")
        try:
            os.rename(mail.path, target.path)
        except FileNotFoundError:
            raise Conflict("The mail was moved or marked by another program meanwhile.") from None
        _sync_directory(target.path.parent)
    return target


def set_flags(mail: Located, flags: str) -> Located:
    """Other letters stay; a mail with flags is no longer new."""
    flags = "".join(sorted(set(flags)))
    if flags == mail.flags:
        return mail
    return _rename(mail, mail._replace(sub="cur", name=join_name(mail.id, flags, mail.extra), flags=flags))


def move(mail: Located, folder: Folder) -> Located:
    """Flags stay; Dovecot's own letters don't, since each folder numbers its keywords differently."""
    if folder.path == mail.folder.path:
        return mail
    mail_id = stable(mail.id)
    name = mail_id if mail.sub == "new" else join_name(mail_id, mail.flags)
    return _rename(mail, Located(folder, mail.sub, name, mail_id, mail.flags, ""))
