"""How an endpoint wants to be asked, as far as it differs from others and its refusals tell."""

import re
from collections.abc import Mapping
from typing import Any

from assistant.llm.messages import Prompt
from assistant.llm.troubles import Refused
from integrations.types import Value

LEAST = 64
"""Tokens. An answer that may only be shorter is none."""
_WORTH_READING = frozenset({400, 402, 413, 422})
_LENGTH = re.compile(r"max_(new_|completion_|output_)?tokens|(completion|output) tokens|in the completion")
_CONTEXT = re.compile(r"context (?:length|window|size)(?:\D{0,20}(\d+))?")
_BOUND = re.compile(r"(?:at most|up to|no more than|less than or equal to|<=|only afford|maximum\D{0,30})\D{0,3}(\d{1,9})")
_EFFORT = re.compile(r"reasoning.?effort")


class Dialect(Value):
    """`limit` names the field that bounds an answer; empty: none does. `most` is the endpoint's own bound, in tokens. `once`: good
    for the request in hand, not for those to come."""

    limit: str = "max_tokens"
    most: int | None = None
    once: bool = False
    effort: bool = True
    temperature: bool = True
    streams_usage: bool = True

    def body(self, prompt: Prompt, *, longest: int, effort: str, stream: bool) -> dict[str, Any]:
        sent = _asked(prompt)
        if self.limit:
            longest = longest if prompt.longest is None else prompt.longest
            sent[self.limit] = longest if self.most is None else min(longest, self.most)
        if effort and self.effort:
            sent["reasoning_effort"] = effort
        if prompt.temperature is not None and self.temperature:
            sent["temperature"] = prompt.temperature
        if stream:
            sent["stream"] = True
            if self.streams_usage:
                sent["stream_options"] = {"include_usage": True}
        return sent

    def after(self, refused: Refused, sent: Mapping[str, Any]) -> "Dialect | None":
        """How to put the same request after it was refused; None: no other way is known."""
        if refused.status not in _WORTH_READING:
            return None
        said = refused.text.lower()
        if "stream_options" in sent and "stream_options" in said:
            return self.model_copy(update={"streams_usage": False})
        if "reasoning_effort" in sent and _EFFORT.search(said):
            return self.model_copy(update={"effort": False})
        if "temperature" in sent and "temperature" in said:
            return self.model_copy(update={"temperature": False})  # some models have one only
        if self.limit and _LENGTH.search(said):
            return self._shorter(refused.words.lower().replace(",", ""), sent[self.limit])
        return None

    def _shorter(self, said: str, asked: int) -> "Dialect | None":
        if context := _CONTEXT.search(said):
            # The endpoint knows how much of its context a prompt leaves. In a large one that is another prompt's trouble only.
            return self.model_copy(update={"limit": "", "once": int(context[1] or 0) > 2 * asked})
        if self.limit == "max_tokens" and "max_completion_tokens" in said and str(asked) not in said:
            return self.model_copy(update={"limit": "max_completion_tokens"})
        bounds = [int(number) for number in _BOUND.findall(said)] or [int(number) for number in re.findall(r"\d{1,9}", said)]
        smaller = [bound for bound in bounds if bound < asked]
        if not smaller:
            return self.model_copy(update={"limit": ""})
        return self.model_copy(update={"most": max(smaller)}) if max(smaller) >= LEAST else None


def _asked(prompt: Prompt) -> dict[str, Any]:
    sent: dict[str, Any] = {"messages": [message.as_sent() for message in prompt.messages]}
    if prompt.tools:
        sent["tools"] = [tool.as_sent() for tool in prompt.tools]
    if prompt.forced:
        sent["tool_choice"] = {"type": "function", "function": {"name": prompt.forced}}
    if prompt.answering == "json_schema" and prompt.shape is not None:
        sent["response_format"] = prompt.shape.as_format()
    elif prompt.answering == "json_object":
        sent["response_format"] = {"type": "json_object"}
    return sent
