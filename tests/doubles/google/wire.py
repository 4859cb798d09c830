"""Requests and answers as values, and Google's way of writing errors."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from doubles.google.calls import ApiError
from doubles.http1 import head

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
}

DETAILED = {
    "rateLimitExceeded": "RATE_LIMIT_EXCEEDED",
    "insufficientPermissions": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
    "accessNotConfigured": "SERVICE_DISABLED",
    "expiredSyncToken": "EXPIRED_SYNC_TOKEN",
}
"""What is told besides as an ErrorInfo, and its reason there."""


class Dropped(Exception):
    """The connection ends here, unanswered."""


@dataclass(frozen=True)
class Request:
    """`path` without its leading slash and still encoded; header names are small."""

    verb: str
    path: str
    query: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def to(cls, verb: str, target: str, headers: Mapping[str, str], body: bytes) -> "Request":
        """A question too long for an address comes in a form, as Google's clients send it."""
        parts = urlsplit(target)
        query = parts.query
        if verb == "POST" and (meant := headers.get("x-http-method-override")):
            verb, query, body = meant, body.decode(), b""
        return cls(verb, parts.path.lstrip("/"), parse_qsl(query, keep_blank_values=True), headers, body)

    @property
    def asked(self) -> dict[str, str]:
        return dict(self.query)

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def written(self) -> bytes:
        return head(self.status, self.sent) + self.body

    @property
    def sent(self) -> dict[str, str]:
        """An answer without content has neither a type nor a length."""
        return dict(self.headers) if self.status == 204 else {**self.headers, "content-length": str(len(self.body))}


@dataclass(frozen=True)
class Part:
    """Of a multipart body, its content as it came; header names are small."""

    headers: Mapping[str, str]
    content: bytes

    @property
    def kind(self) -> str:
        return self.headers.get("content-type", "")


def parts(kind: str, body: bytes) -> list[Part]:
    """Empty where the body's type names no boundary."""
    about = Message()
    about["content-type"] = kind
    boundary = about.get_boundary()
    if not boundary:
        return []
    pieces = re.split(rb"(?:^|\r?\n)--" + re.escape(boundary.encode()) + rb"(?:--)?[ \t]*(?=\r?\n|$)", body)
    return [_part(piece.lstrip(b"\r\n")) for piece in pieces[1:-1]]


def _part(piece: bytes) -> Part:
    return Part(*split_head(piece))


def split_head(text: bytes) -> tuple[dict[str, str], bytes]:
    """Headers with small names, none of them folded, and what follows the empty line."""
    first, *rest = re.split(rb"\r?\n\r?\n", text, maxsplit=1)
    fields = (line.partition(":") for line in first.decode("latin-1").splitlines())
    return {name.strip().lower(): value.strip() for name, colon, value in fields if colon}, rest[0] if rest else b""


def told(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Answer(status, content, {"content-type": "application/json; charset=UTF-8", **(headers or {})})


def refused(error: ApiError, api: str = "gmail") -> Answer:
    headers = {"www-authenticate": 'Bearer realm="https://accounts.google.com/"'} if error.status == 401 else {}
    return told({"error": _written(error, api)}, error.status, {**headers, **error.headers})


def _written(error: ApiError, api: str) -> dict[str, Any]:
    """Gmail tells both a list of errors and a status, Calendar the list alone, People the status alone."""
    body: dict[str, Any] = {"code": error.status, "message": error.message}
    if api != "people":
        domain = "usageLimits" if "LimitExceeded" in error.reason else "global"
        body["errors"] = [{"message": error.message, "domain": domain, "reason": error.reason}]
    if api != "calendar":
        body["status"] = "FAILED_PRECONDITION" if error.reason == "failedPrecondition" else STATUSES.get(error.status, "UNKNOWN")
    if error.reason in DETAILED and api != "calendar":
        info = {"reason": DETAILED[error.reason], "domain": "googleapis.com"}
        body["details"] = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", **info}]
    return body
