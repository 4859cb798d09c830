"""Answers as values: the model is asked for JSON of a schema, and what comes is validated before anybody sees it."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from assistant.errors import ModelError
from assistant.llm.client import ChatClient
from assistant.llm.messages import Completion, Message, Prompt, Shape

T = TypeVar("T", bound=BaseModel)
Way = Literal["json_schema", "tool", "json_object", "text"]
WAYS: tuple[Way, ...] = ("json_schema", "tool", "json_object", "text")
"""How an answer is made to be JSON, best first; the later ones for endpoints that lack the earlier."""
REPAIRS = 1
"""How often the model is shown what is wrong with its answer."""


class Structured:
    """Remembers which way the endpoint can go. `ask` raises ModelError."""

    def __init__(self, client: ChatClient) -> None:
        self.client = client
        self._way = 0

    @property
    def way(self) -> Way:
        return WAYS[self._way]

    async def ask(self, messages: Sequence[Message], answer: type[T], longest: int | None = None) -> T:
        shape = Shape(name=answer.__name__.lower(), definition=strict_schema(answer))
        shown: tuple[Message, ...] = ()
        for left in range(REPAIRS, -1, -1):
            try:
                completion = await self._completed(messages, shown, shape, longest)
            except ModelError as error:
                if error.kind != "invalid" or not left:
                    raise
                continue
            try:
                return answer.model_validate_json(_json_of(completion, shape.name))
            except ValueError as wrong:
                if not left:
                    raise ModelError(f"{self.client.model} gave no usable answer, also when asked again.", "invalid") from wrong
                shown = _shown_wrong(completion, wrong, shape)
        raise AssertionError("unreachable")

    async def _completed(
        self, messages: Sequence[Message], shown: tuple[Message, ...], shape: Shape, longest: int | None
    ) -> Completion:
        """A way counts as the endpoint's once an answer came by it: what it refuses in every way lies with the request."""
        refusals: list[ModelError] = []
        for n in range(self._way, len(WAYS)):
            try:
                completion = await self.client.complete(_prompt(WAYS[n], messages, shown, shape, longest))
            except ModelError as refused:
                if refused.kind != "rejected" or TOO_LONG.search(str(refused)):
                    raise
                refusals.append(refused)
                continue
            self._way = max(self._way, n)
            return _settled(completion, self.client.model)
        raise refusals[0]


TOO_LONG = re.compile(r"context.?(length|window|size)|too long|too many tokens", re.IGNORECASE)


def _prompt(way: Way, messages: Sequence[Message], shown: tuple[Message, ...], shape: Shape, longest: int | None) -> Prompt:
    """`shown` is a wrong answer with what is wrong about it."""
    if way == "json_schema":
        return Prompt(messages=(*messages, *shown), answering="json_schema", shape=shape, longest=longest)
    if way == "tool":
        return Prompt(messages=(*messages, *shown), tools=(shape.as_tool(),), forced=shape.name, longest=longest)
    wanted = f"Answer with one JSON object of this schema and nothing else:\n{json.dumps(dict(shape.definition))}"
    told = (*messages, Message(role="user", content=wanted), *shown)
    return Prompt(messages=told, answering="json_object" if way == "json_object" else "text", longest=longest)


def _settled(completion: Completion, model: str) -> Completion:
    if completion.refusal or completion.finish == "content_filter":
        raise ModelError(f"{model} declines to answer{': ' + completion.refusal[:200] if completion.refusal else ''}.", "refused")
    if completion.finish == "length":
        raise ModelError(
            f"{model} ran out of room before its answer was complete; llm.longest says how long one may be.", "truncated"
        )
    return completion


_FENCED = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


def _json_of(completion: Completion, name: str) -> str:
    """The JSON in an answer, from the arguments of the call of that name, a fenced block, or between the outermost braces."""
    for call in completion.calls:
        if call.name == name:
            return call.arguments
    if completion.calls and not completion.text:
        raise ValueError(f"There is no tool {completion.calls[0].name}.")
    text = completion.text.strip()
    if fenced := _FENCED.search(text):
        text = fenced[1].strip()
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        raise ValueError("The answer holds no JSON object.")
    return text[begin : end + 1]


def _shown_wrong(completion: Completion, wrong: ValueError, shape: Shape) -> tuple[Message, ...]:
    """As plain messages with the schema: not every endpoint takes calls with broken arguments back, or has heeded its format."""
    schema = json.dumps(dict(shape.definition))
    words = f"That answer can't be used: {_reason(wrong)} Give the whole answer again, as one JSON object of this schema:\n{schema}"
    said = "\n".join(part for part in (completion.text, *(call.arguments for call in completion.calls)) if part)
    answered = (Message(role="assistant", content=said),) if said else ()
    return (*answered, Message(role="user", content=words))


def _reason(wrong: Exception) -> str:
    if isinstance(wrong, ValidationError):
        return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}" for one in wrong.errors()[:5]) + "."
    return str(wrong)


@cache
def strict_schema(answer: type[BaseModel]) -> Mapping[str, Any]:
    """The schema within the bounds of strict mode: every property required and none besides, and only keywords that it knows.
    What is left out here is validated all the same."""
    return _strict(answer.model_json_schema())


_UNKNOWN_TO_STRICT = frozenset("title default discriminator minLength maxLength uniqueItems minProperties maxProperties".split())
_FORMATS = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())


def _strict(node: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in node.items() if key not in _UNKNOWN_TO_STRICT}
    if kept.get("format", "date") not in _FORMATS:
        del kept["format"]
    if "oneOf" in kept:
        kept["anyOf"] = kept.pop("oneOf")
    if "$ref" in kept and len(kept) > 1:  # a reference stands alone
        kept["anyOf"] = [{"$ref": kept.pop("$ref")}]
    for holder in ("properties", "$defs"):
        if holder in kept:
            kept[holder] = {name: _strict(inner) for name, inner in kept[holder].items()}
    if "anyOf" in kept:
        kept["anyOf"] = [_strict(inner) for inner in kept["anyOf"]]
    if isinstance(kept.get("items"), Mapping):
        kept["items"] = _strict(kept["items"])
    if kept.get("type") == "object" and "properties" in kept:
        kept["required"] = list(kept["properties"])
        kept["additionalProperties"] = False
    return kept
