"""`assistant usage`: what was spent on language models."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import TypeAdapter
from rich.table import Table
from rich.text import Text

from assistant.bootstrap import model_calls, settings_for, zone_of
from assistant.cli import render
from assistant.llm.budget import Limit, Spent
from assistant.running.usage import Spending, by_day, summed, total

ESTIMATED = "~ in part estimated by the length of the texts, where no endpoint counted"


LINES = TypeAdapter(tuple[Spending, ...])


async def usage(home: Path | None, days: int, *, json: bool) -> int:
    settings = settings_for(home)
    zone = zone_of(settings.zone)
    midnight = datetime.now(UTC).astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = by_day(await model_calls(home, midnight - timedelta(days=days - 1)), zone)
    out = render.console()
    if json:
        print(LINES.dump_json(lines, indent=2).decode())
        return 0
    if not lines:
        out.print("No model was called today." if days == 1 else f"No model was called in the last {days} days.")
        return 0
    out.print(_table(lines))
    if any(line.estimated for line in lines):
        out.print(ESTIMATED, style="dim", highlight=False)
    limit = Limit(**settings.llm.budget.day.model_dump())
    if limit.is_set:
        today = [line for line in lines if line.day == midnight.date().isoformat()]
        out.print(f"Left of today's budget: {_left(limit, total(today))}.", highlight=False)
    return 0


def _table(lines: Sequence[Spending]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("day", no_wrap=True)
    table.add_column("model", overflow="fold")
    for name in ("calls", "failed", "prompt", "cached", "answers", "US$"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        table.add_row(*_cells(line))
    if len(lines) > 1:
        table.add_row(*_cells(summed("total", "", lines)), style="bold")
    return table


def _cells(line: Spending) -> Sequence[str | Text]:
    about = "~" if line.estimated else ""
    tokens = (f"{about}{count:,}" for count in (line.prompt, line.cached, line.completion))
    cost = "no price" if line.cost is None else f"{about}{line.cost:.4f}"
    return (line.day, render.safe(line.model), f"{line.calls:,}", f"{line.failed:,}", *tokens, cost)


def _left(limit: Limit, today: Spent) -> str:
    left = []
    if limit.tokens is not None:
        left.append(f"{max(limit.tokens - today.tokens, 0):,} of {limit.tokens:,} tokens")
    if limit.cost is not None:
        left.append(f"${max(limit.cost - today.cost, 0):.2f} of ${limit.cost:.2f}")
    return " and ".join(left)
