"""`assistant accounts`: which accounts are connected."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Connect, list and remove accounts.", no_args_is_help=True)
add = typer.Typer(help="Connect an account.", no_args_is_help=True)
app.add_typer(add, name="add")


@add.command("local")
def add_local(
    context: typer.Context,
    address: Annotated[str, typer.Option(help="Your own mail address.")],
    mail: Annotated[Path | None, typer.Option(help="A Maildir++ folder, as mbsync, mutt and notmuch use it.")] = None,
    calendars: Annotated[Path | None, typer.Option(help="A folder of .ics files, as vdirsyncer and khal use it.")] = None,
    contacts: Annotated[Path | None, typer.Option(help="A folder of .vcf files, as vdirsyncer and khard use it.")] = None,
    name: Annotated[str, typer.Option(help="What to call the account.")] = "local",
    create: Annotated[bool, typer.Option(help="Make folders that are not there yet.")] = False,
) -> None:
    """Connect plain folders on this machine."""
    from assistant.cli import connecting
    from assistant.cli.main import run

    folders = {"mail": mail, "calendars": calendars, "contacts": contacts}
    raise typer.Exit(run(connecting.add_local(context.obj, name, address, folders, create=create)))


@app.command("list")
def list_(context: typer.Context, json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False) -> None:
    """List the connected accounts."""
    from assistant.cli import connecting
    from assistant.cli.main import run

    raise typer.Exit(run(connecting.list_accounts(context.obj, json=json)))


@app.command()
def remove(context: typer.Context, name: Annotated[str, typer.Argument(help="The account's name.")]) -> None:
    """Disconnect an account. Its folders stay as they are."""
    from assistant.cli import connecting
    from assistant.cli.main import run

    raise typer.Exit(run(connecting.remove(context.obj, name)))
