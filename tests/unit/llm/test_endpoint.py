"""The chat client and structured answers, over real HTTP against an endpoint that plays a script."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Literal

import pytest
from doubles.llm import (
    Answer,
    Call,
    Counted,
    Failure,
    Reply,
    RequestSeen,
    ScriptedEndpoint,
    calls,
    data,
    first,
    says,
    unreachable_url,
)
from doubles.llm import misbehaving as bad
from doubles.llm.schemas import check_schema
from pydantic import BaseModel, Field

from assistant.errors import ModelError
from assistant.llm.endpoint import Endpoint, EndpointClient
from assistant.llm.messages import Completion, Message, Prompt, Shape, Tool, ToolCall, Usage
from assistant.llm.structured import WAYS, Structured, strict_schema


class Person(BaseModel):
    name: str
    age: int = 0


ANNA = {"name": "Anna", "age": 30}
HELLO = Prompt(messages=(Message(role="user", content="hello"),))
FIND = Tool(name="find", description="Finds.", parameters={"type": "object", "properties": {"name": {"type": "string"}}})
SHAPE = Shape(name="person", definition=strict_schema(Person))


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as running:
        yield running
    assert not running.complaints


def client_of(endpoint: ScriptedEndpoint, **options: Any) -> EndpointClient:
    given = {"model": "scripted", "base_url": endpoint.url, "api_key": endpoint.key, "retries": 0, "timeout": 5, **options}
    return EndpointClient(Endpoint.model_validate(given))


@pytest.fixture
async def client(endpoint: ScriptedEndpoint) -> AsyncIterator[EndpointClient]:
    made = client_of(endpoint)
    yield made
    await made.close()


async def told(client: EndpointClient, prompt: Prompt = HELLO) -> tuple[list[str], Completion]:
    """The pieces of a streamed answer, and the whole."""
    *pieces, last = [piece async for piece in client.stream(prompt)]
    assert isinstance(last, Completion)
    return [str(piece) for piece in pieces], last


async def ask(client: EndpointClient) -> Person:
    return await Structured(client).ask(HELLO.messages, Person)


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


async def test_nothing_is_added_to_a_plain_request(endpoint: ScriptedEndpoint, client: EndpointClient):
    await client.complete(HELLO)
    assert endpoint.requests[0].body == {"model": "scripted", "messages": [{"role": "user", "content": "hello"}]}


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
    pieces, whole = await told(client)
    assert len(pieces) > 1 and "".join(pieces) == whole.text == "Zoë writes back at three."
    assert whole.usage.completion == 7


async def test_a_stream_that_is_left_alone_ends(endpoint: ScriptedEndpoint, client: EndpointClient):
    endpoint.play(Answer(text="x" * 12_000, pause=0.01))
    stream = client.stream(HELLO)
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert await asyncio.to_thread(endpoint.idle, 5)  # the endpoint would go on for 10


async def test_azure_is_asked_under_its_deployment(endpoint: ScriptedEndpoint):
    client = client_of(endpoint, base_url=endpoint.azure_url, azure_version="2024-10-21")
    assert (await client.complete(HELLO)).text == "hello"
    assert endpoint.requests[0].azure
    await client.close()


async def test_models_are_listed(client: EndpointClient):
    assert await client.models() == ("scripted", "scripted-small")


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


# structured answers


async def test_a_structured_answer_is_asked_for_by_strict_schema(endpoint: ScriptedEndpoint, client: EndpointClient):
    endpoint.play([data(ANNA)])
    assert await ask(client) == Person(name="Anna", age=30)
    assert endpoint.requests[0].schema == SHAPE.definition


REPAIRED: dict[str, Any] = {
    "invalid JSON": bad.INVALID_JSON,
    "wrong schema": bad.WRONG_SCHEMA,
    "prose": says("Anna is thirty."),
    "empty": bad.EMPTY,
    "no choices": bad.NO_CHOICES,
    "unknown tool": bad.UNKNOWN_TOOL,
    "missing arguments": bad.missing_arguments,
}


@pytest.mark.parametrize("way", [0, 1, 2, 3], ids=WAYS)
@pytest.mark.parametrize("wrong", REPAIRED.values(), ids=REPAIRED)
async def test_a_wrong_answer_is_repaired_once(endpoint: ScriptedEndpoint, client: EndpointClient, wrong: Any, way: int):
    structured = Structured(client)
    structured._way = way
    endpoint.play([wrong, data(ANNA)])
    assert await structured.ask(HELLO.messages, Person) == Person(name="Anna", age=30)


@pytest.mark.parametrize("wrong", REPAIRED.values(), ids=REPAIRED)
async def test_an_answer_that_stays_wrong_is_given_up(endpoint: ScriptedEndpoint, client: EndpointClient, wrong: Any):
    endpoint.play(wrong)
    with pytest.raises(ModelError) as raised:
        await ask(client)
    assert (raised.value.kind, len(endpoint.requests)) == ("invalid", 2)


async def test_the_model_is_shown_its_error(endpoint: ScriptedEndpoint, client: EndpointClient):
    endpoint.play([data({"name": "Anna", "age": "old"}), data(ANNA)])
    await ask(client)
    wrong, shown = endpoint.requests[1].messages[-2:]
    assert wrong == {"role": "assistant", "content": '{"name": "Anna", "age": "old"}'}
    assert "age: Input should be a valid integer" in shown["content"] and '"additionalProperties": false' in shown["content"]


@pytest.mark.parametrize(
    "text",
    ['Here:\n```json\n{"name": "Anna", "age": 30}\n```', 'Sure! {"name": "Anna", "age": 30} Anything else?'],
    ids=["fenced", "in prose"],
)
async def test_json_is_found_among_words(endpoint: ScriptedEndpoint, client: EndpointClient, text: str):
    endpoint.play([says(text)])
    assert (await ask(client)).name == "Anna"


@pytest.mark.parametrize("beside", [Call("no_such_tool"), Call("find", "{")], ids=["unknown tool", "broken call"])
async def test_text_counts_where_a_call_comes_along_with_it(endpoint: ScriptedEndpoint, client: EndpointClient, beside: Call):
    endpoint.play([bad.text_and_calls('{"name": "Anna"}', beside)])
    assert (await ask(client)).name == "Anna"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(bad.REFUSAL, "refused"), (bad.FILTERED, "refused"), (bad.truncated(data(ANNA)), "truncated")],
    ids=["refusal", "filter", "length"],
)
async def test_what_asking_again_does_not_mend_is_raised_at_once(
    endpoint: ScriptedEndpoint, client: EndpointClient, answer: Answer, kind: str
):
    endpoint.play(answer)
    with pytest.raises(ModelError) as raised:
        await ask(client)
    assert (raised.value.kind, len(endpoint.requests)) == (kind, 1)


FALLBACKS = {
    "tool": ["response_format"],
    "json_object": ["json_schema", "tools"],
    "text": ["response_format", "tools"],
}


@pytest.mark.parametrize(("way", "lacks"), FALLBACKS.items(), ids=FALLBACKS)
async def test_an_endpoint_that_can_do_less_is_asked_in_its_way(way: str, lacks: list[str]):
    with ScriptedEndpoint(data(ANNA), lacks=lacks) as endpoint:
        client = client_of(endpoint)
        structured = Structured(client)
        people = await asyncio.gather(*(structured.ask(HELLO.messages, Person) for _ in range(3)))
        assert [person.name for person in people] == ["Anna"] * 3 and structured.way == way
        count = len(endpoint.requests)
        await structured.ask(HELLO.messages, Person)
        assert (len(endpoint.requests), endpoint.complaints) == (count + 1, [])
        await client.close()


async def test_a_request_that_no_way_mends_leaves_the_way_as_it_was(endpoint: ScriptedEndpoint, client: EndpointClient):
    def picky(seen: RequestSeen) -> Reply:
        return Failure(400, "I don't like this one.") if "ugly" in seen.prompt else data(ANNA)

    endpoint.play(picky)
    structured = Structured(client)
    with pytest.raises(ModelError, match="I don't like this one"):
        await structured.ask((Message(role="user", content="ugly"),), Person)
    assert structured.way == "json_schema"


@pytest.mark.parametrize(("context", "model"), [(10, "scripted"), (None, "another")], ids=["too long", "unknown model"])
async def test_no_other_way_is_tried_where_none_can_help(context: int | None, model: str):
    with ScriptedEndpoint(context=context) as endpoint:
        client = client_of(endpoint, model=model)
        with pytest.raises(ModelError):
            await ask(client)
        assert len(endpoint.requests) == 1
        await client.close()


async def test_a_trouble_on_the_way_is_retried_under_a_structured_answer(endpoint: ScriptedEndpoint):
    endpoint.play(first(bad.rate_limited(0.01), bad.rate_limited(0.01), then=data(ANNA)))
    client = client_of(endpoint, retries=2)
    assert (await ask(client)).name == "Anna"
    await client.close()


# schemas


class Cat(BaseModel):
    kind: Literal["cat"]
    default: str = Field(default="tabby", min_length=1)


class Dog(BaseModel):
    kind: Literal["dog"]
    title: str | None = None


class Home(BaseModel):
    """Where animals live."""

    first: Cat = Field(description="the first to move in")
    others: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = []
    site: str = Field(default="", json_schema_extra={"format": "uri"})


def test_a_model_becomes_a_schema_that_strict_mode_takes():
    schema = dict(strict_schema(Home))
    check_schema(schema, "response_format 'home'", "response_format", strict=True)
    assert set(schema["$defs"]["Cat"]["properties"]) == {"kind", "default"}
    assert schema["$defs"]["Dog"]["required"] == ["kind", "title"]
