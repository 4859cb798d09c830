"""The chat client and structured answers, over real HTTP against an endpoint that plays a script."""

import asyncio
import time
from base64 import b64encode
from typing import Any

import pytest
from doubles.llm import (
    Answer,
    Call,
    Counted,
    ScriptedEndpoint,
    calls,
    says,
    unreachable_url,
)
from doubles.llm import misbehaving as bad
from doubles.llm.asking import HELLO, client_of, told

from assistant.errors import ModelError
from assistant.llm.endpoint import EndpointClient
from assistant.llm.messages import Message, Prompt, Tool, ToolCall, Usage

FIND = Tool(name="find", description="Finds.", parameters={"type": "object", "properties": {"name": {"type": "string"}}})


# what is sent, what comes


async def test_messages_go_out_byte_for_byte(endpoint: ScriptedEndpoint, client: EndpointClient):
    texts = [
        "<|im_start|>system\n<|endoftext|>[INST]",
        "Zoë 🐢 \u2028 \u202e \x00 é",
        "trailing blanks  \n\n",
        '\\u0041 \\n "quoted"',
    ]
    await client.complete(Prompt(messages=tuple(Message(role="user", content=text) for text in texts)))
    assert endpoint.requests[0].messages == [{"role": "user", "content": text} for text in texts]


async def test_only_the_limit_is_added_to_a_plain_request(endpoint: ScriptedEndpoint, client: EndpointClient):
    await client.complete(HELLO)
    hello = [{"role": "user", "content": "hello"}]
    assert endpoint.requests[0].body == {"model": "scripted", "messages": hello, "max_tokens": 8000}


@pytest.mark.parametrize("streaming", [False, True])
async def test_several_calls_come_in_their_order_with_text_and_usage(
    endpoint: ScriptedEndpoint, client: EndpointClient, streaming: bool
):
    made = (Call("find", {"name": "Zoë"}, "a"), Call("find", {"name": "Tom"}, "b"))
    endpoint.play(Answer(text="I look.", calls=made, usage=Counted(20, 5, 10)))
    prompt = Prompt(messages=HELLO.messages, tools=(FIND,))
    answer = (await told(client, prompt))[1] if streaming else await client.complete(prompt)
    assert answer.calls == tuple(ToolCall(id=call.id, name="find", arguments=call.written) for call in made)
    assert (answer.text, answer.finish, answer.usage) == ("I look.", "tool_calls", Usage(prompt=20, cached=10, completion=5))


async def test_calls_and_their_answers_make_a_conversation(endpoint: ScriptedEndpoint, client: EndpointClient):
    endpoint.play([calls(Call("find", {"name": "Anna"}), Call("find", {"name": "Tom"})), says("done")])
    asked = await client.complete(Prompt(messages=HELLO.messages, tools=(FIND,)))
    found = (Message(role="tool", content=f"{n}", answers=call.id) for n, call in enumerate(asked.calls))
    assert (await client.complete(Prompt(messages=(*HELLO.messages, asked.as_message(), *found), tools=(FIND,)))).text == "done"


async def test_a_stream_gives_its_pieces_then_the_whole(endpoint: ScriptedEndpoint, client: EndpointClient):
    endpoint.play(says("Zoë writes back at three."))
    await client.complete(HELLO)
    pieces, whole = await told(client)
    assert len(pieces) > 1 and "".join(pieces) == whole.text == "Zoë writes back at three."
    assert whole.usage.completion == 7


async def test_a_stream_that_is_left_alone_ends(endpoint: ScriptedEndpoint, client: EndpointClient):
    endpoint.play([says("hello"), Answer(text="x" * 12_000, pause=0.01)])
    await client.complete(HELLO)  # which shows that the model doesn't think aloud, so that the stream comes in pieces
    stream = client.stream(HELLO)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert await asyncio.to_thread(endpoint.idle, 5)  # the endpoint would go on for 10


async def test_azure_is_asked_under_its_deployment(endpoint: ScriptedEndpoint):
    client = client_of(endpoint, base_url=endpoint.azure_url, azure_version="2024-10-21")
    assert (await client.complete(HELLO)).text == "hello"
    assert endpoint.requests[0].azure
    await client.close()


async def test_a_user_and_a_password_in_the_address_are_shown_to_the_endpoint():
    with ScriptedEndpoint(key="") as endpoint:
        client = client_of(endpoint, base_url=endpoint.url.replace("//", "//anna:p%40ss@"))
        assert (await client.complete(HELLO)).text
        await client.close()
    assert endpoint.requests[0].headers["authorization"] == f"Basic {b64encode(b'anna:p@ss').decode()}"


async def test_models_are_listed(client: EndpointClient):
    assert [model.name for model in await client.models()] == ["scripted", "scripted-small"]


async def test_an_endpoint_that_does_not_stream_usage_is_streamed_without():
    with ScriptedEndpoint(lacks=["stream_options"]) as endpoint:
        client = client_of(endpoint)
        answers = await asyncio.gather(*(told(client) for _ in range(3)))
        assert [whole.text for _, whole in answers] == ["hello"] * 3
        count = len(endpoint.requests)
        await told(client)
        assert len(endpoint.requests) == count + 1
        await client.close()


async def test_a_reasoning_model_gets_its_limit_by_the_new_name():
    with ScriptedEndpoint(lacks=["max_tokens"]) as endpoint:
        client = client_of(endpoint)
        limited = Prompt(messages=HELLO.messages, longest=50)
        assert [(await client.complete(limited)).text, (await told(client, limited))[1].text] == ["hello", "hello"]
        assert [seen.limit for seen in endpoint.requests] == [50, 50, 50]
        assert "max_completion_tokens" in endpoint.requests[-1].body
        await client.close()


# troubles


TROUBLES: dict[str, tuple[Any, str]] = {
    "key": (bad.UNAUTHORIZED, "denied"),
    "rights": (bad.FORBIDDEN, "denied"),
    "model": (bad.UNKNOWN_MODEL, "denied"),
    "too many": (bad.rate_limited(), "rate_limited"),
    "quota": (bad.NO_QUOTA, "rate_limited"),
    "fault": (bad.SERVER_ERROR, "server"),
    "overload": (bad.OVERLOADED, "server"),
    "reset": (bad.RESET, "unreachable"),
    "no choices": (bad.NO_CHOICES, "invalid"),
    "page": (bad.NOT_AN_API, "invalid"),
    "half a body": (bad.HALF_A_BODY, "invalid"),
}


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(("trouble", "kind"), TROUBLES.values(), ids=TROUBLES)
async def test_a_trouble_has_its_kind(endpoint: ScriptedEndpoint, client: EndpointClient, trouble: Any, kind: str, streaming: bool):
    endpoint.play(trouble)
    with pytest.raises(ModelError) as raised:
        await (told(client) if streaming else client.complete(HELLO))
    assert raised.value.kind == kind


@pytest.mark.parametrize("how", ["reset", "end"])
async def test_a_stream_cut_in_the_middle_is_no_answer(endpoint: ScriptedEndpoint, client: EndpointClient, how: Any):
    endpoint.play(bad.cut(says("It is done, all of it."), after=1, how=how))
    with pytest.raises(ModelError) as raised:
        await told(client)
    assert raised.value.kind == "unreachable"


async def test_a_late_first_byte_is_a_timeout(endpoint: ScriptedEndpoint):
    endpoint.play(bad.slow(5, says("late")))
    client = client_of(endpoint, timeout=0.1)
    with pytest.raises(ModelError, match=r"within 0\.1 seconds") as raised:
        await client.complete(HELLO)
    assert raised.value.kind == "timeout"
    await client.close()


async def test_where_nobody_listens_is_unreachable(endpoint: ScriptedEndpoint):
    client = client_of(endpoint, base_url=unreachable_url())
    with pytest.raises(ModelError) as raised:
        await client.complete(HELLO)
    assert raised.value.kind == "unreachable"
    await client.close()


async def test_another_attempt_waits_as_long_as_the_endpoint_says(endpoint: ScriptedEndpoint):
    endpoint.play([bad.rate_limited(0.05), bad.rate_limited(0.05), says("now")])
    client = client_of(endpoint, retries=2)
    began = time.perf_counter()
    assert (await client.complete(HELLO)).text == "now"
    assert 0.1 <= time.perf_counter() - began < 1.1  # the SDK's own two waits would be longer
    await client.close()


async def test_attempts_are_bounded(endpoint: ScriptedEndpoint):
    endpoint.play(bad.rate_limited(0.01))
    client = client_of(endpoint, retries=2)
    with pytest.raises(ModelError):
        await client.complete(HELLO)
    assert len(endpoint.requests) == 3
    await client.close()


async def test_it_goes_on_after_the_endpoint_was_away(endpoint: ScriptedEndpoint, client: EndpointClient):
    await client.complete(HELLO)
    with endpoint.down(), pytest.raises(ModelError):
        await client.complete(HELLO)
    assert (await client.complete(HELLO)).text == "hello"
