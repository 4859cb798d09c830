"""`assistant forget`: what would be removed is shown first."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from assistant.bootstrap import open_assistant
from assistant.cli import render
from assistant.cli.text import fields
from assistant.errors import UserError
from assistant.running.forgetting.removal import Removal

LEFT = (
    "Not touched: mailboxes, calendars and address books, the search index made of them, backups, and what a restore put aside. "
    "Another assistant that is open now remembers until it ends."
)
COUNTED = {
    "messages": ("message", "messages"),
    "tasks": ("task", "tasks"),
    "previews": ("preview", "previews"),
    "writes": ("write", "writes"),
    "templates": ("reply template", "reply templates"),
    "schedules": ("schedule", "schedules"),
    "notes": ("note", "notes"),
    "typed": ("line typed in the chat", "lines typed in the chat"),
    "journal": ("entry of the journal, whose hash stays", "entries of the journal, whose hashes stay"),
}


async def forget(home: Path | None, *, conversation: str = "", person: str = "", yes: bool, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        if not yes:
            _confirm(await a.forget(conversation=conversation, person=person))
        removed = await a.forget(conversation=conversation, person=person, really=True)
    if json:
        print(removed.model_dump_json(indent=2))
        return 0
    print(f"Forgotten: {', '.join(_counts(removed)) or 'its name'}.")
    for name in removed.named:
        print(f"The conversation {name} keeps its name; remove it with: assistant forget conversation {shlex.quote(name)}")
    print(LEFT)
    return 0


def _confirm(removal: Removal) -> None:
    if not sys.stdin.isatty():
        raise UserError("Nothing was removed; add --yes to forget it unseen.")
    out = render.console()
    out.print(render.safe(f"To be forgotten: {removal.about}", "bold"))
    rows = (("holds", ", ".join(_counts(removal))), ("looked for", ", ".join(removal.words)))
    out.print(fields(*rows, *(("dropped", clause) for clause in removal.under_way)))
    print(LEFT)
    try:
        said = input("Forget this for good? [y/N] ")
    except EOFError:
        said = ""
    if said.strip().casefold() not in ("y", "yes"):
        raise UserError("Nothing was removed.")


def _counts(removal: Removal) -> Iterator[str]:
    for name, (one, many) in COUNTED.items():
        if number := getattr(removal, name):
            yield f"{number} {one if number == 1 else many}"
