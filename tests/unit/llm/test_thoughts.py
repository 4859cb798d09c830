"""What a model thinks aloud reaches nobody."""

import pytest
from doubles.llm import Answer, ScriptedEndpoint, says
from doubles.llm.asking import HELLO, told
from hypothesis import given
from hypothesis import strategies as st

from assistant.llm.endpoint import EndpointClient
from assistant.llm.thoughts import Listening, spoken

THOUGHTS = {
    "a block": "<think>\nHm, secret.\n</think>\n\nAt three.",
    "another name": "<reasoning>secret</reasoning>At three.",
    "in capitals": "<THINKING>secret</THINKING> At three.",
    "several": "\n<think>secret</think>\n<think>more secret</think>\nAt three.",
    "only its end": "Okay, the user wants secret.\n</think>\n\nAt three.",
}
KEPT = [
    "At three.",
    "He wrote <think>really</think>.",
    '{"note": "a </think> b"}',
    'The tag "</think>" ends it.',
    "```\n</think>\n```",
    "< think> is not it",
    "<thinker>",
]


@pytest.mark.parametrize("text", THOUGHTS.values(), ids=THOUGHTS)
async def test_thoughts_are_left_out(endpoint: ScriptedEndpoint, client: EndpointClient, text: str):
    endpoint.play(says(text))
    assert (await client.complete(HELLO)).text == "At three."


@pytest.mark.parametrize("known", [False, True], ids=["first answer", "later answer"])
@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("text", THOUGHTS.values(), ids=THOUGHTS)
async def test_so_they_are_in_a_stream(endpoint: ScriptedEndpoint, client: EndpointClient, text: str, size: int, known: bool):
    endpoint.play(Answer(text=text, piece=size))
    if known:
        await client.complete(HELLO)
    pieces, whole = await told(client)
    assert "".join(pieces) == whole.text == "At three."


@pytest.mark.parametrize("text", ["<think>secret, and then", "<think>a</think><think>secret"])
async def test_thoughts_that_never_end_are_no_answer(endpoint: ScriptedEndpoint, client: EndpointClient, text: str):
    endpoint.play(Answer(text=text, finish="length", piece=4))
    assert (await client.complete(HELLO)).text == ""
    assert await told(client) == ([], await client.complete(HELLO))


@pytest.mark.parametrize("text", KEPT)
async def test_what_only_looks_like_thoughts_stays(endpoint: ScriptedEndpoint, client: EndpointClient, text: str):
    endpoint.play(Answer(text=text, piece=2))
    assert (await client.complete(HELLO)).text == text
    pieces, whole = await told(client)
    assert "".join(pieces) == whole.text == text


TAGS = st.sampled_from(["<think>", "</think>", "<reasoning>", "</reasoning>", " ", "\n", "<", "th", "a", '"'])


@given(st.lists(TAGS, max_size=12).map(lambda parts: "<think>" + "".join(parts)), st.integers(1, 9))
def test_a_stream_hears_what_is_spoken_however_it_is_cut(text: str, size: int):
    listening = Listening()
    heard = [listening.take(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join(heard) + listening.rest() == spoken(text)
