"""An account's calendars at a CalDAV server, by way of the caldav library. That blocks, so that everything goes through threads of
the account's own."""

import asyncio
import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import unquote, urljoin, urlsplit

from integrations.common.retrying import read_again
from integrations.errors import InvalidResponse, NotFound, ReadOnly
from integrations.standards.credentials import Credentials, Login
from integrations.standards.dav import caldav_xml as xml
from integrations.standards.dav.caldav_session import Signed
from integrations.standards.dav.dav_errors import Server
from integrations.standards.dav.dav_transport import Answer, Moved, Transport
from integrations.standards.endpoints import Endpoint

if TYPE_CHECKING:
    from caldav.davclient import DAVClient

    from integrations.standards.dav.dav_kept import DavKept

R = TypeVar("R")

THREADS = 8
REDIRECTS = 5
AT_ONCE = 50
"""Objects that are asked for together."""
PAGES = 1000
WELL_KNOWN = "/.well-known/caldav"
NOTHING_THERE = "There are no calendars at this address of the server."
ICS = {"Content-Type": "text/calendar; charset=utf-8"}


@dataclass(frozen=True)
class Collection:
    """One calendar. `path` ends in "/"; `token` is what its changes can be asked since, `version` changes when anything in it does;
    both are empty where the server has none."""

    path: str
    url: str
    name: str
    read_only: bool
    token: str
    version: str


@dataclass(frozen=True)
class Stored:
    """One calendar object as the server has it; `tag` is its ETag header."""

    path: str
    content: bytes
    tag: str


@dataclass(frozen=True)
class Changed:
    """`token`: what comes after them can be asked since. `refused` are paths that the server names but does not show."""

    tags: Mapping[str, str]
    gone: frozenset[str]
    token: str
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Home:
    """Where the calendars are, and where others are asked when they have time, which may be nowhere."""

    urls: tuple[str, ...]
    outbox: str = ""


class Calendars:
    """`kept`: where what was read stays for the next process. Raises the errors of `integrations.errors` only."""

    def __init__(
        self, account: str, endpoint: Endpoint, credentials: Credentials, *, trusted: str = "", kept: "DavKept | None" = None
    ) -> None:
        self.account, self.kept, self._endpoint, self._credentials = account, kept, endpoint, credentials
        self._server = Server(account, "calendar server")
        self._reading = Transport(self._server, endpoint, trusted=trusted, keep_alive=True)
        self._writing = Transport(self._server, endpoint, trusted=trusted, keep_alive=False)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="caldav")
        self._loading = Lock()
        self._home: Home | None = None
        self._known: tuple[Collection, ...] = ()

    async def collections(self, *, versions: bool = False) -> tuple[Collection, ...]:
        """Those that hold events, as of now; writable ones first. Without `versions` they have neither token nor version."""
        home = await self.home()
        listed = await asyncio.gather(*(self._read(partial(self._collections, url=url, versions=versions)) for url in home.urls))
        found = {one.path: one for some in listed for one in some}
        self._known = tuple(sorted(found.values(), key=lambda one: (one.read_only, one.path)))
        return self._known

    async def names(self) -> tuple[str, ...]:
        return tuple(collection.name for collection in await self.collections())

    async def schedules(self) -> bool:
        """Whether the server itself tells others of meetings (RFC 6638)."""
        home = await self.home()
        if not home.outbox:
            return False
        answer = await self._read(lambda login: self._sent(self._reading, login, "OPTIONS", home.urls[0]))
        return "calendar-auto-schedule" in answer.headers.get("dav", "").lower()

    async def default(self) -> Collection:
        """That takes new events. ReadOnly where there is none."""
        first = next(iter(await self.collections()), None)
        if first is None or first.read_only:
            raise ReadOnly("No calendar of this account can be written to.", self.account)
        return first

    async def holding(self, path: str) -> Collection:
        """The calendar that an object's path lies in. NotFound where it is none of the account's."""
        found = _holding(self._known, path) or _holding(await self.collections(), path)
        if found is None:
            raise NotFound("This event does not exist any more.", self.account)
        return found

    async def between(self, collection: Collection, start: datetime, end: datetime) -> tuple[list[Stored], list[str]]:
        """The objects with events in this span, and the paths of those that the server does not show."""
        return await self._read(lambda login: self._report(login, collection, xml.events_between(start, end)))

    async def of_uid(self, collection: Collection, uid: str) -> list[Stored]:
        """The objects that may have it."""
        return (await self._read(lambda login: self._report(login, collection, xml.of_uid(uid))))[0]

    async def these(self, collection: Collection, paths: Sequence[str]) -> tuple[list[Stored], list[str]]:
        chunks = [paths[at : at + AT_ONCE] for at in range(0, len(paths), AT_ONCE)]
        answers = await asyncio.gather(
            *(self._read(partial(self._report, collection=collection, query=xml.these(some))) for some in chunks)
        )
        return [one for found, _ in answers for one in found], [path for _, refused in answers for path in refused]

    async def changed(self, collection: Collection, since: str) -> Changed:
        """Raises an error of the server's choice where that is too long ago."""
        tags: dict[str, str] = {}
        gone: set[str] = set()
        refused: list[str] = []
        for _ in range(PAGES):
            page, more = await self._read(partial(self._changed, collection=collection, since=since))
            tags.update(page.tags)
            gone = (gone - page.tags.keys()) | page.gone
            refused += page.refused
            if not more or page.token == since:
                return Changed(tags, frozenset(gone), page.token, tuple(refused))
            since = page.token
        raise self._server.unreadable

    async def get(self, path: str) -> Stored:
        collection = await self.holding(path)
        url = urljoin(collection.url, xml.quoted(path))
        answer = await self._read(lambda login: self._sent(self._reading, login, "GET", url))
        return Stored(path, answer.content, answer.headers.get("etag", ""))

    async def put(self, path: str, content: bytes, tag: str | None) -> str:
        """In place of what has this tag; None: of nothing. Sent once. The path that it has got."""
        collection = await self.holding(path)
        url = urljoin(collection.url, xml.quoted(path))
        condition = {"If-None-Match": "*"} if tag is None else _unchanged(tag)
        answer = await self._write(lambda login: self._sent(self._writing, login, "PUT", url, content, {**ICS, **condition}))
        named = unquote(urlsplit(urljoin(url, answer.headers.get("location", ""))).path)
        return named if _holding((collection,), named) else path

    async def delete(self, path: str, tag: str, *, quiet: bool = False) -> None:
        """`quiet`: the server is asked not to tell the organiser that a guest's copy is gone (RFC 6638, section 8.1)."""
        collection = await self.holding(path)
        url = urljoin(collection.url, xml.quoted(path))
        headers = {**_unchanged(tag), **({"Schedule-Reply": "F"} if quiet else {})}
        await self._write(lambda login: self._sent(self._writing, login, "DELETE", url, headers=headers))

    async def post(self, url: str, content: bytes) -> Answer:
        """A question that changes nothing."""
        return await self._read(lambda login: self._sent(self._reading, login, "POST", url, content, ICS))

    async def home(self) -> Home:
        if self._home is None:
            self._home = await self._read(self._found_home)
        return self._home

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._reading.close()
        self._writing.close()

    async def _read(self, work: Callable[[Login], R]) -> R:
        return await read_again(lambda: self._write(work))

    async def _write(self, work: Callable[[Login], R]) -> R:
        """Once. Only where the sign-in was refused, and so the request with it, with another."""
        return await self._credentials.using(str(self._endpoint), lambda login: self._in_thread(lambda: work(login)))

    async def _in_thread(self, work: Callable[[], R]) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _found_home(self, login: Login) -> Home:
        start = str(self._endpoint)
        try:
            return self._home_at(login, start)
        except (NotFound, ReadOnly, InvalidResponse):
            if self._endpoint.path != "/":
                raise
            # At its root a server may have nothing but pages for people (RFC 6764, section 6).
            with suppress(NotFound, ReadOnly, InvalidResponse):
                return self._home_at(login, urljoin(start, WELL_KNOWN))
            raise

    def _home_at(self, login: Login, url: str) -> Home:
        url, props = self._props(login, url)
        homes = xml.listed(props.get(xml.HOME))
        principal = props.get(xml.PRINCIPAL)
        if not homes and isinstance(principal, str):
            url, props = self._props(login, self._joined(url, principal))
            homes = xml.listed(props.get(xml.HOME))
        if not homes and xml.COLLECTION not in xml.listed(props.get(xml.KIND)):
            raise NotFound(NOTHING_THERE, self.account)
        outbox = next(iter(xml.listed(props.get(xml.OUTBOX))), "")
        return Home(tuple(self._joined(url, home) for home in homes) or (url,), self._joined(url, outbox) if outbox else "")

    def _joined(self, url: str, href: str) -> str:
        try:
            return urljoin(url, href)
        except ValueError as odd:
            raise self._server.unreadable from odd

    def _props(self, login: Login, url: str) -> tuple[str, Mapping[str, Any]]:
        """Where it is found, and what it says."""
        at, answer = self._asked(login, "PROPFIND", url, xml.principal_props(), 0)
        return at, next((found.properties for found in answer.properties), {})

    def _collections(self, login: Login, url: str, versions: bool) -> list[Collection]:
        at, answer = self._asked(login, "PROPFIND", url, xml.collection_props(versions=versions), 1)
        return [_collection(at, found.href, found.properties) for found in answer.properties if _holds_events(found.properties)]

    def _report(self, login: Login, collection: Collection, query: bytes) -> tuple[list[Stored], list[str]]:
        _, answer = self._asked(login, "REPORT", collection.url, query, 1)
        found = [one for one in answer.objects if _holding((collection,), one.href)]
        held = [Stored(one.href, one.calendar_data.encode(), one.etag or "") for one in found if one.calendar_data]
        return held, [*answer.left_out, *(one.href for one in found if not one.calendar_data)]

    def _changed(self, login: Login, collection: Collection, since: str) -> tuple[Changed, bool]:
        _, answer = self._asked(login, "REPORT", collection.url, xml.changed_since(since), 0)
        page = answer.changes
        if not page.sync_token:
            raise self._server.unreadable
        tags = {one.href: one.etag or "" for one in page.changed if _holding((collection,), one.href)}
        return Changed(tags, frozenset(page.deleted), page.sync_token, tuple(answer.left_out)), page.truncated

    def _asked(self, login: Login, method: str, url: str, query: bytes, depth: int) -> tuple[str, xml.Multistatus]:
        """The address that has answered in the end, and the answer."""
        client = copy.copy(self._client)
        client.session = cast(Any, Signed(self._reading, login))
        for _ in range(REDIRECTS):
            try:
                return url, xml.Multistatus(client.request(url, method, query.decode(), {"Depth": str(depth)}), self._server)
            except Moved as elsewhere:
                url = elsewhere.url
            except (ValueError, SyntaxError) as error:  # as lxml names what is no XML
                raise self._server.unreadable from error
        raise NotFound(NOTHING_THERE, self.account)

    def _sent(
        self,
        transport: Transport,
        login: Login,
        method: str,
        url: str,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        for _ in range(REDIRECTS):
            try:
                return transport.request(login, method, url, content, headers or {})
            except Moved as elsewhere:
                url = elsewhere.url
        raise NotFound(NOTHING_THERE, self.account)

    @property
    def _client(self) -> "DAVClient":
        with self._loading:
            return self._made_client

    @cached_property
    def _made_client(self) -> "DAVClient":
        from caldav.davclient import DAVClient

        # It shows parts of what servers say to the log.
        logging.getLogger("caldav").setLevel(logging.CRITICAL)
        return DAVClient(url=str(self._endpoint), enable_rfc6764=False)


def _collection(base: str, path: str, props: Mapping[str, Any]) -> Collection:
    path = path if path.endswith("/") else f"{path}/"
    allowed = xml.listed(props.get(xml.PRIVILEGES))
    token = props.get(xml.TOKEN) or ""
    return Collection(
        path=path,
        url=urljoin(base, xml.quoted(path)),
        name=props.get(xml.NAME) or path.rstrip("/").rpartition("/")[2],
        read_only=bool(allowed) and not xml.WRITES.intersection(allowed),
        token=token,
        version=token or props.get(xml.CTAG) or "",
    )


def _holds_events(props: Mapping[str, Any]) -> bool:
    components = xml.listed(props.get(xml.COMPONENTS))
    return xml.CALENDAR in xml.listed(props.get(xml.KIND)) and (not components or "VEVENT" in map(str.upper, components))


def _holding(collections: Sequence[Collection], path: str) -> Collection | None:
    folder, _, name = path.rpartition("/")
    if name in ("", ".", "..") or not path.isprintable():
        return None
    return next((collection for collection in collections if collection.path == f"{folder}/"), None)


def _unchanged(tag: str) -> dict[str, str]:
    """Without a tag there is only this to ask for: that there be something."""
    return {"If-Match": tag.removeprefix("W/") or "*"}
