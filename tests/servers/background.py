"""A loop in a thread of its own, for the servers and proxies that run within the tests' process."""

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

R = TypeVar("R")
LIMIT = 2**20
"""The longest line, in bytes."""


class Background:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="servers", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    def listen(
        self, serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], context: ssl.SSLContext | None = None
    ) -> int:
        """The port."""
        server = self.run(asyncio.start_server(serve, "127.0.0.1", 0, ssl=context, limit=LIMIT))
        port: int = server.sockets[0].getsockname()[1]
        return port

    def listen_with(self, protocol: Callable[[], asyncio.BaseProtocol], context: ssl.SSLContext | None = None) -> int:
        async def listening() -> asyncio.Server:
            return await self.loop.create_server(protocol, "127.0.0.1", 0, ssl=context)

        port: int = self.run(listening()).sockets[0].getsockname()[1]
        return port

    def close(self) -> None:
        self.run(_all_ended())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _all_ended() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
