"""The commands `assistant schedules …`: what is done again and again, or later."""

from typing import Annotated

import typer

from assistant.cli import targets
from assistant.cli.process import run

app = typer.Typer(help="Have briefings, reminders and requests at their time: once, or again and again.")
app.add_typer(targets.app, name="targets")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Which = Annotated[list[str], typer.Argument(help="The beginning of its id, or words of its name, task or time.")]


@app.callback(invoke_without_command=True)
def schedules(context: typer.Context, json: Json = False) -> None:
    """List them, with their next and their last run."""
    if context.invoked_subcommand is None:
        list_schedules(context, all_=False, json=json)


@app.command("list")
def list_schedules(
    context: typer.Context,
    all_: Annotated[bool, typer.Option("--all", help="Those that are over too.")] = False,
    json: Json = False,
) -> None:
    """List them, with their next and their last run."""
    from assistant.cli import scheduling

    raise typer.Exit(run(scheduling.listed(context.obj, all_=all_, json=json)))


@app.command()
def add(
    context: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(help='All of it in words: "every weekday at 8 summarise my inbox and my day".')
    ] = None,
    cron: Annotated[str, typer.Option(metavar="RULE", help='When, as for cron: "0 8 * * 1-5".')] = "",
    rrule: Annotated[str, typer.Option(metavar="RULE", help='When, from --at on: "FREQ=WEEKLY;INTERVAL=2".')] = "",
    at: Annotated[str, typer.Option(metavar="TIME", help='When: "2026-11-27 09:00".')] = "",
    briefing: Annotated[str, typer.Option(metavar="PARTS", help="A briefing on: inbox, day, week, with commas between.")] = "",
    remind: Annotated[str, typer.Option(metavar="TEXT", help="A reminder of this.")] = "",
    ask: Annotated[str, typer.Option(metavar="TEXT", help="A request, as you would say it in the chat.")] = "",
    name: Annotated[str, typer.Option(help="What you will call it by.")] = "",
    to: Annotated[list[str] | None, typer.Option(metavar="TARGET", help="Where results go too: mail, or one of targets.")] = None,
    zone: Annotated[str, typer.Option(help="Its time zone, such as Europe/Berlin; by default yours.")] = "",
    conversation: Annotated[str, typer.Option("--conversation", "-c", help="The conversation that gets the results.")] = "chat",
    json: Json = False,
) -> None:
    """Add one, in words or by options."""
    from assistant.cli import new_schedule, scheduling

    given = new_schedule.Given(
        words=" ".join(words or ()),
        cron=cron,
        rrule=rrule,
        at=at,
        briefing=briefing,
        remind=remind,
        ask=ask,
        name=name,
        to=tuple(to or ()),
        zone=zone,
        conversation=conversation,
    )
    raise typer.Exit(run(scheduling.added(context.obj, given, json=json)))


@app.command()
def pause(context: typer.Context, which: Which, json: Json = False) -> None:
    """Let one rest. What would be due meanwhile is not made up for."""
    from assistant.cli import scheduling

    raise typer.Exit(run(scheduling.paused(context.obj, " ".join(which), json=json)))


@app.command()
def resume(context: typer.Context, which: Which, json: Json = False) -> None:
    """Let a paused one go on."""
    from assistant.cli import scheduling

    raise typer.Exit(run(scheduling.resumed(context.obj, " ".join(which), json=json)))


@app.command()
def remove(context: typer.Context, which: Which) -> None:
    """Remove one, with its history. What it said stays in its conversation."""
    from assistant.cli import scheduling

    raise typer.Exit(run(scheduling.removed(context.obj, " ".join(which))))


@app.command("run")
def run_now(context: typer.Context, which: Which, json: Json = False) -> None:
    """Run one now, also where it is paused, and show what comes of it."""
    from assistant.cli import scheduling

    raise typer.Exit(run(scheduling.ran(context.obj, " ".join(which), json=json)))


@app.command()
def history(
    context: typer.Context,
    which: Which,
    limit: Annotated[int, typer.Option(help="How many runs at most.", min=1, max=500)] = 20,
    json: Json = False,
) -> None:
    """Show the last runs of one, and what came of each."""
    from assistant.cli import scheduling

    raise typer.Exit(run(scheduling.told(context.obj, " ".join(which), limit, json=json)))


@app.command()
def due(context: typer.Context, json: Json = False) -> None:
    """Run what is due now, and end. For the system's own cron, where no assistant stays open."""
    from assistant.cli import scheduling

    raise typer.Exit(run(scheduling.ran_due(context.obj, json=json)))
