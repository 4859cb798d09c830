"""How much a request may carry, and how long it may take."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI

from assistant.service import limits, problems
from assistant.service.limits import Limits
from integrations.types import Value


class Words(Value):
    words: str


def client() -> httpx2.AsyncClient:
    app = FastAPI()
    problems.install(app)

    @app.post("/{place}")
    async def take(place: str, given: Words) -> int:
        return len(given.words)

    limited = Limits(app, largest=1000)
    transport, headers = httpx2.ASGITransport(app=limited), {"Content-Type": "application/json"}
    return httpx2.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)


def body(length: int) -> bytes:
    return b'{"words": "' + b"x" * length + b'"}'


async def in_pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), 100):
        yield content[start : start + 100]


async def test_what_is_small_enough_arrives():
    async with client() as c:
        assert (await c.post("/say", content=body(900))).json() == 900
        assert (await c.post("/say", content=in_pieces(body(900)))).json() == 900


@pytest.mark.parametrize("pieces", [False, True])
async def test_what_is_too_large_is_refused_whether_its_length_is_announced_or_not(pieces: bool):
    async with client() as c:
        sent = await c.post("/say", content=in_pieces(body(1001)) if pieces else body(1001))
    assert sent.status_code == 413
    assert sent.json()["detail"] == "This is too large; 1000 bytes are the most."


@pytest.mark.parametrize("length", ["99999999999999999999999999", "1001"])
async def test_an_announced_length_is_refused_before_anything_is_read(length: str):
    async def never() -> AsyncIterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    async with client() as c:
        assert (await c.post("/say", content=never(), headers={"Content-Length": length})).status_code == 413


async def silent():
    await asyncio.Event().wait()


async def dripping():
    await asyncio.sleep(0.001)
    return {"type": "http.request", "body": b" ", "more_body": True}


@pytest.mark.parametrize("receive", [silent, dripping])
async def test_a_body_that_does_not_come_is_not_waited_for(receive, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "PATIENCE", 0.02)
    sent = []

    async def send(message):
        sent.append(message)

    app = client()._transport.app  # type: ignore[attr-defined]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/say",
        "headers": [(b"content-type", b"application/json")],
        "query_string": b"",
    }
    await app(scope, receive, send)
    assert sent[0]["status"] == 408
