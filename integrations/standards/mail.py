"""Reading mail at an IMAP server."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from zoneinfo import ZoneInfo

from integrations.common.mail_people import Exchanged, correspondents
from integrations.common.mime import part_bytes, read_message
from integrations.errors import InvalidResponse, NotFound
from integrations.standards.imap.folders import SPECIAL, Folder, Folders
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.heads import STATE, Head, body_in, head_of
from integrations.standards.mailbox.locating import GONE, locate
from integrations.standards.mailbox.mail_changes import changes
from integrations.standards.mailbox.mail_hits import KeptHits
from integrations.standards.mailbox.mail_search import Search, chosen
from integrations.standards.mailbox.places import Places
from integrations.standards.mailbox.structure import part_of
from integrations.standards.mailbox.threads import Threads, names_of
from integrations.types import OUTBOX, SENT, Changes, Correspondent, Mail, MailQuery, MailRef, Page

MOST_SENT, MOST_RECEIVED = 200, 300
"""The newest mails that tell who the correspondents are."""
_READ_AT_ONCE = 20


class StandardsMailReader:
    """Times are given in `zone`; a mail's is that at which the server took it in. A thread leaves out what lies in Trash, Drafts
    and Spam."""

    def __init__(self, imap: Imap, places: Places, *, account: str, owner: str, zone: ZoneInfo) -> None:
        self._imap, self._places = imap, places
        self._account, self._owner, self._zone = account, owner, zone
        self._threads = Threads(imap, places)
        self._hits = KeptHits()

    async def search(self, query: MailQuery) -> Page[Mail]:
        folders = await self._folders()
        among = None
        if query.thread:
            among = dict[str, set[int]]()
            for head in await self._threads.members(query.thread, chosen(query.folders, folders)):
                among.setdefault(head.folder.path, set()).add(head.uid)
        found = await Search(self._imap, self._places, query, folders, among, self._hits).page()
        items = await self._mails(found.messages)
        return Page[Mail](items=items, next=found.next, total=found.total, skipped=tuple(found.skipped))

    async def get(self, ref: MailRef) -> Mail:
        def read(session: Session) -> Head:
            found = locate(session, self._places, ref.id, ref.etag)
            return next(iter(self._whole(session, found.folder, {found.uid: found.id})), None) or self._gone()

        (mail,) = await self._mails([await self._imap.read(read)], body=True)
        return mail

    async def thread(self, thread: str) -> tuple[Mail, ...]:
        members = await self._threads.members(thread, chosen((), await self._folders()))
        by_folder: dict[Folder, dict[int, str]] = {}
        for head in members:
            by_folder.setdefault(head.folder, {})[head.uid] = head.id
        read = [self._imap.read(partial(self._some, folder, ids)) for folder, ids in by_folder.items()]
        whole = [head for heads in await asyncio.gather(*read) for head in heads]
        return await self._mails(sorted(whole, key=lambda head: head.place), body=True)

    async def attachment(self, ref: MailRef, part: str) -> bytes:
        return await self._imap.read(lambda session: self._attachment(session, ref, part))

    async def correspondents(self, name: str = "") -> tuple[Correspondent, ...]:
        """As far as the newest mails tell."""
        folders = await self._folders()
        others = tuple(folder.name for folder in chosen((), folders) if folder.name != SENT)
        newest = (MailQuery(folders=(SENT,), limit=MOST_SENT), MailQuery(folders=others, limit=MOST_RECEIVED))
        asked = (Search(self._imap, self._places, query, folders) for query in newest if query.folders)
        pages = await asyncio.gather(*(search.page() for search in asked))
        exchanged = [Exchanged(one.parsed, one.moment, one.folder.name == SENT) for page in pages for one in page.messages]
        return correspondents(exchanged, owner=self._owner, zone=self._zone, name=name)

    async def folders(self) -> tuple[str, ...]:
        folders = await self._folders()
        there = (folder.name for folder in folders.all)
        return tuple(dict.fromkeys((*(name for name in SPECIAL if name != OUTBOX or folders.named(name)), *there)))

    async def changes(self, since: str = "") -> Changes:
        return await self._imap.read(lambda session: changes(session, self._places, since))

    async def _folders(self) -> Folders:
        return await self._imap.read(lambda session: session.folders())

    async def _mails(self, heads: Sequence[Head], *, body: bool = False) -> tuple[Mail, ...]:
        def told() -> tuple[Mail, ...]:
            threads = names_of(self._places, heads)
            return tuple(head.mail(self._account, self._zone, threads[head.id], body=body) for head in heads)

        return await asyncio.to_thread(told)

    # Whole mails, blocking -------------------------------------------------------------------------------------------

    def _some(self, folder: Folder, ids: Mapping[int, str], session: Session) -> list[Head]:
        each = list(ids.items())
        starts = range(0, len(each), _READ_AT_ONCE)
        try:
            return [head for start in starts for head in self._whole(session, folder, dict(each[start : start + _READ_AT_ONCE]))]
        except NotFound:
            return []

    def _whole(self, session: Session, folder: Folder, ids: Mapping[int, str]) -> list[Head]:
        """With their texts, by UID and id. InvalidResponse where one can't be read."""
        session.open(folder)
        rows = [row for row in session.fetch(list(ids), f"{STATE} BODY.PEEK[]").rows if body_in(row)]  # NIL: gone just now
        heads = []
        for row in rows:
            try:
                whole = read_message(body_in(row))
            except Exception as error:  # whatever the standard parser trips over in it
                raise InvalidResponse(f"The mail is malformed ({type(error).__name__}).", self._account) from error
            heads.append(head_of(row, folder, ids[row["UID"]], whole))
        return heads

    def _gone(self) -> Head:
        raise NotFound(GONE, self._account)

    def _attachment(self, session: Session, ref: MailRef, part: str) -> bytes:
        found = locate(session, self._places, ref.id, ref.etag)
        rows = session.fetch([found.uid], "UID BODYSTRUCTURE").rows
        leaf = next((leaf for row in rows for leaf in part_of(row["BODYSTRUCTURE"]).leaves if leaf.number == part), None)
        if leaf is None:
            raise NotFound(f"The mail has no part {part}." if part.isprintable() else "The mail has no such part.", self._account)
        rows = session.fetch([found.uid], f"UID BODY.PEEK[{part}]").rows
        if not rows or (leaf.size and not body_in(rows[0])):
            self._gone()
        lines = (b"Content-Type: " + leaf.kind, b"Content-Transfer-Encoding: " + leaf.encoding, b"", body_in(rows[0]))
        return part_bytes(b"\r\n".join(lines), "1")
