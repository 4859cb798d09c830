"""Opening the assistant for the chat, with a bar while a large mailbox is read for the first time, and its greeting."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from assistant.bootstrap import open_assistant
from assistant.cli import outgoing
from assistant.cli.text import counted, safe
from assistant.facade import Assistant
from storage import settings

OFFLINE = "No language model is configured: I work offline, by rules. `assistant models` tells how to add one."
TOLD_OFFLINE = "told.offline"
"""The key under which it is kept that this was said."""
PATIENCE = 1.0
"""Seconds after which a person wants to see that something happens."""


class Waiting:
    """A bar that appears only where the wait is worth one."""

    def __init__(self, out: Console) -> None:
        columns = (TextColumn("Reading your mail"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=out, transient=True, disable=not out.is_terminal)
        self._task = self._bar.add_task("mail", total=None)
        self._since = time.monotonic()
        self.shown = False

    def hear(self, done: int, total: int) -> None:
        if not self.shown and time.monotonic() - self._since > PATIENCE:
            self._bar.start()
            self.shown = True
        self._bar.update(self._task, completed=done, total=total)

    def end(self) -> None:
        if self.shown:
            self._bar.stop()


@asynccontextmanager
async def opened(home: Path | None, out: Console) -> AsyncIterator[Assistant]:
    waiting = Waiting(out)
    opening = open_assistant(home, on_progress=waiting.hear, resident=True)
    try:
        assistant = await opening.__aenter__()
    finally:
        waiting.end()
    try:
        yield assistant
    finally:
        await opening.__aexit__(None, None, None)


async def greet(a: Assistant, out: Console) -> None:
    names = ", ".join(f"{c.name} <{c.address}>" for c in a.accounts)
    out.print(Text.assemble(("Personal assistant", "bold"), f" · {a.reasoner} · ", safe(names)))
    if await _first_time_offline(a):
        out.print(Text(OFFLINE, style="yellow"))
    if any(c.sample for c in a.accounts):
        out.print(Text("SAMPLE ACCOUNT: invented people and mail to try things on.", style="yellow"))
        out.print(Text("Connect your own: assistant accounts add local --help", style="yellow"))
    for outcome in a.recovered:
        line = safe(
            f"The program had ended in the middle: {outcome.says or outcome.action.kind.replace('_', ' ')}: {outcome.status}."
        )
        line.append(f" {safe(outcome.note).plain}" if outcome.note else "")
        out.print(line, style="yellow")
    for outcome in a.released:
        out.print(safe("Due while no assistant was running. ", "yellow").append_text(outgoing.line(outcome)))
    open_, resting = await a.open_previews(), await a.flows(resting=True)
    if open_:
        out.print(Text(f"Awaiting your approval from earlier: {counted(len(open_), 'preview')}; say previews.", style="yellow"))
    if resting:
        out.print(Text(f"Can be gone on with: {counted(len(resting), 'task')}; say flows.", style="yellow"))
    out.print(Text("Say help for examples, quit to leave.\n", style="dim"))


async def _first_time_offline(a: Assistant) -> bool:
    if a.reasoner != a.offline or await a.database.read(lambda s: settings.get(s, TOLD_OFFLINE) is not None):
        return False
    await a.database.write(lambda s: settings.put(s, TOLD_OFFLINE, a.clock().isoformat()))
    return True
