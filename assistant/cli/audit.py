"""The commands `assistant audit …`: what was done, who approved it, and whether the journal of it is whole."""

from typing import Annotated

import typer

from assistant.cli.process import run

app = typer.Typer(help="Show what was done, why, and who approved it; check that the journal of it is whole.")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.callback(invoke_without_command=True)
def audit(
    context: typer.Context,
    flow: Annotated[str, typer.Option(help="Only of this task, by id or the beginning of it.")] = "",
    preview: Annotated[str, typer.Option(help="Only of this preview, by id or the beginning of it.")] = "",
    since: Annotated[str, typer.Option(help='Only since a time: "2026-11-18", "yesterday", "Monday 8:00".')] = "",
    limit: Annotated[int, typer.Option(help="How many at most, the newest.", min=1)] = 50,
    json: Json = False,
) -> None:
    """List what was proposed and done, the newest first."""
    if context.invoked_subcommand is not None:
        return
    from assistant.cli import telling

    raise typer.Exit(run(telling.listed(context.obj, flow=flow, preview=preview, since=since, limit=limit, json=json)))


@app.command()
def show(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="A preview, a key or a task, by id or the beginning of it.")],
    json: Json = False,
) -> None:
    """Tell one action's story: asked with which words, approved by whom, sent under which key, answered how."""
    from assistant.cli import telling

    raise typer.Exit(run(telling.shown(context.obj, what, json=json)))


@app.command()
def verify(
    context: typer.Context,
    head: Annotated[
        str | None, typer.Option(metavar="HASH", help="A head noted elsewhere, which must still be part of the chain.")
    ] = None,
    json: Json = False,
) -> None:
    """Check that no entry of the journal was changed, removed, moved or cut off. Note the head elsewhere, to prove it later."""
    from assistant.cli import telling

    raise typer.Exit(run(telling.verified(context.obj, head, json=json)))
