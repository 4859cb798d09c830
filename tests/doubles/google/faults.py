"""Ways to fail on purpose, each so many times."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from doubles.google.calls import ApiError
from doubles.google.wire import Answer, Dropped

Fault = Literal[
    "drop_after",
    "drop_before",
    "unauthorized",
    "quota",
    "user_quota",
    "not_enabled",
    "not_found",
    "conflict",
    "precondition",
    "too_many",
    "server_error",
    "unavailable",
    "slow",
    "garbage",
]
"""drop_after, garbage and slow let the call take effect; the others keep it from doing so."""

ERRORS = {
    "unauthorized": (401, "authError", "Invalid Credentials"),
    "quota": (403, "rateLimitExceeded", "Rate Limit Exceeded"),
    "user_quota": (403, "userRateLimitExceeded", "User Rate Limit Exceeded"),
    "not_enabled": (403, "accessNotConfigured", "The API has not been used in project emulated before or it is disabled."),
    "not_found": (404, "notFound", "Not Found"),
    "conflict": (409, "duplicate", "The requested identifier already exists."),
    "precondition": (412, "conditionNotMet", "Precondition Failed"),
    "too_many": (429, "rateLimitExceeded", "Too many concurrent requests for user"),
    "server_error": (500, "backendError", "Internal error encountered."),
    "unavailable": (503, "backendError", "The service is currently unavailable."),
}


@dataclass
class Planned:
    """`on` is the id of a method, "oauth.token" or the like, or None for every one of the APIs; `after` so many calls were let
    through. `seconds` of a slow one, or of the Retry-After of too_many and unavailable. `then` is planned once all of it has
    come."""

    fault: Fault
    on: str | None
    times: int
    after: int
    seconds: float | None
    then: "Planned | None" = None

    def begin(self, method: str) -> None:
        """Dropped or ApiError where the call shall not take effect. People tells an exhausted quota by 429, the others by 403."""
        if self.fault == "drop_before":
            raise Dropped
        if self.fault in ERRORS:
            status, reason, message = ERRORS[self.fault]
            exhausted = reason.endswith("LimitExceeded") and method.startswith("people.")
            raise ApiError(429 if exhausted else status, reason, message, headers=self._when())

    async def end(self, answer: Answer) -> Answer:
        """What is told of a call that took effect."""
        if self.fault == "drop_after":
            raise Dropped
        if self.fault == "slow":
            await asyncio.sleep(self.seconds or 0)
        return Answer(200, b'{"id": "', answer.headers) if self.fault == "garbage" else answer

    def _when(self) -> dict[str, str]:
        seconds = 1 if self.seconds is None and self.fault == "too_many" else self.seconds
        return {} if seconds is None else {"retry-after": f"{seconds:g}"}


class Faults:
    def __init__(self) -> None:
        self._planned: list[Planned] = []

    def plan(self, planned: Planned) -> None:
        self._planned.append(planned)

    def next(self, method: str) -> Planned | None:
        """What this call shall meet; the first that was planned for it comes first."""
        for planned in self._planned:
            if planned.on == method or (planned.on is None and not method.startswith("oauth.")):
                if planned.after:
                    planned.after -= 1
                    return None
                planned.times -= 1
                if not planned.times:
                    self._planned.remove(planned)
                    self._planned += [planned.then] if planned.then else []
                return planned
        return None

    @property
    def left(self) -> int:
        """How many are still to come."""
        return sum(planned.times for planned in self._planned)
