"""`assistant models` and `assistant usage`: what the configured endpoints can do, and what was spent on them."""

import json as jsonlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from assistant.cli.process import run

if TYPE_CHECKING:
    from rich.table import Table

    from storage.tables import StoredCall

app = typer.Typer(help="The language models that are configured.", no_args_is_help=True)


@app.command("test")
def test_(
    context: typer.Context,
    length: Annotated[bool, typer.Option("--context", help="Also try how long a prompt may be, which costs tokens.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Ask each endpoint a few short questions, and say what it can do."""
    raise typer.Exit(run(tested(context.obj, length=length, json=json)))


async def tested(home: Path | None, *, length: bool, json: bool) -> int:
    from rich.text import Text

    from assistant.bootstrap import endpoints_in_use, settings_for
    from assistant.cli import render
    from assistant.errors import UserError
    from assistant.llm.endpoint import EndpointClient
    from assistant.llm.probe import Finding, probe

    endpoints = endpoints_in_use(settings_for(home))
    if not endpoints:
        raise UserError("No model is configured; set llm.base_url or llm.api_key in config.toml, or ASSISTANT_LLM__BASE_URL.")
    findings: dict[str, list[Finding]] = {}
    marks = {True: Text("✓", style="green"), False: Text("✗", style="red"), None: Text("·", style="dim")}
    for endpoint in endpoints:
        name = " at ".join(filter(None, (endpoint.model, endpoint.base_url or "OpenAI")))
        if not json:
            render.console().print(render.safe(name, "bold"))
        client = EndpointClient(endpoint)
        try:
            async for finding in probe(client, context=length):
                findings.setdefault(name, []).append(finding)
                if not json:
                    mark = Text("  ").append_text(marks[finding.good])
                    render.console().print(mark, f"{finding.what:10}", render.safe(finding.words))
        finally:
            await client.close()
    if json:
        print(jsonlib.dumps({name: [one.model_dump() for one in found] for name, found in findings.items()}, indent=2))
    return 4 if any(one.good is False for found in findings.values() for one in found) else 0


async def usage(home: Path | None, days: int, *, json: bool) -> int:
    from assistant.bootstrap import model_calls, settings_for, zone_of
    from assistant.cli import render

    zone = zone_of(settings_for(home).zone)
    midnight = datetime.now(UTC).astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    rows = _by_day(await model_calls(home, midnight - timedelta(days=days - 1)), zone)
    if json:
        print(jsonlib.dumps(rows, indent=2))
    elif not rows:
        render.console().print(f"No model was called in the last {days} days.")
    else:
        render.console().print(_table(rows))
    return 0


Row = dict[str, str | int | float | None]


def _by_day(calls: "Iterable[StoredCall]", zone: ZoneInfo) -> list[Row]:
    """One row for each day and model, newest day first."""

    def key(call: "StoredCall") -> tuple[str, str]:
        return call.at.astimezone(zone).date().isoformat(), call.model

    rows: list[Row] = []
    for (day, model), group in groupby(sorted(calls, key=key), key):
        made = list(group)
        priced = [call.cost for call in made if call.cost is not None]
        rows.append(
            {
                "day": day,
                "model": model,
                "calls": len(made),
                "failed": sum(1 for call in made if call.trouble),
                "prompt": sum(call.prompt for call in made),
                "cached": sum(call.cached for call in made),
                "completion": sum(call.completion for call in made),
                "cost": round(sum(priced), 6) if priced else None,
            }
        )
    return sorted(rows, key=lambda row: (str(row["day"]), str(row["model"])), reverse=True)


def _table(rows: Iterable[Row]) -> "Table":
    from rich.table import Table

    table = Table(box=None, padding=(0, 2), header_style="bold")
    for name in ("day", "model"):
        table.add_column(name)
    for name in ("calls", "failed", "prompt", "cached", "completion", "US$"):
        table.add_column(name, justify="right")
    for row in rows:
        counts = [f"{row[name]:,}" for name in ("calls", "failed", "prompt", "cached", "completion")]
        cost = "no price known" if row["cost"] is None else f"{row['cost']:.4f}"
        table.add_row(str(row["day"]), str(row["model"]), *counts, cost)
    return table
