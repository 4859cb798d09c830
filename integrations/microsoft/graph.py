"""One Microsoft account over HTTP. Building a request with the SDK, sending it and reading the answer go through threads of the
account's own, so that nothing waits for them. Answers are read as plain JSON: the SDK would take milliseconds for each message."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from integrations.common.remote import Unauthorized, Unreadable
from integrations.common.retrying import read_again
from integrations.errors import InvalidResponse
from integrations.microsoft import answers
from integrations.microsoft.errors import Asked, refusal, translated
from integrations.microsoft.requests import Endpoint, Prepared, Requests
from integrations.microsoft.tokens import Tokens
from integrations.microsoft.transport import Transport
from integrations.microsoft.uploads import may_be_given, pieces
from integrations.registry import Secrets

if TYPE_CHECKING:
    from integrations.microsoft.requests import Build

R = TypeVar("R")
Answer = dict[str, Any]
Headers = Mapping[str, str]

AT_ONCE = 4
"""So many requests at a time Graph takes for one mailbox."""
PAGES = 1000
"""More pages than any listing has."""


class Graph:
    """`endpoint` is the root of Graph where it is not Microsoft's own, `base` what all its addresses begin with. Raises the
    errors of `integrations.errors` only."""

    def __init__(self, account: str, *, secrets: Secrets, endpoint: str = "") -> None:
        self.account = account
        self._endpoint = Endpoint(endpoint)
        self._requests = Requests(self._endpoint)
        self.base = self._endpoint.base
        self._reading, self._writing = Transport(keep_alive=True), Transport(keep_alive=False)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="microsoft")
        self._tokens = Tokens(account, secrets, self._in_thread)

    async def read(self, build: "Build", *, headers: Headers | None = None) -> Answer:
        """Sent again, a few times, where Graph is out of reach or asks for a pause."""
        return await self._read(lambda: self._requests.prepared(build, headers), self._json)

    async def content(self, build: "Build") -> bytes:
        """As `read`, for what is no JSON: a `$value`."""
        return await self._read(lambda: self._requests.prepared(build), lambda answer: answer.content)

    async def write(self, build: "Build", *, headers: Headers | None = None) -> Answer:
        """Sent once. Only where the token was refused, and so the request with it, it is sent with a new one."""
        return await self._signed(
            lambda token: self._json(self._sent(self._writing, self._requests.prepared(build, headers), token))
        )

    async def pages(self, build: "Build", *, headers: Headers | None = None, most: int | None = None) -> list[Answer]:
        """All pages of a listing, or the first `most`."""
        return await self._and_further(await self.read(build, headers=headers), headers, most)

    async def pages_from(self, link: str, *, headers: Headers | None = None) -> list[Answer]:
        """As `pages`, of what a deltaLink leads to."""
        return await self._and_further(await self.follow(link, headers=headers), headers)

    async def follow(self, link: str, *, headers: Headers | None = None) -> Answer:
        """What a nextLink or a deltaLink leads to. InvalidResponse where that is not Graph; nothing is sent there then."""
        return await self._read(lambda: self._requests.following(link, headers), self._json)

    async def upload(self, address: str, content: bytes) -> Answer:
        """To the address of an upload session. Each piece is sent once."""
        if not may_be_given(address, self._endpoint):
            raise InvalidResponse(
                "Microsoft named an address for an upload that is not its own; nothing was sent there.", self.account
            )
        answer: Answer = {}
        for piece in pieces(address, content):
            answer = await self._in_thread(lambda piece=piece: self._put(piece))  # type: ignore[misc]
        return answer

    async def close(self) -> None:
        await self._tokens.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._reading.close()
        self._writing.close()

    async def _read(self, prepared: Callable[[], Prepared], read: Callable[[httpx.Response], R]) -> R:
        def send(token: str) -> R:
            return read(self._sent(self._reading, prepared(), token))

        return await read_again(lambda: self._signed(send))

    async def _signed(self, send: Callable[[str], R]) -> R:
        token = await self._tokens.current()
        try:
            return await self._in_thread(lambda: send(token))
        except Unauthorized:
            fresh = await self._tokens.other_than(token)
            return await self._in_thread(lambda: send(fresh))

    async def _and_further(self, first: Answer, headers: Headers | None, most: int | None = None) -> list[Answer]:
        answers, links = [first], set[str]()
        while (link := answers[-1].get("@odata.nextLink")) and len(answers) != most:
            if link in links or len(answers) == PAGES:
                raise InvalidResponse("Microsoft's listing has no end.", self.account)
            links.add(link)
            answers.append(await self.follow(link, headers=headers))
        return answers

    async def _in_thread(self, work: Callable[[], R]) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _sent(self, transport: Transport, request: Prepared, token: str) -> httpx.Response:
        if not self._endpoint.owns(request.url):
            raise InvalidResponse("Microsoft named an address that is not its own; nothing was sent there.", self.account)
        asked = Asked(self.account, request.path(self._endpoint), self._tokens.granted, reads=request.method == "GET")
        return self._answer(transport, request, {**request.headers, "authorization": f"Bearer {token}"}, asked)

    def _put(self, piece: Prepared) -> Answer:
        return self._json(self._answer(self._writing, piece, piece.headers, Asked(self.account, "/me/messages")))

    def _answer(self, transport: Transport, request: Prepared, headers: Headers, asked: Asked) -> httpx.Response:
        try:
            answer = transport.send(request.method, request.url, headers, request.content)
        except Exception as error:
            raise translated(error, asked) from error
        if not answer.is_success:
            raise refusal(answer, asked)
        return answer

    def _json(self, answer: httpx.Response) -> Answer:
        """An answer without content stands for an empty one."""
        try:
            return answers.read(answer.content)
        except ValueError as error:
            raise Unreadable("Microsoft gave an answer that can't be read.", self.account) from error
