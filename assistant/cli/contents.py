"""What one action of a preview writes, shown in full."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from assistant.cli.gaps import caution, marked
from assistant.cli.text import changes, fields, repeats, safe
from assistant.cli.written import came_about
from assistant.reasoning.origins import HEADING, kind_of, origin_of, person, text_of, unknown_first
from integrations.actions import Action, CreateContact, CreateEvent, SaveDraft, SaveTemplate, SendMail
from risk.preview import Enclosed, Item, Recipient
from risk.tracing import Trace

ENCLOSED_LINES = 12
TRACES = 6


def item(shown: Item) -> Group:
    parts: list[RenderableType] = []
    if shown.recipients:
        parts.append(people(shown.recipients))
    parts.extend(_written(shown))
    if shown.changes:
        parts.append(changes((c.field, c.before, c.after) for c in shown.changes))
    if shown.traces:
        parts.append(origins(shown.traces))
    return Group(*parts)


def people(recipients: Iterable[Recipient]) -> Table:
    """Each with where the address came from; an address is never cut short."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for one in recipients:
        origin = safe(one.origin, "dim") if one.known else safe(f"⚠ {one.origin}", "bold red")
        table.add_row(safe(one.line, "dim"), safe(person(one.address)), origin)
    return table


def origins(traces: Sequence[Trace]) -> RenderableType:
    """Where links, codes and the like came from, what came from nowhere first; of what is known not all where it is much."""
    ordered = unknown_first(traces)
    shown = ordered[: max(TRACES, sum(not one.known for one in traces))]
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for _ in range(2):
        table.add_column(overflow="fold")
    for one in shown:
        origin = safe(origin_of(one), "dim") if one.known else safe(f"⚠ {origin_of(one)}", "bold red")
        table.add_row(safe(kind_of(one), "dim"), safe(text_of(one)), origin)
    left = len(ordered) - len(shown)
    more = [Text(f"… and {left} more, all known", style="dim")] if left else []
    return Group(Text(HEADING, style="dim underline"), table, *more)


def _written(shown: Item) -> Iterator[RenderableType]:
    action: Action = shown.action
    if isinstance(action, SendMail | SaveDraft):
        yield from _mail(shown, action)
    elif isinstance(action, CreateEvent):
        yield fields(
            ("title", action.title),
            ("when", _when(action)),
            ("where", action.location),
            ("repeats", repeats(action.rrule)),
            ("text", action.description),
        )
    elif isinstance(action, CreateContact):
        many = (("email", ", ".join(action.emails)), ("phone", ", ".join(action.phones)), ("groups", ", ".join(action.groups)))
        yield fields(("name", action.name), *many, ("company", action.company), ("title", action.title), ("note", action.note))
    elif isinstance(action, SaveTemplate):
        yield fields(("template", action.name), ("subject", action.subject))
        yield Panel(safe(action.body), border_style="dim")


def _mail(shown: Item, action: SendMail | SaveDraft) -> Iterator[RenderableType]:
    new = action.reply_to is None and action.forward_of is None  # another's subject may hold brackets of its own
    when = action.send_at if isinstance(action, SendMail) else None
    goes_out = f"{when:%A} {when.day} {when:%B %Y, %H:%M}" if when else ""
    yield fields(("subject", marked(action.subject or "(none)") if new else action.subject or "(none)"), ("goes out", goes_out))
    if action.body or not shown.encloses:
        yield Panel(marked(action.body) if action.body else Text("(no text)", style="dim"), border_style="dim")
    if shown.encloses:
        yield _enclosed(shown.encloses)
    if open_ := caution(action.subject if new else "", action.body):
        yield open_
    if shown.written:
        yield from came_about(shown.written, action.body)


def _enclosed(mail: Enclosed) -> RenderableType:
    """Whose mail goes along, how it begins, and what is attached to it."""
    lines = mail.text.strip().splitlines()
    text = "\n".join(lines[:ENCLOSED_LINES])
    more = len(lines) - ENCLOSED_LINES
    head = fields(
        ("from", mail.sender),
        ("subject", mail.subject),
        ("date", f"{mail.date:%a} {mail.date.day} {mail.date:%b %Y, %H:%M}"),
        ("attached", ", ".join(mail.attachments)),
    )
    body: list[RenderableType] = [head, Text(""), safe(text)]
    if more > 0:
        body.append(Text(f"… and {more} more lines", style="dim"))
    return Panel(Group(*body), title="goes along", title_align="left", border_style="dim")


def _when(action: CreateEvent) -> str:
    start, end = action.start, action.end
    if action.all_day:
        return f"{start:%A} {start.day} {start:%B %Y}, all day"
    until = f"{end:%H:%M}" if end.date() == start.date() else f"{end:%A} {end.day} {end:%B, %H:%M}"
    return f"{start:%A} {start.day} {start:%B %Y, %H:%M} to {until}"
