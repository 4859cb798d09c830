"""What a person sees in the terminal of an answer, a question and the tasks there are."""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assistant.cli.card import Card
from assistant.cli.text import console, counted, safe
from assistant.facade import Turn
from assistant.pipeline.state import ASK_BELOW
from assistant.reasoning.inert import defused
from assistant.values import Failure, Question
from storage.tables import FlowHead

__all__ = ["Card", "console", "counted", "flow_table", "footer", "question", "safe", "stays", "turn"]

STATUS_COLOURS = {"done": "green", "failed": "red", "waiting": "yellow", "suspended": "yellow", "parked": "yellow"}
SURE = 90
"""From here on confidence goes without saying; under ASK_BELOW the reply says it."""


def turn(shown: Turn, now: datetime, *, command: str = "") -> Group:
    """The answer, its question or previews, and who thought. `command`: how the program is called by somebody outside the chat."""
    parts: list[RenderableType] = []
    if shown.question:
        parts.append(question(shown.question))
        if command:
            parts.append(Text(f"Answer with: {command} answer …", style="dim"))
    elif shown.said:
        parts.append(safe(defused(shown.said, shown.linkable)))
    parts.extend(Card(preview, now, command) for preview in shown.previews)
    parts.append(footer(shown))
    return Group(*parts)


def stays(command: str) -> Text:
    """How what is held goes out, for who leaves; `command`: how the program is called."""
    said = f"It goes out while an assistant is open: a chat, or `{command} outbox run`, which stays until then."
    return Text(said, style="yellow")


def footer(shown: Turn) -> Text:
    words = [shown.reasoner, "sample account" if shown.sample else ""]
    failed = shown.status == "failed" or any(isinstance(report, Failure) for report in shown.reports.values())
    if shown.reports and ASK_BELOW <= shown.confidence < SURE and not shown.question and not failed:
        words.append(f"{shown.confidence} % sure")
    if shown.status not in ("done", "waiting"):
        words.append(shown.status)
    return Text(" · ".join(w for w in words if w), style="dim italic")


def question(asked: Question) -> Group:
    lines: list[RenderableType] = [safe(asked.text, "bold yellow")]
    lines += [Text.assemble((f"  {n}. ", "yellow"), safe(choice.label)) for n, choice in enumerate(asked.choices, start=1)]
    return Group(*lines)


def flow_table(heads: Sequence[FlowHead]) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for heading in ("task", "state", "about", "last"):
        table.add_column(heading)
    for head in heads:
        state = Text(head.status, style=STATUS_COLOURS.get(head.status, ""))
        table.add_row(head.id, state, safe(head.about), f"{head.updated.astimezone():%a %d %b %H:%M}")
    return table
