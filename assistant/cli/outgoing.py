"""What has not gone out yet: told beside a chat, and the work of `assistant outbox …`."""

import asyncio
import contextlib
import json as jsonlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assistant.bootstrap import open_assistant
from assistant.cli import render
from assistant.cli.commands import FAILED, the_one
from assistant.cli.text import counted, safe
from assistant.errors import FlowError
from assistant.facade import Assistant
from assistant.reasoning.origins import NOT_AS_APPROVED
from assistant.running.outgoing import LOOK, News
from assistant.values import Outcome

COLOURS = {"held": "cyan", "pending": "yellow", "started": "yellow", "unknown": "red"}
EMPTY = "Nothing waits to go out."
SETTLED = "Nothing is due, and nothing is uncertain."


def line(outcome: Outcome) -> Text:
    what = outcome.says or outcome.action.kind.replace("_", " ")
    head = {"done": ("✓ Gone out", "green"), "failed": ("✗ Not sent", "red"), "taken_back": ("✓ Taken back", "green")}
    words, colour = head.get(outcome.status, (f"… {outcome.status.capitalize()}", "yellow"))
    told = safe(f"{words}: {what}. {outcome.note}".rstrip(), colour)
    return told.append_text(differing(outcome)) if outcome.differs else told


def differing(outcome: Outcome) -> Text:
    """On a line of its own."""
    return safe(f"\n⚠ {NOT_AS_APPROVED}: {outcome.differs.rstrip('.')}.", "bold red")


def table(outcomes: Sequence[Outcome]) -> Table:
    shown = Table(box=None, padding=(0, 2), header_style="dim")
    for heading in ("id", "state", "what", "goes out"):
        shown.add_column(heading, overflow="fold")
    for one in outcomes:
        state = Text(one.status, style=COLOURS.get(one.status, ""))
        what = safe(one.says or one.action.kind.replace("_", " "))
        if one.differs:
            what = what.append_text(differing(one))
        shown.add_row(one.key[:8], state, what, _when(one.goes_out) if one.goes_out else safe(one.note))
    return shown


def _when(moment: datetime) -> str:
    local = moment.astimezone()
    return f"{local:%a} {local.day} {local:%b %Y, %H:%M}"


# --- beside a chat


@asynccontextmanager
async def announced(a: Assistant, out: Console) -> AsyncIterator[None]:
    """What goes out meanwhile, or can't, is told."""
    telling = asyncio.create_task(_tell(a, out))
    try:
        yield
    finally:
        telling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await telling


async def _tell(a: Assistant, out: Console) -> None:
    with a.went_out() as news:
        while True:
            await told(await news.get(), a, out)


async def told(news: News, a: Assistant, out: Console) -> None:
    if news.flow:
        out.print(render.turn(await a.flow(news.flow), a.clock()))
    else:
        out.print(line(news.outcome))


async def leave(a: Assistant, out: Console, command: str) -> None:
    """Who leaves can take nothing back any more, so that what was held for it goes out; what has its own time stays."""
    for news in await a.release(hurry=True):
        out.print(line(news.outcome))
    if held := [one for one in await a.outbox() if one.status == "held"]:
        out.print(Text(f"Scheduled: {counted(len(held), 'mail')}.", style="yellow"), render.stays(command))


# --- the commands


async def listed(home: Path | None, *, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        found = await a.outbox()
    if json:
        print(jsonlib.dumps([one.model_dump(mode="json") for one in found], indent=2))
    elif not found:
        print(EMPTY)
    else:
        render.console().print(table(found))
    return 0


async def cancelled(home: Path | None, target: str, *, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        keys = [one.key for one in await a.outbox()]
        if not keys:
            raise FlowError(EMPTY)
        taken = await a.withdraw(the_one(target, keys, "write", "writes"))
    return _printed(taken, json=json)


async def checked(home: Path | None, *, json: bool) -> int:
    async with open_assistant(home) as a:
        found = (*a.recovered, *a.released, *(news.outcome for news in await a.check_outbox()))
        open_ = await a.open_previews()
    latest = tuple({one.key: one for one in found}.values())  # opening has asked once about what is uncertain
    status = _printed(latest, json=json)
    if open_ and not json and any(one.status == "failed" for one in latest):
        print("What was not done is shown again: see `assistant previews`.")
    return status


def _printed(outcomes: Sequence[Outcome], *, json: bool) -> int:
    if json:
        print(jsonlib.dumps([one.model_dump(mode="json") for one in outcomes], indent=2))
    else:
        render.console().print(*(line(one) for one in outcomes) if outcomes else (SETTLED,), sep="\n")
    return FAILED if any(one.status in ("failed", "unknown") for one in outcomes) else 0


async def stayed(home: Path | None) -> int:
    """Until nothing is held any more."""
    out, shown = render.console(), list[Outcome]()
    async with open_assistant(home, resident=True) as a:
        for outcome in (*a.recovered, *a.released):
            out.print(line(outcome))
        with a.went_out() as news:
            while held := [one for one in await a.outbox() if one.status in ("held", "pending")]:
                if held != shown:
                    out.print(table(held))
                shown = held
                with contextlib.suppress(TimeoutError):  # another process may be quicker
                    await told(await asyncio.wait_for(news.get(), LOOK), a, out)
    out.print(EMPTY)
    return 0
