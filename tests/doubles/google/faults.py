"""Ways to fail on purpose, as Google does."""

from typing import Literal

from doubles.emulating import faults
from doubles.google.calls import ApiError

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


class Planned(faults.Planned[Fault]):
    def error(self, method: str) -> ApiError | None:
        """People tells an exhausted quota by 429, the others by 403."""
        if self.fault not in ERRORS:
            return None
        status, reason, message = ERRORS[self.fault]
        exhausted = reason.endswith("LimitExceeded") and method.startswith("people.")
        return ApiError(429 if exhausted else status, reason, message, headers=self.when)


Faults = faults.Faults[Fault]
