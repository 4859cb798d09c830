"""What schedules say in a conversation: told in its chat when it comes, and at once to whoever opens that later."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from rich.console import Console

from assistant.cli import render
from assistant.cli.text import safe
from assistant.errors import Unknown
from assistant.facade import Assistant, Rested, Turn

TOLD = ("done", "failed", "waiting", "parked")
AT_MOST = 3
"""Earlier ones that are shown."""


@asynccontextmanager
async def arriving(a: Assistant, conversation: str, out: Console) -> AsyncIterator[None]:
    cursor = await a.cursor(conversation)
    earlier = await _unheard(a, conversation)
    for turn in earlier:
        _show(turn, a, out)
    telling = asyncio.create_task(_tell(a, conversation, cursor, {turn.flow for turn in earlier}, out))
    try:
        yield
    finally:
        telling.cancel()
        await asyncio.wait([telling])


async def _unheard(a: Assistant, conversation: str) -> list[Turn]:
    """The last of what came after the user's last message."""
    with suppress(Unknown):
        page = await a.said(conversation)
        last = max((message.id for message in page.messages if message.role == "user"), default=0)
        return [turn for id, turn in sorted(page.turns.items()) if id > last and _is_told(turn)][-AT_MOST:]
    return []


async def _tell(a: Assistant, conversation: str, cursor: str, told: set[str], out: Console) -> None:
    """Each once: what comes of one that waits is told where it is answered."""
    async for heard, _ in a.follow(conversation, cursor):
        if isinstance(heard, Rested) and _is_told(heard.turn) and heard.turn.flow not in told:
            told.add(heard.turn.flow)
            _show(heard.turn, a, out)


def _is_told(turn: Turn) -> bool:
    return bool(turn.slot) and turn.status in TOLD


def _show(turn: Turn, a: Assistant, out: Console) -> None:
    out.print(safe("⏰ " if turn.about in turn.reply else f"⏰ {turn.about}\n", "bold"), end="")
    out.print(render.turn(turn, a.clock()))
