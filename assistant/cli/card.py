"""A preview as a person wants to read it: what would be done, why it is asked about, whom it reaches, and what it says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from assistant.cli import contents
from assistant.cli.text import changes, safe
from assistant.reasoning.origins import WARNING, reasons_of
from integrations.actions import CreateContact, CreateEvent, SaveDraft, SaveTemplate, SendMail
from risk.operations import operation_of
from risk.preview import Change, Item, Preview, Recipient

COLOURS = {"low": "green", "medium": "yellow", "high": "red"}
HINTS = (
    'nothing is done until you say "approve" · or say what to change · or "cancel"',
    'say "approve" · or what to change · or "cancel"',
    "approve · change · cancel",
)
WRITTEN = (SendMail, SaveDraft, CreateEvent, CreateContact, SaveTemplate)
"""What has a text or more to be read in full."""
BULK = 3
"""So many alike are shown as a table."""
GONE = ("cancelled", "deleted")
THINGS = {
    "mark_mail": "mails",
    "move_mail": "mails",
    "delete_draft": "drafts",
    "update_event": "events",
    "cancel_event": "events",
    "answer_invitation": "invitations",
    "update_contact": "contacts",
    "delete_contact": "contacts",
}


@dataclass(frozen=True)
class Card:
    """`command`: how the program is called by somebody who is not in the chat, and approves by command."""

    preview: Preview
    now: datetime
    command: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown, colour = self.preview, COLOURS[self.preview.level]
        title = f"Preview · {shown.level} risk{' · sample account' if shown.sample else ''}"
        yield Panel(
            Group(*self._body(colour)),
            title=Text(title, style=f"bold {colour}"),
            subtitle=Text(self._hint(options.max_width - 6), style="dim"),
            border_style=colour,
            title_align="left",
            subtitle_align="left",
        )

    def _hint(self, room: int) -> str:
        if self.command:
            return "nothing is done until you approve it"
        return next((hint for hint in HINTS if len(hint) <= room), "")

    def _body(self, colour: str) -> list[RenderableType]:
        shown = self.preview
        body: list[RenderableType] = [safe(_headline(shown.items), "bold")]
        if shown.through:
            body.append(safe(f"through {' and '.join(shown.through)}"))
        body.extend(safe(f"⚠ {WARNING}: {warning}", "bold red") for warning in shown.warnings)
        body.extend(safe(f"• {reason}", colour) for reason in reasons_of(shown))
        if shown.differs:
            body.append(Text("Different from what you saw:", style="bold"))
            body.append(changes((c.field, c.before, c.after) for c in shown.differs))
        body.extend(_table(shown.items) if _alike(shown.items) else _one_by_one(shown.items))
        body.extend(_remarks(shown.items))
        body.append(Text(f"\n{shown.id} · fingerprint {shown.fingerprint[:14]}… · {_waits(shown.expires - self.now)}", style="dim"))
        if self.command:
            body.append(safe(f"approve it: {self.command} approve {shown.id}", "dim"))
        return body


def _headline(items: Sequence[Item]) -> str:
    if len(items) == 1:
        return items[0].says
    verb = _verb(items) if _alike(items) else ""
    return f"{verb} {len(items)} {THINGS.get(items[0].action.kind, 'things')}" if verb else f"{len(items)} actions"


def _verb(items: Sequence[Item]) -> str:
    """The word with which all of them begin."""
    first = {item.says.partition(" ")[0] for item in items}
    return first.pop() if len(first) == 1 else ""


def _waits(left: timedelta) -> str:
    if left > timedelta(days=1.5):
        return f"open for {round(left / timedelta(days=1))} days"
    return "expires soon" if left > timedelta() else "too old: it will be shown again"


def _alike(items: Sequence[Item]) -> bool:
    kinds = {operation_of(item.action) for item in items}
    return len(items) >= BULK and len(kinds) == 1 and not isinstance(items[0].action, WRITTEN)


def _one_by_one(items: Sequence[Item]) -> list[RenderableType]:
    if len(items) == 1:
        return [contents.item(items[0])]
    body: list[RenderableType] = []
    shared = _shared(items)
    for number, item in enumerate(items, start=1):
        body.append(safe(f"\n{number}. {item.says}", "bold"))
        body.append(contents.item(item))
        body.extend(_lines(item, without=shared))
    return body


def _table(items: Sequence[Item]) -> list[RenderableType]:
    """One row for each; what happens to all alike, the people, and where things came from, are said once."""
    common, of_all = _common_change(items)
    verb = _verb(items)
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for number, item in enumerate(items, start=1):
        own = [c for c in item.changes if c != common and c.after not in GONE]
        row = safe("\n".join([item.says.removeprefix(verb).strip(), *(f"{c.field}: {c.before} → {c.after}" for c in own)]))
        table.add_row(Text(f"{number}.", style="dim", justify="right"), row)
    body: list[RenderableType] = [Text(""), table]
    if common and common.after not in GONE:
        lead = "each" if of_all else "the others"
        body += [Text(""), safe(f"{lead}: {common.field} {common.before} → {common.after}")]
    if people := _people(items):
        body += [Text(""), contents.people(people)]
    if traces := tuple(dict.fromkeys(trace for item in items for trace in item.traces)):
        body += [Text(""), contents.origins(traces)]
    shared = _shared(items)
    for number, item in enumerate(items, start=1):
        body.extend(Text.assemble((f"{number}. ", "dim"), line) for line in _lines(item, without=shared))
    return body


def _common_change(items: Sequence[Item]) -> tuple[Change | None, bool]:
    """The one change that most of them undergo, and whether all do."""
    if any(len(item.changes) != 1 for item in items):
        return None, False
    change, number = Counter(item.changes[0] for item in items).most_common(1)[0]
    return (change, number == len(items)) if number > len(items) / 2 else (None, False)


def _people(items: Sequence[Item]) -> tuple[Recipient, ...]:
    """Everybody reached, each once; the same person with another origin stays."""
    return tuple(dict.fromkeys(one for item in items for one in item.recipients))


def _said(item: Item) -> list[tuple[str, str]]:
    return [("I assume: ", guess) for guess in item.guesses] + [("Note: ", note) for note in item.notes]


def _shared(items: Sequence[Item]) -> frozenset[tuple[str, str]]:
    """Guesses and notes that stand at more than one item."""
    counts = Counter(line for item in items for line in dict.fromkeys(_said(item)))
    return frozenset(line for line, number in counts.items() if number > 1)


def _lines(item: Item, without: frozenset[tuple[str, str]]) -> list[Text]:
    return [safe(f"{head}{words}", "yellow") for head, words in _said(item) if (head, words) not in without]


def _remarks(items: Sequence[Item]) -> list[RenderableType]:
    """What concerns the whole, said once."""
    if len(items) == 1:
        return list(_lines(items[0], without=frozenset()))
    shared = _shared(items)
    told = dict.fromkeys(line for item in items for line in _said(item) if line in shared)
    remarks: list[RenderableType] = [safe(f"{head}{words}", "yellow") for head, words in told]
    return [Text(""), *remarks] if remarks else []
