"""The directories of a Maildir that hold mails, and what is in them; whether they changed is told by their times."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from integrations.local.maildir import Folder, Located, layout, split_name
from integrations.local.still import Still, Times, settled, times_of
from integrations.types import Skipped


class Directory(NamedTuple):
    """A cur or new of a folder; `stamp` its modification time in ns, 0 while a change might still hide in the same tick."""

    folder: Folder
    sub: str
    path: str
    stamp: int


class Look(NamedTuple):
    """`times` are those of all directories in which a change could show, each taken before it was read."""

    directories: Sequence[Directory]
    unread: tuple[Skipped, ...]
    times: Mapping[str, Times]


class Watch:
    """Remembers the look whose changes have been followed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._still = Still()

    def quiet(self) -> bool:
        """Whether nothing at all has changed since then."""
        return self._still.holds()

    def look(self) -> Look:
        there = layout(self._root)
        times = dict(there.visited)
        found: list[Directory] = []
        unread = list(there.unread)
        for folder in there.folders:
            for sub in ("new", "cur"):
                path = f"{folder.path}{os.sep}{sub}"
                try:
                    changed = times_of(path)
                    os.scandir(path).close()
                except (FileNotFoundError, NotADirectoryError):  # made later, it shows in the folder's own times
                    continue
                except OSError as error:
                    unread.append(Skipped(where=f"{folder.name}/{sub}", reason=f"the folder can't be read ({error.strerror})"))
                    continue
                times[path] = changed
                found.append(Directory(folder, sub, path, changed[0] if settled(changed[0]) else 0))
        return Look(found, tuple(unread), {} if unread else times)

    def followed(self, look: Look) -> None:
        self._still.remember(look.times)

    def forget(self) -> None:
        self._still.forget()


def names_in(path: str) -> set[str]:
    """Everything in the directory; asking which are mails is dear, so only new ones are asked."""
    return set(os.listdir(path))


def may_be_mail(path: str, name: str) -> bool:
    return name[0] != "." and name.isprintable() and os.path.isfile(os.path.join(path, name))


def located(directory: Directory, name: str) -> Located:
    mail_id, flags, extra = split_name(name)
    return Located(directory.folder, directory.sub, name, mail_id, flags, extra)
