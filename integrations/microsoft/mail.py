"""Reading mail at Outlook."""

import asyncio
from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from integrations.common.mail_people import Exchanged, correspondents
from integrations.errors import InvalidResponse, NotFound
from integrations.microsoft.errors import Refused, reads_answers
from integrations.microsoft.folders import Folders, FolderTree
from integrations.microsoft.graph import Graph
from integrations.microsoft.mail_changes import History
from integrations.microsoft.mail_listing import Pages
from integrations.microsoft.mail_query import Asked, known_id, known_thread, literal
from integrations.microsoft.mail_search import WHOLES, Search
from integrations.microsoft.messages import EXPAND, PEOPLE, WHOLE, Message, read, readable_of
from integrations.microsoft.requests import asking, value_of
from integrations.types import SENT, Changes, Correspondent, Mail, MailQuery, MailRef, Page

MOST_SENT, MOST_RECEIVED = 200, 300
"""The newest mails that tell who the correspondents are."""
MOST_IN_A_THREAD = 500
GONE = "The mail is no longer there."
LINK = "#microsoft.graph.referenceAttachment"


async def message(
    graph: Graph, message_id: str, *, select: Sequence[str] = WHOLE, expand: Sequence[str] | None = EXPAND
) -> dict[str, Any]:
    """NotFound where it is gone."""
    try:
        if known_id(message_id):
            how = {"select": list(select), "expand": list(expand) if expand else None}
            return await graph.read(lambda client: asking(client.me.messages.by_message_id(message_id), **how))
    except NotFound:
        pass
    raise NotFound(GONE, graph.account)


@reads_answers
class MicrosoftMailReader:
    """Times are given in `zone`; a mail's is that at which Outlook took it in. A thread is Outlook's conversation, and leaves out
    what lies in Trash, Drafts, Outbox and Junk. Ids are immutable: they stay when a mail is moved. `personal`: the account is no
    organisation's."""

    def __init__(self, graph: Graph, tree: FolderTree, *, account: str, owner: str, zone: ZoneInfo, personal: bool = False) -> None:
        self._graph, self._tree, self._personal = graph, tree, personal
        self._account, self._owner, self._zone = account, owner, zone

    async def search(self, query: MailQuery) -> Page[Mail]:
        folders = await self._tree.current()
        found = await Search(self._graph, query, folders, personal=self._personal).page()
        items = await asyncio.to_thread(lambda: tuple(self._mail(one, folders) for one in found.messages))
        return Page[Mail](items=items, next=found.next, total=found.total, skipped=tuple(found.skipped))

    async def get(self, ref: MailRef) -> Mail:
        one = await asyncio.to_thread(read, await message(self._graph, ref.id))
        folders = await self._folders([one])
        if one.state.folder == folders.deleted:
            raise NotFound(GONE, self._account)
        return self._mail(one, folders, body=True)

    async def thread(self, thread: str) -> tuple[Mail, ...]:
        messages = await self._thread(thread)
        folders = await self._folders(messages)
        shown = [one for one in messages if one.state.folder not in folders.aside]
        sent = folders.id(SENT)
        answered = {one.parsed.in_reply_to for one in shown if one.state.folder == sent}
        mails = [self._mail(one, folders, answered=one.parsed.message_id in answered, body=True) for one in shown]
        return tuple(sorted(mails, key=lambda mail: mail.date))

    async def attachment(self, ref: MailRef, part: str) -> bytes:
        if not known_id(ref.id):
            raise NotFound(GONE, self._account)
        if not known_id(part):
            raise NotFound(f"The mail has no part {part}.", self._account)

        def one(client: Any) -> Any:
            return client.me.messages.by_message_id(ref.id).attachments.by_attachment_id(part)

        try:
            return await self._graph.content(lambda client: value_of(one(client)))
        except Refused:
            about = await self._graph.read(lambda client: asking(one(client), select=["id"]))
            if about.get("@odata.type") != LINK:
                raise
            raise InvalidResponse(
                "The mail only links to that file, which lies elsewhere; Outlook can't give it.", self._account
            ) from None

    async def correspondents(self, name: str = "") -> tuple[Correspondent, ...]:
        """As far as the newest mails tell."""
        folders = await self._tree.current()
        sent = folders.id(SENT)
        listings = await asyncio.gather(self._newest(sent, MOST_SENT), self._newest("", MOST_RECEIVED))
        messages = {one.id: one for listing in listings for one in listing if one.state.folder not in folders.aside}.values()
        exchanged = (Exchanged(one.parsed, one.moment, one.state.folder == sent) for one in messages)
        return correspondents(exchanged, owner=self._owner, zone=self._zone, name=name)

    async def folders(self) -> tuple[str, ...]:
        return (await self._tree.current()).folders

    async def changes(self, since: str = "") -> Changes:
        history = History(self._graph, self._tree)
        if not since:
            return Changes(cursor=await history.now())
        told = await history.since(since)
        if not told.complete:
            return Changes(cursor=told.cursor, complete=False)
        changed, gone = (tuple(MailRef(account=self._account, id=one) for one in sorted(ids)) for ids in (told.changed, told.gone))
        return Changes(cursor=told.cursor, changed=changed, gone=gone)

    async def _folders(self, messages: Sequence[Message]) -> Folders:
        """In which these lie."""
        known = self._tree.known
        return known if known.knows(one.state.folder for one in messages) else await self._tree.current()

    async def _thread(self, thread: str) -> list[Message]:
        """Those of its mails that can be read; none where there is no such thread."""
        if not known_thread(thread):
            return []
        question = Asked(filter=(f"conversationId eq {literal(thread)}",), ordered=False)
        return await self._read(Pages(self._graph, question, WHOLE, expand=EXPAND, size=WHOLES), MOST_IN_A_THREAD)

    async def _newest(self, folder: str | None, number: int) -> list[Message]:
        listing = Pages(self._graph, Asked(folder or ""), PEOPLE, size=number)
        return await self._read(listing, number) if folder is not None else []

    async def _read(self, listing: Pages, number: int) -> list[Message]:
        messages: dict[str, Message] = {}
        while not listing.complete and listing.number < number:
            readable, _ = await asyncio.to_thread(readable_of, await listing.more())
            messages |= {one.id: one for one in readable}
        return list(messages.values())

    def _mail(self, one: Message, folders: Folders, *, answered: bool = False, body: bool = False) -> Mail:
        return one.mail(self._account, folders, self._zone, answered=answered, body=body)
