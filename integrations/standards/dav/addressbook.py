"""All cards of an account at hand: servers search for little, and each for something else. A first look reads everything, later
ones what has changed."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urlsplit

from integrations.common.card_book import CardEntry, book_of, entry_of
from integrations.common.card_changes import GONE
from integrations.common.contact_book import Book
from integrations.common.contentline import Block, Malformed, render
from integrations.common.remote import Unreadable, after_the_write
from integrations.common.vcard import CardFile, etag_of, read_card
from integrations.errors import AuthExpired, IntegrationError, NotFound, RateLimited, ReadOnly, Unavailable
from integrations.standards.credentials import Credentials
from integrations.standards.dav.dav import Dav
from integrations.standards.dav.dav_books import Collection, Home, find_home, list_books
from integrations.standards.dav.dav_kept import DavKept, Item, State
from integrations.standards.dav.dav_xml import Resource, multiget, propfind, spelt, sync
from integrations.standards.endpoints import Endpoint
from integrations.types import Skipped

AT_ONCE = 50
"""Cards that are asked for together."""
PAGES = 1000
VCARD = "text/vcard; charset=utf-8"
NOT_SHOWN = "the server does not show it"


class Gone(NotFound):
    """The server has said that there is no such card."""


class Stored(NamedTuple):
    """`tag` is the server's ETag of it; `etag` stands for what it says."""

    id: str
    card: Block
    tag: str

    @property
    def etag(self) -> str:
        return etag_of(self.card)


@dataclass(frozen=True)
class Shelf:
    """The cards of one address book, by their URLs, with the server's ETags; `token`: what comes after them can be asked since."""

    collection: Collection
    token: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    cards: Mapping[str, CardEntry | Skipped] = field(default_factory=dict)

    @property
    def entries(self) -> list[CardEntry]:
        return [card for card in self.cards.values() if isinstance(card, CardEntry)]

    @property
    def skipped(self) -> list[Skipped]:
        return [card for card in self.cards.values() if isinstance(card, Skipped)]


class News(NamedTuple):
    """ETags of what there is, or since the last time has come or changed (not `of_all`)."""

    tags: Mapping[str, str]
    gone: frozenset[str]
    token: str
    of_all: bool


class AddressBook:
    """The reader's and the writer's. A card's id is the path of its URL. `kept`: where cards stay for the next process. Raises the
    errors of `integrations.errors` only."""

    def __init__(
        self, account: str, endpoint: Endpoint, credentials: Credentials, *, trusted: str = "", kept: DavKept | None = None
    ) -> None:
        self.account, self._kept = account, kept
        self._dav = Dav(account, endpoint, credentials, trusted=trusted, thing="contacts server")
        self._home: Home | None = None
        self._shelves: dict[str, Shelf] = {}
        self._collections: tuple[Collection, ...] = ()
        self._book = Book({}, (), ())
        self._looking, self._begun, self._looked = asyncio.Lock(), 0, 0

    async def names(self) -> tuple[str, ...]:
        """Of the address books."""
        return tuple(collection.name for collection in await self.collections())

    async def collections(self) -> tuple[Collection, ...]:
        """As the server has them now."""
        if self._home is not None:
            try:
                self._collections = await list_books(self._dav, self._home)
                return self._collections
            except NotFound:  # they may have moved
                self._home = None
        self._home = await find_home(self._dav)
        self._collections = await list_books(self._dav, self._home)
        return self._collections

    async def current(self) -> Book:
        """As the server has it now, or had it after this was asked."""
        asked = self._begun
        async with self._looking:
            if self._looked <= asked:
                self._begun += 1
                await self._look()
                self._looked = self._begun
        return self._book

    async def with_uid(self, uid: str) -> str | None:
        """The id of the card."""
        await self.current()
        found = (entry for shelf in self._shelves.values() for entry in shelf.entries if entry.card.uid == uid)
        return next((entry.contact.id for entry in found), None)

    async def default(self) -> Collection:
        """The one with the most cards of those that can be written. ReadOnly where there is none."""
        await self.current()
        open_to_writes = [shelf for shelf in self._shelves.values() if not shelf.collection.read_only]
        if not open_to_writes:
            raise ReadOnly("No address book of this account can be written to.", self.account)
        return max(open_to_writes, key=lambda shelf: len(shelf.cards)).collection

    async def stored(self, id: str) -> Stored:
        """As the server has it now. Gone where it hasn't."""
        collection = await self._holding(id)
        url = _url(collection, id)
        try:
            found = (await self._cards(collection, [url])).get(url)
        except NotFound as error:
            if _holding(await self.collections(), id):
                raise Unavailable("The contacts server does not show an address book that it has.", self.account) from error
            raise Gone(GONE, self.account) from error
        if found is None or found.status in (404, 410):
            raise Gone(GONE, self.account)
        cards = CardFile(found.content("C:address-data").encode()).cards
        if len(cards) != 1 or not found.etag:
            raise Unreadable("The contacts server does not show this contact, or not which version it is.", self.account)
        return Stored(id, cards[0], found.etag)

    async def put(self, id: str, card: Block, *, over: Stored | None = None) -> Stored:
        """Makes the card, or replaces the version `over`; Conflict where there is another. As the server has it then."""
        url = _url(await self._holding(id), id)
        told = await self._dav.put(url, render([card]).encode(), VCARD, over=over.tag if over else "")
        with after_the_write(self.account):
            now = await self.stored(id)
        # Where somebody else was there in between, their version must not pass for this one: an undo would do away with it.
        return now if not told or _same_tag(told, now.tag) else Stored(id, card, now.tag)

    async def delete(self, stored: Stored) -> None:
        await self._dav.delete(_url(await self._holding(stored.id), stored.id), over=stored.tag)

    async def close(self) -> None:
        await self._dav.close()

    async def _look(self) -> None:
        collections = await self.collections()
        before = self._shelves
        held = await asyncio.gather(*(self._shelf(collection, before.get(collection.url)) for collection in collections))
        shelves = {shelf.collection.url: shelf for shelf in held}
        if [shelf.cards for shelf in shelves.values()] != [shelf.cards for shelf in before.values()]:
            entries = [entry for shelf in held for entry in shelf.entries]
            skipped = [one for shelf in held for one in shelf.skipped]
            self._book = await asyncio.to_thread(book_of, entries, skipped)
        self._shelves = shelves

    async def _shelf(self, collection: Collection, known: Shelf | None) -> Shelf:
        before = known or await self._remembered(collection)
        if collection.state and collection.state == before.collection.state:
            return replace(before, collection=collection)
        news = await self._news(collection, before.token)
        tags = {url: tag for url, tag in before.tags.items() if url not in news.gone and not (news.of_all and url not in news.tags)}
        wanted = [url for url, tag in news.tags.items() if not tag or tag != tags.get(url)]
        read = await self._read(collection, wanted)
        found = await self._entries(read)
        tags |= {url: item.tag for url, item in read.items()}
        gone = set(wanted) - read.keys()
        cards = {url: found[url] if url in read else before.cards[url] for url in tags if url not in gone}
        shelf = Shelf(collection, news.token, {url: tags[url] for url in cards}, cards)
        if all(item.content for item in read.values()):  # what the server does not show now it may show the next time
            await asyncio.to_thread(self._keep, before, shelf, read)
        return shelf

    async def _remembered(self, collection: Collection) -> Shelf:
        """What an earlier process has kept of it."""
        held = await asyncio.to_thread(self._kept.held, collection.url) if self._kept else None
        if held is None:
            return Shelf(collection._replace(state=""))
        tags = {url: item.tag for url, item in held.items.items()}
        return Shelf(collection._replace(state=held.state.version), held.state.token, tags, await self._entries(held.items))

    def _keep(self, before: Shelf, shelf: Shelf, read: Mapping[str, Item]) -> None:
        if self._kept is None:
            return
        if read.keys() == shelf.cards.keys():
            self._kept.keep_all(shelf.collection.url, _state(shelf), read)
        else:
            gone = before.cards.keys() - shelf.cards.keys()
            self._kept.keep_changes(shelf.collection.url, _state(before), _state(shelf), read, gone)

    async def _news(self, collection: Collection, since: str) -> News:
        if not collection.syncs:
            return self._listed(collection, (await self._dav.propfind(collection.url, propfind("D:getetag"), depth=1)).resources)
        if since:
            try:
                return await self._synced(collection, since)
            except (AuthExpired, RateLimited, Unavailable):
                raise
            except IntegrationError:  # each server has its own way of saying that this was too long ago
                pass
        return await self._synced(collection, "")

    def _listed(self, collection: Collection, resources: Sequence[Resource]) -> News:
        if any(resource.status == 507 for resource in resources):
            raise self._dav.server.too_large
        return News({one.url: one.etag for one in resources if _is_in(collection, one.url)}, frozenset(), "", of_all=True)

    async def _synced(self, collection: Collection, since: str) -> News:
        """A server may tell it in several parts."""
        tags: dict[str, str] = {}
        gone: set[str] = set()
        token = since
        for _ in range(PAGES):
            answer = await self._dav.report(collection.url, sync(token), depth=0)
            token = answer.token
            for one in answer.resources:
                if _is_in(collection, one.url):
                    (gone.discard, gone.add)[one.status in (404, 410)](one.url)
                    tags.pop(one.url, None)
                    if one.url not in gone:
                        tags[one.url] = one.etag
            if not any(one.status == 507 for one in answer.resources):
                return News(tags, frozenset(gone), token, of_all=not since)
        raise self._dav.server.too_large

    async def _read(self, collection: Collection, urls: Sequence[str]) -> dict[str, Item]:
        """Without those that are gone meanwhile."""
        chunks = [urls[at : at + AT_ONCE] for at in range(0, len(urls), AT_ONCE)]
        answers = await asyncio.gather(*(self._chunk(collection, chunk) for chunk in chunks))
        found = {url: resource for answer in answers for url, resource in answer.items()}
        return {url: Item(one.etag, one.content("C:address-data").encode()) for url, one in found.items()}

    async def _chunk(self, collection: Collection, urls: Sequence[str]) -> dict[str, Resource]:
        try:
            found = await self._cards(collection, urls)
        except Unreadable:
            if len(urls) == 1:
                raise
            found = await self._one_by_one(collection, urls)
        return {url: found.get(url, Resource(url, {})) for url in urls if url not in found or found[url].status not in (404, 410)}

    async def _one_by_one(self, collection: Collection, urls: Sequence[str]) -> dict[str, Resource]:
        """One card may spoil an answer, but not the whole address book."""
        found: dict[str, Resource] = {}
        for url in urls:
            try:
                found |= await self._cards(collection, [url])
            except Unreadable as error:
                spoilt = error
        if not found:
            raise spoilt
        return found

    async def _cards(self, collection: Collection, urls: Sequence[str]) -> dict[str, Resource]:
        return {one.url: one for one in (await self._dav.report(collection.url, multiget(urls))).resources}

    async def _entries(self, items: Mapping[str, Item]) -> dict[str, CardEntry | Skipped]:
        return await asyncio.to_thread(lambda: {url: self._entry(url, item.content) for url, item in items.items()})

    def _entry(self, url: str, content: bytes) -> CardEntry | Skipped:
        id = urlsplit(url).path
        try:
            cards = CardFile(content).cards
            if len(cards) != 1:
                raise Malformed("it holds several vCards" if cards else "it holds no vCard" if content else NOT_SHOWN)
            return entry_of(read_card(cards[0]), self.account, id, etag_of(cards[0]))
        except Malformed as reason:
            return Skipped(where=id, reason=str(reason))

    async def _holding(self, id: str) -> Collection:
        found = _holding(self._collections, id) or _holding(await self.collections(), id)
        if found is None:
            raise Gone(GONE, self.account)
        return found


def _state(shelf: Shelf) -> State:
    return State(shelf.token, shelf.collection.state)


def _holding(collections: Sequence[Collection], id: str) -> Collection | None:
    if spelt(id) != id:
        return None
    return next((collection for collection in collections if _is_in(collection, _url(collection, id))), None)


def _url(collection: Collection, id: str) -> str:
    return collection.url.removesuffix(collection.path) + id


def _is_in(collection: Collection, url: str) -> bool:
    name = url.removeprefix(collection.url)
    return name != url and name not in ("", ".", "..") and "/" not in name


def _same_tag(one: str, other: str) -> bool:
    return one.removeprefix("W/") == other.removeprefix("W/")
