"""Text of strangers made fit for the terminal, and what everything shown is made of."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates.wording import say

UNWATCHED = 120
"""Columns where nobody watches and $COLUMNS says nothing: wide enough for a mail."""


class Screen(Console):
    def on_broken_pipe(self) -> None:
        """Whoever read along has seen enough; the command ends as it likes."""
        raise BrokenPipeError


def console(*, error: bool = False) -> Console:
    made = Screen(stderr=error, highlight=False)
    if made.is_terminal:
        return made
    columns = os.environ.get("COLUMNS", "")
    return Screen(stderr=error, highlight=False, width=int(columns) if columns.isdecimal() and int(columns) > 20 else UNWATCHED)


def safe(text: str, style: str = "") -> Text:
    """No markup in it is interpreted, and no control character drives the terminal."""
    return Text("".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text), style=style)


def on_one_line(text: str) -> str:
    return " ".join(safe(text).plain.split())


def fields(*rows: tuple[str, str | Text]) -> Table:
    """The names of those that hold something, and what they hold."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value:
            table.add_row(Text(name, style="dim"), safe(value) if isinstance(value, str) else value)
    return table


def changes(rows: Iterable[tuple[str, str, str]]) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for heading in ("", "before", "after"):
        table.add_column(heading, overflow="fold")
    for field, before, after in rows:
        before, after = (repeats(value) if field == "Repeats" else value for value in (before, after))
        table.add_row(safe(field, "dim"), safe(before, "red"), safe(after, "green"))
    return table


def repeats(rrule: str) -> str:
    """ "every week on Tuesday" for FREQ=WEEKLY;BYDAY=TU."""
    if not rrule:
        return ""
    try:
        return say(TimeSpec(kind="repeat", text=rrule, rrule=rrule), datetime.now(UTC))
    except (ValueError, IndexError):
        return "repeats by a rule of its own"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
