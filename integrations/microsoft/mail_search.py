"""One page of a search: heads as Graph lists them, and of those only what truly matches."""

import asyncio
from collections.abc import Sequence

from integrations.common.mail_paging import Cursor, Found, cursor_of
from integrations.errors import InvalidResponse
from integrations.microsoft.folders import Folders
from integrations.microsoft.graph import Graph
from integrations.microsoft.mail_listing import STATES, Listing, Pages, Ranked
from integrations.microsoft.mail_query import Asked, Sieve, asked
from integrations.microsoft.messages import EXPAND, HEAD, STATE, WHOLE, Message, Resource, State, read_state, readable_of
from integrations.types import MailQuery, Skipped

HEADS, WHOLES = 100, 25
"""Mails on a page of Graph's, of heads and of whole mails. One page is read at a stretch."""
AT_LEAST = 25
MOST_COUNTED = 2000
"""Mails that are listed only to tell how many match."""
MOST_SIFTED = 200
"""Mails whose heads are read only for that, where what Graph lists is more than what matches."""
MOST_SCANNED = 200
"""Mails whose text is read in one search for words that Graph can't search for."""
MOST_LOOKED_AT = 2000
"""Mails whose heads are read for one page."""


class Search:
    def __init__(self, graph: Graph, query: MailQuery, folders: Folders, *, personal: bool = False) -> None:
        self._graph, self._query = graph, query
        self._sieve = Sieve(query, folders, personal=personal)
        self._after = cursor_of(query.cursor, graph.account)
        self._asked = asked(query, folders, personal=personal)
        self._looked = 0
        self._last: Message | None = None
        self._found: list[Message] = []
        self._skipped: list[Skipped] = []

    async def page(self) -> Found[Message]:
        if self._asked is None:
            return Found([], 0, None, [])
        listing = self._listing(self._narrowed(self._asked))
        while not self._enough() and not listing.complete:
            await self._step(listing)
        return self._given(listing, await self._total(self._asked, listing))

    def _listing(self, question: Asked) -> Pages | Ranked:
        select, size = (WHOLE, WHOLES) if self._sieve.scanned else (HEAD, HEADS)
        if not self._sieve.loose:
            size = min(size, max(AT_LEAST, self._query.limit + 1))
        if question.search:
            return Ranked(self._graph, question, select, expand=EXPAND, size=size, wanted=self._is_wanted)
        counts = self._after is None and not self._sieve.loose and self._in_order
        return Pages(self._graph, question, select, expand=EXPAND, size=size, count=counts)

    def _narrowed(self, question: Asked) -> Asked:
        if self._after is None:
            return question
        end = self._after.moment
        return question.between(end, None) if self._query.oldest_first else question.between(None, end)

    def _enough(self) -> bool:
        """Whether the page is full and no mail is left that could stand before its end."""
        if self._looked >= (MOST_SCANNED if self._sieve.scanned else MOST_LOOKED_AT):
            return True
        if len(self._found) <= self._query.limit or self._last is None or not self._in_order:
            return False
        counting = self._sieve.loose and self._after is None and self._looked < MOST_SIFTED
        return not counting and self._last.place[0] != self._found[self._query.limit - 1].place[0]

    @property
    def _in_order(self) -> bool:
        """Whether mails come in the order that is wanted, so that it can be left off anywhere."""
        return self._asked is not None and (self._asked.ordered or bool(self._asked.search))

    async def _step(self, listing: Listing) -> None:
        """Looks at some more."""
        resources = await listing.more()
        messages, skipped, matching = await asyncio.to_thread(self._sifted, resources)
        self._looked += len(resources)
        self._last = messages[-1] if messages else self._last
        self._found += matching
        self._found.sort(key=lambda message: message.place, reverse=not self._query.oldest_first)
        self._skipped += skipped

    def _sifted(self, resources: Sequence[Resource]) -> tuple[list[Message], list[Skipped], list[Message]]:
        """(those that can be read, those that can't, those that match)"""
        messages, skipped = readable_of(resources)
        return messages, skipped, [one for one in messages if self._is_wanted(one.state) and self._matches(one)]

    def _is_wanted(self, state: State) -> bool:
        """It may match, and was not on an earlier page."""
        return self._is_beyond(state) and self._sieve.may_pass(state)

    def _is_beyond(self, state: State) -> bool:
        if self._after is None:
            return True
        return state.place > self._after.place if self._query.oldest_first else state.place < self._after.place

    def _matches(self, message: Message) -> bool:
        return self._sieve.passes(message) and self._sieve.shows(message.parsed)

    def _given(self, listing: Listing, total: int | None) -> Found[Message]:
        given = self._found[: self._query.limit]
        last: Message | None = given[-1] if len(self._found) > len(given) else None
        if listing.cut_off or (last is None and not listing.complete):
            self._skipped += [Skipped(where="Outlook", reason=self._unfinished(listing))]
        if last is None and self._in_order and not (listing.complete and (self._query.oldest_first or not listing.cut_off)):
            last = self._last if self._last and self._is_beyond(self._last.state) else None  # from there the next page goes on
        return Found(given, total, str(Cursor(last.place, total)) if last else None, self._skipped if self._after is None else [])

    async def _total(self, question: Asked, listing: Pages | Ranked) -> int | None:
        if self._after is not None:
            return self._after.total
        if listing.cut_off:
            return None
        if listing.complete:
            return len(self._found)
        if self._sieve.loose:
            return None
        return listing.number if isinstance(listing, Ranked) else await self._counted(question, listing.count)

    async def _counted(self, question: Asked, told: int | None) -> int | None:
        """Graph has `told` of so many, among which there may be some that do not match."""
        if told is not None and self._sieve.takes_all(question):
            return told
        if told is not None and told > MOST_COUNTED:
            return None
        listing, number = Pages(self._graph, question, STATE, size=STATES), 0
        while not listing.complete and listing.number < MOST_COUNTED:
            number += await asyncio.to_thread(self._passing, await listing.more())
        return number if listing.complete else None

    def _passing(self, resources: Sequence[Resource]) -> int:
        """How many of these states."""
        return sum(map(self._may_pass, resources))

    def _may_pass(self, resource: Resource) -> bool:
        try:
            return self._sieve.may_pass(read_state(resource))
        except InvalidResponse:
            return False

    def _unfinished(self, listing: Listing) -> str:
        if listing.cut_off:
            return "its search has found more than it tells of"
        what = ", ".join(self._sieve.scanned) or "this alone"
        return f"it can't search for {what}, and only {self._looked} mails were looked through at once"
