"""Many calls in one request, each an application/http part; each is answered as if it had come alone."""

from collections.abc import Awaitable, Callable
from uuid import uuid4

from doubles.emulating.wire import Answer, Part, parts, split_head
from doubles.google.calls import ApiError
from doubles.google.discovery import MOST_CALLS, find
from doubles.google.wire import Request

Serve = Callable[[Request], Awaitable[Answer]]


async def answer(request: Request, only: str, serve: Serve) -> Answer:
    """`only` names the API whose calls it may hold; empty: that of its first call. ApiError where the real API would refuse."""
    found = parts(request.headers.get("content-type", ""), request.body)
    calls = [_call(part, request) for part in found]
    _check(calls, only)
    boundary = f"batch_{uuid4().hex}"
    written = [_written(part, await serve(call)) for part, call in zip(found, calls, strict=True)]
    body = b"".join(b"--" + boundary.encode() + b"\r\n" + one + b"\r\n" for one in written) + b"--" + boundary.encode() + b"--\r\n"
    return Answer(200, body, {"content-type": f"multipart/mixed; boundary={boundary}"})


def _call(part: Part, outer: Request) -> Request:
    """What the outer request says of who calls holds where the inner one says nothing."""
    if not part.kind.startswith("application/http"):
        raise ApiError(400, "badRequest", f"A part of type {part.kind!r} in a batch")
    line, _, rest = part.content.lstrip().partition(b"\n")
    verb, target, *_ = line.decode("latin-1").split()
    headers, body = split_head(rest)
    shared = {name: value for name, value in outer.headers.items() if name == "authorization"}
    return Request.to(verb, target, {**shared, **headers}, body)


def _check(calls: list[Request], only: str) -> None:
    if not calls:
        raise ApiError(400, "badRequest", "A batch without calls")
    known = [found[0] for call in calls if (found := find(call.verb, call.path))]
    apis = {method.api.name for method in known} | ({only} if only else set())
    if len(apis) > 1:
        raise ApiError(400, "badRequest", f"A batch of calls to {', '.join(sorted(apis))}")
    most = min((MOST_CALLS[api] for api in apis), default=100)
    if len(calls) > most:
        raise ApiError(400, "badRequest", f"A batch of {len(calls)} calls: at most {most}")
    if any(call.path.startswith("upload/") for call in calls):
        raise ApiError(400, "badRequest", "An upload in a batch")


def _written(part: Part, answer: Answer) -> bytes:
    lines = ["Content-Type: application/http"]
    if "content-id" in part.headers:
        lines.append(f"Content-ID: <response-{part.headers['content-id'].removeprefix('<')}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + answer.written
