"""A connection to an HTTP server that tests cut, or answer in the server's place; each request is one of its own upstream."""

import asyncio
import contextlib
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from servers.background import LIMIT, Background
from servers.imap_proxy import When

IDENTITY = "x-remote-user"
HOP_BY_HOP = ("connection", "keep-alive", "transfer-encoding", "content-length", "expect")


@dataclass
class Request:
    """`headers` by lower-case name."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def encoded(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status} x", *(f"{name}: {value}" for name, value in self.headers.items())]
        return "\r\n".join([*lines, f"Content-Length: {len(self.body)}", "", ""]).encode() + self.body


@dataclass
class Rule:
    method: str
    path: str
    when: When
    reply: Reply | None
    times: int


class HttpProxy:
    """`requests`: those that came, the last one last."""

    def __init__(self, background: Background, upstream: int, signed_in: Callable[[str], str] | None = None) -> None:
        """`signed_in`: who somebody is, from the Authorization header, for a server that leaves that to its proxy."""
        self._background, self._upstream, self._signed_in = background, upstream, signed_in
        self._rules: list[Rule] = []
        self._refusing = False
        self.requests: list[Request] = []
        self.port = background.listen(self._serve)

    def with_tls(self, context: ssl.SSLContext) -> int:
        """A further port, whose clients speak TLS."""
        return self._background.listen(self._serve, context)

    def lose(self, method: str, when: When = "before", path: str = "", times: int = 1) -> None:
        """The next request of this method is not forwarded; or is forwarded and answered, but the answer does not arrive. `path`: a
        pattern found in its path."""
        self._rules.append(Rule(method, path, when, None, times))

    def instead(
        self, method: str, status: int, headers: Mapping[str, str] | None = None, body: bytes = b"", path: str = "", times: int = 1
    ) -> None:
        """The next request of this method is not forwarded; this is the reply to it. A `method` of "" is any."""
        self._rules.append(Rule(method, path, "before", Reply(status, headers or {}, body), times))

    def refuse(self, refusing: bool = True) -> None:
        """Every connection is cut off at its next request."""
        self._refusing = refusing

    def reset(self) -> None:
        self._rules.clear()
        self.requests.clear()
        self._refusing = False

    def _rule(self, request: Request) -> Rule | None:
        for rule in self._rules:
            if rule.method in ("", request.method) and re.search(rule.path, request.path):
                rule.times -= 1
                if not rule.times:
                    self._rules.remove(rule)
                return rule
        return None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while not self._refusing and (request := await _request(reader)):
                    if self._refusing or (reply := await self._reply(request)) is None:
                        break
                    writer.write(reply.encoded() if request.method != "HEAD" else Reply(reply.status, reply.headers).encoded())
                    await writer.drain()
        finally:
            writer.transport.abort()

    async def _reply(self, request: Request) -> Reply | None:
        self.requests.append(request)
        rule = self._rule(request)
        if rule and rule.when == "before":
            return rule.reply
        if self._signed_in and not self._signed_in(request.headers.get("authorization", "")):
            return Reply(401, {"WWW-Authenticate": 'Basic realm="calendars"'})
        reply = await self.forward(request)
        return None if rule else reply

    async def forward(self, request: Request) -> Reply | None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._upstream, limit=LIMIT)
        try:
            kept = {name: value for name, value in request.headers.items() if name not in (*HOP_BY_HOP, IDENTITY)}
            if self._signed_in:
                kept[IDENTITY] = self._signed_in(kept.pop("authorization", ""))
            lines = [f"{request.method} {request.path} HTTP/1.0", *(f"{name}: {value}" for name, value in kept.items())]
            head = "\r\n".join([*lines, f"Content-Length: {len(request.body)}", "", ""])
            writer.write(head.encode("latin-1") + request.body)
            status = (await reader.readline()).split()[1]
            headers = await _headers(reader)
            answer = {name: value for name, value in headers.items() if name not in HOP_BY_HOP}
            return Reply(int(status), answer, await reader.read())
        finally:
            writer.transport.abort()


async def _request(reader: asyncio.StreamReader) -> Request | None:
    first = (await reader.readline()).decode("latin-1").split()
    if len(first) != 3:
        return None
    headers = await _headers(reader)
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = await _chunked(reader)
    return Request(first[0], first[1], headers, body)


async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
    found = {}
    while line := (await reader.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        found[name.lower()] = value.strip()
    return found


async def _chunked(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return body
