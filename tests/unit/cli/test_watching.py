"""What is told while agents deliberate, on a terminal and elsewhere."""

import io
import re

import pytest
from rich.console import Console

from assistant.cli.told import line
from assistant.cli.watching import watching
from assistant.drafting.base import Told

REQUESTED = "🔄 Orchestration restart requested by final agent\n\nReason: It is too short.\n\n---"
BEGUN = "🔄 Orchestration Restart - Attempt 2/3\n\nReason: It is too short.\n\nInstructions: Write more.\n\n---"
RESTARTS = [Told(kind="restart_requested", agent="warm", text=REQUESTED), Told(kind="restarting", text=BEGUN)]
ANEW = Told(kind="restarting", agent="warm", text="warm begins anew: 2 answers are there.")


def printed(*told: Told, terminal: bool = False, columns: int = 60) -> str:
    out = Console(file=io.StringIO(), force_terminal=terminal, width=columns, highlight=False, color_system=None)
    with watching(out, quiet=False) as tell:
        for one in told:
            tell(one)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_a_restart_is_told_as_it_was_said_where_no_terminal_is():
    assert printed(*RESTARTS) == f"{REQUESTED}\n{BEGUN}\n"


def test_a_long_reason_is_not_broken_where_no_terminal_is():
    reason = "It is too short, " * 20
    assert f"Reason: {reason}" in printed(RESTARTS[0].model_copy(update={"text": f"Head\n\nReason: {reason}\n\n---"}))


@pytest.mark.parametrize("told", RESTARTS, ids=lambda told: told.kind)
def test_on_a_terminal_a_restart_stays_in_full_above_the_table(told):
    lines = [one.rstrip() for one in re.sub(r"\x1b\[[?\d;]*[A-Za-z]|\r", "", printed(told, terminal=True)).splitlines()]
    at = lines.index(told.text.partition("\n")[0])
    assert lines[at : at + told.text.count("\n") + 1] == told.text.split("\n")


def test_who_begins_anew_is_one_line():
    assert printed(ANEW) == "↻ warm begins anew: 2 answers are there.\n"


def test_in_one_line_a_restart_ends_with_its_reason():
    assert line(RESTARTS[0]).plain.endswith("Reason: It is too short.")


def test_what_agents_say_of_a_restart_cannot_drive_the_terminal():
    assert "\x1b" not in printed(Told(kind="restarting", text="🔄 Head\n\nReason: \x1b[2J[bold]x[/bold]"))
