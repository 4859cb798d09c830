"""What `assistant models test` finds out about an endpoint."""

import re
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from doubles.llm import Answer, Call, Failure, Reply, ScriptedEndpoint, calls, says, unreachable_url
from doubles.llm import misbehaving as bad
from doubles.llm.asking import client_of

from assistant.llm import probe as probing
from assistant.llm.catalogue import Offered, offered
from assistant.llm.endpoint import Endpoint, EndpointClient, shown_url
from assistant.llm.probe import Finding, probe


async def found(endpoint: ScriptedEndpoint, *, context: bool = False, **options: Any) -> dict[str, Finding]:
    client = client_of(endpoint, **options)
    try:
        return {one.what: one async for one in probe(client, telling=lambda _: None, context=context)}
    finally:
        await client.close()


def otherwise(reply: Reply, when: str) -> Any:
    """That reply to requests that say so, and obliging ones to the rest."""
    return lambda seen: reply if when in seen.last else bad.obliging(seen)


async def test_a_good_endpoint_is_good_in_all():
    with ScriptedEndpoint(context=32_000) as endpoint:
        seen = await found(endpoint)
    assert [one.good for one in seen.values()] == [True] * 6
    assert seen["tools"].words == "called, several at once" and seen["context"].words == "32,000 tokens, the endpoint says"


async def test_it_tells_what_it_tries():
    told: list[str] = []
    with ScriptedEndpoint() as endpoint:
        client = client_of(endpoint)
        async for _ in probe(client, telling=told.append):
            pass
        await client.close()
    assert told == [
        "asking the model for a word",
        "asking which models there are",
        "asking for an answer in pieces",
        "asking for JSON",
        "asking to call a tool",
    ]


@pytest.mark.parametrize("streamed", [Answer(text="one", piece=100), Answer(text="")], ids=["at once", "empty"])
async def test_no_stream_is_no_failure(endpoint: ScriptedEndpoint, streamed: Reply):
    endpoint.play(otherwise(streamed, "Count"))
    assert (await found(endpoint))["streaming"].good is None


async def test_calls_one_at_a_time_are_told(endpoint: ScriptedEndpoint):
    endpoint.play(otherwise(calls(Call("weather", {"city": "Rome"})), "the tool"))
    assert (await found(endpoint))["tools"].words == "called, one at a time"


async def test_a_model_that_is_not_there_is_told_with_the_nearest():
    with ScriptedEndpoint(models=["qwen3:8b", "llama3"]) as endpoint:
        seen = await found(endpoint, model="qwen3")
    assert "is not known there" in seen["answers"].words
    assert seen["models"].words == "qwen3 is not among them; is qwen3:8b meant? There are: qwen3:8b, llama3"


# context


def cutting(most: int) -> Any:
    """Reads the last so many characters only, as endpoints do that cut in silence."""
    return lambda seen: says(seen.last[-most:]) if "The code is" in seen.last else bad.obliging(seen)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "CONTEXT", (100, 400, 800))
    monkeypatch.setattr(probing, "AMPLE", 400)


CONTEXTS: dict[str, tuple[Any, bool | None, str]] = {
    "all": (bad.obliging, True, "at least 800 tokens"),
    "cut in silence": (cutting(1000), None, "at least 100 tokens; with 400: the beginning was lost"),
    "cut at once": (cutting(50), False, "less than 100 tokens; with 100: the beginning was lost"),
    "trouble": (otherwise(bad.SERVER_ERROR, "The code is"), None, "unknown; with 100: .* answered with an error"),
    "no room": (otherwise(Answer(text="<think>The code", finish="length"), "The code is"), False, "no room was left"),
}


@pytest.mark.parametrize(("script", "good", "words"), CONTEXTS.values(), ids=CONTEXTS)
async def test_what_a_prompt_may_hold_is_tried(endpoint: ScriptedEndpoint, small: None, script: Any, good: bool | None, words: str):
    endpoint.play(script)
    finding = (await found(endpoint, context=True))["context"]
    assert finding.good is good and re.search(words, finding.words)


async def test_a_prompt_that_is_refused_as_too_long_ends_the_try(small: None):
    with ScriptedEndpoint(context=600) as endpoint:
        finding = (await found(endpoint, context=True))["context"]
    assert (finding.good, finding.words) == (True, "at least 400 tokens; with 800: refused as too long")


LISTED = {
    "vLLM": ({"max_model_len": 4096}, 4096),
    "OpenRouter": ({"context_length": 131072}, 131072),
    "llama.cpp": ({"meta": {"n_ctx_train": 32768}}, 32768),
    "LM Studio, loaded": ({"max_context_length": 131072, "loaded_context_length": 4096}, 4096),
    "nobody": ({}, None),
    "nonsense": ({"context_length": "long", "meta": None}, None),
}


@pytest.mark.parametrize(("told", "context"), LISTED.values(), ids=LISTED)
def test_the_context_is_read_from_the_list_of_models(told: dict[str, Any], context: int | None):
    assert offered({"data": [{"id": "m", **told}, {"no": "id"}]}) == (Offered(name="m", context=context),)


# hints


HINTS = {
    "nobody there": (unreachable_url(), "nobody listens there"),
    "no such host": ("http://nowhere.invalid/v1", "no such host"),
    "two schemes": ("http://https://example.invalid/v1", "no usable address"),
}


@pytest.mark.parametrize(("url", "words"), HINTS.values(), ids=HINTS)
async def test_an_address_that_leads_nowhere_is_explained(endpoint: ScriptedEndpoint, url: str, words: str):
    seen = await found(endpoint, base_url=url)
    assert list(seen) == ["answers"] and words in seen["answers"].words


async def test_an_address_without_its_end_is_explained():
    with ScriptedEndpoint() as endpoint:
        assert "which ends in /v1" in (await found(endpoint, base_url=endpoint.azure_url))["answers"].words


@pytest.mark.parametrize(("key", "words"), [("", "wants a key"), ("sk-wrong", "does not accept the key")])
async def test_a_key_is_told_apart_from_none(key: str, words: str):
    with ScriptedEndpoint() as endpoint:
        seen = await found(endpoint, api_key=key)
    assert list(seen) == ["answers"] and words in seen["answers"].words


async def test_a_page_is_told_from_an_api(endpoint: ScriptedEndpoint):
    endpoint.play(bad.NOT_AN_API)
    assert "answers with a web page" in (await found(endpoint))["answers"].words


@pytest.fixture
def plain_port() -> Iterator[int]:
    """Where everything is answered in plain HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(4096)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


async def test_https_where_there_is_none_is_explained(endpoint: ScriptedEndpoint, plain_port: int):
    seen = await found(endpoint, base_url=f"https://127.0.0.1:{plain_port}/v1")
    assert "nothing speaks https there; write http://" in seen["answers"].words


# what nobody may see


SECRET = "http://user:hunter2@127.0.0.1:1/v1?token=hunter2#hunter2"


def test_an_address_is_shown_without_its_secrets():
    assert shown_url(SECRET) == "http://127.0.0.1:1/v1"
    assert [shown_url(url) for url in ("localhost:1/v1", "u:p@localhost/v1", "", "http://[::1]:80/v1")] == [
        "localhost:1/v1",
        "localhost/v1",
        "",
        "http://[::1]:80/v1",
    ]


async def test_no_secret_of_an_endpoint_shows():
    given = Endpoint(base_url=SECRET, api_key="sk-very-secret", retries=0)  # type: ignore[arg-type]
    client = EndpointClient(given)
    seen = [one async for one in probe(client, telling=lambda _: None)]
    everything = f"{given!r} {given} {given.model_dump(exclude={'base_url'})} {client.model} {seen}"
    assert "hunter2" not in everything and "very-secret" not in everything
    await client.close()


async def test_a_key_that_an_endpoint_repeats_is_left_out(endpoint: ScriptedEndpoint):
    endpoint.play(lambda seen: Failure(400, f"No luck with {seen.headers['authorization']}"))
    words = (await found(endpoint))["answers"].words
    assert "No luck with" in words and endpoint.key not in words
