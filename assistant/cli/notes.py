"""`assistant notes`: what you asked to remember."""

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.process import run
from assistant.errors import UserError

app = typer.Typer(help="Show what you asked to remember, and forget it.", invoke_without_command=True, no_args_is_help=False)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.callback()
def notes(context: typer.Context, json: Json = False) -> None:
    """Show what you asked to remember, and where you said so. Say "remember that …" in the chat to add to it."""
    if context.invoked_subcommand is None:
        raise typer.Exit(run(_list(context.obj, json=json)))


@app.command()
def forget(
    context: typer.Context,
    number: Annotated[list[int] | None, typer.Argument(help="Its number; several are possible.", min=1)] = None,
    all_: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    json: Json = False,
) -> None:
    """Forget a note for good. The message in which you said it stays in its conversation."""
    raise typer.Exit(run(_forget(context.obj, tuple(dict.fromkeys(number or ())), every=all_, json=json)))


async def _list(home: Path | None, *, json: bool) -> int:
    from assistant.bootstrap import open_assistant
    from assistant.cli.text import console, fields
    from assistant.running.notes import NONE, origin

    async with open_assistant(home, recover=False) as a:
        found, also, zone = await a.notes.list(), await a.notes.settings(), a.notes.zone
    if json:
        print(jsonlib.dumps([one.model_dump(mode="json") for one in found], indent=2, ensure_ascii=False))
        return 0
    if found:
        console().print(fields(*((str(one.number), f"{one.text} ({origin(one, zone)})") for one in found)))
    else:
        print(NONE)
    for line in also:
        print(line)
    return 0


async def _forget(home: Path | None, numbers: tuple[int, ...], *, every: bool, json: bool) -> int:
    from assistant.bootstrap import open_assistant
    from assistant.cli.text import counted, on_one_line

    if bool(numbers) == every:
        raise UserError("Say which note to forget, by its number, or --all.")
    async with open_assistant(home, recover=False) as a:
        there = {one.number: one for one in await a.notes.list()}
        if missing := [number for number in numbers if number not in there]:
            raise UserError(f"There is no note {missing[0]}; nothing was forgotten. See: assistant notes")
        gone = list(there.values()) if every else [await a.notes.forget(number) for number in numbers]
        if every:
            await a.notes.forget_all()
    if json:
        print(jsonlib.dumps([one.model_dump(mode="json") for one in gone], indent=2, ensure_ascii=False))
    elif len(gone) == 1:
        print(f"Forgotten: {on_one_line(gone[0].text)}")
    else:
        print(f"Forgotten: {counted(len(gone), 'note')}.")
    return 0
