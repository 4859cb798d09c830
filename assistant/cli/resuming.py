"""What comes of tasks that the program's end had cut short, told while the chat goes on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rich.console import Console
from rich.text import Text

from assistant.cli import render
from assistant.cli.text import counted
from assistant.facade import Assistant


@asynccontextmanager
async def resumed(a: Assistant, out: Console) -> AsyncIterator[None]:
    if not a.going_on:
        yield
        return
    out.print(Text(f"Going on with {counted(len(a.going_on), 'task')} that the program's end had cut short.", style="yellow"))
    telling = asyncio.create_task(_tell(a, out))
    try:
        yield
    finally:
        telling.cancel()
        await asyncio.wait([telling])


async def _tell(a: Assistant, out: Console) -> None:
    async for turn in a.resumed():
        out.print(render.turn(turn, a.clock()))
