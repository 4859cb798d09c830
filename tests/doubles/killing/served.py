"""`assistant …`, with an account of `doubles.providers` whose writes take their time."""

import asyncio
from random import uniform

import doubles.providers  # noqa: F401  known to the registry from here on
from doubles.providers import wrapped

from assistant.cli.main import main

WAY = 0.03
"""Seconds at most that a write, or the answer to it, is on its way."""


async def on_the_way() -> None:
    await asyncio.sleep(uniform(0, WAY))


if __name__ == "__main__":
    wrapped.hook(on_the_way, on_the_way)
    main()
