"""What a person sees in the terminal. Text of strangers is shown as text: no markup of theirs is interpreted."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from assistant.events import FlowEvent
from assistant.facade import Turn
from assistant.values import Question
from integrations.actions import (
    Action,
    CreateContact,
    CreateEvent,
    SaveDraft,
    SaveTemplate,
    SendMail,
)
from risk.preview import Item, Preview
from storage.tables import FlowHead

COLOURS = {"low": "green", "medium": "yellow", "high": "red"}
STATUS_COLOURS = {"done": "green", "failed": "red", "waiting": "yellow", "suspended": "yellow", "parked": "yellow"}
TOLD = frozenset({"7.5", "9", "10", "12.1", "13"})
"""The steps shown while they happen; the rest is bookkeeping, shown on demand."""


def console(*, error: bool = False) -> Console:
    """Wide enough for a mail where nobody watches."""
    made = Console(stderr=error, highlight=False, soft_wrap=False)
    return made if made.is_terminal else Console(stderr=error, highlight=False, width=120)


def safe(text: str) -> Text:
    """Without control characters, which could drive the terminal."""
    return Text("".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text))


def event_line(event: FlowEvent, *, all_steps: bool) -> Text | None:
    if not all_steps and event.step not in TOLD:
        return None
    line = Text(f"  {event.step:>4}  ", style="cyan dim")
    name = f"{event.name}: " if all_steps else ""
    line.append(Text.assemble((name, "dim"), (safe(event.text).plain.replace("\n", " "), "dim")))
    return line


def turn(shown: Turn, zone_now: datetime) -> Group:
    """The answer, its question or previews, and who thought with which confidence."""
    parts: list[RenderableType] = []
    spoken = without_previews(shown)
    if shown.question:
        parts.append(question(shown.question))
    elif spoken:
        parts.append(safe(spoken))
    parts.extend(preview(p, zone_now) for p in shown.previews)
    parts.append(footer(shown))
    return Group(*parts)


def without_previews(shown: Turn) -> str:
    """The reply up to where it tells of a preview in short, since that is shown in full."""
    if not shown.previews:
        return shown.reply
    return shown.reply.partition("Nothing has been done yet.")[0].rstrip()


def footer(shown: Turn) -> Text:
    words = [shown.reasoner]
    if shown.reports:
        words.append(f"{shown.confidence} % sure")
    if shown.status not in ("done", "waiting"):
        words.append(shown.status)
    return Text(" · ".join(w for w in words if w), style="dim italic")


def question(asked: Question) -> Group:
    lines: list[RenderableType] = [Text(safe(asked.text).plain, style="bold yellow")]
    lines += [Text.assemble((f"  {n}. ", "yellow"), safe(choice.label)) for n, choice in enumerate(asked.choices, start=1)]
    return Group(*lines)


def preview(shown: Preview, now: datetime) -> Panel:
    colour = COLOURS[shown.level]
    body: list[RenderableType] = []
    if shown.differs:
        body.append(Text("Different from what you saw:", style="bold"))
        body.append(changes((c.field, c.before, c.after) for c in shown.differs))
    body.append(
        Text.assemble(
            (f"{shown.level.capitalize()} risk", f"bold {colour}"), *(("\n  • " + reason, colour) for reason in shown.reasons)
        )
    )
    for number, item in enumerate(shown.items, start=1):
        if len(shown.items) > 1:
            body.append(Text(f"\n{number}. {safe(item.says).plain}", style="bold"))
        body.append(_item(item))
    body.append(Text(f"\n{shown.id}  ·  fingerprint {shown.fingerprint[:14]}…  ·  {_waits(shown.expires - now)}", style="dim"))
    what = safe(shown.items[0].says).plain if len(shown.items) == 1 else f"{len(shown.items)} actions"
    return Panel(
        Group(*body),
        title=f"[bold {colour}]Preview: {escape(what)}[/]",
        subtitle='[dim]nothing is done until you say "approve" · or say what to change · or "cancel"[/]',
        border_style=colour,
        title_align="left",
        subtitle_align="left",
    )


def _waits(left: timedelta) -> str:
    if left.days > 1:
        return f"open for {left.days} days"
    return "expires soon" if left > timedelta() else "too old: it will be shown again"


def _item(item: Item) -> Group:
    parts: list[RenderableType] = []
    if item.recipients:
        people = Table.grid(padding=(0, 2))
        for r in item.recipients:
            mark = Text(r.origin, style="dim") if r.known else Text(f"⚠ {r.origin}", style="bold red")
            people.add_row(Text(r.line, style="dim"), safe(str(r.address)), mark)
        parts.append(people)
    parts.extend(_content(item.action))
    if item.changes:
        parts.append(changes((c.field, c.before, c.after) for c in item.changes))
    parts.extend(Text(f"I assume: {safe(guess).plain}", style="yellow") for guess in item.guesses)
    parts.extend(Text(f"Note: {safe(note).plain}", style="yellow") for note in item.notes)
    return Group(*parts)


def _content(action: Action) -> Iterable[RenderableType]:
    """What will be written, in full."""
    if isinstance(action, SendMail | SaveDraft):
        yield Text.assemble(("subject  ", "dim"), (safe(action.subject).plain, "bold"))
        yield Panel(safe(action.body) if action.body else Text("(no text)", style="dim"), border_style="dim")
    elif isinstance(action, CreateEvent):
        when = f"{action.start:%A %d %B %Y}" if action.all_day else f"{action.start:%A %d %B %Y, %H:%M} to {_end(action)}"
        yield _fields(
            ("title", action.title),
            ("when", when),
            ("where", action.location),
            ("repeats", action.rrule),
            ("text", action.description),
        )
    elif isinstance(action, CreateContact):
        many = (("email", ", ".join(action.emails)), ("phone", ", ".join(action.phones)), ("groups", ", ".join(action.groups)))
        yield _fields(("name", action.name), *many, ("company", action.company), ("title", action.title), ("note", action.note))
    elif isinstance(action, SaveTemplate):
        yield Text.assemble(("template  ", "dim"), (safe(action.name).plain, "bold"))
        yield Panel(safe(action.body), border_style="dim")


def _end(action: CreateEvent) -> str:
    return f"{action.end:%H:%M}" if action.end.date() == action.start.date() else f"{action.end:%A %d %B, %H:%M}"


def _fields(*rows: tuple[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in rows:
        if value:
            table.add_row(Text(name, style="dim"), safe(value))
    return table


def changes(rows: Iterable[tuple[str, str, str]]) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for heading in ("", "before", "after"):
        table.add_column(heading)
    for field, before, after in rows:
        table.add_row(Text(field, style="dim"), Text(safe(before).plain, style="red"), Text(safe(after).plain, style="green"))
    return table


def flow_table(heads: Sequence[FlowHead]) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for heading in ("task", "state", "about", "last"):
        table.add_column(heading)
    for head in heads:
        state = Text(head.status, style=STATUS_COLOURS.get(head.status, ""))
        table.add_row(head.id, state, safe(head.about), f"{head.updated.astimezone():%a %d %b %H:%M}")
    return table
