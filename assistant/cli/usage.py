"""`assistant usage`: what was spent on language models."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter
from rich.table import Table
from rich.text import Text

from assistant.bootstrap import model_calls, settings_for, zone_of
from assistant.cli import render
from assistant.llm.budget import Limit, Spent
from integrations.types import Value
from storage.tables import StoredCall

ESTIMATED = "~ in part estimated by the length of the texts, where no endpoint counted"


class Line(Value):
    """What was spent on one model on one day, in tokens and US dollars; `cost` None where no price is known."""

    day: str
    model: str
    calls: int
    failed: int
    prompt: int
    cached: int
    completion: int
    cost: float | None
    estimated: bool


LINES = TypeAdapter(list[Line])


async def usage(home: Path | None, days: int, *, json: bool) -> int:
    settings = settings_for(home)
    zone = zone_of(settings.zone)
    midnight = datetime.now(UTC).astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = _by_day(await model_calls(home, midnight - timedelta(days=days - 1)), zone)
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
        out.print(f"Left of today's budget: {_left(limit, _spent(today))}.", highlight=False)
    return 0


def _by_day(calls: Iterable[StoredCall], zone: ZoneInfo) -> list[Line]:
    """One line for each day and model, newest day first."""

    def key(call: StoredCall) -> tuple[date, str]:
        return call.at.astimezone(zone).date(), call.model

    groups = groupby(sorted(calls, key=key, reverse=True), key)
    return [_line(day.isoformat(), model, list(made)) for (day, model), made in groups]


def _line(day: str, model: str, calls: Sequence[StoredCall | Line]) -> Line:
    """The sum of calls, or of the lines of several days and models."""
    priced = [call.cost for call in calls if call.cost is not None]
    return Line(
        day=day,
        model=model,
        calls=sum(call.calls if isinstance(call, Line) else 1 for call in calls),
        failed=sum(call.failed if isinstance(call, Line) else bool(call.trouble) for call in calls),
        prompt=sum(call.prompt for call in calls),
        cached=sum(call.cached for call in calls),
        completion=sum(call.completion for call in calls),
        cost=round(sum(priced), 6) if priced else None,
        estimated=any(call.estimated for call in calls),
    )


def _spent(lines: Iterable[Line]) -> Spent:
    each = (Spent(calls=line.calls, tokens=line.prompt + line.completion, cost=line.cost or 0.0) for line in lines)
    return sum(each, Spent())


def _table(lines: Sequence[Line]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("day", no_wrap=True)
    table.add_column("model", overflow="fold")
    for name in ("calls", "failed", "prompt", "cached", "answers", "US$"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        table.add_row(*_cells(line))
    if len(lines) > 1:
        table.add_row(*_cells(_line("total", "", lines)), style="bold")
    return table


def _cells(line: Line) -> Sequence[str | Text]:
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
