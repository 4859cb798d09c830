"""Connections on which nobody speaks, over real sockets."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from assistant.service import connections
from assistant.service.connections import Connection

Patience = Callable[[float], None]
HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
async def port() -> AsyncIterator[int]:
    config = uvicorn.Config(
        PlainTextResponse("here"), port=0, http=Connection, lifespan="off", log_config=None, timeout_keep_alive=60
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    yield server.servers[0].sockets[0].getsockname()[1]
    for one in tuple(server.server_state.connections):
        one.transport.abort()
    await server.shutdown()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Patience:
    """Sets it, in seconds, for what begins then."""
    return lambda seconds: monkeypatch.setattr(connections, "PATIENCE", seconds)


async def answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    return await reader.readexactly(4)


@pytest.mark.parametrize("said", [b"", b"GET / HT", HEAD])
async def test_one_that_never_says_what_it_wants_is_closed(port: int, patience: Patience, said: bytes):
    patience(0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(said)
    assert await reader.read() == b""
    writer.close()


async def test_one_whose_next_request_never_ends_is_closed(port: int, patience: Patience):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD + b"\r\n")
    assert await answer(reader) == b"here"
    patience(0.05)
    writer.write(HEAD)
    assert await reader.read() == b""
    writer.close()


async def test_one_that_asks_is_answered_again_however_long_it_was_silent(port: int, patience: Patience):
    patience(0.3)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for silence in (0.5, 0):
        writer.write(HEAD + b"\r\n")
        assert await answer(reader) == b"here"
        await asyncio.sleep(silence)  # longer than the head of a request may take
    writer.close()
