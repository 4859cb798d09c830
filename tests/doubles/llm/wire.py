"""OpenAI's bodies, and how they are sent."""

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

from doubles.http1 import head
from doubles.llm.answers import Answer, Counted
from doubles.llm.requests import RequestSeen


def whole(status: int, body: str, headers: Mapping[str, str]) -> bytes:
    sent = body.encode()
    return head(status, {"content-type": "application/json", **headers, "content-length": str(len(sent))}) + sent


def stream_head() -> bytes:
    return head(200, {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked"})


def stream_piece(data: str) -> bytes:
    sent = f"data: {data}\n\n".encode()
    return f"{len(sent):x}\r\n".encode() + sent + b"\r\n"


STREAM_END = b"0\r\n\r\n"


def completion(seen: RequestSeen, answer: Answer, usage: Counted) -> str:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": answer.refusal or None}
    if answer.calls:
        message["tool_calls"] = list(_calls(answer))
        message["content"] = answer.text or None
    elif answer.refusal:
        message["content"] = None
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish}
    body = {**_common(seen, "chat.completion"), "choices": [choice] if answer.choices else [], "usage": _usage(usage)}
    return json.dumps(body, ensure_ascii=False)


def chunks(seen: RequestSeen, answer: Answer, usage: Counted) -> Iterator[str]:
    """The data of a stream's events, [DONE] included."""
    common = _common(seen, "chat.completion.chunk")
    counted = bool((seen.body.get("stream_options") or {}).get("include_usage"))
    tail = {"usage": None} if counted else {}
    if answer.choices:
        for delta in _deltas(answer):
            yield json.dumps({**common, "choices": [_choice(delta, None)], **tail}, ensure_ascii=False)
        yield json.dumps({**common, "choices": [_choice({}, answer.finish)], **tail})
    if counted:
        yield json.dumps({**common, "choices": [], "usage": _usage(usage)})
    yield "[DONE]"


def _deltas(answer: Answer) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if answer.calls or answer.refusal else "", "refusal": None}
    for piece in _pieces(answer.text, answer.piece):
        yield {"content": piece}
    for piece in _pieces(answer.refusal, answer.piece):
        yield {"refusal": piece}
    for index, call in enumerate(_calls(answer)):
        begun = {**call, "function": {"name": call["function"]["name"], "arguments": ""}}
        yield {"tool_calls": [{"index": index, **begun}]}
        for piece in _pieces(call["function"]["arguments"], answer.piece):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _calls(answer: Answer) -> Iterator[dict[str, Any]]:
    for call in answer.calls:
        yield {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.written}}


def _choice(delta: Mapping[str, Any], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": dict(delta), "logprobs": None, "finish_reason": finish}


def _common(seen: RequestSeen, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{seen.number}", "object": kind, "created": int(time.time()), "model": seen.model}


def _usage(usage: Counted) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def model_list(names: tuple[str, ...], context: int | None) -> str:
    more = {} if context is None else {"max_model_len": context}
    models = [{"id": name, "object": "model", "created": 0, "owned_by": "tests", **more} for name in names]
    return json.dumps({"object": "list", "data": models})
