"""An endpoint's answers read as Completions. Endpoints take liberties with OpenAI's shapes; what can be understood is."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from assistant.llm.messages import Completion, Finish, ToolCall, Usage

FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "safety": "content_filter",
}


def completion(answer: object) -> Completion | None:
    """None: it holds no answer. Raises ValueError for what is no JSON object."""
    if not isinstance(answer, Mapping):
        raise ValueError("no JSON object")
    choice = _choice(answer)
    if choice is None:
        return None
    message = _table(choice.get("message"))
    written = [_Written().add(part) for part in _calls(message)]
    return Completion(
        text=_text(message.get("content")),
        calls=_distinct(written),
        finish=_finish(choice.get("finish_reason")) or ("tool_calls" if written else "stop"),
        refusal=_text(message.get("refusal")),
        usage=_usage(answer.get("usage")),
        model=_text(answer.get("model")),
    )


class Gathered:
    """A streamed answer, put together again from the data of its events. `ended`: it is whole."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[_Written] = []
        self._latest: dict[int | None, _Written] = {}
        self._finish: Finish | None = None
        self._usage = Usage()
        self._model = ""
        self.begun = False
        self.ended = False

    def take(self, chunk: Mapping[str, Any]) -> str:
        """The text that it adds."""
        self._model = _text(chunk.get("model")) or self._model
        if isinstance(chunk.get("usage"), Mapping):  # of all so far, where several chunks tell it
            self._usage = _usage(chunk["usage"])
        choice = _choice(chunk)
        if choice is None:
            return ""
        self.begun = True
        if finish := _finish(choice.get("finish_reason")):
            self._finish, self.ended = finish, True
        delta = _table(choice.get("delta") or choice.get("message"))
        self._refusal.append(_text(delta.get("refusal")))
        for part in _calls(delta):
            self._called(part).add(part)
        piece = _text(delta.get("content"))
        self._text.append(piece)
        return piece

    def _called(self, part: Mapping[str, Any]) -> "_Written":
        """The call that a part belongs to: the last of its index, or without one the last, unless the part begins another."""
        index, id, named = part.get("index"), _text(part.get("id")), bool(_table(part.get("function")).get("name"))
        index = index if isinstance(index, int) else None
        last = self._latest.get(index)
        begins = (named and index is None) if not id else bool(last and last.id not in ("", id))
        if last is None or begins:
            last = self._latest[index] = _Written()
            self._calls.append(last)
        return last

    def completion(self) -> Completion:
        return Completion(
            text="".join(self._text),
            calls=_distinct(self._calls),
            finish=self._finish or ("tool_calls" if self._calls else "stop"),
            refusal="".join(self._refusal),
            usage=self._usage,
            model=self._model,
        )


class _Written:
    """A call to a tool in the making."""

    def __init__(self) -> None:
        self.id, self.name = "", ""
        self._arguments: list[str] = []

    def add(self, part: Mapping[str, Any]) -> "_Written":
        function = _table(part.get("function"))
        name, arguments = _text(function.get("name")), function.get("arguments")
        self.id = self.id or _text(part.get("id"))
        self.name += name if name != self.name else ""  # some tell it again with every part
        if arguments is not None:
            self._arguments.append(arguments if isinstance(arguments, str) else json.dumps(arguments))
        return self

    @property
    def arguments(self) -> str:
        """What holds no argument is called with none."""
        return _storable("".join(self._arguments)) or "{}"


def _distinct(written: list[_Written]) -> tuple[ToolCall, ...]:
    """With an id each, which not every endpoint gives."""
    calls: dict[str, ToolCall] = {}
    for n, one in enumerate(written):
        id = one.id if one.id and one.id not in calls else f"call_{n}"
        calls[id] = ToolCall(id=id, name=one.name, arguments=one.arguments)
    return tuple(calls.values())


def _choice(answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = answer.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else None


def _calls(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    called = message.get("tool_calls")
    for one in called if isinstance(called, list) else ():
        if isinstance(one, Mapping) and isinstance(one.get("function"), Mapping):
            yield one
    if isinstance(message.get("function_call"), Mapping):  # as calls were before they were several
        yield {"index": 0, "function": message["function_call"]}


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    """Of a string, or of the text parts of a list."""
    if isinstance(value, list):
        parts = (part for part in value if isinstance(part, Mapping) and part.get("type") in ("text", "output_text"))
        return "".join(_text(part.get("text")) for part in parts)
    return _storable(value) if isinstance(value, str) else ""


def _storable(text: str) -> str:
    """Half a pair of surrogates, which JSON can hold and no file, becomes a question mark; a NUL is left out."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def _finish(reason: object) -> Finish | None:
    return FINISHES.get(reason.lower(), "other") if isinstance(reason, str) and reason else None


def _usage(told: object) -> Usage:
    counted = _table(told)
    details = _table(counted.get("prompt_tokens_details"))
    prompt = _count(counted.get("prompt_tokens"))
    cached = min(_count(details.get("cached_tokens")), prompt)
    return Usage(prompt=prompt, cached=cached, completion=_count(counted.get("completion_tokens")))


def _count(told: object) -> int:
    try:
        return max(0, int(float(told)))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return 0
