"""What is told of connections that break in whatever way, and which of them are tried again."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from doubles.llm.asking import HELLO
from pydantic import SecretStr

from assistant.errors import ModelError
from assistant.llm.endpoint import Endpoint, EndpointClient

Answering = Callable[[asyncio.StreamWriter], None]


def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()


def reset(writer: asyncio.StreamWriter) -> None:
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()


def writing(sent: bytes) -> Answering:
    def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        writer.close()

    return answer


JSON = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
BROKEN: dict[str, Answering] = {
    "hung up": hang_up,
    "reset": reset,
    "no HTTP": writing(b"220 mail.example.org ESMTP\r\n"),
    "half a body": writing(JSON + b'content-length: 500\r\n\r\n{"choices":'),
    "bad chunks": writing(JSON + b"transfer-encoding: chunked\r\n\r\nzz\r\n"),
    "half a head": writing(b"HTTP/1.1 200 OK\r\ncontent-"),
}


@asynccontextmanager
async def served(answer: Answering) -> AsyncIterator[tuple[int, list[int]]]:
    """The port, and a list that grows by one with each request."""
    requests: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        requests.append(1)
        answer(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], requests


async def told(url: str, retries: int = 0) -> ModelError:
    client = EndpointClient(Endpoint(model="m", base_url=url, api_key=SecretStr("k"), retries=retries))
    try:
        with pytest.raises(ModelError) as raised:
            await client.complete(HELLO)
    finally:
        await client.close()
    return raised.value


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
async def test_a_connection_that_breaks_is_told_as_such(answer: Answering) -> None:
    async with served(answer) as (port, _):
        error = await told(f"http://127.0.0.1:{port}/v1")
    assert error.kind == "unreachable" and "broke off instead of answering" in str(error)


async def test_a_broken_connection_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.llm.attempts.FIRST_PAUSE", 0.001)
    async with served(hang_up) as (port, requests):
        await told(f"http://127.0.0.1:{port}/v1", retries=2)
    assert len(requests) == 3


async def test_an_address_that_is_none_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def waited(_: float) -> None:
        raise AssertionError("waited before another attempt")

    monkeypatch.setattr("assistant.llm.attempts.asyncio.sleep", waited)
    error = await told("htp://localhost/v1", retries=2)
    assert "has no usable address" in str(error)


async def test_https_where_nobody_speaks_it_is_explained() -> None:
    def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        error = await told(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    assert "nothing speaks https there" in str(error)
