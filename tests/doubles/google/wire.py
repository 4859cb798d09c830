"""Requests as Google's clients send them, and Google's way of writing errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from doubles.emulating import wire as emulating
from doubles.emulating.wire import Answer, told
from doubles.google.calls import ApiError

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


@dataclass(frozen=True)
class Request(emulating.Request):
    @classmethod
    def to(cls, verb: str, target: str, headers: Mapping[str, str], body: bytes) -> "Request":
        """A question too long for an address comes in a form, as Google's clients send it."""
        if verb == "POST" and (meant := headers.get("x-http-method-override")):
            verb, target, body = meant, f"{target.partition('?')[0]}?{body.decode()}", b""
        return super().to(verb, target, headers, body)


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
