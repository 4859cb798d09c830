"""Everything that can go wrong at a provider. `str(error)` is one sentence for people; `account` names where."""


class IntegrationError(Exception):
    kind = "integration_error"

    def __init__(self, message: str, account: str = "") -> None:
        super().__init__(message)
        self.account = account


class AuthExpired(IntegrationError):
    """The account must be connected again."""

    kind = "auth_expired"


class NotFound(IntegrationError):
    kind = "not_found"


class Conflict(IntegrationError):
    """It was changed since it was read."""

    kind = "conflict"


class ReadOnly(IntegrationError):
    kind = "read_only"


class RateLimited(IntegrationError):
    """`retry_after` in seconds, where the provider said."""

    kind = "rate_limited"

    def __init__(self, message: str, account: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, account)
        self.retry_after = retry_after


class Unavailable(IntegrationError):
    """Out of reach just now; whether a write took effect is not known."""

    kind = "api_down"


class Unknowable(IntegrationError):
    """The account is in reach, but never tells whether a write took effect."""

    kind = "unknowable"


class InvalidResponse(IntegrationError):
    kind = "invalid_response"


class MissingExtra(IntegrationError):
    """The provider's packages are not installed; the message says what to install."""

    kind = "missing_extra"
