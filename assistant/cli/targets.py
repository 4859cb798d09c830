"""The commands `assistant schedules targets …`: where results go beside the conversation."""

import json as jsonlib
import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.process import run

app = typer.Typer(
    help="Services that can be sent results to, such as your phone's, by their Apprise addresses.", no_args_is_help=True
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Name = Annotated[str, typer.Argument(help="What you call it, such as phone.")]
NONE = "There are no targets but mail, which is your own address."


@app.command("list")
def list_targets(context: typer.Context, json: Json = False) -> None:
    """Show them, without the secrets in their addresses."""
    raise typer.Exit(run(_list(context.obj, json=json)))


@app.command()
def add(
    context: typer.Context,
    name: Name,
    url: Annotated[str, typer.Argument(help="Its Apprise address; - to be asked for it, since it holds a secret.")] = "-",
    json: Json = False,
) -> None:
    """Add one. Its address is kept sealed. Try it out with `try`."""
    raise typer.Exit(run(_add(context.obj, name, url, json=json)))


@app.command()
def remove(context: typer.Context, name: Name) -> None:
    """Remove one that no schedule uses."""
    raise typer.Exit(run(_remove(context.obj, name)))


@app.command("try")
def try_(context: typer.Context, name: Name) -> None:
    """Send a note there now."""
    raise typer.Exit(run(_try(context.obj, name)))


async def _list(home: Path | None, *, json: bool) -> int:
    from assistant.bootstrap import open_assistant
    from assistant.cli.text import console, fields

    async with open_assistant(home, recover=False) as a:
        found = await a.targets.list()
    if json:
        print(jsonlib.dumps([one.model_dump(mode="json") for one in found], indent=2))
    elif not found:
        print(NONE)
    else:
        console().print(fields(*((one.name, one.says) for one in found)))
    return 0


async def _add(home: Path | None, name: str, url: str, *, json: bool) -> int:
    from assistant.bootstrap import open_assistant
    from assistant.cli.text import on_one_line

    if url == "-":
        url = getpass("Its address (it is not shown): ") if sys.stdin.isatty() else sys.stdin.readline()
    async with open_assistant(home, recover=False) as a:
        made = await a.targets.add(name, url.strip())
    if json:
        print(made.model_dump_json(indent=2))
    else:
        print(
            f"Added {on_one_line(made.name)}, {on_one_line(made.says)}. Nothing was sent yet; see: assistant schedules targets try"
        )
    return 0


async def _remove(home: Path | None, name: str) -> int:
    from assistant.bootstrap import open_assistant
    from assistant.cli.text import on_one_line

    async with open_assistant(home, recover=False) as a:
        await a.targets.remove(name)
    print(f"Removed the target {on_one_line(name)}.")
    return 0


async def _try(home: Path | None, name: str) -> int:
    from assistant.bootstrap import open_assistant
    from assistant.cli.text import on_one_line

    async with open_assistant(home, recover=False) as a:
        trouble = await a.targets.try_(name)
    print(f"assistant: {on_one_line(trouble)}" if trouble else "Sent.", file=sys.stderr if trouble else sys.stdout)
    return 1 if trouble else 0
