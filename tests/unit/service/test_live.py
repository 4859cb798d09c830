"""How a stream of events is sent."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from assistant.service import live
from assistant.service.live import EventStream, event


async def never() -> Any:
    await asyncio.Event().wait()


async def sent(stream: EventStream) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        messages.append(message)

    await stream({}, never, send)
    return messages


async def three() -> AsyncIterator[bytes]:
    for number in range(3):
        yield event("step", {"seq": number}, f"c{number}")


def test_an_event_is_on_the_wire_as_browsers_read_it():
    assert event("step", {"text": "a\nb"}, "c1") == b'event: step\nid: c1\ndata: {"text": "a\\nb"}\n\n'
    assert event("counts", {"n": 1}) == b'event: counts\ndata: {"n": 1}\n\n'


async def test_what_is_ready_goes_out_together_and_the_stream_ends_with_its_source():
    start, *bodies = await sent(EventStream(three()))
    assert start["status"] == 200
    assert b"".join(body["body"] for body in bodies).count(b"event: step") == 3
    assert bodies[0]["body"].startswith(b"retry: ") and not bodies[-1]["more_body"]
    assert len(bodies) < 4


async def test_what_comes_soon_after_a_piece_goes_out_together(monkeypatch):
    monkeypatch.setattr(live, "GATHERED", 0.5)

    async def source() -> AsyncIterator[bytes]:
        for _ in range(5):
            yield b"data: x\n\n"
            for _ in range(20):
                await asyncio.sleep(0)

    _, first, *rest = await sent(EventStream(source(), retry=False))
    assert first["body"] == b"data: x\n\n" and [body["body"] for body in rest] == [b"data: x\n\n" * 4]


async def test_a_client_that_takes_nothing_is_left(monkeypatch):
    monkeypatch.setattr(live, "STUCK", 0.01)
    closed = []

    async def source() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"data: x\n\n"
        finally:
            closed.append(True)

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    await EventStream(source())({}, never, send)
    assert closed


async def test_not_more_than_so_much_waits_for_a_slow_client(monkeypatch):
    monkeypatch.setattr(live, "MOST", 5)
    taken, going = [], asyncio.Event()

    async def source() -> AsyncIterator[bytes]:
        for number in range(100):
            taken.append(number)
            yield b"data: x\n\n"

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await going.wait()

    sending = asyncio.create_task(EventStream(source())({}, never, send))
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(taken) <= 10
    going.set()
    await sending
    assert len(taken) == 100


async def test_the_source_is_closed_when_the_client_goes():
    closed = []

    async def source() -> AsyncIterator[bytes]:
        try:
            yield b"data: x\n\n"
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    async def receive() -> Any:
        await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    await EventStream(source())({}, receive, send)
    assert closed
