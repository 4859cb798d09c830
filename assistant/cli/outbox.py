"""The commands `assistant outbox …`: what has not gone out yet, and what may not have."""

from typing import Annotated

import typer

from assistant.cli.process import run

app = typer.Typer(help="Show and settle what was approved and has not gone out yet: scheduled, waiting or uncertain.")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.callback(invoke_without_command=True)
def outbox(context: typer.Context, json: Json = False) -> None:
    """List what is held until its time, waits, or is uncertain, the oldest first."""
    if context.invoked_subcommand is not None:
        return
    from assistant.cli import outgoing

    raise typer.Exit(run(outgoing.listed(context.obj, json=json)))


@app.command()
def cancel(
    context: typer.Context, id: Annotated[str, typer.Argument(help="Its id or the beginning of it.")], json: Json = False
) -> None:
    """Take back what has not begun: a scheduled mail, or what waits since a crash."""
    from assistant.cli import outgoing

    raise typer.Exit(run(outgoing.cancelled(context.obj, id, json=json)))


@app.command()
def check(context: typer.Context, json: Json = False) -> None:
    """Send what is due, and ask once more whether what is uncertain has happened."""
    from assistant.cli import outgoing

    raise typer.Exit(run(outgoing.checked(context.obj, json=json)))


@app.command("run")
def stay(context: typer.Context) -> None:
    """Stay until everything that is scheduled has gone out at its time. Ctrl-C ends it; nothing is lost."""
    from assistant.cli import outgoing

    raise typer.Exit(run(outgoing.stayed(context.obj)))
