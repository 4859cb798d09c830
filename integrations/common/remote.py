"""What can go wrong at a provider over HTTP, told apart more finely than in `integrations.errors`."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, RateLimited, Unavailable


class Unauthorized(AuthExpired):
    """The token was refused, and with it the request: nothing has happened."""


class Ended(AuthExpired):
    """The sign-in is over for good: its tokens are of no use any more."""


class UsedUp(RateLimited):
    """A quota of a day: asking again soon is of no use."""


class Unreached(Unavailable):
    """There was no connection to send anything over."""


class Unreadable(InvalidResponse):
    """It was answered, but who knows what."""


class Down(Unavailable):
    """`retry_after` in seconds, where the provider said."""

    def __init__(self, message: str, account: str, retry_after: float | None) -> None:
        super().__init__(message, account)
        self.retry_after = retry_after


def came_to_nothing(error: IntegrationError) -> bool:
    """Whether a write that has ended so certainly did not take effect, and no longer will."""
    return isinstance(error, Unreached) or not isinstance(error, Unavailable | Unreadable)


@contextmanager
def after_the_write(account: str) -> Iterator[None]:
    """Around what follows a write that took effect. What fails there does not mean that nothing has happened: such errors become
    Unavailable."""
    try:
        yield
    except IntegrationError as error:
        if came_to_nothing(error):
            raise Unavailable(str(error), account) from error
        raise


def retry_after(given: str) -> float | None:
    """Seconds, from a Retry-After header, which gives them or a date; None where it gives neither."""
    try:
        seconds = float(given)
        return max(0.0, seconds) if isfinite(seconds) else None
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(given)
        return max(0.0, (date.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None
