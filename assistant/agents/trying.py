"""What can't be read just now does not hide the rest."""

from collections.abc import Awaitable
from typing import TypeVar

from assistant.agents.report import Notes
from integrations.errors import IntegrationError

T = TypeVar("T")


async def attempted(reading: Awaitable[T], instead: T, notes: Notes) -> T:
    """`instead` where an account can't be read, with a limitation that says why."""
    try:
        return await reading
    except IntegrationError as error:
        notes.limit(str(error).removesuffix("."))
        return instead
