"""Asking again what may do better a little later, within bounds of time."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from assistant.llm.connection import fate
from assistant.llm.troubles import Late, Refused

T = TypeVar("T")
PATIENCE = 60.0
"""Seconds that are waited between all attempts of one call. An endpoint that wants more is not waited for."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds, where the endpoint does not say how long to wait."""


async def attempted(attempt: Callable[[], Awaitable[T]], *, retries: int, seconds: float) -> T:
    """`seconds` bound each attempt as a whole, however its bytes drip. Raises what the last one raised, or Late."""
    patience = PATIENCE
    for made in range(1, retries + 2):
        try:
            async with asyncio.timeout(seconds):
                return await attempt()
        except Exception as error:
            pause = _pause(error, made)
            if pause is None or pause > patience or made > retries:
                if fate(error) == "late":
                    raise _late(seconds, made) from error
                raise
        patience -= pause
        await asyncio.sleep(pause)
    raise AssertionError("unreachable")


def _pause(error: Exception, made: int) -> float | None:
    """How long to wait before the next attempt; None: another can't help."""
    own = min(FIRST_PAUSE * 2 ** (made - 1), LONGEST_PAUSE) * random.uniform(0.75, 1)
    if isinstance(error, Refused):
        return (error.after or own) if error.passes else None
    return own if fate(error) not in (None, "no address", "unreadable") else None


def _late(seconds: float, made: int) -> Late:
    return Late(f"did not answer within {seconds:g} seconds" + (f", asked {made} times" if made > 1 else ""))
