"""Structured answers, over real HTTP against an endpoint that plays a script."""

import asyncio
from typing import Annotated, Any, Literal

import pytest
from doubles.llm import Answer, Call, Failure, Reply, RequestSeen, ScriptedEndpoint, data, first, says
from doubles.llm import misbehaving as bad
from doubles.llm.asking import HELLO, client_of
from doubles.llm.schemas import check_schema
from pydantic import BaseModel, Field

from assistant.errors import ModelError
from assistant.llm.endpoint import EndpointClient
from assistant.llm.messages import Message, Shape
from assistant.llm.structured import WAYS, Structured, strict_schema


class Person(BaseModel):
    name: str
    age: int = 0


ANNA = {"name": "Anna", "age": 30}
SHAPE = Shape(name="person", definition=strict_schema(Person))


async def ask(client: EndpointClient) -> Person:
    return await Structured(client).ask(HELLO.messages, Person)


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
