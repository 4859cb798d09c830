"""What agents do while they deliberate, in a few words."""

from rich.text import Text

from assistant.cli.text import counted, on_one_line, safe
from assistant.drafting.base import Told, ToldKind

MARKS: dict[ToldKind, tuple[str, str]] = {
    "working": ("…", "dim"),
    "restarting": ("↻", "cyan"),
    "answered": ("✎", "green"),
    "posted": ("✎", "green"),
    "voted": ("✓", "green"),
    "decided": ("✓", "green"),
    "selected": ("★", "bold green"),
    "presenting": ("★", "bold green"),
    "evaluating": ("?", "cyan"),
    "restart_requested": ("↻", "yellow"),
    "rejected": ("!", "yellow"),
    "failed": ("✗", "red"),
    "timed_out": ("✗", "red"),
}
QUIET: frozenset[ToldKind] = frozenset(
    {"answered", "voted", "failed", "timed_out", "restart_requested", "exhausted", "conflict", "decided"}
)
"""What is worth a line to somebody who only wants a mail written."""


def line(told: Told) -> Text:
    """In one line; who it is about goes first."""
    mark, style = MARKS.get(told.kind, ("·", "dim"))
    return Text.assemble((f"{mark} ", style), safe(words(told)))


def in_full(told: Told) -> Text | None:
    """What is told of a restart, line by line as it was said; None where one line tells all."""
    of_all = told.kind == "restarting" and not told.agent
    return safe(told.text) if told.kind == "restart_requested" or of_all else None


def words(told: Told) -> str:
    said = on_one_line(told.text).removesuffix(" ---")
    match told.kind:
        case "answered" if isinstance(answer := told.data.get("answer"), str):
            return f"{told.agent} answers: {counted(len(answer.split()), 'word')}"
        case _:
            return said


def of_agent(told: Told) -> str:
    """Where the agent's name stands before it already."""
    said = words(told)
    return said.removeprefix(told.agent).lstrip(" :") if said.startswith(told.agent) else said
