"""The scripted endpoint: an asyncio server on the loopback, in a thread of its own."""

import asyncio
import dataclasses
import json
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from doubles.http1 import Received, receive, reset
from doubles.llm import wire
from doubles.llm.answers import Answer, Failure, Raw, Reply, Reset, Script, as_answerer, fitted, tokens
from doubles.llm.checking import check, lacking, parsed
from doubles.llm.counting import Counted, Counters, PrefixCache
from doubles.llm.misbehaving import obliging
from doubles.llm.requests import RequestSeen
from doubles.llm.schemas import Wrong

T = TypeVar("T")
BESIDE = 30.0
"""Seconds that an answer waits at the longest for requests beside its own."""


def unreachable_url() -> str:
    """Where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


class ScriptedEndpoint:
    """`url` and `key` are what an OpenAI client wants; `azure_url` an Azure one. `latency` in seconds from a request to its answer.
    `lacks` names what the endpoint refuses: response_format, json_schema, json_object, tools, stream_options, max_tokens, …;
    `context` is the most tokens a prompt may have. An empty `key` lets anybody in. `requests` and `complaints` may be read at any
    time."""

    def __init__(
        self,
        script: Script = obliging,
        *,
        key: str = "sk-scripted",
        models: Sequence[str] = ("scripted", "scripted-small"),
        latency: float = 0.0,
        lacks: Collection[str] = (),
        context: int | None = None,
        port: int = 0,
    ) -> None:
        self.key, self.models, self.latency, self.context = key, tuple(models), latency, context
        self.lacks, self.port = frozenset(lacks), port
        self.play(script)
        self.requests: list[RequestSeen] = []
        self.counters = Counters()
        self._reached: defaultdict[int, asyncio.Event] = defaultdict(asyncio.Event)
        self._cache = PrefixCache()
        self._open: set[asyncio.StreamWriter] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def play(self, script: Script) -> None:
        """From now on answers are this script's."""
        self.script = script
        self._answerer = as_answerer(script)

    @property
    def azure_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.azure_url}/v1"

    @property
    def complaints(self) -> list[str]:
        """What was wrong with the requests, in their order."""
        return [f"request {seen.number}: {seen.complaint}" for seen in self.requests if seen.complaint]

    def __enter__(self) -> "ScriptedEndpoint":
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="scripted endpoint", daemon=True)
        self._thread.start()
        self._do(self._listen())
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        self._do(self._hang_up())
        self._do(self._finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @contextmanager
    def down(self) -> Iterator[None]:
        """Nobody listens meanwhile, and what was open is reset."""
        self._do(self._hang_up())
        try:
            yield
        finally:
            self._do(self._listen())

    def idle(self, within: float = 5.0) -> bool:
        """Whether no request is under way any more, at the latest after so many seconds."""
        until = time.monotonic() + within
        while self.counters.now and time.monotonic() < until:
            time.sleep(0.01)
        return not self.counters.now

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1024, limit=2**20)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _hang_up(self) -> None:
        self._server.close()
        for writer in list(self._open):
            reset(writer)

    async def _finish(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while received := await receive(reader):
                await self._respond(received, writer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _respond(self, received: Received, writer: asyncio.StreamWriter) -> None:
        target = urlsplit(received.target)
        if received.method == "GET" and target.path == "/counters":
            writer.write(wire.whole(200, json.dumps(dataclasses.asdict(self.counters)), {}))
            return
        seen = RequestSeen(len(self.requests) + 1, target.path, dict(parse_qsl(target.query)), received.headers, received.body)
        if received.method == "GET":
            self._models(seen, writer)
            return
        self.requests.append(seen)
        self.counters.begin()
        self._reached[self.counters.most_at_once].set()
        seen.began = time.monotonic()
        try:
            await self._send(self._reply(seen), seen, writer)
        finally:
            seen.ended = time.monotonic()
            self.counters.now -= 1

    def _models(self, seen: RequestSeen, writer: asyncio.StreamWriter) -> None:
        refused = self._stranger(seen)
        if refused is None and seen.path not in ("/v1/models", "/openai/models"):
            refused = _unknown_path("GET", seen)
        body = refused.written if refused else wire.model_list(self.models, self.context)
        writer.write(wire.whole(refused.status if refused else 200, body, {}))

    def _reply(self, seen: RequestSeen) -> Reply:
        refused = self._refused(seen)
        if refused is not None:
            seen.complaint = refused.message
            return refused
        lacked = lacking(seen, self.lacks) or self._too_long(seen)
        if lacked is not None:
            return lacked
        try:
            reply = self._answerer(seen)
        except Exception as error:
            seen.complaint = f"the script failed: {error!r}"
            return Failure(500, seen.complaint, type="server_error", headers={"x-should-retry": "false"})
        return fitted(reply, seen) if isinstance(reply, Answer) else reply

    def _refused(self, seen: RequestSeen) -> Failure | None:
        azure = seen.path.startswith("/openai/deployments/") and seen.path.endswith("/chat/completions")
        if not azure and seen.path != "/v1/chat/completions":
            return _unknown_path("POST", seen)
        try:
            seen.body = parsed(seen.raw)
            check(seen)
        except Wrong as wrong:
            return self._stranger(seen) or wrong.failure
        return self._stranger(seen) or self._unknown_model(seen)

    def _stranger(self, seen: RequestSeen) -> Failure | None:
        if seen.azure and "api-version" not in seen.query:
            return Failure(404, "Resource not found", code="404")
        shown = seen.headers.get("api-key", "") if seen.azure else seen.headers.get("authorization", "").removeprefix("Bearer ")
        if self.key in ("", shown):
            return None
        return Failure(401, "Incorrect API key provided." if shown else "You didn't provide an API key.", code="invalid_api_key")

    def _unknown_model(self, seen: RequestSeen) -> Failure | None:
        if seen.model in self.models:
            return None
        if seen.azure:
            return Failure(404, "The API deployment for this resource does not exist.", code="DeploymentNotFound")
        return Failure(404, f"The model `{seen.model}` does not exist or you do not have access to it.", code="model_not_found")

    def _too_long(self, seen: RequestSeen) -> Failure | None:
        length = tokens(seen.prompt)
        if self.context is None or length <= self.context:
            return None
        words = f"This model's maximum context length is {self.context} tokens. However, your messages resulted in {length} tokens."
        return Failure(400, words, param="messages", code="context_length_exceeded")

    async def _send(self, reply: Reply, seen: RequestSeen, writer: asyncio.StreamWriter) -> None:
        whole = self._whole(reply, seen)
        if latency := self.latency + reply.delay:
            await asyncio.sleep(max(0.0, seen.began + latency - time.monotonic()))
        if isinstance(reply, Answer) and reply.beside > 1:
            await self._wait_for(reply.beside)
        if whole:
            writer.write(whole)
        elif isinstance(reply, Reset):
            reset(writer)
        elif isinstance(reply, Raw):
            await _send_raw(reply, writer)
        elif isinstance(reply, Failure):
            writer.write(wire.whole(reply.status, reply.written, reply.headers))
        else:
            await self._send_answer(reply, seen, writer)

    async def _wait_for(self, most: int) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(BESIDE):
                await self._reached[most].wait()

    def _whole(self, reply: Reply, seen: RequestSeen) -> bytes:
        """An answer that goes out in one piece, so that nothing is left to be made of it when its time has come; else nothing."""
        if not isinstance(reply, Answer) or seen.body.get("stream") or reply.cut is not None:
            return b""
        return wire.whole(200, wire.completion(seen, reply, self._counted(reply, seen)), {})

    def _counted(self, answer: Answer, seen: RequestSeen) -> Counted:
        usage = answer.usage or self._cache.usage(seen, answer)
        self.counters.add(usage)
        return usage

    async def _send_answer(self, answer: Answer, seen: RequestSeen, writer: asyncio.StreamWriter) -> None:
        usage = self._counted(answer, seen)
        if seen.body.get("stream"):
            await self._stream(answer, wire.chunks(seen, answer, usage), writer)
        else:
            reset(writer)

    async def _stream(self, answer: Answer, chunks: Iterator[str], writer: asyncio.StreamWriter) -> None:
        writer.write(wire.stream_head())
        for n, chunk in enumerate(chunks):
            if answer.cut is not None and n > answer.cut:
                await self._cut(answer, writer)
                return
            writer.write(wire.stream_piece(chunk))
            await writer.drain()
            if answer.pause:
                await asyncio.sleep(answer.pause)
        writer.write(wire.STREAM_END)

    async def _cut(self, answer: Answer, writer: asyncio.StreamWriter) -> None:
        if answer.how == "end":
            writer.write(wire.STREAM_END)
            return
        await asyncio.sleep(0.02)  # what was sent arrives before the reset
        reset(writer)


async def _send_raw(raw: Raw, writer: asyncio.StreamWriter) -> None:
    writer.write(raw.sent)
    while raw.over and not writer.is_closing():
        await asyncio.sleep(raw.pause)
        writer.write(raw.over)
        await writer.drain()
    await writer.drain()
    writer.close()


def _unknown_path(method: str, seen: RequestSeen) -> Failure:
    return Failure(404, f"Invalid URL ({method} {seen.path})")
