"""Reading mail at Gmail."""

import asyncio
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from integrations.common.mail_paging import moment_of
from integrations.common.mail_people import Exchanged, correspondents
from integrations.common.mime import part_bytes
from integrations.errors import NotFound
from integrations.google.google import Apis, Google
from integrations.google.heads import Heads, History, known_id, message, readable
from integrations.google.mail_query import Asked
from integrations.google.mail_search import Listing, Search
from integrations.google.messages import WHOLE, Labels, Message, raw_bytes, read
from integrations.types import Changes, Correspondent, Mail, MailQuery, MailRef, Page

MOST_SENT, MOST_RECEIVED = 200, 300
"""The newest mails that tell who the correspondents are."""
_ANSWERS = "id,messages(id,labelIds,payload/headers)"


class GoogleMailReader:
    """Times are given in `zone`; a mail's is that at which Gmail took it in. A thread is Gmail's, and leaves out what lies in
    Trash, Spam and Drafts. `answered` is told by `get` and `thread`; a search knows only of answers that it has met."""

    def __init__(self, google: Google, *, account: str, owner: str, zone: ZoneInfo) -> None:
        self._google, self._account, self._owner, self._zone = google, account, owner, zone
        self._heads = Heads(google)
        self._labels = Labels()

    async def search(self, query: MailQuery) -> Page[Mail]:
        await asyncio.gather(self._load_labels(), self._heads.refresh())
        search = Search(self._google, self._heads, query, self._labels)
        found = await search.page(await self._moments(query.thread) if query.thread else None)
        await self._know(found.messages)
        answered = self._heads.answered
        items = tuple(self._mail(one, answered=one.parsed.message_id in answered) for one in found.messages)
        return Page[Mail](items=items, next=found.next, total=found.total, skipped=tuple(found.skipped))

    async def get(self, ref: MailRef) -> Mail:
        one = await asyncio.to_thread(read, await message(self._google, ref.id, format="full", fields=WHOLE))
        await self._know([one])
        return self._mail(one, answered=await self._is_answered(one), body=True)

    async def thread(self, thread: str) -> tuple[Mail, ...]:
        messages, _ = await readable(await self._thread(thread, f"id,messages({WHOLE})", format="full"))
        shown = [one for one in messages if not one.labels & {"TRASH", "SPAM", "DRAFT"}]
        await self._know(shown)
        answered = {one.parsed.in_reply_to for one in shown if "SENT" in one.labels}
        mails = [self._mail(one, answered=one.parsed.message_id in answered, body=True) for one in shown]
        return tuple(sorted(mails, key=lambda mail: mail.date))

    async def attachment(self, ref: MailRef, part: str) -> bytes:
        return part_bytes(raw_bytes(await message(self._google, ref.id, format="raw")), part)

    async def correspondents(self, name: str = "") -> tuple[Correspondent, ...]:
        """As far as the newest mails tell."""
        await self._heads.refresh()
        sent, received = Listing(self._google, Asked("", ("SENT",))), Listing(self._google, Asked("-in:sent -in:draft"))
        await asyncio.gather(sent.reach(MOST_SENT), received.reach(MOST_RECEIVED))
        ids = dict.fromkeys((*sent.ids[:MOST_SENT], *received.ids[:MOST_RECEIVED]))
        messages, _ = await self._heads.of(list(ids))
        exchanged = (Exchanged(one.parsed, one.moment, "SENT" in one.labels) for one in messages)
        return correspondents(exchanged, owner=self._owner, zone=self._zone, name=name)

    async def folders(self) -> tuple[str, ...]:
        await self._load_labels()
        return self._labels.folders

    async def changes(self, since: str = "") -> Changes:
        history = History(self._google)
        if not since:
            return Changes(cursor=await history.now())
        try:
            cursor, changed, gone = await history.since(since)
        except NotFound:
            return Changes(cursor=await history.now(), complete=False)
        refs = tuple(MailRef(account=self._account, id=one) for one in sorted(changed))
        return Changes(cursor=cursor, changed=refs, gone=tuple(MailRef(account=self._account, id=id) for id in sorted(gone)))

    async def _load_labels(self) -> None:
        answer = await self._google.read(lambda api: api.gmail.users().labels().list(userId="me"))
        self._labels = Labels(answer.get("labels", ()))

    async def _know(self, messages: list[Message]) -> None:
        """Their labels' names."""
        if not all(self._labels.knows(one.labels) for one in messages):
            await self._load_labels()

    async def _thread(self, thread: str, fields: str, **how: Any) -> list[dict[str, Any]]:
        """Its messages as resources, oldest first; none where there is no such thread."""
        if not known_id(thread):
            return []

        def build(api: Apis) -> Any:
            return api.gmail.users().threads().get(userId="me", id=thread, fields=fields, **how)

        try:
            return list((await self._google.read(build)).get("messages", ()))
        except NotFound:
            return []

    async def _moments(self, thread: str) -> dict[str, datetime]:
        """By id, newest first."""
        messages = await self._thread(thread, "id,messages(id,internalDate)", format="minimal")
        return {one["id"]: moment_of(int(one["internalDate"])) for one in reversed(messages)}

    async def _is_answered(self, mail: Message) -> bool:
        """Whether its thread holds an answer that the owner sent."""
        own = mail.parsed.message_id
        others = await self._thread(mail.thread, _ANSWERS, format="metadata", metadataHeaders=["In-Reply-To"]) if own else []
        sent = [header for other in others if "SENT" in other.get("labelIds", ()) for header in other["payload"].get("headers", ())]
        return any(header["name"].lower() == "in-reply-to" and own in header["value"] for header in sent)

    def _mail(self, one: Message, *, answered: bool = False, body: bool = False) -> Mail:
        return one.mail(self._account, self._labels, self._zone, answered=answered, body=body)
