"""A small CardDAV client: asks as an account, reads answers of many parts, and writes once."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from integrations.common.retrying import read_again
from integrations.errors import InvalidResponse
from integrations.standards.credentials import Credentials, Login
from integrations.standards.dav.dav_errors import Server
from integrations.standards.dav.dav_transport import Answer, Moved, Transport
from integrations.standards.dav.dav_xml import Malformed, Multistatus, multistatus, resolved
from integrations.standards.endpoints import Endpoint

R = TypeVar("R")

THREADS = 4
REDIRECTS = 5


class Dav:
    """`thing` is what people call the server. Raises the errors of `integrations.errors` only."""

    def __init__(self, account: str, start: Endpoint, credentials: Credentials, *, trusted: str = "", thing: str) -> None:
        self.server, self.start, self._credentials = Server(account, thing), start, credentials
        self._reading = Transport(self.server, start, trusted=trusted, keep_alive=True)
        self._writing = Transport(self.server, start, trusted=trusted, keep_alive=False)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="dav")

    async def propfind(self, url: str, body: bytes, *, depth: int = 0) -> Multistatus:
        """Follows where the server sends to, as long as the password may go there."""
        return await self._many("PROPFIND", url, body, depth)

    async def report(self, url: str, body: bytes, *, depth: int = 1) -> Multistatus:
        return await self._many("REPORT", url, body, depth)

    async def put(self, url: str, content: bytes, kind: str, *, over: str = "") -> str:
        """Makes it, or replaces the version whose ETag is `over`; Conflict where there is another. Returns its new ETag, or nothing
        where the server doesn't tell."""
        headers = {"Content-Type": kind, **(_if_match(over) if over else {"If-None-Match": "*"})}
        answer = await self._write("PUT", url, content, headers)
        return str(answer.headers.get("etag", ""))

    async def delete(self, url: str, *, over: str) -> None:
        await self._write("DELETE", url, b"", _if_match(over))

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._reading.close()
        self._writing.close()

    async def _write(self, method: str, url: str, content: bytes, headers: Mapping[str, str]) -> Answer:
        return await self._signed(lambda login: self._writing.request(login, method, url, content, headers))

    async def _many(self, method: str, url: str, body: bytes, depth: int) -> Multistatus:
        headers = {"Content-Type": "application/xml; charset=utf-8", "Depth": str(depth)}

        def ask(login: Login) -> Multistatus:
            at = url
            for _ in range(REDIRECTS):
                try:
                    return self._parsed(self._reading.request(login, method, at, body, headers), at)
                except Moved as moved:
                    at = self._onward(moved)
            raise InvalidResponse(f"The {self.server.thing} sends in circles.", self.server.account)

        return await read_again(lambda: self._signed(ask))

    def _onward(self, moved: Moved) -> str:
        try:
            return resolved(moved.url, moved.url)
        except ValueError:
            raise self.server.elsewhere from None

    def _parsed(self, answer: Answer, url: str) -> Multistatus:
        try:
            return multistatus(answer.content, url)
        except Malformed as error:
            raise self.server.unreadable from error

    async def _signed(self, work: Callable[[Login], R]) -> R:
        return await self._credentials.using(str(self.start), lambda login: self._in_thread(lambda: work(login)))

    async def _in_thread(self, work: Callable[[], R]) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _if_match(etag: str) -> dict[str, str]:
    """A weak one compares with nothing, though the server may have meant this very version."""
    return {"If-Match": etag.removeprefix("W/")}
