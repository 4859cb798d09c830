"""What has happened to mails since: by comparing which ones each folder has, and which of those are read and flagged, with a
picture of that which was kept then. Folders that the server knows to be unchanged (CONDSTORE) are not looked into."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from integrations.errors import NotFound
from integrations.standards.imap.folders import Folder
from integrations.standards.imap.responses import Garbled, sets_of, uids_of
from integrations.standards.imap.session import Session, Status
from integrations.standards.mailbox.locating import identified, still_there
from integrations.standards.mailbox.places import Places
from integrations.types import Changes, MailRef

MOST_TOLD = 3000
"""Mails of which one can be told; where there are more, everything may as well be looked at again."""
MOST_SOUGHT = 200
"""Mails that have left a folder and are looked for in the others."""
_UNBOUNDED = 1 << 40


class Shown(NamedTuple):
    """A folder in a picture: its state when it was looked into, and UIDs."""

    status: Status
    all: frozenset[int]
    seen: frozenset[int]
    flagged: frozenset[int]


Picture = Mapping[str, Shown]
"""By the folder's path."""


def changes(session: Session, places: Places, since: str = "") -> Changes:
    account = session.server.account
    before = _kept(places, since)
    folders = {folder.path: folder for folder in session.folders(fresh=True).all}
    now = _taken(session, folders.values(), before or {})
    if before is None:
        return Changes(cursor=_written(places, now), complete=not since)
    cursor = since if now == before else _written(places, now)
    told = _told(session, places, folders, before, now)
    if told is None:
        return Changes(cursor=cursor, complete=False)
    changed, gone = ([MailRef(account=account, id=id) for id in sorted(ids)] for ids in told)
    return Changes(cursor=cursor, changed=tuple(changed), gone=tuple(gone))


# Pictures ------------------------------------------------------------------------------------------------------------


def _taken(session: Session, folders: Iterable[Folder], before: Picture) -> dict[str, Shown]:
    """What happens while it is taken is told the next time."""
    picture = {}
    for folder, status in session.statuses(folders).items():
        known = before.get(folder.path)
        if known and known.status == status and status.modseq is not None:
            picture[folder.path] = known
            continue
        with suppress(NotFound):
            session.open(folder)
            picture[folder.path] = Shown(
                status, *(frozenset(session.search("UNDELETED", *flag)) for flag in ((), ("SEEN",), ("FLAGGED",)))
            )
    return picture


def _written(places: Places, picture: Picture) -> str:
    told = {path: [*one.status, *map(_set, one[1:])] for path, one in picture.items()}
    return f"{places.birth}.{places.keep_picture(json.dumps(told))}"


def _kept(places: Places, cursor: str) -> Picture | None:
    """None where there is no such picture."""
    birth, _, number = cursor.partition(".")
    if birth != places.birth or not number.isdecimal() or len(number) > 15:
        return None
    try:
        told = json.loads(places.picture(int(number)))
        return {path: Shown(Status(*one[:4]), *map(_uids, one[4:])) for path, one in told.items()}
    except (ValueError, TypeError, Garbled):
        return None


def _set(uids: object) -> str:
    return ",".join(sets_of(uids, _UNBOUNDED, _UNBOUNDED)) if isinstance(uids, frozenset) else ""


def _uids(text: str) -> frozenset[int]:
    return frozenset(uids_of(text)) if text else frozenset()


# What has happened ---------------------------------------------------------------------------------------------------


def _told(
    session: Session, places: Places, folders: Mapping[str, Folder], before: Picture, now: Picture
) -> tuple[set[str], set[str]] | None:
    """(the ids of mails that have come, were marked or moved, of those that are gone); None where that can't be told."""
    touched, left = dict[str, frozenset[int]](), dict[tuple[str, int], frozenset[int]]()
    for path in before.keys() | now.keys():
        then, today = before.get(path), now.get(path)
        if then and today and then.status.uidvalidity != today.status.uidvalidity:
            return None
        if today:
            touched[path] = _touched(then, today)
        if then:
            left[path, then.status.uidvalidity] = then.all - (today.all if today else frozenset())
    if sum(map(len, touched.values())) > MOST_TOLD:
        return None
    changed = {id for path, uids in touched.items() for id in _ids(session, places, folders[path], uids)}
    missing = {id for (path, validity), uids in left.items() for id in places.ids(path, validity, sorted(uids)).values()} - changed
    if len(missing) > MOST_SOUGHT:
        return None
    elsewhere = still_there(session, places, missing)
    return changed | elsewhere, missing - elsewhere


def _touched(then: Shown | None, today: Shown) -> frozenset[int]:
    if then is None:
        return today.all
    marked = (then.seen ^ today.seen) | (then.flagged ^ today.flagged)
    return (today.all - then.all) | (marked & today.all)


def _ids(session: Session, places: Places, folder: Folder, uids: Iterable[int]) -> set[str]:
    """Of those that are still there."""
    wanted = sorted(uids)
    try:
        return set(identified(session, places, folder, wanted).values()) if wanted else set()
    except NotFound:
        return set()
