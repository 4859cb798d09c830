"""When a read that has failed is sent again."""

import random

from integrations.errors import IntegrationError, RateLimited, Unavailable
from integrations.google.errors import Down, Unreached, UsedUp

ATTEMPTS, PAUSE, LONGEST_PAUSE = 4, 0.5, 20.0
"""How often a read is sent at most; seconds before the second time, doubled each time; the longest wait that Google may ask for."""


def passes(error: IntegrationError) -> bool:
    """Whether the same request may well succeed soon."""
    return isinstance(error, RateLimited | Unavailable) and not isinstance(error, UsedUp)


def pause_before_another(attempt: int, *errors: IntegrationError) -> float | None:
    """Seconds to wait after so many attempts, as long as Google asks for, or longer each time; None where there shall be none.
    Where nobody listens, somebody waits to be told so."""
    asked = max((error.retry_after or 0.0 for error in errors if isinstance(error, RateLimited | Down)), default=0.0)
    attempts = 2 if any(isinstance(error, Unreached) for error in errors) else ATTEMPTS
    if attempt >= attempts or asked > LONGEST_PAUSE or not all(map(passes, errors)):
        return None
    # Those who failed together shall not come back together.
    return max(asked, PAUSE * 2.0 ** (attempt - 1)) * random.uniform(1.0, 1.5)
