"""When a read that has failed is sent again."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from itertools import count
from typing import TypeVar

from integrations.common.remote import Down, Unreached, UsedUp
from integrations.errors import IntegrationError, RateLimited, Unavailable

R = TypeVar("R")

ATTEMPTS, PAUSE, LONGEST_PAUSE = 4, 0.5, 20.0
"""How often a read is sent at most; seconds before the second time, doubled each time; the longest wait that a provider may ask
for."""


async def read_again(read: Callable[[], Awaitable[R]]) -> R:
    """A few times, where the provider is out of reach or asks for a pause."""
    for attempt in count(1):
        try:
            return await read()
        except IntegrationError as error:
            pause = pause_before_another(attempt, error)
            if pause is None:
                raise
            await asyncio.sleep(pause)
    raise AssertionError


def passes(error: IntegrationError) -> bool:
    """Whether the same request may well succeed soon."""
    return isinstance(error, RateLimited | Unavailable) and not isinstance(error, UsedUp)


def pause_before_another(attempt: int, *errors: IntegrationError) -> float | None:
    """Seconds to wait after so many attempts, as long as the provider asks for, or longer each time; None where there shall be
    none. Where nobody listens, somebody waits to be told so."""
    asked = max((error.retry_after or 0.0 for error in errors if isinstance(error, RateLimited | Down)), default=0.0)
    attempts = 2 if any(isinstance(error, Unreached) for error in errors) else ATTEMPTS
    if attempt >= attempts or asked > LONGEST_PAUSE or not all(map(passes, errors)):
        return None
    # Those who failed together shall not come back together.
    return max(asked, PAUSE * 2.0 ** (attempt - 1)) * random.uniform(1.0, 1.5)
