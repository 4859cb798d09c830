"""One page of a search: ids as Gmail lists them, their heads in batches, and only what truly matches."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from integrations.common.mail_paging import Cursor, Found, cursor_of
from integrations.errors import InvalidResponse
from integrations.google.google import PAGES, Apis, Google
from integrations.google.heads import Heads, read_in_batches
from integrations.google.mail_query import Asked, Sieve, asked, between
from integrations.google.messages import WHOLE, Labels, Message
from integrations.types import MailQuery, Skipped

IN_A_LISTING = 500
MOST_COUNTED = 2000
"""Mails that are listed only to tell how many match."""
MOST_SIFTED = 500
"""Mails whose heads are read only for that, where what Gmail lists is more than what matches."""
MOST_SCANNED = 200
"""Mails whose text is read in one search for words that Gmail can't search for."""
MOST_LOOKED_AT = 2000
"""Mails whose heads are read for one page."""
AT_LEAST = 50


class Listing:
    """The ids that Gmail gives for a question, newest first, read on as they are needed; or just those given."""

    def __init__(self, google: Google, question: Asked, ids: Sequence[str] | None = None) -> None:
        self._google, self._question = google, question
        self._token: str | None = None
        self._pages = 0
        self._one_at_a_time = asyncio.Lock()
        self.ids = list(ids or ())
        self.complete = ids is not None

    async def reach(self, number: float) -> None:
        """Until there are so many, or all."""
        async with self._one_at_a_time:
            while len(self.ids) < number and not self.complete:
                page = await self._google.read(self._page)
                self.ids += [message["id"] for message in page.get("messages", ())]
                self._pages += 1
                self._token = page.get("nextPageToken")
                self.complete = not self._token
                if self._pages > PAGES:
                    raise InvalidResponse("Gmail's listing has no end.", self._google.account)

    def _page(self, api: Apis) -> Any:
        return (
            api.gmail.users()
            .messages()
            .list(
                userId="me",
                q=self._question.q or None,
                labelIds=list(self._question.labels) or None,
                includeSpamTrash=self._question.anywhere,
                maxResults=IN_A_LISTING,
                pageToken=self._token,
            )
        )


class Search:
    def __init__(self, google: Google, heads: Heads, query: MailQuery, labels: Labels) -> None:
        self._google, self._heads, self._query = google, heads, query
        self._sieve = Sieve(query, labels)
        self._asked = asked(query, labels)
        self._after = cursor_of(query.cursor, google.account)
        self._looked = 0
        self._scanned = 0
        self._last: Message | None = None
        self._found: list[Message] = []
        self._skipped: list[Skipped] = []

    async def page(self, thread: Mapping[str, datetime] | None = None) -> Found[Message]:
        """`thread`: only among these messages, newest first."""
        if self._asked is None:
            return Found([], 0, None, [])
        listing = await self._listing(self._asked, thread)
        await listing.reach(math.inf if self._query.oldest_first else 1)
        await asyncio.gather(listing.reach(MOST_COUNTED), self._look_through(listing))
        return self._given(listing)

    async def _listing(self, question: Asked, thread: Mapping[str, datetime] | None) -> Listing:
        if thread is None:
            return Listing(self._google, self._narrowed(question))
        ids = list(thread)
        if ids and (self._query.words or self._query.subject):
            matching = Listing(self._google, between(question, thread[ids[-1]], thread[ids[0]]))
            await matching.reach(math.inf)
            ids = [one for one in ids if one in set(matching.ids)]
        return Listing(self._google, question, ids)

    async def _look_through(self, listing: Listing) -> None:
        while not self._enough(listing) and await self._step(listing):
            pass

    def _narrowed(self, question: Asked) -> Asked:
        if self._after is None:
            return question
        end = self._after.moment
        return between(question, end, None) if self._query.oldest_first else between(question, None, end)

    def _enough(self, listing: Listing) -> bool:
        """Whether the page is full and no mail is left that could stand before its end."""
        if self._scanned >= MOST_SCANNED or self._looked >= MOST_LOOKED_AT:
            return True
        if len(self._found) <= self._query.limit or self._last is None:
            return False
        counting = self._sieve.loose and listing.complete and len(listing.ids) <= MOST_SIFTED and self._after is None
        return not counting and self._last.milliseconds != self._found[self._query.limit - 1].milliseconds

    async def _step(self, listing: Listing) -> bool:
        """Looks at some more; False where there are none."""
        number = AT_LEAST if self._sieve.scanned else max(AT_LEAST, self._query.limit + 1 - len(self._found))
        await listing.reach(self._looked + number)
        ids = listing.ids[::-1] if self._query.oldest_first else listing.ids
        chunk = ids[self._looked : self._looked + number]
        self._looked += len(chunk)
        messages, skipped = await self._heads.of(chunk)
        self._last = messages[-1] if messages else self._last
        self._found += await self._shown([one for one in messages if self._beyond(one) and self._sieve.passes(one)])
        self._found.sort(key=lambda message: message.place, reverse=not self._query.oldest_first)
        self._skipped += skipped
        return bool(chunk)

    def _beyond(self, message: Message) -> bool:
        """Not on an earlier page."""
        if self._after is None:
            return True
        return message.place > self._after.place if self._query.oldest_first else message.place < self._after.place

    async def _shown(self, messages: list[Message]) -> list[Message]:
        if not self._sieve.scanned:
            return messages
        self._scanned += len(messages)
        whole, _ = await read_in_batches(self._google, [one.id for one in messages], WHOLE)
        shown = {one.id for one in whole if self._sieve.shows(one.parsed)}
        return [one for one in messages if one.id in shown]

    def _given(self, listing: Listing) -> Found[Message]:
        whole = listing.complete and self._looked >= len(listing.ids)
        given = self._found[: self._query.limit]
        total = self._total(listing, whole)
        last: Message | None = given[-1] if len(self._found) > len(given) else None
        if last is None and not whole:
            last = self._last  # not all was looked through: the next page goes on from here
            self._skipped += [self._unfinished()]
        return Found(given, total, str(Cursor(last.place, total)) if last else None, self._skipped if self._after is None else [])

    def _total(self, listing: Listing, whole: bool) -> int | None:
        if self._after is not None:
            return self._after.total
        if whole:
            return len(self._found)
        return len(listing.ids) - len(self._skipped) if listing.complete and not self._sieve.loose else None

    def _unfinished(self) -> Skipped:
        what = ", ".join(self._sieve.scanned) or "this alone"
        looked = self._scanned if self._sieve.scanned else self._looked
        return Skipped(where="Gmail", reason=f"it can't search for {what}, and only {looked} mails were looked through at once")
