"""Misbehaviours, each one value for a script: `[SERVER_ERROR, says("Hello")]` misbehaves once, `first(SERVER_ERROR, then=answerer)`
goes on with a function, and `ScriptedEndpoint(SERVER_ERROR)` never recovers."""

import dataclasses
import json
from typing import Any, Literal

from doubles.llm.answers import Answer, Call, Failure, Raw, Reply, Reset, calls, data, says
from doubles.llm.requests import RequestSeen

INVALID_JSON = Answer(text='{"name": "An', fitting=True)
WRONG_SCHEMA = data({"unexpected": True})
UNKNOWN_TOOL = calls(Call("no_such_tool", {"anything": 1}))
EMPTY = Answer()
NO_CHOICES = Answer(choices=False)
REFUSAL = Answer(refusal="I'm sorry, I can't help with that.")
FILTERED = Answer(finish="content_filter")
UNAUTHORIZED = Failure(401, "Incorrect API key provided: sk-*****.", code="invalid_api_key")
FORBIDDEN = Failure(403, "Your project does not have access to this model.", code="model_not_found")
UNKNOWN_MODEL = Failure(404, "The model does not exist or you do not have access to it.", code="model_not_found")
SERVER_ERROR = Failure(500, "The server had an error while processing your request.", type="server_error")
OVERLOADED = Failure(503, "The engine is currently overloaded, please try again later.", type="server_error")
NO_QUOTA = Failure(429, "You exceeded your current quota.", type="insufficient_quota", code="insufficient_quota")
NOT_AN_API = Failure(200, "", headers={"content-type": "text/html"}, body="<html><body>Sign in</body></html>")
HALF_A_BODY = Failure(200, "", headers={"content-type": "application/json"}, body='{"id": "chatcmpl-1", "choices": [{"ind')
RESET = Reset()
JSON, EVENTS = "application/json", "text/event-stream"


def body(value: object, kind: str = JSON, **headers: str) -> Failure:
    """An answer with a good status and this body: text as it is, anything else as JSON."""
    written = value if isinstance(value, str) else json.dumps(value)
    return Failure(200, "", headers={"content-type": kind, **headers}, body=written)


def moved(to: str) -> Failure:
    return Failure(301, "Moved", headers={"location": to})


def raw(sent: bytes, kind: str = JSON, over: bytes = b"", pause: float = 0.0, **headers: str) -> Raw:
    """A body without a length, which ends with the connection, if at all."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in {"content-type": kind, **headers}.items()]
    head = "\r\n".join(["HTTP/1.1 200 OK", *lines, "connection: close", "", ""]).encode("latin-1")
    return Raw(head + sent, over, pause)


ENDLESS_HEAD = Raw(b"HTTP/1.1 200 OK\r\n", over=b"x-more: and more\r\n", pause=0.01)
ENDLESS_BLANKS = raw(b" ", over=b" ", pause=0.01)
ENDLESS_KEEP_ALIVES = raw(b"", EVENTS, over=b": still at it\n\n", pause=0.01)
ENDLESS_PIECES = raw(b"", EVENTS, over=b'data: {"choices": [{"delta": {"content": "more"}}]}\n\n', pause=0.01)
ENDLESS_BODY = raw(b'{"choices": [', over=b" " * 2**18)
ENDLESS_STREAM = raw(b"", EVENTS, over=b'data: {"choices": [{"delta": {"content": "more"}}]}\n\n' * 2**12)
ENDLESS_ERROR = Raw(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n", over=b"no " * 2**16)


def missing_arguments(seen: RequestSeen) -> Reply:
    """Calls the first tool that wants arguments without any."""
    wanting = [name for name, schema in seen.tools.items() if schema.get("required")]
    return calls(Call((wanting or list(seen.tools))[0], {})) if seen.tools else WRONG_SCHEMA


def endless_calls(seen: RequestSeen) -> Reply:
    """Calls a tool again, whatever the tools have answered."""
    for name, schema in seen.tools.items():
        return calls(Call(name, example(schema)))
    return obliging(seen)


def obliging(seen: RequestSeen) -> Reply:
    """The least that satisfies the request: an example of its schema, two calls at once where it says to use a tool, or its last
    words."""
    if seen.schema is not None:
        return data(example(seen.schema))
    if seen.tools and "use the tool" in seen.last.lower():
        name, schema = next(iter(seen.tools.items()))
        return calls(*[Call(name, example(schema))] * 2)
    return data({}) if seen.format == "json_object" else says(seen.last)


def text_and_calls(text: str, *called: Call) -> Answer:
    return Answer(text=text, calls=called)


def rate_limited(after: float | None = None) -> Failure:
    """`after`: seconds in Retry-After."""
    headers = {} if after is None else {"retry-after": f"{after:g}"}
    return Failure(429, "Rate limit reached for requests.", type="requests", code="rate_limit_exceeded", headers=headers)


def truncated(answer: Answer, kept: int = 10) -> Answer:
    """The first `kept` characters of its text, or of its last call's arguments."""
    if answer.calls:
        *before, last = answer.calls
        shorter = (*before, Call(last.name, last.written[:kept], last.id))
        return dataclasses.replace(answer, calls=shorter, finish="length")
    return dataclasses.replace(answer, text=answer.text[:kept], finish="length")


def slow(seconds: float, answer: Answer) -> Answer:
    return dataclasses.replace(answer, delay=seconds)


def cut(answer: Answer, after: int = 1, how: Literal["reset", "end"] = "reset") -> Answer:
    """A stream that breaks off after so many pieces; an answer that is no stream is reset as a whole."""
    return dataclasses.replace(answer, cut=after, how=how)


def example(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """The least value that a schema allows."""
    root = schema if root is None else root
    if ref := schema.get("$ref"):
        return example(_found(ref, root), root)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return example(schema[several][-1], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    return _of_type(schema, root)


def _of_type(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    kind = schema.get("type", "object")
    match kind if isinstance(kind, str) else kind[-1]:
        case "object":
            wanted = schema.get("required", ())
            return {name: example(schema["properties"][name], root) for name in wanted}
        case "array":
            return [example(schema["items"], root)] * schema.get("minItems", 0)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return _FORMATS.get(schema.get("format", ""), "text")


_FORMATS = {"date-time": "2026-11-23T10:00:00Z", "date": "2026-11-23", "time": "10:00:00Z", "email": "anna@example.org"}


def _found(ref: str, root: dict[str, Any]) -> dict[str, Any]:
    node: Any = root
    for key in ref.removeprefix("#").strip("/").split("/") if ref != "#" else ():
        node = node[key]
    assert isinstance(node, dict), json.dumps(node)
    return node
