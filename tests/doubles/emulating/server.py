"""A server on the loopback: an asyncio loop in a thread of its own, so that whatever handlers do is done one after the other."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar

from doubles.emulating.wire import Answer, Dropped, Request
from doubles.http1 import receive, reset

T = TypeVar("T")
LONGEST_HEAD = 2**20


class Server(ABC):
    """Port 0 becomes the one that was free."""

    request: type[Request] = Request
    name = "emulated"

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self._open: set[asyncio.StreamWriter] = set()

    @abstractmethod
    async def answer(self, request: Any) -> Answer:
        """Dropped where the connection shall end."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def hang_up(self) -> None:
        """Every open connection is reset."""
        self._do(self._hang_up())

    @contextmanager
    def down(self) -> Iterator[None]:
        """Nobody listens meanwhile, and what was open is reset."""
        self._do(self._close())
        try:
            yield
        finally:
            self._do(self._listen())

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=self.name, daemon=True)
        self._thread.start()
        self._do(self._listen())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._close())
        self._do(self._finish())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1024, limit=LONGEST_HEAD)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        self._server.close()
        await self._hang_up()

    async def _hang_up(self) -> None:
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
                request = self.request.to(received.method, received.target, received.headers, received.body)
                writer.write((await self.answer(request)).written)
                await writer.drain()
        except (Dropped, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()
