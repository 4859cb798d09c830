"""The `assistant` command. What a command needs is imported when it runs, so that help appears at once."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli import accounts, audit, briefing, deliberating, forget, models, notes, outbox, schedules, tokens, users
from assistant.cli.process import guarded, run
from assistant.errors import UserError

HOME = "Where the assistant keeps its data (default: $ASSISTANT_HOME, else the platform's data directory)."
CHAT = "chat"
"""The conversation of the command line, the same each time, so that what was open yesterday still is."""

app = typer.Typer(
    help="A personal assistant for mail, calendar and contacts. It asks before it acts, and acts exactly once.\n\n"
    "Without a command it opens the chat.",
    epilog="Exit status: 0 done, 1 the task failed, 2 wrong use, 3 not possible in this state, 4 something is out of reach, "
    "10 a preview awaits approval, 11 a question awaits an answer.",
    invoke_without_command=True,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(accounts.app, name="accounts")
app.add_typer(models.app, name="models")
app.add_typer(forget.app, name="forget")
app.add_typer(notes.app, name="notes")
app.add_typer(audit.app, name="audit")
app.add_typer(outbox.app, name="outbox")
app.add_typer(schedules.app, name="schedules")
app.add_typer(users.app, name="users")
app.add_typer(tokens.app, name="tokens")
app.command("briefing")(briefing.briefing)
app.command("deliberate")(deliberating.deliberate)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Conversation = Annotated[str, typer.Option("--conversation", "-c", help="The conversation this belongs to.")]


@app.callback()
def root(
    context: typer.Context,
    home: Annotated[str | None, typer.Option("--home", metavar="FOLDER", help=HOME, show_default=False)] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    if home == "":
        raise UserError("The home is empty; give the folder in which the assistant is to keep its data.")
    context.obj = Path(home) if home else None
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"personal-assistant {installed('personal-assistant')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from assistant.cli.chat import chat

        raise typer.Exit(run(chat(context.obj, CHAT, steps=False)))


@app.command()
def chat(
    context: typer.Context,
    conversation: Conversation = CHAT,
    steps: Annotated[bool, typer.Option("--steps", help="Show every numbered step of the pipeline.")] = False,
) -> None:
    """Open the chat. From a pipe, each line is a message."""
    from assistant.cli import chat as module

    raise typer.Exit(run(module.chat(context.obj, conversation, steps=steps)))


@app.command()
def ask(
    context: typer.Context,
    text: Annotated[list[str], typer.Argument(help="What you would say in the chat.")],
    conversation: Conversation = CHAT,
    json: Json = False,
) -> None:
    """Say one thing and get the answer."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.ask(context.obj, conversation, " ".join(text), json=json)))


@app.command()
def answer(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(help="A choice's number or name, or free text.")],
    question: Annotated[str, typer.Option("--question", "-q", help="Its id; by default the one asked last.")] = "",
    json: Json = False,
) -> None:
    """Answer an open question."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.answer(context.obj, question, " ".join(words), json=json)))


@app.command()
def previews(context: typer.Context, json: Json = False) -> None:
    """Show what awaits your approval, in full."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.previews(context.obj, json=json)))


@app.command()
def approve(
    context: typer.Context,
    preview: Annotated[str, typer.Argument(help="Its id or the beginning of it; by default the only open one.")] = "",
    fingerprint: Annotated[str, typer.Option(help="Approve only if it still has this fingerprint.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't show it and ask again.")] = False,
    json: Json = False,
) -> None:
    """Carry out a preview, exactly once."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.approve(context.obj, preview, fingerprint, yes=yes, json=json)))


@app.command()
def revise(
    context: typer.Context,
    preview: Annotated[str, typer.Argument(help="Its id or the beginning of it.")],
    words: Annotated[list[str], typer.Argument(help='What to change: "make it 4 pm", "leave out Tom".')],
    json: Json = False,
) -> None:
    """Change a preview; the changed one is shown and replaces it."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.revise(context.obj, preview, " ".join(words), json=json)))


@app.command()
def cancel(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="A preview or a task, by id or the beginning of it.")],
    json: Json = False,
) -> None:
    """Drop a preview, or give up a suspended task."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.cancel(context.obj, target, json=json)))


@app.command()
def flows(
    context: typer.Context,
    all_: Annotated[bool, typer.Option("--all", help="Those that have ended too.")] = False,
    json: Json = False,
) -> None:
    """List tasks that are suspended or wait for you."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.flows(context.obj, all_=all_, json=json)))


@app.command()
def resume(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="Its id or the beginning of it; by default the newest.")] = "",
    json: Json = False,
) -> None:
    """Go on with a suspended task where it was interrupted."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.resume(context.obj, task, json=json)))


@app.command()
def undo(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="The task whose doings to take back; by default the last.")] = "",
    conversation: Conversation = CHAT,
    json: Json = False,
) -> None:
    """Take back what was done last, where that is possible."""
    from assistant.cli import commands

    raise typer.Exit(run(commands.undo(context.obj, conversation, task, json=json)))


@app.command()
def explain(
    context: typer.Context,
    text: Annotated[list[str], typer.Argument(help="The sentence.")],
    json: Json = False,
) -> None:
    """Show how the offline reasoner reads a sentence, and do nothing."""
    from assistant.cli import explaining

    raise typer.Exit(run(explaining.show(context.obj, " ".join(text), json=json)))


@app.command("import")
def import_(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="mbox, .eml, .ics, .vcf, folders of them, or a zip (Takeout).", exists=True)],
    account: Annotated[str, typer.Option(help="The local account to fill; by default the only one.")] = "",
    address: Annotated[str, typer.Option(help="Your own mail address; changes that of the account.")] = "",
    json: Json = False,
) -> None:
    """Fill a local account from exported files. Repeating it makes no duplicates."""
    from assistant.cli import importing

    raise typer.Exit(run(importing.import_files(context.obj, paths, account, address, json=json)))


@app.command()
def usage(
    context: typer.Context,
    days: Annotated[int, typer.Option(help="How many days back, today included.", min=1)] = 30,
    json: Json = False,
) -> None:
    """Show calls, tokens and cost of language models, per day and model."""
    from assistant.cli import usage as module

    raise typer.Exit(run(module.usage(context.obj, days, json=json)))


@app.command()
def keep(context: typer.Context, json: Json = False) -> None:
    """Make smaller what ended long ago, as the settings [keep] say. A chat does so by itself."""
    from assistant.cli import keeping

    raise typer.Exit(run(keeping.keep(context.obj, json=json)))


@app.command()
def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file to write; it must not be there yet.")],
    json: Json = False,
) -> None:
    """Write all that the assistant keeps into one file, also while it is in use."""
    from assistant.cli import backups

    raise typer.Exit(run(backups.back_up(context.obj, file, json=json)))


@app.command()
def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `assistant backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Put aside what the home holds already.")] = False,
    json: Json = False,
) -> None:
    """Put a backup back. What was under way then is asked about before anything is sent."""
    from assistant.cli import backups

    raise typer.Exit(run(backups.restore(context.obj, file, replace=replace, json=json)))


@app.command()
def worker(
    context: typer.Context,
    at_once: Annotated[int, typer.Option(help="How many tasks it works on side by side.", min=1)] = 20,
) -> None:
    """Work on tasks that other processes hand over, on a shared database."""
    from assistant.cli import worker as module

    raise typer.Exit(run(module.work(context.obj, at_once), terminated=0))


@app.command()
def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="The address to listen on; by default this machine alone can reach it.")] = "localhost",
    port: Annotated[int, typer.Option(help="0: any that is free.", min=0, max=65535)] = 8765,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    new_link: Annotated[bool, typer.Option("--new-link", help="Print a link that lets the owner in, for a lost password.")] = False,
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="A certificate in PEM.", show_default=False)] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its key in PEM.", show_default=False)] = None,
    behind_proxy: Annotated[bool, typer.Option("--behind-proxy", help="A proxy does TLS; its X-Forwarded headers count.")] = False,
    proxy: Annotated[
        list[str] | None, typer.Option(metavar="ADDRESS", help="Where the proxy is, if not on this machine.", show_default=False)
    ] = None,
    insecure_http: Annotated[bool, typer.Option("--insecure-http", help="Listen on a network without TLS.")] = False,
) -> None:
    """Serve the web page and the API."""
    from assistant.cli import serve as module
    from assistant.service.listening import LOOPBACK, Listening

    listening = Listening(
        host=host,
        port=port,
        cert=tls_cert,
        key=tls_key,
        behind_proxy=behind_proxy,
        proxies=tuple(proxy or LOOPBACK),
        insecure_http=insecure_http,
    )
    raise typer.Exit(run(module.run_service(context.obj, listening, new_link=new_link, browser=open_), terminated=0))


@app.command()
def mcp(context: typer.Context) -> None:
    """Offer an MCP client the tools over standard input and output: it reads, and what it wants written awaits your approval."""
    from assistant.cli import mcp as module

    raise typer.Exit(run(module.serve_tools(context.obj)))


@app.command()
def doctor(context: typer.Context, json: Json = False) -> None:
    """Check that everything the assistant needs is there."""
    from assistant.cli import doctor as module

    raise typer.Exit(run(module.doctor(context.obj, json=json)))


def main() -> None:
    """Every error is one sentence on standard error, and an exit status."""
    sys.exit(guarded(app))
