"""Mails as Graph lists them: page by page for a `$filter`; for a `$search` brought into order first."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Protocol

from integrations.errors import InvalidResponse, NotFound
from integrations.microsoft.errors import Refused
from integrations.microsoft.graph import PAGES, Graph
from integrations.microsoft.mail_query import Asked
from integrations.microsoft.messages import STATE, State, read_state
from integrations.microsoft.requests import asking

STATES = 1000
"""Mails on a page of states."""
MOST_FOUND = 2000
"""Mails that one search is asked for."""
MOST_BESIDE = 4
"""So many heads for each that is wanted are read at most before the rest is read one by one."""
SURELY_FOUND, PROMISED = 250, 1000
"""A `$search` that gives fewer has given all; it never gives more, though it has been seen to end earlier."""
SENT = "sentDateTime"


class Listing(Protocol):
    """`complete`: there are no more. `cut_off`: beyond those there may be others, which Graph does not give."""

    complete: bool
    cut_off: bool

    async def more(self) -> list[dict[str, Any]]:
        """The next ones; there may be more even where these are none."""


class Pages:
    """The messages that Graph gives for a question, each once. A search ends somewhere beyond its first few hundred, whether or not
    that were all: it is gone on with as another one, from the mail that was sent before all others given."""

    def __init__(
        self,
        graph: Graph,
        question: Asked,
        select: Sequence[str],
        *,
        expand: Sequence[str] | None = None,
        size: int,
        count: bool = False,
    ) -> None:
        self._graph, self._question = graph, question
        self._how: dict[str, Any] = {"select": list(select), "expand": list(expand) if expand else None, "top": size}
        self._count = {"count": "true"} if count else {}
        self.count: int | None = None
        """How many Graph has for the question, where it was asked for and told."""
        self._link = ""
        self._links: set[str] = set()
        self._ids: set[str] = set()
        self._in_this_search = self._new_in_this_search = 0
        self._sent = ""
        self.complete = self.cut_off = False

    @property
    def number(self) -> int:
        return len(self._ids)

    async def more(self) -> list[dict[str, Any]]:
        page = await (self._graph.follow(self._link) if self._link else self._first())
        self.count = page.get("@odata.count", self.count)
        given: list[dict[str, Any]] = list(page.get("value", ()))
        items = [one for one in given if one.get("id") not in self._ids]
        self._ids |= {str(one.get("id")) for one in items}
        self._in_this_search += len(given)
        self._new_in_this_search += len(items)
        self._sent = str((given[-1].get(SENT) if given else None) or self._sent)
        self._link = str(page.get("@odata.nextLink") or "")
        if self._link in self._links or len(self._links) > PAGES:
            raise InvalidResponse("Outlook's listing has no end.", self._graph.account)
        if self._link:
            self._links.add(self._link)
        else:
            self._end()
        return items

    def _end(self) -> None:
        surely = not self._question.search or self._in_this_search < SURELY_FOUND
        self.complete = surely or self._question.bare or not self._new_in_this_search or not self._sent
        self.cut_off = self.complete and not surely and self._in_this_search >= PROMISED
        if not self.complete:
            self._in_this_search = self._new_in_this_search = 0
            self._question = self._question.sent_until(datetime.fromisoformat(self._sent))

    async def _first(self) -> dict[str, Any]:
        try:
            return await self._asked(self._question, **self._count)
        except Refused:
            if not (self._question.ordered and self._question.filter):
                raise
            return await self._asked(self._question.plainer())  # what the filter would leave out is sifted anyway

    async def _asked(self, question: Asked, **further: str) -> dict[str, Any]:
        def build(client: Any) -> Any:
            place = client.me.mail_folders.by_mail_folder_id(question.folder) if question.folder else client.me
            return asking(place.messages, **question.query, **self._how, **further)

        return await self._graph.read(build)


class Ranked:
    """What a search finds, by when it came: Graph gives it by when it was sent, which is for the sender to say. First the states of
    all are read, then the rest of those that are wanted."""

    def __init__(
        self,
        graph: Graph,
        question: Asked,
        select: Sequence[str],
        *,
        expand: Sequence[str],
        size: int,
        wanted: Callable[[State], bool],
    ) -> None:
        self._graph, self._question, self._wanted = graph, question, wanted
        self._select, self._expand, self._size = select, expand, size
        self._waiting: list[State] | None = None
        self._unreadable: list[dict[str, Any]] = []
        self.complete = self.cut_off = False
        self.number = 0
        """Of those that are wanted."""

    async def more(self) -> list[dict[str, Any]]:
        if self._waiting is None:
            self._waiting = await self._states()
            self.number = len(self._waiting)
        chunk, self._waiting = self._waiting[: self._size], self._waiting[self._size :]
        self.complete = not self._waiting
        unreadable, self._unreadable = self._unreadable, []
        return [*unreadable, *(await self._heads(chunk) if chunk else ())]

    async def _states(self) -> list[State]:
        pages = Pages(self._graph, self._question, (*STATE, SENT), size=STATES)
        states: list[State] = []
        while not pages.complete and pages.number < MOST_FOUND:
            states += await asyncio.to_thread(self._read, await pages.more())
        self.cut_off = pages.cut_off or not pages.complete
        return sorted(states, key=lambda state: state.place, reverse=not self._question.oldest_first)

    def _read(self, resources: Sequence[dict[str, Any]]) -> list[State]:
        states = []
        for resource in resources:
            try:
                states.append(read_state(resource))
            except InvalidResponse:
                self._unreadable.append(resource)
        return list(filter(self._wanted, states))

    async def _heads(self, chunk: Sequence[State]) -> list[dict[str, Any]]:
        """In order. What a second search does not tell of, or not like this, is read one by one."""
        found = await self._narrowly_found(chunk)
        missing = [state.id for state in chunk if state.id not in found]
        found |= dict(zip(missing, await asyncio.gather(*map(self._head, missing)), strict=True))
        return [head for state in chunk if (head := found[state.id])]

    async def _narrowly_found(self, chunk: Sequence[State]) -> dict[str, dict[str, Any]]:
        """The question is narrowed to when these came, as far as Graph can be told so: to the day, and so others come as well."""
        moments = [state.moment for state in chunk]
        question = self._question.between(min(moments), max(moments))
        pages = Pages(self._graph, question, (*self._select, SENT), expand=self._expand, size=self._size * 5 // 4)
        found: dict[str, dict[str, Any]] = {}
        wanted = {state.id for state in chunk}
        with suppress(Refused):
            while wanted - found.keys() and not pages.complete and pages.number < len(chunk) * MOST_BESIDE:
                found |= {str(one.get("id")): one for one in await pages.more()}
        return found

    async def _head(self, id: str) -> dict[str, Any]:
        """Empty where it is gone meanwhile."""
        how = {"select": list(self._select), "expand": list(self._expand)}
        try:
            return await self._graph.read(lambda client: asking(client.me.messages.by_message_id(id), **how))
        except NotFound:
            return {}
