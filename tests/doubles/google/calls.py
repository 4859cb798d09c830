"""What a handler is given, and how it refuses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from doubles.google.world import World


@dataclass
class GoogleUser:
    """`token` is the newest access token, `scopes` are that one's."""

    email: str
    name: str = ""
    token: str = ""
    refresh_token: str = ""
    scopes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Call:
    """`params` hold path and query parameters with their types and defaults; repeated ones are lists. `headers` have small names.
    `body` is None where none was sent, `media` what was uploaded."""

    method: str
    user: GoogleUser
    world: "World"
    params: Mapping[str, Any] = field(default_factory=dict)
    body: dict[str, Any] | None = None
    media: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], dict[str, Any] | None]
"""None answers a method that has no response."""


UNFORESEEN = ("failedPrecondition", "expired", "expiredSyncToken")


class ApiError(Exception):
    """`reason` as Google words it: notFound, invalid, duplicate, conditionNotMet, rateLimitExceeded, … A 400 counts as a request
    that should not have been made, and is complained of, unless its reason is one that careful callers meet."""

    def __init__(self, status: int, reason: str, message: str = "", *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"{status} {reason}: {message}")
        self.status, self.reason, self.message = status, reason, message or reason
        self.headers = dict(headers or {})

    @property
    def complaint(self) -> bool:
        return self.status == 400 and self.reason not in UNFORESEEN
