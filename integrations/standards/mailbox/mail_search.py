"""One page of a search: what each folder's search has found, by date, and of that only what truly matches."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from integrations.common.mail_paging import Cursor, Found, cursor_of
from integrations.errors import NotFound, Unavailable
from integrations.standards.imap.folders import Folder, Folders
from integrations.standards.imap.imap import Imap
from integrations.standards.imap.imap_errors import Unsearchable
from integrations.standards.imap.session import Session
from integrations.standards.mailbox.heads import Head, read_heads, read_texts
from integrations.standards.mailbox.locating import day
from integrations.standards.mailbox.mail_hits import KeptHits
from integrations.standards.mailbox.mail_order import EVER, Order
from integrations.standards.mailbox.mail_query import Criteria, Sieve, criteria, lasting, simple
from integrations.standards.mailbox.places import Places
from integrations.types import MailQuery, Skipped

T = TypeVar("T")

AT_LEAST, MOST_AT_ONCE = 50, 400
"""Mails whose heads are read in one go, where not all that are found match."""
MOST_LOOKED_AT = 2000
"""Mails whose heads are read for one page."""
MOST_SKIPPED = 50
MOST_READ, READ_AT_ONCE = 500, 25
"""Mails whose text is read for one page, and in one go."""


class Search:
    """`among`: only these mails, by folder's path and UID."""

    def __init__(
        self,
        imap: Imap,
        places: Places,
        query: MailQuery,
        folders: Folders,
        among: Mapping[str, Collection[int]] | None = None,
        hits: KeptHits | None = None,
    ) -> None:
        self._imap, self._places, self._query, self._among = imap, places, query, among
        self._hits = hits if among is None and lasting(query) else None
        self._sieve = Sieve(query)
        self._after = cursor_of(query.cursor, imap.account)
        self._folders = chosen(query.folders, folders)
        self._sign = 1 if query.oldest_first else -1
        self._looked = self._texts = 0
        self._until = -EVER
        self._last: Head | None = None
        self._found: list[Head] = []
        self._ids: set[str] = set()
        self._doubled = False
        self._skipped: list[Skipped] = []
        self._helpless = False
        self._ahead: dict[int, Head | None] = {}
        """What was read already, by UID, where there is one folder; None where a mail can't be listed."""

    async def page(self) -> Found[Head]:
        orders = await asyncio.gather(*(self._begun(folder) for folder in self._folders))
        while not self._enough() and await self._step(orders):
            pass
        return self._given(orders)

    # What each folder has --------------------------------------------------------------------------------------------

    async def _begun(self, folder: Folder) -> Order:
        order = await self._imap.read(partial(self._begin, folder))
        if order.shares:
            order = await self._joined(order)
        if len(order.firm) < self._number and not order.whole:
            await self._extend(order, self._number)
        return order

    def _begin(self, folder: Folder, session: Session) -> Order:
        accents = bool(session.capabilities & {"LITERAL+", "LITERAL-"})
        each = [criteria(self._query, accents=one) for one in (accents, False)]
        order = self._order(folder, *each)
        all_mails = self._among is None
        texts = self._sieve.reads_texts
        apart = all_mails and not texts and any(isinstance(term, bytes) for term in each[0])
        try:
            order.begin(session, self._number, hastily=all_mails and texts, apart=apart)
            self._look_ahead(order, order.first, session)
        except Unsearchable:
            return self._begin_helplessly(folder, session)
        except NotFound:
            order.gone()
        return order

    def _begin_helplessly(self, folder: Folder, session: Session) -> Order:
        self._helpless, self._hits = True, None
        asked: Criteria = ["UNDELETED", *simple(self._query)]
        order = self._order(folder, asked, asked)
        try:
            order.begin(session, self._number, hastily=False)
            self._look_ahead(order, order.first, session)
        except NotFound:
            order.gone()
        return order

    async def _joined(self, order: Order) -> Order:
        """Where the server bears no second connection, all is searched over one afterwards."""
        each = (self._imap.read(partial(self._search_share, order, share)) for share in order.shares)
        failed = [one for one in await asyncio.gather(*each, return_exceptions=True) if one]
        if not failed:
            await asyncio.to_thread(order.join_shares)
        elif any(isinstance(one, Unsearchable) for one in failed):
            self._ahead, self._skipped = {}, []
            return await self._imap.read(partial(self._begin_helplessly, order.folder))
        elif any(isinstance(one, NotFound) for one in failed):
            order.gone()
        elif isinstance(failed[0], Unavailable):
            order.part()
        else:
            raise failed[0]
        return order

    def _search_share(self, order: Order, share: range, session: Session) -> None:
        found = order.search_share(share, session)
        if share == order.shares[0] and not self._query.oldest_first:
            self._look_ahead(order, found, session)  # most of them come first, while the others are still searched
        order.read_share(session, found)

    async def _extend(self, order: Order, number: int) -> None:
        try:
            if not order.all_found:
                await self._imap.read(order.search)
            if order.lengthen():
                await self._imap.read(order.search)
            await self._imap.read(partial(self._further, order, number))
        except NotFound:
            order.gone()

    def _further(self, order: Order, number: int, session: Session) -> None:
        order.check(session)
        order.reach(session, number)
        if not self._looked:
            self._look_ahead(order, order.first, session)

    def _look_ahead(self, order: Order, uids: Iterable[int], session: Session) -> None:
        """Where there is one folder, at what is probably looked at next."""
        if len(self._folders) == 1:
            left = [uid for uid in islice(uids, self._number) if uid not in self._ahead]
            heads, skipped = read_heads(session, self._places, order.folder, left)
            self._ahead |= dict.fromkeys(left) | {head.uid: head for head in heads}
            self._skipped += skipped

    def _order(self, folder: Folder, asked: Criteria, shorter: Criteria) -> Order:
        narrowed, after = self._narrowed(), self._after.place[0] // 1000 if self._after else None
        whole = bool(narrowed) or self._query.oldest_first or self._query.before  # the newest may have nothing to tell about names
        each = ([*one, *narrowed] for one in (asked, asked if whole else shorter))
        order = Order(folder, self._places, *each, oldest_first=self._query.oldest_first, after=after, hits=self._hits)
        if self._among is not None:
            order.among(self._among.get(folder.path, ()))
        return order

    def _narrowed(self) -> Criteria:
        if self._after is None or self._hits:
            return []
        return ["SINCE", day(self._after.moment, -1)] if self._query.oldest_first else ["BEFORE", day(self._after.moment, 2)]

    # Going through them ----------------------------------------------------------------------------------------------

    def _enough(self) -> bool:
        """Whole seconds are looked at, so what is left stands behind."""
        if self._looked >= MOST_LOOKED_AT or self._texts >= MOST_READ:
            return True
        return len(self._found) > self._query.limit

    @property
    def _number(self) -> int:
        """How many to look at next."""
        missing = self._query.limit + 1 - len(self._found)
        return max(AT_LEAST, min(self._looked, MOST_AT_ONCE), missing) if self._sieve.loose else missing

    async def _step(self, orders: Sequence[Order]) -> bool:
        """Looks at some more; False where there are none."""
        batch = await self._next(orders, self._number)
        heads = await self._heads(batch)
        self._looked += len(batch)
        self._found += await self._saying(await asyncio.to_thread(self._passing, heads))
        return bool(batch)

    def _passing(self, heads: Iterable[Head]) -> list[Head]:
        """In order."""
        beyond = [head for head in sorted(heads, key=lambda head: head.place, reverse=self._sign < 0) if self._is_beyond(head)]
        self._last = beyond[-1] if beyond else self._last
        return [head for head in self._once(beyond) if self._sieve.passes(head)]

    async def _next(self, orders: Sequence[Order], number: int) -> list[tuple[Order, int]]:
        """So many as are next, to the end of a second."""
        while True:
            lagging = [order for order in orders if not order.whole]
            bound = min((order.bound for order in lagging), default=EVER)
            each = ((key, index, uid) for index, order in enumerate(orders) for key, uid in order.firm)
            firm = sorted(one for one in each if self._until < one[0] <= bound)
            if len(firm) >= number or not lagging:
                break
            behind = [order for order in lagging if order.bound == bound]
            await asyncio.gather(*(self._extend(order, 2 * len(order.firm) + number) for order in behind))
        end = min(number, len(firm))
        while 0 < end < len(firm) and firm[end][0] == firm[end - 1][0]:
            end += 1
        self._until = firm[end - 1][0] if end else EVER
        return [(orders[index], uid) for _, index, uid in firm[:end]]

    async def _heads(self, batch: Iterable[tuple[Order, int]]) -> list[Head]:
        """A folder that is gone meanwhile has none."""
        known: list[Head] = []
        by_order: dict[Order, list[int]] = {}
        for order, uid in batch:
            if uid not in self._ahead:
                by_order.setdefault(order, []).append(uid)
            elif head := self._ahead[uid]:
                known.append(head)
        asked = (self._imap.read(partial(self._heads_in, order, uids)) for order, uids in by_order.items())
        read = await asyncio.gather(*asked)
        self._skipped += [one for _, skipped in read for one in skipped]
        return known + [head for heads, _ in read for head in heads]

    def _heads_in(self, order: Order, uids: Sequence[int], session: Session) -> tuple[list[Head], list[Skipped]]:
        try:
            order.check(session)
            return read_heads(session, self._places, order.folder, uids)
        except NotFound:
            return [], []

    def _is_beyond(self, head: Head) -> bool:
        """Not on an earlier page."""
        if self._after is None:
            return True
        return head.place > self._after.place if self._query.oldest_first else head.place < self._after.place

    def _once(self, heads: Iterable[Head]) -> Iterable[Head]:
        """A mail that lies in several folders counts as one."""
        for head in heads:
            self._doubled |= head.id in self._ids
            if head.id not in self._ids:
                self._ids.add(head.id)
                yield head

    async def _saying(self, heads: list[Head]) -> list[Head]:
        """Those that have the words; some are told by their heads alone."""
        if not self._sieve.reads_texts:
            return heads
        saying = {head.id for head in heads if self._sieve.says(head.parsed, "")}
        left = [head for head in heads if head.id not in saying]
        for start in range(0, len(left), READ_AT_ONCE):
            chunk = left[start : start + READ_AT_ONCE]
            saying |= await asyncio.to_thread(self._told, chunk, await self._texts_of(chunk))
        self._texts += len(left)
        return [head for head in heads if head.id in saying]

    def _told(self, heads: Sequence[Head], texts: Mapping[str, str]) -> set[str]:
        return {head.id for head in heads if self._sieve.says(head.parsed, texts.get(head.id, ""))}

    async def _texts_of(self, heads: Sequence[Head]) -> dict[str, str]:
        by_folder: dict[Folder, list[Head]] = {}
        for head in heads:
            by_folder.setdefault(head.folder, []).append(head)
        texts: dict[str, str] = {}
        for folder, some in by_folder.items():
            try:
                texts |= await self._imap.read(partial(read_texts, self._places, folder, some))
            except NotFound:
                continue
        return texts

    # The page --------------------------------------------------------------------------------------------------------

    def _given(self, orders: Sequence[Order]) -> Found[Head]:
        whole = all(order.whole and (not order.firm or order.firm[-1][0] <= self._until) for order in orders)
        given = self._found[: self._query.limit]
        last: Head | None = given[-1] if len(self._found) > len(given) else None
        total = self._total(orders, whole)
        if last is None and not whole:
            last = self._last  # not all was looked through: the next page goes on from here
            self._skipped.append(self._unfinished())
        skipped = self._skipped[-MOST_SKIPPED:] if self._after is None else []
        return Found(given, total, str(Cursor(last.place, total)) if last else None, skipped)

    def _total(self, orders: Sequence[Order], whole: bool) -> int | None:
        if self._after is not None:
            return self._after.total
        if whole:
            return len(self._found)
        dated = self._query.since is not None or self._query.before is not None
        if self._sieve.loose or self._helpless or self._doubled or (dated and not all(order.whole for order in orders)):
            return None  # what was found is only what may match
        if dated:
            return sum(self._sieve.dated(key * self._sign) for order in orders for key, _ in order.firm) - len(self._skipped)
        return sum(len(order.uids) for order in orders) - len(self._skipped)

    def _unfinished(self) -> Skipped:
        why = "its server can't search for this, and " if self._helpless else ""
        return Skipped(where=self._imap.account, reason=f"{why}only {self._looked} mails were looked through at once")


def chosen(names: Sequence[str], folders: Folders) -> list[Folder]:
    """Those of these names; all but Trash, Drafts, Outbox and Spam where there are none."""
    if not names:
        return [folder for folder in folders.all if folder.name not in folders.aside]
    return list(dict.fromkeys(filter(None, map(folders.named, names))))
