"""What the endpoint was asked, as its tests look at it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass
class RequestSeen:
    """`raw` is the body byte for byte, `body` the same parsed. `complaint` says why it was refused, or nothing. `began` and `ended`
    in seconds of the monotonic clock."""

    number: int
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any] = field(default_factory=dict)
    complaint: str = ""
    began: float = 0.0
    ended: float = 0.0

    @property
    def azure(self) -> bool:
        return self.path.startswith("/openai/")

    @property
    def model(self) -> str:
        """With Azure the deployment that the path names."""
        return self.path.split("/")[3] if self.path.startswith("/openai/deployments/") else str(self.body.get("model", ""))

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def last(self) -> str:
        """The text of the last message."""
        return text_of(self.messages[-1])

    @property
    def system(self) -> str:
        return "\n".join(text_of(message) for message in self.messages if message["role"] in ("system", "developer"))

    @cached_property
    def tools(self) -> dict[str, dict[str, Any]]:
        """The schemas of the tools' arguments by name."""
        functions = [tool["function"] for tool in self.body.get("tools") or ()]
        return {function["name"]: function.get("parameters") or {"type": "object", "properties": {}} for function in functions}

    @property
    def forced(self) -> str:
        """The one tool that must be called, if there is one."""
        choice = self.body.get("tool_choice")
        if isinstance(choice, dict):
            return str(choice["function"]["name"])
        return next(iter(self.tools)) if choice == "required" and len(self.tools) == 1 else ""

    @property
    def format(self) -> str:
        """text, json_object or json_schema."""
        return str((self.body.get("response_format") or {"type": "text"})["type"])

    @property
    def schema(self) -> dict[str, Any] | None:
        """What the answer must look like, be it by response_format or as the arguments of a forced tool."""
        if self.format == "json_schema":
            schema: dict[str, Any] = self.body["response_format"]["json_schema"].get("schema", {})
            return schema
        return self.tools[self.forced] if self.forced else None

    @property
    def limit(self) -> int | None:
        """The most tokens that the answer may have."""
        return self.body.get("max_completion_tokens") or self.body.get("max_tokens")

    @cached_property
    def prompt(self) -> str:
        """All that a model reads, in the order in which endpoints cache it: tools and format, then the messages."""
        parts = [self.body[key] for key in ("tools", "response_format") if self.body.get(key)]
        return "\n".join(json.dumps(part, ensure_ascii=False) for part in (*parts, *self.messages))


def text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content or ""
