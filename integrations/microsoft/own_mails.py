"""What was written under a key, found again by it: the key is all that outlives a crash."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from integrations.common.mail_building import message_id
from integrations.errors import IntegrationError, NotFound, Unavailable
from integrations.microsoft.folders import Folders, FolderTree
from integrations.microsoft.graph import Graph
from integrations.microsoft.keys import made_under, quoted
from integrations.microsoft.messages import STATE, Resource, read_state
from integrations.microsoft.requests import asking, sending
from integrations.types import OUTBOX, SENT

UNFINISHED = "-unfinished"
"""What the key of a draft ends in as long as attachments are still to come."""
FLAGS, SUBMITTED = "Integer 0xe07", 4
"""MAPI's property of what has become of a mail, and its bit for one that has been handed over to be sent."""
_EXPAND = [f"singleValueExtendedProperties($filter=id eq '{FLAGS}')"]


class OwnMails:
    """Outlook may put a Message-ID of its own in place of ours when it sends; the key that a mail carries besides stays."""

    def __init__(self, graph: Graph, tree: FolderTree, owner: str) -> None:
        self._graph, self._tree, self._owner = graph, tree, owner

    async def under(self, key: str) -> list[Resource]:
        """Wherever they are, Deleted Items included, those in Sent Items first: who writes to oneself gets the mail as well."""
        found = await self.with_id(message_id(key, self._owner))
        if sent(found):
            place = (await self._folders()).id(SENT)
            return sorted(found, key=lambda mail: mail["parentFolderId"] != place)
        keyed, unfinished = await asyncio.gather(
            self._listed(made_under(key)), self.with_id(message_id(key + UNFINISHED, self._owner))
        )
        return list({mail["id"]: mail for mail in (*found, *keyed, *unfinished)}.values())

    async def with_id(self, message_id: str) -> list[Resource]:
        return await self._listed(f"internetMessageId eq {quoted(message_id)}")

    async def leaves(self, mail: Resource) -> bool:
        """Whether it is on its way out, so that nobody can hold it back."""
        held = mail.get("singleValueExtendedProperties") or ()
        flags = [str(one.get("value")) for one in held if str(one.get("id")).lower() == FLAGS.lower()]
        if any(int(one) & SUBMITTED for one in flags if one.lstrip("-").isdigit()):
            return True
        return str(mail["parentFolderId"]) == (await self._folders()).id(OUTBOX)

    async def _folders(self) -> Folders:
        """The special ones do not change."""
        return self._tree.known if self._tree.known.ids else await self._tree.current()

    async def discard(self, draft: Resource) -> None:
        """Conflict where it has changed since, as by being sent; none where it is gone already."""
        id = str(draft["id"])
        with suppress(NotFound):
            await self._graph.write(
                lambda client: client.me.messages.by_message_id(id).to_delete_request_information(), headers=_unchanged(draft)
            )

    async def withdraw(self, draft: Resource) -> None:
        """As `discard`, where the request to send it may still be on its way: Outlook finds by its id even what was deleted, so
        that must have nobody to go to."""
        id = str(draft["id"])
        nobody: dict[str, list[Any]] = {f"{line}Recipients": [] for line in ("to", "cc", "bcc")}
        with suppress(NotFound):
            await self.discard(
                await self._graph.write(
                    lambda client: sending(client.me.messages.by_message_id(id), "PATCH", nobody), headers=_unchanged(draft)
                )
            )

    async def give_up(self, id: str, why: IntegrationError) -> None:
        """What was only begun shall not stay. Unavailable where it does, so that whoever hears of it asks what has become of it."""
        try:
            await self.discard({"id": id})
        except IntegrationError as stays:
            raise Unavailable(str(why), why.account) from stays

    async def _listed(self, condition: str) -> list[Resource]:
        def build(client: Any) -> Any:
            return asking(client.me.messages, filter=condition, select=[*STATE, "internetMessageId"], expand=_EXPAND, top=50)

        pages = await self._graph.pages(build)
        return [mail for page in pages for mail in page.get("value", ())]


def _unchanged(draft: Resource) -> dict[str, str]:
    tag = draft.get("@odata.etag")
    return {"If-Match": str(tag)} if tag else {}


def sent(mails: Sequence[Resource]) -> Resource | None:
    return next((mail for mail in mails if not read_state(mail).draft), None)


def drafts(mails: Sequence[Resource]) -> list[Resource]:
    return [mail for mail in mails if read_state(mail).draft]


def finished(mails: Sequence[Resource]) -> list[Resource]:
    return [mail for mail in mails if f"{UNFINISHED}@" not in str(mail.get("internetMessageId") or "")]
