"""What is said to a language model and what it answers, in the terms of the chat completions that every endpoint speaks."""

from collections.abc import Mapping
from typing import Any, Literal

from integrations.types import Value


class ToolCall(Value):
    """`arguments` is JSON as the model wrote it, valid or not."""

    id: str
    name: str
    arguments: str


class Message(Value):
    """`content` is sent byte for byte. `calls` are an assistant's; `answers` is the id of the call that a tool message answers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""

    def as_sent(self) -> dict[str, Any]:
        sent: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            sent["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in self.calls
            ]
            sent["content"] = self.content or None
        if self.answers:
            sent["tool_call_id"] = self.answers
        return sent


class Tool(Value):
    """`parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def as_sent(self) -> dict[str, Any]:
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}


class Shape(Value):
    """The JSON schema that an answer must have, under a name of letters, digits and underscores."""

    name: str
    definition: Mapping[str, Any]

    def as_format(self) -> dict[str, Any]:
        return {"type": "json_schema", "json_schema": {"name": self.name, "schema": dict(self.definition), "strict": True}}

    def as_tool(self) -> Tool:
        return Tool(name=self.name, description="Gives the answer.", parameters=self.definition)


class Usage(Value):
    """Tokens as the endpoint counted them; `cached` are part of `prompt`."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt=self.prompt + other.prompt, cached=self.cached + other.cached, completion=self.completion + other.completion
        )


Finish = Literal["stop", "length", "tool_calls", "content_filter", "other"]


class Completion(Value):
    """One answer. `refusal` is what the model said instead of answering, in the field that endpoints have for it."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    refusal: str = ""
    usage: Usage = Usage()
    model: str = ""

    def as_message(self) -> Message:
        return Message(role="assistant", content=self.text, calls=self.calls)


Answering = Literal["text", "json_schema", "json_object"]


class Prompt(Value):
    """One question to a model. `shape` asks for JSON of that schema; `forced` names the one tool that must be called."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    forced: str = ""
    answering: Answering = "text"
    shape: Shape | None = None
    longest: int | None = None
    """The most tokens the answer may have."""
    temperature: float | None = None
