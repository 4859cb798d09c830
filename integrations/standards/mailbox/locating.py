"""Where a mail is now: where it was seen last, else wherever a search of each folder for its date and size finds it."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from integrations.errors import NotFound
from integrations.standards.imap.folders import Folder
from integrations.standards.imap.responses import Row
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.ids import DELETED, IDENTITY, Parts, belongs, mail_id, parts_of, seconds_of, state_of
from integrations.standards.mailbox.places import Places, Seen
from integrations.types import INBOX, TRASH

GONE = "The mail is no longer there."
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DAY = timedelta(days=1)
_MOST_ALIKE = 500
"""Mails of one day and size of which the headers are read."""
_AT_ONCE = 20
"""Mails looked for in one search."""


class Found(NamedTuple):
    """`flags` in lower case."""

    folder: Folder
    uid: int
    id: str
    flags: frozenset[str]
    moment: datetime
    modseq: int | None


def locate(session: Session, places: Places, id: str, etag: str = "") -> Found:
    """In the folder that the etag tells of, where it is there; else in the inbox, the others, Trash. Raises NotFound."""
    wanted = parts_of(id)
    if wanted is None:
        raise NotFound(GONE, session.server.account)
    told = state_of(etag)[0]
    for folder in _preferred(session.folders().all, told):
        if folder.name == TRASH != told:
            continue  # it may as well be somewhere else
        for uid in _seen_in(session, places, id, folder):
            if found := _there(session, folder, uid, id):
                return found
    for folder in _preferred(session.folders(fresh=True).all, told):  # one may have been renamed just now
        for uid in alike(session, places, folder, {id: wanted}).values():
            if found := _there(session, folder, uid, id):
                return found
    raise NotFound(GONE, session.server.account)


def still_there(session: Session, places: Places, ids: Iterable[str]) -> set[str]:
    """Those of these mails that are in some folder."""
    missing = {id: parts for id in ids if (parts := parts_of(id))}
    found: set[str] = set()
    for folder in session.folders().all:
        left = [id for id in missing if id not in found]
        for start in range(0, len(left), _AT_ONCE):
            with suppress(NotFound):
                found |= alike(session, places, folder, {id: missing[id] for id in left[start : start + _AT_ONCE]}).keys()
    return found


def identify(session: Session, places: Places, folder: Folder, uid: int) -> str:
    """The id of what is there. Raises NotFound."""
    try:
        return identified(session, places, folder, [uid])[uid]
    except KeyError:
        raise NotFound(GONE, session.server.account) from None


def identified(session: Session, places: Places, folder: Folder, uids: Sequence[int]) -> dict[int, str]:
    """The ids of those that are there, by UID."""
    validity = session.open(folder).uidvalidity
    known = places.ids(folder.path, validity, uids)
    missing = [uid for uid in uids if uid not in known]
    seen = [_seen(row) for row in session.fetch(missing, f"UID {IDENTITY}").rows if _whole(row)] if missing else []
    places.learn(folder.path, validity, seen)
    return known | {one.uid: one.id for one in seen}


def header_in(row: Row) -> bytes:
    return next((value for key, value in row.items() if key.startswith("BODY[HEADER") and isinstance(value, bytes)), b"")


def day(moment: datetime, days: int = 0) -> str:
    """As a search takes it; the server's own zone may have the day before or after."""
    with suppress(OverflowError):  # there is no day before the first
        moment += days * _DAY
    date = moment
    return f"{date.day}-{_MONTHS[date.month - 1]}-{date.year:04d}"


def _preferred(folders: Iterable[Folder], first: str) -> list[Folder]:
    order = {first: 0, INBOX: 1, TRASH: 3}
    return sorted(folders, key=lambda folder: order.get(folder.name, 2))


def _seen_in(session: Session, places: Places, id: str, folder: Folder) -> list[int]:
    """The UIDs there that the mail had, under the UIDVALIDITY that the folder has now."""
    spots = [spot for spot in places.spots(id) if spot.path == folder.path]
    if not spots:
        return []
    try:
        validity = session.open(folder).uidvalidity
    except NotFound:
        return []
    return [spot.uid for spot in spots if spot.validity == validity]


def _there(session: Session, folder: Folder, uid: int, id: str) -> Found | None:
    items = "UID FLAGS INTERNALDATE RFC822.SIZE" + (" MODSEQ" if "CONDSTORE" in session.capabilities else "")
    session.open(folder)
    for row in session.fetch([uid], items).rows:
        if row.get("UID") == uid and "INTERNALDATE" in row and belongs(id, row["INTERNALDATE"], row.get("RFC822.SIZE", 0)):
            flags = frozenset(map(str.lower, row.get("FLAGS", ())))
            if DELETED not in flags:
                return Found(folder, uid, id, flags, row["INTERNALDATE"], row.get("MODSEQ"))
    return None


def alike(session: Session, places: Places, folder: Folder, wanted: dict[str, Parts]) -> dict[str, int]:
    """Those of the mails wanted that are in the folder, by id."""
    try:
        session.open(folder)
        uids = session.search("UNDELETED", *_any([_criteria(parts) for parts in wanted.values()]))
    except NotFound:
        return {}
    found = identified(session, places, folder, uids[-_MOST_ALIKE:]) if uids else {}
    return {id: uid for uid, id in found.items() if id in wanted}


def _criteria(parts: Parts) -> str:
    around = f"SINCE {day(parts.moment, -1)} BEFORE {day(parts.moment, 2)}"
    return f"({around} LARGER {max(0, parts.size - 1)} SMALLER {parts.size + 1})"


def _any(criteria: Sequence[str]) -> list[str]:
    return [*["OR"] * (len(criteria) - 1), *criteria]


def _whole(row: Row) -> bool:
    return {"UID", "INTERNALDATE", "RFC822.SIZE"} <= row.keys() and bool(header_in(row))


def _seen(row: Row) -> Seen:
    id = mail_id(row["INTERNALDATE"], row["RFC822.SIZE"], header_in(row))
    return Seen(row["UID"], seconds_of(row["INTERNALDATE"]), id)
