"""What was written under a key, found again by it: the key is all that outlives a crash."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from integrations.common.mail_building import message_id
from integrations.errors import NotFound
from integrations.google.google import Apis, Google
from integrations.google.heads import fetched
from integrations.google.messages import Resource, state

NEWEST = 50
"""So many of Sent and of Drafts are looked through, since a search may not know yet of what has just been written."""
KEY = "X-Assistant-Key"
"""Gmail may put a Message-ID of its own in place of ours when it sends; a header that it does not know stays."""
_SEEN = {"format": "metadata", "metadataHeaders": ["Message-ID", KEY], "fields": "id,threadId,labelIds,payload/headers"}


class OwnMails:
    def __init__(self, google: Google, owner: str) -> None:
        self._google, self._owner = google, owner

    async def under(self, key: str) -> list[Resource]:
        """Wherever they are, Trash included, as far as Gmail's search knows; else among the newest."""
        own_id = message_id(key, self._owner)
        found = await self.with_id(own_id)
        if sent(found):
            return found
        listed = await asyncio.gather(*(self._listed(labelIds=[label], maxResults=NEWEST) for label in ("SENT", "DRAFT")))
        newest = await self._seen(dict.fromkeys(one for ids in listed for one in ids))
        of_it = [mail for mail in newest if key in _values(mail, KEY) or own_id in _values(mail, "Message-ID")]
        return list({mail["id"]: mail for mail in (*of_it, *found)}.values())

    async def with_id(self, message_id: str) -> list[Resource]:
        seen = await self._seen(await self._listed(q=f"rfc822msgid:{message_id.strip('<>')}", maxResults=NEWEST))
        return [mail for mail in seen if message_id in _values(mail, "Message-ID")]

    async def draft_of(self, mail_id: str) -> str:
        """The draft's own id; NotFound where the mail is no draft any more."""

        def listing(api: Apis, token: str | None) -> Any:
            return api.gmail.users().drafts().list(userId="me", maxResults=500, pageToken=token)

        pages = await self._google.pages(listing)
        drafts = {draft["message"]["id"]: draft["id"] for page in pages for draft in page.get("drafts", ())}
        if mail_id not in drafts:
            raise NotFound("The draft is no longer there.", self._google.account)
        return str(drafts[mail_id])

    async def _listed(self, **how: Any) -> list[str]:
        answer = await self._google.read(lambda api: api.gmail.users().messages().list(userId="me", includeSpamTrash=True, **how))
        return [message["id"] for message in answer.get("messages", ())]

    async def _seen(self, ids: Iterable[str]) -> list[dict[str, Any]]:
        return await fetched(self._google, list(ids), **_SEEN)


def _values(mail: Resource, name: str) -> list[str]:
    headers = mail["payload"].get("headers", ())
    return [header["value"].strip() for header in headers if header["name"].lower() == name.lower()]


def sent(mails: Sequence[Resource]) -> Resource | None:
    return next((mail for mail in mails if "SENT" in state(mail)), None)


def drafts(mails: Sequence[Resource]) -> list[Resource]:
    return [mail for mail in mails if "DRAFT" in state(mail)]
