"""The port that the browser is sent back to, against whoever else talks to it."""

import asyncio

import pytest

from integrations.common.loopback import Loopback


async def asked(loopback: Loopback, head: bytes) -> bytes:
    """The first line of what comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(loopback.uri.rsplit(":", 1)[1].rstrip("/")))
    writer.write(head)
    writer.write_eof()
    line = await reader.readline()
    writer.close()
    return line.strip()


@pytest.mark.parametrize(
    "head",
    [
        b"GET //[ HTTP/1.1\r\n\r\n",
        b"GET //[?code=x HTTP/1.1\r\n\r\n",
        b"GET http://[/?code=x HTTP/1.1\r\n\r\n",
        b"GET\r\n\r\n",
        b"\xff\xfe \xff\r\n\r\n",
        b"GET /?code=\xff&state=\xff HTTP/1.1\r\n\r\n",
        b"GET /?error=x HTTP/1.1\r\nOrigin: https://evil.example\r\n\r\n",
    ],
)
async def test_a_request_of_somebody_else_is_turned_away_and_waiting_goes_on(head: bytes) -> None:
    unhandled: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
    async with Loopback() as loopback:
        answer = asyncio.create_task(loopback.answer())
        assert await asked(loopback, head) == b"HTTP/1.1 404 Not Found"
        mine = f"?code=given&state={loopback.state}"
        assert await asked(loopback, f"GET /{mine} HTTP/1.1\r\n\r\n".encode()) == b"HTTP/1.1 200 OK"
        assert await answer == loopback.uri + mine
    assert not unhandled


async def test_half_a_request_is_not_answered() -> None:
    async with Loopback() as loopback:
        assert await asked(loopback, b"GET /?code=x") == b""


async def test_an_address_that_is_none_is_no_answer() -> None:
    assert not Loopback().is_answer("http://[127.0.0.1/?code=x")


async def test_a_refusal_is_an_answer_too() -> None:
    loopback = Loopback()
    assert loopback.is_answer(f"http://127.0.0.1/?error=access_denied&state={loopback.state}")
    assert loopback.state != Loopback().state
