"""Tries out what an endpoint can do, by asking its model a few short questions."""

import time
from collections.abc import AsyncIterator

from pydantic import BaseModel

from assistant.errors import ModelError
from assistant.llm.endpoint import EndpointClient
from assistant.llm.messages import Completion, Message, Prompt, Tool
from assistant.llm.structured import Structured
from integrations.types import Value

CONTEXT = (4_000, 16_000, 64_000, 128_000)
"""Tokens of prompt that are tried, when asked for, until one is refused."""


class Finding(Value):
    """`good` None: it can't, and the assistant goes another way; False: nothing works without it."""

    what: str
    good: bool | None
    words: str


class City(BaseModel):
    city: str


WEATHER = Tool(
    name="weather",
    description="The weather in a city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False},
)


def _asking(words: str) -> tuple[Message, ...]:
    return (Message(role="user", content=words),)


async def probe(client: EndpointClient, *, context: bool = False) -> AsyncIterator[Finding]:
    """The findings as they come. `context`: also tries how long a prompt it takes, which costs tokens."""
    first = await _answers(client)
    yield first
    yield await _models(client)
    if first.good is False:
        return
    yield await _streams(client)
    yield await _structures(client)
    yield await _calls_tools(client)
    if context:
        yield await _takes(client)


async def _models(client: EndpointClient) -> Finding:
    try:
        names = await client.models()
    except ModelError as error:
        return Finding(what="models", good=None, words=f"not listed: {error}")
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    if client.model in names or not names:
        return Finding(what="models", good=True, words=listed or "none listed")
    return Finding(what="models", good=None, words=f"{client.model} is not among them: {listed}")


async def _answers(client: EndpointClient) -> Finding:
    began = time.monotonic()
    try:
        answer = await client.complete(Prompt(messages=_asking("Answer with the one word: ready")))
    except ModelError as error:
        return Finding(what="answers", good=False, words=str(error))
    counted = f"{answer.usage.prompt} and {answer.usage.completion} tokens" if answer.usage.prompt else "it doesn't count tokens"
    return Finding(what="answers", good=True, words=f"{client.model}, {time.monotonic() - began:.1f} s, {counted}")


async def _streams(client: EndpointClient) -> Finding:
    pieces, whole = 0, False
    try:
        async for piece in client.stream(Prompt(messages=_asking("Count from one to ten in words."))):
            whole = whole or isinstance(piece, Completion)
            pieces += isinstance(piece, str)
    except ModelError as error:
        return Finding(what="streaming", good=None, words=f"no: {error}")
    return Finding(what="streaming", good=whole and pieces > 0, words=f"yes, in {pieces} pieces")


async def _structures(client: EndpointClient) -> Finding:
    structured = Structured(client)
    try:
        answer = await structured.ask(_asking("Of which country is Rome the capital? Give the city that was named."), City)
    except ModelError as error:
        return Finding(what="JSON", good=False, words=str(error))
    ways = {
        "json_schema": "by JSON schema",
        "tool": "by a tool's arguments",
        "json_object": "as a JSON object",
        "text": "in plain text",
    }
    said = f"{ways[structured.way]} ({answer.city})"
    return Finding(what="JSON", good=True if structured.way == "json_schema" else None, words=said)


async def _calls_tools(client: EndpointClient) -> Finding:
    asked = _asking("Look up the weather in Rome and in Oslo. Use the tool.")
    try:
        answer = await client.complete(Prompt(messages=asked, tools=(WEATHER,)))
    except ModelError as error:
        return Finding(what="tools", good=None, words=f"no: {error}")
    if not answer.calls:
        return Finding(what="tools", good=None, words="offered, and not called")
    return Finding(what="tools", good=True, words="called, several at once" if len(answer.calls) > 1 else "called, one at a time")


async def _takes(client: EndpointClient) -> Finding:
    most = 0
    for tokens in CONTEXT:
        filler = "one two three four " * (tokens // 4)
        try:
            await client.complete(Prompt(messages=_asking(f"{filler}\nAnswer with the one word: ready")))
        except ModelError:
            break
        most = tokens
    return Finding(
        what="context", good=most > CONTEXT[0], words=f"at least {most:,} tokens" if most else f"less than {CONTEXT[0]:,}"
    )
