"""Who answers whom: the mails of a thread, told by Message-ID, References and In-Reply-To."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from functools import partial

from integrations.common.mime import Parsed
from integrations.errors import NotFound
from integrations.standards.imap.folders import Folder
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.imap_errors import Unsearchable
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.heads import Head, read_heads
from integrations.standards.mailbox.ids import parts_of
from integrations.standards.mailbox.locating import locate
from integrations.standards.mailbox.mail_query import Criteria, any_of
from integrations.standards.mailbox.places import Places

MOST_MAILS, MOST_ROUNDS, IDS_AT_ONCE = 500, 10, 20
_HEADERS = ("HEADER MESSAGE-ID", "HEADER IN-REPLY-TO", "HEADER REFERENCES")
_ID = re.compile(r"<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>")


def ids_of(head: Parsed) -> tuple[str, ...]:
    """Its own and those of what it answers, the root first."""
    return tuple(filter(None, (*head.references, head.in_reply_to, head.message_id)))


def names_of(places: Places, heads: Iterable[Head]) -> dict[str, str]:
    """What their threads are called, by the mails' ids: by the root as far as it is known, else by the mail itself."""
    firsts = {head.id: ids_of(head.parsed) for head in heads}
    known = places.threads(list({one for ids in firsts.values() for one in (ids[:1] + ids[-1:])}))
    return {id: known.get(ids[-1], ids[0]) if ids else id for id, ids in firsts.items()}


class Threads:
    def __init__(self, imap: Imap, places: Places) -> None:
        self._imap, self._places = imap, places

    async def members(self, thread: str, folders: Sequence[Folder]) -> list[Head]:
        """Those in these folders. What only answers an answer is found by it."""
        if parts_of(thread):
            return await self._alone(thread, folders)
        asked: set[str] = set()
        new = set(filter(_ID.fullmatch, (thread, *await asyncio.to_thread(self._places.relatives, thread))))
        found: dict[str, Head] = {}
        for _ in range(MOST_ROUNDS):
            if not new or len(found) >= MOST_MAILS:
                break
            asked |= new
            for head in await self._with_any(sorted(new), folders):
                found.setdefault(head.id, head)
            new = {id for head in found.values() for id in ids_of(head.parsed) if _ID.fullmatch(id)} - asked
        return sorted(found.values(), key=lambda head: head.place)[:MOST_MAILS]

    async def _alone(self, id: str, folders: Sequence[Folder]) -> list[Head]:
        """A mail without any id; what has one is of the thread that this tells."""

        def read(session: Session) -> list[Head]:
            try:
                found = locate(session, self._places, id)
                return read_heads(session, self._places, found.folder, [found.uid])[0] if found.folder in folders else []
            except NotFound:
                return []

        return [head for head in await self._imap.read(read) if not ids_of(head.parsed)]

    async def _with_any(self, ids: Sequence[str], folders: Sequence[Folder]) -> list[Head]:
        chunks = [ids[start : start + IDS_AT_ONCE] for start in range(0, len(ids), IDS_AT_ONCE)]
        read = [self._imap.read(partial(self._in, folder, chunk)) for folder in folders for chunk in chunks]
        wanted = set(ids)
        return [head for heads in await asyncio.gather(*read) for head in heads if wanted & {*ids_of(head.parsed)}]

    def _in(self, folder: Folder, ids: Sequence[str], session: Session) -> list[Head]:
        """Some may only look as if."""
        keys: list[Criteria] = [[header, id.strip("<>").encode()] for id in ids for header in _HEADERS]
        try:
            session.open(folder)
            uids = session.search("UNDELETED", *any_of(keys))
            return read_heads(session, self._places, folder, uids[-MOST_MAILS:])[0] if uids else []
        except (NotFound, Unsearchable):
            return []
