"""`assistant forget` as a command with two parts."""

from typing import Annotated

import typer

from assistant.cli.process import run

HELP = "Remove a conversation or a person from all that is stored. Mailboxes are not touched."
app = typer.Typer(help=HELP, no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Unasked = Annotated[bool, typer.Option("--yes", "-y", help="Don't show what is removed and ask first.")]


@app.command()
def conversation(
    context: typer.Context, name: Annotated[str, typer.Argument(help="Its name.")], yes: Unasked = False, json: Json = False
) -> None:
    """What was said in it, its tasks, previews and writes."""
    from assistant.cli import forgetting

    raise typer.Exit(run(forgetting.forget(context.obj, conversation=name, yes=yes, json=json)))


@app.command()
def person(
    context: typer.Context,
    who: Annotated[list[str], typer.Argument(help="An address, or a name or part of one.")],
    yes: Unasked = False,
    json: Json = False,
) -> None:
    """Name and addresses, wherever they stand, and parts of the name where they are plainly a name.

    What awaits approval or has not gone out yet is dropped where it has the address or the whole name."""
    from assistant.cli import forgetting

    raise typer.Exit(run(forgetting.forget(context.obj, person=" ".join(who), yes=yes, json=json)))
