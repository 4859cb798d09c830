"""`assistant briefing`: what a briefing would tell now, and why."""

from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.process import run
from assistant.errors import UserError

if TYPE_CHECKING:
    from assistant.timetable.rules import Part

PARTS: "dict[str, tuple[Part, ...]]" = {"inbox": ("inbox",), "day": ("day",), "week": ("week",), "morning": ("inbox", "day")}


def briefing(
    context: typer.Context,
    parts: Annotated[list[str] | None, typer.Argument(help="inbox, day, week or morning (inbox and day).", metavar="PARTS")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each mail and event was ranked, and what was left out.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Print the HTML of the mail.")] = False,
) -> None:
    """Tell what needs an answer and what the day or week holds, as things stand now."""
    wanted = tuple(dict.fromkeys(part for name in parts or ("morning",) for part in _parts(name)))
    if json + markdown + html > 1:
        raise UserError("Choose one of --json, --markdown and --html.")
    if explain and (markdown or html):
        raise UserError("--explain is shown in the terminal, or with --json.")
    from assistant.cli import briefed

    form: briefed.Form = "json" if json else "markdown" if markdown else "html" if html else "text"
    raise typer.Exit(run(briefed.told(context.obj, wanted, form, explain=explain)))


def _parts(name: str) -> "tuple[Part, ...]":
    try:
        return PARTS[name.lower()]
    except KeyError:
        raise UserError(f"A briefing has no part “{name}”: it can be of {', '.join(PARTS)}.") from None
