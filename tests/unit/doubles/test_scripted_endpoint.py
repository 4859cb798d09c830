"""The scripted endpoint, driven by the SDK that the product uses."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import openai
import pytest
from doubles.llm import Answer, Call, Counted, ScriptedEndpoint, calls, data, first, says
from doubles.llm.misbehaving import RESET, SERVER_ERROR, cut, endless_calls, missing_arguments, rate_limited, truncated

HELLO: Any = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": False}
FORMAT = {"type": "json_schema", "json_schema": {"name": "person", "schema": SCHEMA, "strict": True}}
TOOL = {"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": SCHEMA}}
ASKED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}],
}
FOUND = {"role": "tool", "tool_call_id": "c1", "content": "Anna"}


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as running:
        yield running


@asynccontextmanager
async def sdk(endpoint: ScriptedEndpoint, **options: Any) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(**{"base_url": endpoint.url, "api_key": endpoint.key, "max_retries": 0, **options}) as client:
        yield client


async def ask(endpoint: ScriptedEndpoint, messages: Any = HELLO, **more: Any) -> Any:
    async with sdk(endpoint) as client:
        return await client.chat.completions.create(**{"model": "scripted", "messages": messages, **more})


async def streamed(endpoint: ScriptedEndpoint, **more: Any) -> list[Any]:
    async with sdk(endpoint) as client:
        return [c async for c in await client.chat.completions.create(model="scripted", messages=HELLO, stream=True, **more)]


async def test_answers_are_played_in_order(endpoint: ScriptedEndpoint):
    endpoint.play([says("one"), lambda seen: says(f"two, {seen.last}")])
    answers = [(await ask(endpoint)).choices[0] for _ in range(2)]
    assert [(a.message.content, a.finish_reason) for a in answers] == [("one", "stop"), ("two, hello", "stop")]


async def test_a_script_that_is_over_is_complained_about(endpoint: ScriptedEndpoint):
    endpoint.play([says("one")])
    await ask(endpoint)
    with pytest.raises(openai.InternalServerError):
        await ask(endpoint)
    assert endpoint.complaints == ["request 2: the script has no further answer"]


async def test_data_comes_in_the_way_that_is_asked_for(endpoint: ScriptedEndpoint):
    endpoint.play(data({"name": "Anna"}))
    formatted = await ask(endpoint, response_format=FORMAT)
    forced = await ask(endpoint, tools=[TOOL], tool_choice={"type": "function", "function": {"name": "find"}})
    assert formatted.choices[0].message.content == '{"name": "Anna"}'
    assert forced.choices[0].message.tool_calls[0].function.arguments == '{"name": "Anna"}'


async def test_a_stream_carries_text_several_calls_and_usage(endpoint: ScriptedEndpoint):
    endpoint.play(
        Answer(text="Zoë looks. " * 4, calls=(Call("find", {"name": "Zoë"}), Call("find", '{"na')), usage=Counted(5, 7, 2))
    )
    seen = await streamed(endpoint, stream_options={"include_usage": True}, tools=[TOOL])
    deltas = [c.choices[0].delta for c in seen if c.choices]
    parts = [part for d in deltas for part in d.tool_calls or ()]
    assert "".join(d.content or "" for d in deltas) == "Zoë looks. " * 4
    assert ["".join(p.function.arguments for p in parts if p.index == n) for n in (0, 1)] == ['{"name": "Zoë"}', '{"na']
    assert (seen[-2].choices[0].finish_reason, seen[-1].usage.prompt_tokens_details.cached_tokens) == ("tool_calls", 2)


async def test_usage_is_not_streamed_unasked(endpoint: ScriptedEndpoint):
    assert all(chunk.usage is None for chunk in await streamed(endpoint))


async def test_a_prompt_that_begins_like_an_earlier_one_is_cached(endpoint: ScriptedEndpoint):
    begun = [{"role": "system", "content": "x" * 4000}]
    fresh = (await ask(endpoint, [*begun, {"role": "user", "content": "one"}])).usage
    again = (await ask(endpoint, [*begun, {"role": "user", "content": "two"}])).usage
    assert (fresh.prompt_tokens_details.cached_tokens, again.prompt_tokens_details.cached_tokens) == (0, 1008)
    assert endpoint.counters.prompt == fresh.prompt_tokens + again.prompt_tokens


WRONG = {
    "role": {"messages": [{"role": "robot", "content": "x"}]},
    "content": {"messages": [{"role": "user", "content": 3}]},
    "no content": {"messages": [{"role": "user"}]},
    "field": {"messages": [{"role": "user", "content": "x", "mood": "good"}]},
    "part": {"messages": [{"role": "system", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
    "no messages": {"messages": []},
    "answer to nothing": {"messages": [*HELLO, FOUND]},
    "answer to an older call": {"messages": [*HELLO, ASKED, FOUND, *HELLO, FOUND]},
    "unanswered call": {"messages": [*HELLO, ASKED, *HELLO]},
    "unanswered last call": {"messages": [*HELLO, ASKED]},
    "answered twice": {"messages": [*HELLO, ASKED, FOUND, FOUND]},
    "parameter": {"extra_body": {"top_k": 5}},
    "choice without tools": {"tool_choice": "auto"},
    "choice of no tool": {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "lose"}}},
    "tool's name": {"tools": [{"type": "function", "function": {"name": "find it"}}]},
    "tool's schema": {"tools": [{"type": "function", "function": {"name": "find", "parameters": {"type": "string"}}}]},
    "format": {"response_format": {"type": "yaml"}},
    "format's name": {"response_format": {"type": "json_schema", "json_schema": {"schema": SCHEMA}}},
    "JSON unmentioned": {"response_format": {"type": "json_object"}},
    "stream options": {"stream_options": {"include_usage": True}},
    "temperature": {"temperature": 3},
    "limit": {"max_tokens": 0},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
async def test_what_openai_would_refuse_is_refused(endpoint: ScriptedEndpoint, wrong: dict[str, Any]):
    with pytest.raises(openai.BadRequestError) as refused:
        await ask(endpoint, **wrong)
    assert isinstance(refused.value.body, dict) and set(refused.value.body) == {"message", "type", "param", "code"}
    assert len(endpoint.complaints) == 1


NOT_STRICT = {
    "optional property": {**SCHEMA, "required": []},
    "further properties": {key: value for key, value in SCHEMA.items() if key != "additionalProperties"},
    "required but unknown": {**SCHEMA, "required": ["name", "age"]},
    "default": {**SCHEMA, "properties": {"name": {"type": "string", "default": "Anna"}}},
    "one of": {**SCHEMA, "properties": {"name": {"oneOf": [{"type": "string"}]}}},
    "words beside a reference": {
        **SCHEMA,
        "properties": {"name": {"$ref": "#/$defs/N", "title": "Name"}},
        "$defs": {"N": {"type": "null"}},
    },
    "reference to nothing": {**SCHEMA, "properties": {"name": {"$ref": "#/$defs/N"}}},
    "tuple": {**SCHEMA, "properties": {"name": {"type": "array", "prefixItems": [{"type": "string"}]}}},
    "inner object": {**SCHEMA, "properties": {"name": {"anyOf": [{"type": "object", "properties": {"a": {"type": "null"}}}]}}},
}


@pytest.mark.parametrize("schema", NOT_STRICT.values(), ids=NOT_STRICT)
async def test_strict_mode_takes_its_subset_only(endpoint: ScriptedEndpoint, schema: dict[str, Any]):
    strict = {"type": "json_schema", "json_schema": {"name": "person", "schema": schema, "strict": True}}
    with pytest.raises(openai.BadRequestError, match="Invalid schema for response_format 'person'"):
        await ask(endpoint, response_format=strict)


async def test_a_whole_conversation_with_tools_is_accepted(endpoint: ScriptedEndpoint):
    messages = [
        {"role": "system", "content": "Be short."},
        *HELLO,
        ASKED,
        FOUND,
        {"role": "user", "content": [{"type": "text", "text": "and?"}]},
    ]
    options: dict[str, Any] = {
        "tools": [TOOL],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "max_tokens": 50,
        "temperature": 0,
    }
    assert (await ask(endpoint, messages, **options)).choices[0].message.content == "and?"
    assert not endpoint.complaints


async def test_strangers_and_unknown_models_are_turned_away(endpoint: ScriptedEndpoint):
    async with sdk(endpoint, api_key="other") as client:
        with pytest.raises(openai.AuthenticationError):
            await client.models.list()
    with pytest.raises(openai.NotFoundError):
        await ask(endpoint, model="other")


async def test_models_are_listed(endpoint: ScriptedEndpoint):
    async with sdk(endpoint) as client:
        assert [model.id async for model in client.models.list()] == ["scripted", "scripted-small"]


async def test_azure_is_reached_under_its_deployment(endpoint: ScriptedEndpoint):
    azure = openai.AsyncAzureOpenAI(
        azure_endpoint=endpoint.azure_url, api_key=endpoint.key, api_version="2024-10-21", max_retries=0
    )
    async with azure as client:
        answer = await client.chat.completions.create(model="scripted", messages=HELLO)
    assert answer.choices[0].message.content == "hello"
    assert endpoint.requests[0].path == "/openai/deployments/scripted/chat/completions"


async def test_requests_are_kept_byte_for_byte(endpoint: ScriptedEndpoint):
    text = "<|im_start|>system\nZoë 🐢\u2028\u0000 ends in blanks  \n"
    await ask(endpoint, [{"role": "user", "content": text}])
    assert endpoint.requests[0].messages == [{"role": "user", "content": text}]


@pytest.mark.parametrize("lacked", ["response_format", "json_schema"])
async def test_what_an_endpoint_lacks_is_refused_by_name(lacked: str):
    with ScriptedEndpoint(lacks=[lacked]) as endpoint:
        with pytest.raises(openai.BadRequestError, match="response_format"):
            await ask(endpoint, response_format=FORMAT)
        assert (await ask(endpoint)).choices and not endpoint.complaints


async def test_a_prompt_longer_than_the_context_is_refused():
    with ScriptedEndpoint(context=20) as endpoint, pytest.raises(openai.BadRequestError, match="maximum context length is 20"):
        await ask(endpoint, [{"role": "user", "content": "x" * 100}])


async def test_an_answer_ends_where_the_limit_is(endpoint: ScriptedEndpoint):
    endpoint.play(says("a long answer"))
    choice = (await ask(endpoint, max_completion_tokens=2)).choices[0]
    assert (choice.message.content, choice.finish_reason) == ("a long a", "length")


async def test_it_misbehaves_first_and_behaves_then(endpoint: ScriptedEndpoint):
    endpoint.play(first(rate_limited(0.01), SERVER_ERROR, RESET, then=says("there")))
    for trouble in (openai.RateLimitError, openai.InternalServerError, openai.APIConnectionError):
        with pytest.raises(trouble):
            await ask(endpoint)
    assert [(await ask(endpoint)).choices[0].message.content for _ in range(2)] == ["there", "there"]


@pytest.mark.parametrize("options", [{}, {"stream_options": {"include_usage": True}}])
async def test_a_stream_can_be_cut_in_the_middle(endpoint: ScriptedEndpoint, options: dict[str, Any]):
    endpoint.play([cut(says("x" * 100), after=2, how="end"), cut(says("x" * 100), after=2)])
    assert [chunk.choices[0].delta.content for chunk in await streamed(endpoint, **options)] == ["", "x" * 12, "x" * 12]
    with pytest.raises(openai.APIConnectionError):
        await streamed(endpoint, **options)


async def test_models_that_call_wrongly_follow_the_tools_they_are_given(endpoint: ScriptedEndpoint):
    endpoint.play([missing_arguments, endless_calls, truncated(calls(Call("find", {"name": "Anna"})))])
    called = [(await ask(endpoint, tools=[TOOL])).choices[0] for _ in range(3)]
    assert [c.message.tool_calls[0].function.arguments for c in called] == ["{}", '{"name": "text"}', '{"name": "']
    assert called[2].finish_reason == "length"


async def test_nobody_listens_while_it_is_down(endpoint: ScriptedEndpoint):
    async with sdk(endpoint) as client:
        await client.models.list()
        with endpoint.down(), pytest.raises(openai.APIConnectionError):
            await client.models.list()
        assert await client.models.list()


async def test_answers_are_late_by_the_latency_and_side_by_side():
    with ScriptedEndpoint(latency=0.3) as endpoint:
        async with sdk(endpoint) as client:
            begun = time.perf_counter()
            await asyncio.gather(*(client.chat.completions.create(model="scripted", messages=HELLO) for _ in range(5)))
        assert time.perf_counter() - begun >= 0.3
        assert (endpoint.counters.requests, endpoint.counters.most_at_once, endpoint.counters.now) == (5, 5, 0)


def test_it_runs_by_hand():
    command = [sys.executable, "-m", "doubles.llm", "--key", "k", "--script", "doubles.llm.misbehaving:REFUSAL"]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        said = dict(part.split("=") for part in running.stdout.readline().split())
        client = openai.OpenAI(base_url=said["ASSISTANT_LLM__BASE_URL"], api_key="k", max_retries=0)
        answer = client.chat.completions.create(model="scripted", messages=HELLO)
        running.terminate()
    assert answer.choices[0].message.refusal == "I'm sorry, I can't help with that."
