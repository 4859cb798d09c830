"""What the endpoint answers, as values. A script is one reply, a function of the request, or a list of both."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from doubles.llm.requests import RequestSeen


@dataclass(frozen=True)
class Call:
    """`arguments` as text are sent as they are. An empty id is filled in."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""

    @property
    def written(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Counted:
    """Tokens; `cached` are part of `prompt`."""

    prompt: int
    completion: int
    cached: int = 0


Finish = Literal["", "stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True)
class Answer:
    """`fitting`: the text is given the way the request wants data, as the arguments of the tool that it forces or else as content.
    `usage` None: estimated. `delay` in seconds before the first byte, `pause` between a stream's pieces of `piece` characters.
    `beside`: it waits until so many requests have been under way side by side, at the longest for half a minute.
    `cut`: a stream breaks off after that many pieces, `how` by a reset or with a polite end that lacks the rest."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    refusal: str = ""
    finish: Finish = ""
    fitting: bool = False
    choices: bool = True
    usage: Counted | None = None
    delay: float = 0.0
    beside: int = 1
    pause: float = 0.0
    piece: int = 12
    cut: int | None = None
    how: Literal["reset", "end"] = "reset"


@dataclass(frozen=True)
class Failure:
    """An error in OpenAI's shape; `body` replaces it by something else."""

    status: int
    message: str
    type: str = "invalid_request_error"
    param: str | None = None
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    body: str | None = None

    @property
    def written(self) -> str:
        if self.body is not None:
            return self.body
        return json.dumps({"error": {"message": self.message, "type": self.type, "param": self.param, "code": self.code}})


@dataclass(frozen=True)
class Reset:
    """The connection is reset instead of an answer."""

    delay: float = 0.0


@dataclass(frozen=True)
class Raw:
    """Bytes as they are, the response's head included; then `over` again and again, until nobody listens any more, after `pause`
    seconds each."""

    sent: bytes
    over: bytes = b""
    pause: float = 0.0
    delay: float = 0.0


Reply = Answer | Failure | Reset | Raw
Answerer = Callable[[RequestSeen], Reply]
Script = Reply | Answerer | Sequence[Reply | Answerer]


def says(text: str) -> Answer:
    return Answer(text=text)


def calls(*called: Call) -> Answer:
    return Answer(calls=called)


def data(value: object) -> Answer:
    """JSON, given in the way the request asks for it."""
    return Answer(text=json.dumps(value, ensure_ascii=False), fitting=True)


def first(*replies: Reply | Answerer, then: Reply | Answerer) -> Answerer:
    """Each reply once, in the order in which requests arrive, and from there on the last one."""
    waiting = list(replies)

    def answer(seen: RequestSeen) -> Reply:
        return replied(waiting.pop(0) if waiting else then, seen)

    return answer


def over(seen: RequestSeen) -> Reply:
    seen.complaint = "the script has no further answer"
    return Failure(500, "The script is over.", type="server_error", headers={"x-should-retry": "false"})


def as_answerer(script: Script) -> Answerer:
    if isinstance(script, Sequence):
        return first(*script, then=over)
    return first(then=script)


def replied(script: Reply | Answerer, seen: RequestSeen) -> Reply:
    return script if isinstance(script, Answer | Failure | Reset | Raw) else script(seen)


def fitted(answer: Answer, seen: RequestSeen) -> Answer:
    """Data where the request wants it; calls with ids; cut off where the request's limit is."""
    text, called = answer.text, answer.calls
    if answer.fitting and seen.forced:
        text, called = "", (Call(seen.forced, answer.text),)
    named = tuple(Call(call.name, call.written, call.id or f"call_{seen.number}_{n}") for n, call in enumerate(called))
    finish = answer.finish or ("tool_calls" if named else "stop")
    if seen.limit is not None and len(text) > seen.limit * CHARACTERS:
        text, finish = text[: seen.limit * CHARACTERS], "length"
    return replace(answer, text=text, calls=named, finish=finish)


CHARACTERS = 4
"""A token's, where usage is estimated."""


def tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS)


def completion_tokens(answer: Answer) -> int:
    return tokens(answer.text + answer.refusal + "".join(call.name + call.written for call in answer.calls))
