"""`assistant deliberate`: several agents think about a task, and nothing else happens."""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from assistant.bootstrap import open_assistant
from assistant.cli.gaps import marked
from assistant.cli.process import sound
from assistant.cli.text import console, counted, safe
from assistant.cli.watching import watching
from assistant.drafting.base import Deliberation, Spent
from assistant.drafting.free import Terms
from assistant.errors import UserError
from assistant.llm.messages import Usage

FROM_STDIN = "-"


async def deliberate(home: Path | None, task: str, terms: Terms, *, all_: bool, json: bool) -> int:
    """A task of "-" is read from standard input."""
    task = _piped() if task == FROM_STDIN else task
    out, began = console(), time.monotonic()
    async with open_assistant(home, recover=False) as a:
        with watching(out, quiet=json) as tell:
            deliberation = await a.deliberate(task, terms, tell)
    if json:
        print(deliberation.model_dump_json(indent=2))
    else:
        _tell(deliberation, out, all_=all_, seconds=time.monotonic() - began)
    return 0


def _piped() -> str:
    if sys.stdin.isatty():
        raise UserError("There is nothing on standard input; pipe the task in, or write it behind the command.")
    return sound(sys.stdin.read())


def _tell(deliberation: Deliberation, out: Console, *, all_: bool, seconds: float) -> None:
    out.print(*shown(deliberation, all_=all_, told=not out.is_terminal), sep="\n")
    parts = [
        "by rules, no language model" if deliberation.rules else "",
        counted(deliberation.attempts, "attempt") if deliberation.attempts > 1 else "",
        f"{seconds:.1f} s",
    ]
    out.print(Text(" · ".join(filter(None, parts)), style="dim italic"))


def shown(deliberation: Deliberation, *, all_: bool = False, told: bool = False) -> Iterator[RenderableType]:
    """The text, who voted for what and why, the other answers where they are asked for, and what it took. `told`: the votes stand
    before it already."""
    yield Panel(marked(deliberation.text), title=_title(deliberation), title_align="left", border_style="green")
    if not told:
        yield from _voted(deliberation)
    for note in deliberation.notes:
        yield safe(f"· {note}", "dim")
    others = [answer for answer in deliberation.answers if answer.agent != deliberation.winner]
    if all_:
        yield from (Panel(marked(one.text), title=safe(one.agent), title_align="left", border_style="dim") for one in others)
    elif others:
        yield Text(f"{counted(len(others), 'other answer')}: --all shows {'it' if len(others) == 1 else 'them'}", style="dim")
    if deliberation.spent:
        yield _costs(deliberation.spent)


def _voted(deliberation: Deliberation) -> Iterator[Text]:
    for vote in deliberation.votes:
        reason = f": {vote.reason}" if vote.reason else ""
        own = "its own" if vote.voter == vote.candidate else vote.candidate
        yield Text.assemble(("✓ ", "green"), safe(f"{vote.voter} voted for {own}{reason}"))
    for agent, why in deliberation.out.items():
        yield safe(f"✗ {agent} is out: {why.rstrip('.')}.", "red")


def _title(deliberation: Deliberation) -> Text:
    votes = deliberation.votes
    won = sum(vote.candidate == deliberation.winner for vote in votes)
    return safe(f"{deliberation.winner} · {won} of {counted(len(votes), 'vote')}" if votes else deliberation.winner, "bold green")


def _costs(spent: Sequence[Spent]) -> Table:
    """By agent and attempt."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("agent", overflow="fold")
    attempts = len({one.attempt for one in spent}) > 1
    names = (*(["attempt"] if attempts else []), "calls", "prompt", "answers", "US$")
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for one in spent:
        table.add_row(safe(one.agent), *([str(one.attempt)] if attempts else []), *_figures(one))
    if len(spent) > 1:
        table.add_row("all", *([""] if attempts else []), *_figures(_all(spent)), style="bold")
    return table


def _figures(one: Spent) -> tuple[str, ...]:
    cost = "no price" if one.cost is None else f"{one.cost:.4f}"
    return (f"{one.calls:,}", f"{one.usage.prompt:,}", f"{one.usage.completion:,}", cost)


def _all(spent: Sequence[Spent]) -> Spent:
    costs = [one.cost for one in spent]
    return Spent(
        agent="",
        attempt=0,
        calls=sum(one.calls for one in spent),
        usage=sum((one.usage for one in spent), Usage()),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
    )
