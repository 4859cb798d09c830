"""What is learned from an endpoint's refusals, and that it is learned once."""

from typing import Any

import pytest
from doubles.llm import Failure, Reply, RequestSeen, ScriptedEndpoint, says
from doubles.llm.asking import HELLO, client_of, told

from assistant.errors import ModelError
from assistant.llm.messages import Prompt


def strict(most: int, words: str, status: int = 400) -> Any:
    """Refuses a limit beyond what it allows, in words of its own."""

    def answer(seen: RequestSeen) -> Reply:
        asked = seen.limit
        return Failure(status, words.format(asked=asked)) if asked is not None and asked > most else says("there")

    return answer


REFUSALS = {
    "OpenAI": (strict(4096, "max_tokens is too large: {asked}. This model supports at most 4096 completion tokens."), 4096),
    "Anthropic": (strict(4096, "max_tokens: {asked} > 4096, which is the maximum allowed number of output tokens for c-3-5"), 4096),
    "Groq": (strict(5000, "`max_tokens` must be less than or equal to `5000`, the maximum value for `max_tokens`"), 5000),
    "OpenRouter": (
        strict(
            1234, "This request requires more credits, or fewer max_tokens. You asked for {asked}, but can only afford 1234.", 402
        ),
        1234,
    ),
    "vLLM": (
        strict(
            3000,
            "This model's maximum context length is 4096 tokens. However, you requested 8100 tokens "
            "(100 in the messages, {asked} in the completion). Please reduce the length of the messages or completion.",
        ),
        None,
    ),
    "no number": (strict(0, "max_tokens: Extra inputs are not permitted"), None),
}


@pytest.mark.parametrize(("picky", "limit"), REFUSALS.values(), ids=REFUSALS)
async def test_a_limit_that_is_refused_is_lowered_or_left_out_from_then_on(picky: Any, limit: int | None):
    with ScriptedEndpoint(picky) as endpoint:
        client = client_of(endpoint)
        assert [(await client.complete(HELLO)).text for _ in range(2)] == ["there"] * 2
        assert [seen.limit for seen in endpoint.requests] == [8000, limit, limit]
        await client.close()


async def test_one_long_prompt_in_a_large_context_takes_no_limit_from_the_others():
    words = "This model's maximum context length is 128000 tokens. You requested 130000 tokens (8000 in the completion)."
    with ScriptedEndpoint([Failure(400, words), says("there"), says("there")]) as endpoint:
        client = client_of(endpoint)
        for _ in range(2):
            await client.complete(HELLO)
        assert [seen.limit for seen in endpoint.requests] == [8000, None, 8000]
        await client.close()


async def test_a_prompt_that_is_too_long_by_itself_is_refused_and_nothing_learned():
    words = (
        "This model's maximum context length is 4096 tokens. You requested 9000 tokens ({n} in the messages, 0 in the completion)."
    )
    with ScriptedEndpoint([Failure(400, words), Failure(400, words), says("there")]) as endpoint:
        client = client_of(endpoint)
        with pytest.raises(ModelError, match="maximum context length") as raised:
            await client.complete(HELLO)
        await client.complete(HELLO)
        assert (raised.value.kind, [seen.limit for seen in endpoint.requests]) == ("rejected", [8000, None, 8000])
        await client.close()


async def test_too_little_money_for_an_answer_is_told():
    words = "This request requires more credits, or fewer max_tokens. You requested up to 8000 tokens, but can only afford 12."
    with ScriptedEndpoint(Failure(402, words)) as endpoint:
        client = client_of(endpoint)
        with pytest.raises(ModelError, match="wants to be paid first: This request requires more credits") as raised:
            await client.complete(HELLO)
        assert (raised.value.kind, len(endpoint.requests)) == ("denied", 1)
        await client.close()


async def test_an_effort_is_sent_where_one_is_set(endpoint: ScriptedEndpoint):
    for effort in ("", "low"):
        client = client_of(endpoint, effort=effort)
        await client.complete(HELLO)
        await client.close()
    assert [seen.body.get("reasoning_effort") for seen in endpoint.requests] == [None, "low"]


async def test_an_effort_that_is_refused_is_left_out_from_then_on():
    with ScriptedEndpoint(lacks=["reasoning_effort"]) as endpoint:
        client = client_of(endpoint, effort="low")
        assert [(await client.complete(HELLO)).text for _ in range(2)] == ["hello"] * 2
        assert ["reasoning_effort" in seen.body for seen in endpoint.requests] == [True, False, False]
        await client.close()


async def test_a_prompt_has_a_limit_of_its_own_or_the_endpoints(endpoint: ScriptedEndpoint):
    client = client_of(endpoint, longest=700)
    await client.complete(HELLO)
    await client.complete(Prompt(messages=HELLO.messages, longest=50))
    assert [seen.limit for seen in endpoint.requests] == [700, 50]
    await client.close()


async def test_several_things_are_learned_in_one_call():
    with ScriptedEndpoint(lacks=["reasoning_effort", "max_tokens", "stream_options"]) as endpoint:
        client = client_of(endpoint, effort="low")
        assert (await told(client))[0] == ["hello"]
        count = len(endpoint.requests)
        await client.complete(HELLO)
        assert len(endpoint.requests) == count + 1 and endpoint.requests[-1].limit == 8000
        await client.close()


async def test_a_temperature_that_is_refused_is_left_out_from_then_on():
    def one_only(seen: RequestSeen) -> Reply:
        refusal = "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported."
        return Failure(400, refusal) if "temperature" in seen.body else says("there")

    with ScriptedEndpoint(one_only) as endpoint:
        client = client_of(endpoint)
        asked = HELLO.model_copy(update={"temperature": 0.2})
        assert [(await client.complete(asked)).text for _ in range(2)] == ["there"] * 2
        assert [seen.body.get("temperature") for seen in endpoint.requests] == [0.2, None, None]
        await client.close()
