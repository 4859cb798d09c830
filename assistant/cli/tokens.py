"""`assistant tokens`: the keys of programs that act for a user."""

from typing import Annotated

import typer

from assistant.cli.process import run

app = typer.Typer(help="Give programs a key to the service, with just the rights they need.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
User = Annotated[str, typer.Option("--user", help="For whom, by name or id.")]


@app.command()
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is for.")],
    scopes: Annotated[str, typer.Option(help="Of read, propose, approve and manage, with commas between.")] = "read",
    user: User = "owner",
    days: Annotated[int | None, typer.Option(help="How long it is good; by default until revoked.", min=1, max=3650)] = None,
    json: Json = False,
) -> None:
    """Make a token, and print it this once."""
    from assistant.cli import letting_in

    raise typer.Exit(run(letting_in.add_token(context.obj, name, scopes, user, days, json=json)))


@app.command("list")
def list_tokens(context: typer.Context, user: User = "owner", json: Json = False) -> None:
    """Show the tokens, without what they hold."""
    from assistant.cli import letting_in

    raise typer.Exit(run(letting_in.list_tokens(context.obj, user, json=json)))


@app.command()
def revoke(context: typer.Context, token: Annotated[str, typer.Argument(help="Its id or name.")], user: User = "owner") -> None:
    """Make a token useless at once."""
    from assistant.cli import letting_in

    raise typer.Exit(run(letting_in.revoke_token(context.obj, token, user)))
