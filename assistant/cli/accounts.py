"""`assistant accounts`: which accounts are connected."""

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.process import run

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

    folders = {"mail": mail, "calendars": calendars, "contacts": contacts}
    raise typer.Exit(run(connecting.add_local(context.obj, name, address, folders, create=create)))


@add.command("google")
def add_google(
    context: typer.Context,
    name: Annotated[str, typer.Option(help="What to call the account. One of this name is connected again.")] = "google",
    client: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The JSON of your OAuth client at Google; needed once.", show_default=False),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the address, or only print it.")] = True,
) -> None:
    """Connect Gmail, Google Calendar and Contacts."""
    from assistant.cli import connecting_google

    raise typer.Exit(run(connecting_google.add_google(context.obj, name, client, browser=browser)))


@add.command("microsoft")
def add_microsoft(
    context: typer.Context,
    name: Annotated[str, typer.Option(help="What to call the account. One of this name is connected again.")] = "microsoft",
    client_id: Annotated[
        str, typer.Option(metavar="ID", help="The Application (client) ID of your registration; needed once.", show_default=False)
    ] = "",
    tenant: Annotated[
        str, typer.Option(help="One organisation's tenant, where the registration is for that one only.", show_default=False)
    ] = "",
    device: Annotated[bool, typer.Option("--device", help="Show a code, to be typed in a browser of any machine.")] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the address, or only print it.")] = True,
) -> None:
    """Connect Outlook and Microsoft 365: mail, calendar and contacts."""
    from assistant.cli import connecting_microsoft

    told = {which: given for which, given in (("client_id", client_id), ("tenant", tenant)) if given}
    raise typer.Exit(run(connecting_microsoft.add_microsoft(context.obj, name, told, browser=browser, device=device)))


@add.command("imap")
def add_imap(
    context: typer.Context,
    address: Annotated[str, typer.Option(help="Your mail address, with your name if you like; else it is asked for.")] = "",
    name: Annotated[str, typer.Option(help="What to call the account. One of this name is connected again.")] = "imap",
    imap: Annotated[str, typer.Option(metavar="URL", help="Such as imaps://mail.example.org; none for no mail.")] = "",
    smtp: Annotated[str, typer.Option(metavar="URL", help="Such as smtps:// or smtp+starttls://mail.example.org.")] = "",
    caldav: Annotated[str, typer.Option(metavar="URL", help="Such as https://cloud.example.org/remote.php/dav.")] = "",
    carddav: Annotated[str, typer.Option(metavar="URL", help="Such as https://cloud.example.org/remote.php/dav.")] = "",
    username: Annotated[str, typer.Option(help="Where it is not the address.", show_default=False)] = "",
    trusted: Annotated[str, typer.Option(metavar="FILE", help="Certificates to trust, for a server of your own.")] = "",
    password_file: Annotated[str, typer.Option(metavar="FILE", help="Its first line is the password; - is standard input.")] = "",
    oauth: Annotated[bool, typer.Option("--oauth", help="Allow it in a browser, where the service wants no password.")] = False,
    client_id: Annotated[str, typer.Option(metavar="ID", help="Of your registration there, for --oauth; needed once.")] = "",
    client_secret_file: Annotated[str, typer.Option(metavar="FILE", help="With the registration's secret.")] = "",
    oauth_authorize: Annotated[str, typer.Option(metavar="URL", help="Where a service that is not known is asked.")] = "",
    oauth_token: Annotated[str, typer.Option(metavar="URL", help="Where it gives tokens.")] = "",
    scope: Annotated[str, typer.Option(help="What it is asked for.", show_default=False)] = "",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the address, or only print it.")] = True,
    yes: Annotated[bool, typer.Option("--yes", help="The password may go to servers that DNS names in other domains.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Connect any mail server by IMAP and SMTP, with CalDAV and CardDAV. Its servers are looked for."""
    from assistant.cli import connecting_imap as adding

    servers = {"imap": imap, "smtp": smtp, "caldav": caldav, "carddav": carddav}
    tokens = adding.Tokens(client_id, client_secret_file, oauth_authorize, oauth_token, scope, browser) if oauth else None
    told = adding.Told(address, servers, username, trusted, password_file, yes, json)
    raise typer.Exit(run(adding.add_imap(context.obj, name, told, tokens)))


@app.command("list")
def list_(context: typer.Context, json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False) -> None:
    """List the connected accounts, or the sample account where there is none."""
    from assistant.cli import connecting

    raise typer.Exit(run(connecting.list_accounts(context.obj, json=json)))


@app.command()
def remove(context: typer.Context, name: Annotated[str, typer.Argument(help="The account's name.")]) -> None:
    """Disconnect an account. Folders stay as they are; a password is deleted; the permission is taken back at Google, for Microsoft
    it is told where."""
    from assistant.cli import connecting

    raise typer.Exit(run(connecting.remove(context.obj, name)))
