"""Answers of other shapes than OpenAI's, as endpoints really give them: understood, or a clear error."""

import gzip
import json
from typing import Any

import pytest
from doubles.llm import Raw, Reply, ScriptedEndpoint, says
from doubles.llm import misbehaving as bad
from doubles.llm.asking import HELLO, client_of, told

from assistant.errors import ModelError
from assistant.llm.endpoint import EndpointClient
from assistant.llm.messages import Completion, ToolCall, Usage

FIND: dict[str, Any] = {"name": "find", "arguments": '{"name": "Anna"}'}
FOUND = ToolCall(id="call_0", name="find", arguments='{"name": "Anna"}')


def message(finish: object = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", **more}, "finish_reason": finish}]}


def delta(finish: object = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": more, "finish_reason": finish}]}


def stream(*chunks: object, done: bool = True) -> Reply:
    return bad.body("".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + ("data: [DONE]\n\n" if done else ""), bad.EVENTS)


def compressed(body: str) -> Raw:
    return bad.raw(gzip.compress(body.encode()), content_encoding="gzip")


HI = json.dumps(message(content="hi"))
UNDERSTOOD: dict[str, tuple[Reply, Completion]] = {
    "parts": (bad.body(message(content=[{"type": "text", "text": "h"}, {"type": "text", "text": "i"}])), Completion(text="hi")),
    "thinking parts": (
        bad.body(message(content=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hi"}])),
        Completion(text="hi"),
    ),
    "reasoning field": (bad.body(message(content="hi", reasoning_content="hm", reasoning="hm")), Completion(text="hi")),
    "no finish": (bad.body(message(None, content="hi")), Completion(text="hi")),
    "eos": (bad.body(message("eos", content="hi")), Completion(text="hi")),
    "max_tokens": (bad.body(message("max_tokens", content="hi")), Completion(text="hi", finish="length")),
    "unknown finish": (bad.body(message("tired", content="hi")), Completion(text="hi", finish="other")),
    "filter": (bad.body(message("content_filter", content=None)), Completion(finish="content_filter")),
    "function call": (bad.body(message("function_call", function_call=FIND)), Completion(calls=(FOUND,), finish="tool_calls")),
    "no id, no type": (
        bad.body(message("tool_calls", tool_calls=[{"function": FIND}, {"function": FIND}])),
        Completion(calls=(FOUND, FOUND.model_copy(update={"id": "call_1"})), finish="tool_calls"),
    ),
    "one id twice": (
        bad.body(message("tool_calls", tool_calls=[{"id": "a", "function": FIND}, {"id": "a", "function": FIND}])),
        Completion(calls=(FOUND.model_copy(update={"id": "a"}), FOUND.model_copy(update={"id": "call_1"})), finish="tool_calls"),
    ),
    "arguments as an object": (
        bad.body(message("tool_calls", tool_calls=[{"function": {**FIND, "arguments": {"name": "Anna"}}}])),
        Completion(calls=(FOUND,), finish="tool_calls"),
    ),
    "no arguments": (
        bad.body(message("tool_calls", tool_calls=[{"function": {"name": "find", "arguments": None}}])),
        Completion(calls=(FOUND.model_copy(update={"arguments": "{}"}),), finish="tool_calls"),
    ),
    "strange calls": (bad.body(message(content="hi", tool_calls=["find", None, {"function": "find"}])), Completion(text="hi")),
    "usage of nulls": (
        bad.body({**message(content="hi"), "usage": {"prompt_tokens": None, "prompt_tokens_details": None}}),
        Completion(text="hi"),
    ),
    "usage of words and fractions": (
        bad.body({**message(content="hi"), "usage": {"prompt_tokens": "7", "completion_tokens": 2.0, "prompt_tokens_details": []}}),
        Completion(text="hi", usage=Usage(prompt=7, completion=2)),
    ),
    "usage of nonsense": (
        bad.body({**message(content="hi"), "usage": {"prompt_tokens": "many", "completion_tokens": -3}}),
        Completion(text="hi"),
    ),
    "more cached than asked": (
        bad.body(
            {**message(content="hi"), "usage": {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}}},
        ),
        Completion(text="hi", usage=Usage(prompt=5, cached=5)),
    ),
    "usage as a list": (bad.body({**message(content="hi"), "usage": [1, 2]}), Completion(text="hi")),
    "BOM": (bad.body("\ufeff" + HI), Completion(text="hi")),
    "called text": (bad.body(HI, "text/plain"), Completion(text="hi")),
    "no type": (bad.body(HI, ""), Completion(text="hi")),
    "gzip": (compressed(HI), Completion(text="hi")),
    "streamed unasked": (
        bad.body(f": hello\n\ndata: {json.dumps(delta(content='hi', finish='stop'))}\n\n", bad.EVENTS),
        Completion(text="hi"),
    ),
}


@pytest.mark.parametrize(("reply", "meant"), UNDERSTOOD.values(), ids=UNDERSTOOD)
async def test_an_odd_answer_is_understood(endpoint: ScriptedEndpoint, client: EndpointClient, reply: Reply, meant: Completion):
    endpoint.play(reply)
    assert await client.complete(HELLO) == meant


@pytest.mark.parametrize(("reply", "meant"), [pair for name, pair in UNDERSTOOD.items() if name not in ("no type", "one id twice")])
async def test_so_it_is_where_a_stream_was_asked_for(
    endpoint: ScriptedEndpoint, client: EndpointClient, reply: Reply, meant: Completion
):
    if isinstance(reply, Raw) or "json" in reply.headers["content-type"]:  # type: ignore[union-attr]
        endpoint.play(reply)
        assert (await told(client))[1] == meant


def part(**more: Any) -> dict[str, Any]:
    return delta(tool_calls=[more])


NAMED = {"name": "find", "arguments": ""}
TWO = (FOUND, FOUND.model_copy(update={"id": "call_1"}))
USED = {"prompt_tokens": 3, "completion_tokens": 1}
STREAMS: dict[str, tuple[Reply, Completion]] = {
    "keep-alives": (
        bad.body(
            f": OPENROUTER PROCESSING\n\n: still\n\nevent: x\nid: 1\ndata: {json.dumps(delta(content='hi', finish='stop'))}\n\n",
            bad.EVENTS,
        ),
        Completion(text="hi"),
    ),
    "BOM, CRLF": (
        bad.body(f"\ufeffdata: {json.dumps(delta(content='hi', finish='stop'))}\r\n\r\ndata: [DONE]\r\n\r\n", bad.EVENTS),
        Completion(text="hi"),
    ),
    "without [DONE]": (stream(delta(content="hi"), delta("stop"), done=False), Completion(text="hi")),
    "without a finish": (stream(delta(content="hi")), Completion(text="hi")),
    "a last line without its end": (
        bad.body(f"data: {json.dumps(delta(content='hi', finish='stop'))}", bad.EVENTS),
        Completion(text="hi"),
    ),
    "chunks of nothing": (
        stream({}, {"choices": []}, {"choices": None}, None, delta(content="hi", finish="stop"), {"choices": []}),
        Completion(text="hi"),
    ),
    "usage told again and again": (
        stream({**delta(content="hi"), "usage": {"prompt_tokens": 3}}, {**delta("stop"), "usage": USED}, {"usage": USED}),
        Completion(text="hi", usage=Usage(prompt=3, completion=1)),
    ),
    "calls without an index": (
        stream(
            part(function=NAMED),
            part(function={"arguments": FIND["arguments"]}),
            part(function=FIND),
            delta("tool_calls"),
        ),
        Completion(calls=TWO, finish="tool_calls"),
    ),
    "calls of one index": (
        stream(part(index=0, id="call_0", function=FIND), part(index=0, id="call_1", function=FIND), delta("stop")),
        Completion(calls=TWO),
    ),
    "a name with every part": (
        stream(
            part(index=0, id="call_0", function=NAMED),
            part(index=0, id="call_0", function={"name": "find", "arguments": FIND["arguments"]}),
            delta("tool_calls"),
        ),
        Completion(calls=(FOUND,), finish="tool_calls"),
    ),
}


@pytest.mark.parametrize(("reply", "meant"), STREAMS.values(), ids=STREAMS)
async def test_an_odd_stream_is_understood(endpoint: ScriptedEndpoint, client: EndpointClient, reply: Reply, meant: Completion):
    endpoint.play(reply)
    assert (await told(client))[1] == meant


def error(code: object, words: str = "Upstream is unwell") -> dict[str, Any]:
    return {"error": {"code": code, "message": words}}


TROUBLES: dict[str, tuple[Reply, str, str]] = {
    "null": (bad.body(None), "invalid", "OpenAI's interface|empty"),
    "a list": (bad.body([]), "invalid", "OpenAI's interface|empty"),
    "choices null": (bad.body({"choices": None}), "invalid", "empty"),
    "choices of strings": (bad.body({"choices": ["hi"]}), "invalid", "empty"),
    "error within, limit": (bad.body(error(429)), "rate_limited", "no more requests"),
    "error within, key": (bad.body(error(401)), "denied", "key"),
    "error within, no money": (bad.body(error(402)), "denied", "paid"),
    "error within, of another": (bad.body(error(502)), "server", "Upstream is unwell"),
    "error within, as text": (bad.body({"error": "out of memory"}), "server", "out of memory"),
    "deep": (bad.body("[" * 100_000), "invalid", "OpenAI's interface"),
    "broken gzip": (bad.raw(b"\x1f\x8b broken", content_encoding="gzip"), "invalid", "OpenAI's interface"),
    "page": (bad.NOT_AN_API, "invalid", "web page"),
    "redirect": (bad.moved("https://elsewhere.example/v1?key=secret"), "unreachable", "https://elsewhere.example/v1;"),
}


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("reply", "kind", "words"), TROUBLES.values(), ids=TROUBLES)
async def test_what_cannot_be_understood_is_told(
    endpoint: ScriptedEndpoint, client: EndpointClient, reply: Reply, kind: str, words: str, streaming: bool
):
    endpoint.play(reply)
    with pytest.raises(ModelError, match=words) as raised:
        await (told(client) if streaming else client.complete(HELLO))
    assert raised.value.kind == kind


async def test_an_error_in_the_middle_of_a_stream_is_told(endpoint: ScriptedEndpoint, client: EndpointClient):
    endpoint.play(stream(delta(content="It is"), error(502)))
    with pytest.raises(ModelError, match="Upstream is unwell"):
        await told(client)


async def test_an_error_within_an_answer_is_tried_again(endpoint: ScriptedEndpoint):
    endpoint.play([bad.body(error(503)), says("there")])
    client = client_of(endpoint, retries=1)
    assert (await client.complete(HELLO)).text == "there"
    await client.close()
