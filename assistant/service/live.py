"""Streams of server-sent events: how they are sent, to clients that may be slow, gone, or not allowed in any more."""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from assistant.service import problems

log = logging.getLogger(__name__)

PING = 15.0
"""Seconds without an event, after which a comment shows that the stream is alive; and between two looks at who may listen."""
STUCK = 30.0
"""Seconds after which a client that takes nothing is left; it comes again with its cursor."""
RETRY = 1500
"""Milliseconds after which a client comes again."""
GATHERED = 0.02
"""Seconds after one piece in which what comes waits for the next: a turn's events come close together."""
MOST = 256
"""Events that wait for a client; the source waits with them."""
Allowed = Callable[[], Awaitable[bool]]


def event(name: str, data: BaseModel | Mapping[str, object], id: str = "") -> bytes:
    """As it goes over the wire. JSON has no line breaks of its own."""
    body = data.model_dump_json() if isinstance(data, BaseModel) else json.dumps(data)
    return f"event: {name}\n{f'id: {id}' + chr(10) if id else ''}data: {body}\n\n".encode()


def problem(error: Exception) -> bytes:
    return event("problem", {key: value for key, value in problems.body(problems.problem_of(error)).items() if key != "type"})


class EventStream(Response):
    """Sends what `source` gives until that ends, the client goes, or `allowed` says no. What is ready goes out together."""

    media_type = "text/event-stream"

    def __init__(
        self,
        source: AsyncIterator[bytes],
        allowed: Allowed | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        retry: bool = True,
    ) -> None:
        """`retry`: the client is told when to come again."""
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no", **(headers or {})})
        del self.headers["content-length"]
        self._source, self._allowed = source, allowed
        self._waiting: list[bytes] = [f"retry: {RETRY}\n\n".encode()] if retry else []
        self._wake, self._room = asyncio.Event(), asyncio.Event()
        if retry:
            self._wake.set()
        self.on_close: Callable[[], None] = lambda: None

    def push(self, chunk: bytes) -> None:
        """From beside the source; nothing for a client that takes nothing."""
        if len(self._waiting) < MOST:
            self._waiting.append(chunk)
            self._wake.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        reading = asyncio.create_task(self._read())
        tasks = {reading, asyncio.create_task(self._send(send, reading)), asyncio.create_task(_left(receive))}
        try:
            await asyncio.wait(tasks - {reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for error in (task.exception() for task in tasks if not task.cancelled()):
                if error is not None:
                    log.warning("A stream of events broke off: %s", type(error).__name__)
            self.on_close()
            if close := getattr(self._source, "aclose", None):
                await close()

    async def _read(self) -> None:
        async for chunk in self._source:
            self._waiting.append(chunk)
            self._wake.set()
            while len(self._waiting) >= MOST:
                self._room.clear()
                await self._room.wait()

    async def _send(self, send: Send, reading: "asyncio.Task[None]") -> None:
        reading.add_done_callback(lambda _: self._wake.set())
        looked = time.monotonic()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PING):
                    await self._wake.wait()
            self._wake.clear()
            chunk, ended = b"".join(self._waiting), reading.done()
            self._waiting.clear()
            self._room.set()
            if time.monotonic() - looked >= PING:
                looked = time.monotonic()
                ended = ended or not (self._allowed is None or await self._allowed())
            async with asyncio.timeout(STUCK):
                await send({"type": "http.response.body", "body": chunk or b": ping\n\n", "more_body": not ended})
            if ended:
                return
            await asyncio.sleep(GATHERED)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Streams:
    """Those that follow a conversation, for what is stored nowhere."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], set[EventStream]] = {}

    def opened(self, user: str, conversation: str, stream: EventStream) -> EventStream:
        """It is known until it ends."""
        key = user, conversation
        self._open.setdefault(key, set()).add(stream)

        def closed() -> None:
            self._open[key].discard(stream)
            if not self._open[key]:
                del self._open[key]

        stream.on_close = closed
        return stream

    def tell(self, user: str, conversation: str, chunk: bytes) -> None:
        for stream in self.of(user, conversation):
            stream.push(chunk)

    def of(self, user: str, conversation: str) -> frozenset[EventStream]:
        return frozenset(self._open.get((user, conversation), ()))


def streams_of(request: Request) -> Streams:
    streams: Streams = request.app.state.streams
    return streams
