"""How long is waited for an endpoint, and how much is taken from it."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from doubles.llm import Answer, Failure, Reply, ScriptedEndpoint, says
from doubles.llm import misbehaving as bad
from doubles.llm.asking import HELLO, client_of, told

from assistant.errors import ModelError
from assistant.llm import attempts
from assistant.llm import endpoint as endpoints
from assistant.llm.endpoint import EndpointClient

DRIPS: dict[str, Reply] = {
    "head": bad.ENDLESS_HEAD,
    "blanks": bad.ENDLESS_BLANKS,
    "keep-alives": bad.ENDLESS_KEEP_ALIVES,
    "pieces": bad.ENDLESS_PIECES,
}


async def trouble(client: EndpointClient, *, streaming: bool = False) -> ModelError:
    with pytest.raises(ModelError) as raised:
        await (told(client) if streaming else client.complete(HELLO))
    await client.close()
    return raised.value


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("drip", DRIPS.values(), ids=DRIPS)
async def test_an_answer_that_only_drips_is_a_timeout(endpoint: ScriptedEndpoint, drip: Reply, streaming: bool):
    endpoint.play(drip)
    error = await trouble(client_of(endpoint, timeout=0.2), streaming=streaming)
    assert error.kind == "timeout" and " seconds" in str(error)


async def test_a_stream_is_bounded_as_a_whole(endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(endpoints, "STREAMING", 2)
    endpoint.play(bad.ENDLESS_PIECES)
    error = await trouble(client_of(endpoint, timeout=0.2), streaming=True)
    assert "did not end its answer within 0.4 seconds" in str(error)


async def test_a_stream_that_stops_in_the_middle_is_a_timeout(endpoint: ScriptedEndpoint):
    endpoint.play(Answer(text="It is done, all of it.", pause=5))
    error = await trouble(client_of(endpoint, timeout=1.0), streaming=True)
    assert (error.kind, "sent nothing more for 1 second" in str(error)) == ("timeout", True)


async def test_a_timeout_tells_how_often_was_asked(endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(attempts, "FIRST_PAUSE", 0.01)
    endpoint.play(bad.slow(5, says("late")))
    error = await trouble(client_of(endpoint, timeout=0.1, retries=1))
    assert "within 0.1 seconds, asked 2 times" in str(error) and len(endpoint.requests) == 2


@pytest.mark.parametrize("reply", [bad.ENDLESS_BODY, bad.ENDLESS_STREAM], ids=["body", "stream"])
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
async def test_an_answer_is_bounded_in_size(endpoint: ScriptedEndpoint, reply: Reply, streaming: bool):
    endpoint.play(reply)
    error = await trouble(client_of(endpoint, timeout=30), streaming=streaming)
    assert (error.kind, "more than any answer" in str(error)) == ("invalid", True)


async def test_of_an_endless_error_only_the_beginning_is_read(endpoint: ScriptedEndpoint):
    endpoint.play(bad.ENDLESS_ERROR)
    assert (await trouble(client_of(endpoint, timeout=30))).kind == "rejected"


def busy(**headers: str) -> Failure:
    return Failure(429, "Slow down.", headers={name.replace("_", "-"): value for name, value in headers.items()})


WAITS = {
    "seconds": (busy(retry_after="600"), "10 minutes"),
    "milliseconds": (busy(retry_after_ms="90000"), "90 seconds"),
    "a date": (busy(retry_after=format_datetime(datetime.now(UTC) + timedelta(hours=5), usegmt=True)), "5 hours"),
}


@pytest.mark.parametrize(("reply", "words"), WAITS.values(), ids=WAITS)
async def test_a_long_wait_is_told_instead_of_waited(endpoint: ScriptedEndpoint, reply: Reply, words: str):
    endpoint.play(reply)
    error = await trouble(client_of(endpoint, retries=2))
    assert (error.kind, len(endpoint.requests)) == ("rate_limited", 1)
    assert f"takes no more requests for now; it asks to wait {words}." in str(error)


async def test_all_waits_of_a_call_are_bounded(endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(attempts, "PATIENCE", 0.05)
    endpoint.play(bad.rate_limited(0.03))
    await trouble(client_of(endpoint, retries=5))
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("said", ["soon", "nan", "-3", "inf", ""])
async def test_a_wait_that_is_none_is_waited_as_usual(endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch, said: str):
    monkeypatch.setattr(attempts, "FIRST_PAUSE", 0.01)
    endpoint.play([busy(retry_after=said), says("now")])
    client = client_of(endpoint, retries=1)
    assert (await client.complete(HELLO)).text == "now"
    await client.close()


PERMANENT: dict[str, Any] = {
    "quota": bad.NO_QUOTA,
    "key": bad.UNAUTHORIZED,
    "no": Failure(503, "No.", headers={"x-should-retry": "false"}),
}


@pytest.mark.parametrize("reply", PERMANENT.values(), ids=PERMANENT)
async def test_what_will_not_pass_is_not_tried_again(endpoint: ScriptedEndpoint, reply: Reply):
    endpoint.play(reply)
    await trouble(client_of(endpoint, retries=2))
    assert len(endpoint.requests) == 1


async def arrived(endpoint: ScriptedEndpoint) -> None:
    for _ in range(1000):
        if endpoint.requests:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("no request came")


async def test_the_client_works_on_after_a_call_was_given_up(endpoint: ScriptedEndpoint, client: EndpointClient):
    endpoint.play([bad.slow(5, says("late")), says("there")])
    asking = asyncio.ensure_future(client.complete(HELLO))
    await arrived(endpoint)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (await client.complete(HELLO)).text == "there"
