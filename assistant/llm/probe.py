"""Tries out what an endpoint can do, by asking its model a few short questions."""

import secrets
import time
from collections.abc import AsyncIterator, Callable
from difflib import get_close_matches
from typing import Protocol

from pydantic import BaseModel

from assistant.errors import ModelError
from assistant.llm.catalogue import Offered
from assistant.llm.client import ChatClient
from assistant.llm.messages import Message, Prompt, Tool
from assistant.llm.structured import TOO_LONG, Structured
from integrations.types import Value

CONTEXT = (4_000, 16_000, 64_000, 128_000)
"""Tokens of prompt that are tried, when asked for, until one is refused or cut."""
AMPLE = 16_000
"""Tokens of context in which every question of the assistant has room, and its answer."""


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
Telling = Callable[[str], None]


class Listing(ChatClient, Protocol):
    async def models(self) -> tuple[Offered, ...]:
        """What the endpoint says that it has."""


def _asking(words: str) -> tuple[Message, ...]:
    return (Message(role="user", content=words),)


async def probe(asked: Listing, *, telling: Telling, context: bool = False) -> AsyncIterator[Finding]:
    """The findings as they come; `telling` hears what is tried next. `context`: also tries how long a prompt it takes, which costs
    tokens."""
    telling("asking the model for a word")
    first = await _answers(asked)
    yield first
    telling("asking which models there are")
    listed = await _offered(asked)
    if first.good or not isinstance(listed, ModelError):
        yield _models(asked.model, listed)
    if first.good is False:
        return
    telling("asking for an answer in pieces")
    yield await _streams(asked)
    telling("asking for JSON")
    yield await _structures(asked)
    telling("asking to call a tool")
    yield await _calls_tools(asked)
    yield await _takes(asked, telling) if context else _tells_context(asked.model, listed)


async def _answers(asked: ChatClient) -> Finding:
    began = time.monotonic()
    try:
        answer = await asked.complete(Prompt(messages=_asking("Answer with the one word: ready")))
    except ModelError as error:
        return Finding(what="answers", good=False, words=str(error))
    counted = f"{answer.usage.prompt} and {answer.usage.completion} tokens" if answer.usage.prompt else "it doesn't count tokens"
    return Finding(what="answers", good=True, words=f"{asked.model}, {time.monotonic() - began:.1f} s, {counted}")


async def _offered(asked: Listing) -> tuple[Offered, ...] | ModelError:
    try:
        return await asked.models()
    except ModelError as error:
        return error


def _models(model: str, listed: tuple[Offered, ...] | ModelError) -> Finding:
    if isinstance(listed, ModelError):
        return Finding(what="models", good=None, words=f"not listed: {listed}")
    names = [one.name for one in listed]
    some = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    if model in names or not names:
        return Finding(what="models", good=True, words=some or "none listed")
    near = get_close_matches(model, names, 1, 0.5)
    meant = f"; is {near[0]} meant?" if near else ""
    return Finding(what="models", good=None, words=f"{model} is not among them{meant} There are: {some}")


async def _streams(asked: ChatClient) -> Finding:
    pieces = 0
    try:
        async for piece in asked.stream(Prompt(messages=_asking("Count from one to ten in words."))):
            pieces += isinstance(piece, str)
    except ModelError as error:
        return Finding(what="streaming", good=None, words=f"no: {error}")
    if pieces < 2:
        return Finding(what="streaming", good=None, words="no, the answer comes at once" if pieces else "no, nothing came")
    return Finding(what="streaming", good=True, words=f"yes, in {pieces} pieces")


async def _structures(asked: ChatClient) -> Finding:
    structured = Structured(asked)
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


async def _calls_tools(asked: ChatClient) -> Finding:
    words = _asking("Look up the weather in Rome and in Oslo. Use the tool.")
    try:
        answer = await asked.complete(Prompt(messages=words, tools=(WEATHER,)))
    except ModelError as error:
        return Finding(what="tools", good=None, words=f"no: {error}")
    if not answer.calls:
        return Finding(what="tools", good=None, words="offered, and not called")
    return Finding(what="tools", good=True, words="called, several at once" if len(answer.calls) > 1 else "called, one at a time")


def _tells_context(model: str, listed: tuple[Offered, ...] | ModelError) -> Finding:
    known = () if isinstance(listed, ModelError) else listed
    told = next((one.context for one in known if one.name == model), None)
    if told is None:
        return Finding(what="context", good=None, words="the endpoint doesn't tell; --context tries")
    return Finding(what="context", good=True if told >= AMPLE else None, words=f"{told:,} tokens, the endpoint says")


async def _takes(asked: ChatClient, telling: Telling) -> Finding:
    most = 0
    for tokens in CONTEXT:
        telling(f"sending {tokens:,} tokens")
        why, failed = await _misses(asked, tokens)
        if why:
            reached = f"at least {most:,} tokens" if most else f"less than {tokens:,} tokens" if failed else "unknown"
            return Finding(what="context", good=_enough(most, failed), words=f"{reached}; with {tokens:,}: {why}")
        most = tokens
    return Finding(what="context", good=True, words=f"at least {most:,} tokens")


def _enough(most: int, failed: bool) -> bool | None:
    if most >= AMPLE:
        return True
    return False if failed and not most else None


async def _misses(asked: ChatClient, tokens: int) -> tuple[str, bool]:
    """Why a prompt of so many tokens was not read whole, if it wasn't, and whether its length is the reason. Some endpoints cut
    what is too long without a word: what stands at its very beginning must come back."""
    code = secrets.token_hex(4)
    filler = "one two three four " * (tokens // 4)
    words = f"The code is {code}.\n{filler}\nWhat is the code at the very beginning? Answer with the code alone."
    try:
        answer = await asked.complete(Prompt(messages=_asking(words)))
    except ModelError as error:
        too_long = error.kind == "rejected" and bool(TOO_LONG.search(str(error)))
        return ("refused as too long" if too_long else str(error)), too_long
    if code in answer.text:
        return "", False
    if answer.finish == "length":
        return "no room was left for the answer", True
    return "the beginning was lost, as endpoints do that cut silently", True
