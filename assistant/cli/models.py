"""`assistant models`: what the configured endpoints can do."""

import json as jsonlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.process import run

if TYPE_CHECKING:
    from rich.console import Console

ADDING = (
    "The language models that are configured. To add one, set llm.api_key (for OpenAI's own) or llm.base_url (for any that "
    "speaks OpenAI's chat completions) in config.toml, or ASSISTANT_LLM__API_KEY, ASSISTANT_LLM__BASE_URL and ASSISTANT_LLM__MODEL."
)
app = typer.Typer(help=ADDING, no_args_is_help=True)


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

    from assistant.bootstrap import endpoints_in_use, metered_endpoints, settings_for
    from assistant.cli import render
    from assistant.errors import UserError
    from assistant.llm.probe import Finding, probe

    if not endpoints_in_use(settings_for(home)):
        raise UserError("No model is configured; set llm.base_url or llm.api_key in config.toml, or ASSISTANT_LLM__BASE_URL.")
    findings: dict[str, list[Finding]] = {}
    marks = {True: Text("✓", style="green"), False: Text("✗", style="red"), None: Text("·", style="dim")}
    out = render.console()
    async with metered_endpoints(home) as endpoints:
        for client in endpoints:
            name = " at ".join(filter(None, (client.endpoint.model, client.endpoint.place)))
            if not json:
                out.print(render.safe(name, "bold"))
            with _progress(out, quiet=json) as telling:
                async for finding in probe(client, telling=telling, context=length):
                    findings.setdefault(name, []).append(finding)
                    if not json:
                        mark = Text("  ").append_text(marks[finding.good])
                        out.print(mark, f"{finding.what:10}", render.safe(finding.words))
    if json:
        print(jsonlib.dumps({name: [one.model_dump() for one in found] for name, found in findings.items()}, indent=2))
    return 4 if any(one.good is False for found in findings.values() for one in found) else 0


@contextmanager
def _progress(out: "Console", *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Shows what is tried now, where somebody watches."""
    if quiet or not out.is_terminal:
        yield lambda _: None
        return
    with out.status("") as status:
        yield lambda words: status.update(f"[dim]{words} …[/]")
