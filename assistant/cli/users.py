"""`assistant users`: who may use the service besides its owner."""

from typing import Annotated

import typer

from assistant.cli.process import run

app = typer.Typer(help="Let other people use this service, each with data of their own.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Who = Annotated[str, typer.Argument(help="Their name or id.")]


@app.command()
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What they sign in with.")],
    email: Annotated[str, typer.Option(help="Their address.")] = "",
    json: Json = False,
) -> None:
    """Add somebody, and print the link that lets them in once."""
    from assistant.cli import letting_in

    raise typer.Exit(run(letting_in.add_user(context.obj, name, email, json=json)))


@app.command("list")
def list_users(context: typer.Context, json: Json = False) -> None:
    """Show who there is."""
    from assistant.cli import letting_in

    raise typer.Exit(run(letting_in.list_users(context.obj, json=json)))


@app.command()
def invite(context: typer.Context, who: Who, json: Json = False) -> None:
    """Print a new link that lets somebody in once, such as after a lost password."""
    from assistant.cli import letting_in

    raise typer.Exit(run(letting_in.invite(context.obj, who, json=json)))


@app.command()
def remove(
    context: typer.Context,
    who: Who,
    really: Annotated[bool, typer.Option("--really", help="Remove it; without, only what would go is told.")] = False,
    json: Json = False,
) -> None:
    """Remove somebody with all that is stored of theirs. Their mailboxes are not touched."""
    from assistant.cli import letting_in

    raise typer.Exit(run(letting_in.remove_user(context.obj, who, really=really, json=json)))
