"""What was written under a key: it is found again by its Message-ID, for the key is all that outlives a crash."""

from collections.abc import Sequence
from typing import Any

from integrations.errors import NotFound
from integrations.google.google import Apis, Google
from integrations.google.heads import fetched
from integrations.google.messages import Resource, state

NEWEST = 50
"""So many of Sent and of Drafts are looked through, since a search may not know yet of what has just been written."""
_SEEN = {"format": "metadata", "metadataHeaders": ["Message-ID"], "fields": "id,threadId,labelIds,payload/headers"}


class OwnMails:
    def __init__(self, google: Google) -> None:
        self._google = google

    async def searched(self, message_id: str) -> list[Resource]:
        """Wherever they are, Trash included, as far as Gmail's search knows."""
        return await self._of(await self._listed(q=f"rfc822msgid:{message_id.strip('<>')}", maxResults=NEWEST), message_id)

    async def all(self, message_id: str) -> list[Resource]:
        """Those too that Gmail's search may not know of yet."""
        found = await self.searched(message_id)
        if found:
            return found
        newest = [await self._listed(labelIds=[label], maxResults=NEWEST) for label in ("SENT", "DRAFT")]
        return await self._of([one for ids in newest for one in ids], message_id)

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

    async def _of(self, ids: Sequence[str], message_id: str) -> list[Resource]:
        seen = await fetched(self._google, ids, **_SEEN)
        return [one for one in seen if message_id in (header["value"].strip() for header in one["payload"].get("headers", ()))]


def sent(mails: Sequence[Resource]) -> Resource | None:
    return next((mail for mail in mails if "SENT" in state(mail)), None)


def drafts(mails: Sequence[Resource]) -> list[Resource]:
    return [mail for mail in mails if "DRAFT" in state(mail)]
