"""What was written under a key, found again by its Message-ID, and put where it belongs. Blocking, within a piece of work of
Imap's."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from integrations.common.remote import after_the_write
from integrations.errors import NotFound, ReadOnly
from integrations.standards.imap.folders import Folder
from integrations.standards.imap.imap_errors import Unsearchable
from integrations.standards.imap.responses import Row
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.ids import DELETED
from integrations.standards.mailbox.locating import header_in
from integrations.types import DRAFTS, OUTBOX, SENT

DRAFT = "\\draft"
DRAFT_GONE = "The draft is no longer there."
NEWEST = 40
"""So many of the newest are looked through where a search finds nothing: it may not know yet of what has just come."""
_LOOK = "(UID FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])"


class Copy(NamedTuple):
    """Where a mail lies; `flags` in lower case."""

    folder: Folder
    validity: int
    uid: int
    flags: frozenset[str] = frozenset()

    @property
    def place(self) -> tuple[int, int]:
        """Of a folder's numbers no two are alike."""
        return self.validity, self.uid

    @property
    def went_out(self) -> bool:
        """It is no draft: it lies in Sent, or has come in somewhere."""
        return self.folder.name == SENT or not (self.folder.name in (DRAFTS, OUTBOX) or DRAFT in self.flags)


def folder_for(session: Session, name: str) -> Folder:
    """A special one, which is made where it is missing."""
    folders = session.folders()
    if folder := folders.named(name):
        return folder
    session.create(folders.special(name))
    return session.folders(fresh=True).special(name)


def copies(session: Session, message_id: str, *names: str, deleted: bool = False) -> list[Copy]:
    """In the folders so called, as far as there are such; in all of them where none is named. `deleted`: those that are only marked
    as deleted, too."""
    folders = session.folders()
    if not all(map(folders.named, names)) or not names:
        folders = session.folders(fresh=True)
    found: list[Copy] = []
    for folder in [folder for name in names if (folder := folders.named(name))] if names else folders.all:
        with suppress(NotFound):
            found += _in_folder(session, folder, message_id)
    return [copy for copy in found if deleted or DELETED not in copy.flags]


def _in_folder(session: Session, folder: Folder, message_id: str) -> list[Copy]:
    opened = session.open(folder)
    try:
        uids = session.search("HEADER", "Message-ID", message_id.encode())
    except Unsearchable:
        uids = []
    rows = session.fetch(uids, _LOOK).rows if uids else []
    if not rows and folder.name in (DRAFTS, SENT) and opened.exists:
        rows = session.fetch(f"{max(1, opened.uidnext - NEWEST)}:*", _LOOK).rows
    ours = [row for row in rows if message_id.encode() in header_in(row)]
    return [Copy(folder, opened.uidvalidity, row["UID"], _flags(row)) for row in ours]


def append(session: Session, name: str, raw: bytes, message_id: str, flags: Sequence[str], date: datetime | None) -> Copy:
    folder = folder_for(session, name)
    uid = session.append(folder, raw, flags, date)
    with after_the_write(session.server.account):
        if uid is not None:
            return Copy(folder, session.open(folder).uidvalidity, uid, frozenset(map(str.lower, flags)))
        written = _in_folder(session, folder, message_id)
        if not written:
            raise NotFound("The mail was gone just after it was written.", session.server.account)
        return written[-1]


def first_of(session: Session, copy: Copy, message_id: str) -> Copy:
    """Where somebody else has written the same at the same time the later one goes."""
    first = min(copies(session, message_id, copy.folder.name), key=lambda one: one.uid, default=copy)
    if first.uid >= copy.uid:
        return copy
    remove(session, copy)
    return first


def open_at(session: Session, copy: Copy) -> None:
    """For writing. Raises NotFound where its number means something else by now."""
    if session.open(copy.folder, writing=True).uidvalidity != copy.validity:
        raise NotFound(f"The folder {copy.folder.name} was renumbered.", session.server.account)


def flags_now(session: Session, copy: Copy) -> frozenset[str] | None:
    """None where it is gone, or about to be."""
    rows = session.fetch([copy.uid], "(UID FLAGS)").rows
    flags = _flags(rows[-1]) if rows else frozenset({DELETED})
    return None if DELETED in flags else flags


def remove(session: Session, copy: Copy) -> None:
    """For good; where the server can't remove a single mail it is only marked as deleted."""
    open_at(session, copy)
    session.store([copy.uid], "+FLAGS", ["\\Deleted"])
    with suppress(ReadOnly):
        session.expunge(copy.uid)


def move(session: Session, copy: Copy, to: Folder, message_id: str) -> Copy:
    """With its flags."""
    open_at(session, copy)
    try:
        uid = session.move(copy.uid, to)
    except ReadOnly:
        return _carry(session, copy, to, message_id)
    if uid is not None:
        return Copy(to, session.open(to).uidvalidity, uid, copy.flags)
    moved = _in_folder(session, to, message_id)
    if not moved:
        raise NotFound(DRAFT_GONE, session.server.account)
    return moved[-1]


def _carry(session: Session, copy: Copy, to: Folder, message_id: str) -> Copy:
    """Where the server can neither move nor remove a single mail."""
    rows = session.fetch([copy.uid], "(UID INTERNALDATE BODY.PEEK[])").rows
    if not rows:
        raise NotFound(DRAFT_GONE, session.server.account)
    kept = [flag for flag in copy.flags if flag.isascii() and not flag.startswith("\\recent")]
    there = append(session, to.name, rows[-1]["BODY[]"], message_id, kept, rows[-1]["INTERNALDATE"])
    remove(session, copy)
    return there


def unflag(session: Session, copy: Copy, unwanted: Iterable[str]) -> Copy:
    gone = copy.flags & frozenset(unwanted)
    if gone:
        open_at(session, copy)
        session.store([copy.uid], "-FLAGS", sorted(gone))
    return copy._replace(flags=copy.flags - gone)


def _flags(row: Row) -> frozenset[str]:
    return frozenset(map(str.lower, row.get("FLAGS", ())))
