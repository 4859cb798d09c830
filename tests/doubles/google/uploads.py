"""Bodies of requests: plain JSON, or a mail with or without JSON beside it. Resumable uploads are not emulated."""

import json
from dataclasses import dataclass
from typing import Any

from doubles.emulating.wire import parts
from doubles.google.calls import ApiError
from doubles.google.discovery import Method
from doubles.google.wire import Request


@dataclass(frozen=True)
class Taken:
    body: Any = None
    media: bytes | None = None


def taken(method: Method, request: Request) -> Taken:
    kind = request.headers.get("content-type", "")
    if not request.path.startswith("upload/"):
        return Taken(_json(request.body, kind))
    if not method.largest:
        raise ApiError(400, "badRequest", f"{method.id} takes no upload")
    how = request.asked.get("uploadType")
    if how == "media":
        return Taken(None, _media(method, kind, request.body))
    if how == "multipart":
        return _multipart(method, kind, request.body)
    raise ApiError(400, "badRequest", f"uploadType={how!r}: media or multipart")


def _multipart(method: Method, kind: str, body: bytes) -> Taken:
    found = parts(kind, body) if kind.startswith("multipart/related") else []
    if len(found) != 2:
        raise ApiError(400, "badRequest", "A multipart upload is multipart/related of two parts")
    about, media = found
    return Taken(_json(about.content, about.kind), _media(method, media.kind, media.content))


def _media(method: Method, kind: str, content: bytes) -> bytes:
    if not kind.startswith("message/"):
        raise ApiError(400, "badContent", f"Media type {kind!r} is not supported. Valid media types: [message/*]")
    if len(content) > method.largest:
        raise ApiError(413, "uploadTooLarge", f"Larger than {method.largest} bytes")
    return content


def _json(content: bytes, kind: str) -> Any:
    if not content:
        return None
    if not kind.startswith("application/json"):
        raise ApiError(400, "badRequest", f"A body of type {kind!r}: application/json is wanted")
    try:
        return json.loads(content)
    except ValueError as error:
        raise ApiError(400, "parseError", f"Parse Error: {error}") from error
