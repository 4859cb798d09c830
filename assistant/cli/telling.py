"""What `assistant audit …` prints."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter
from rich.console import Group
from rich.table import Table
from rich.text import Text

from assistant.bootstrap import history_of, settings_for, zone_of
from assistant.cli.text import console, on_one_line, safe
from assistant.errors import UserError
from assistant.reasoning.offline.dates import read_times
from assistant.running.history import History
from assistant.running.stories import Line, Story
from risk.times import moment_words
from storage.audit import Verification

BROKEN = 1
STORIES = TypeAdapter(list[Story])
COLOURS = {"done": "green", "failed": "red", "unknown": "red", "open": "yellow", "not begun": "yellow", "begun": "yellow"}


async def listed(home: Path | None, *, flow: str, preview: str, since: str, limit: int, json: bool) -> int:
    if flow and preview:
        raise UserError("Give --flow or --preview, not both.")
    target = flow or preview
    zone = zone_of(settings_for(home).zone)
    async with history_of(home) as history:
        if target:
            await _check_known(history, target)
        found = await history.stories(target=target, since=_instant(since, zone), limit=limit)
    if json:
        print(STORIES.dump_json(list(found), indent=2).decode())
    elif found:
        console().print(_table(found, zone))
    else:
        console().print("The audit journal tells of nothing like that." if since else "The audit journal is empty.")
    return 0


async def shown(home: Path | None, what: str, *, json: bool) -> int:
    zone = zone_of(settings_for(home).zone)
    async with history_of(home) as history:
        await _check_known(history, what)
        found = await history.stories(target=what)
    if json:
        print(STORIES.dump_json(list(found), indent=2).decode())
    else:
        console().print(*(_told(one, zone) for one in found))
    return 0


async def _check_known(history: History, target: str) -> None:
    if not target.strip():
        raise UserError("Say which preview, key or task is meant.")
    if not await history.stories(target=target, limit=1):
        raise UserError(f"The audit journal knows no preview, key or task {target}.")


async def verified(home: Path | None, noted: str | None, *, json: bool) -> int:
    async with history_of(home) as history:
        found = await history.verify(noted)
    if json:
        print(found.model_dump_json(indent=2))
    else:
        console().print(*_verdict(found), sep="\n", soft_wrap=True)
    return BROKEN if found.wrong else 0


def _verdict(found: Verification) -> Sequence[Text]:
    if found.wrong:
        return (Text(found.wrong, style="bold red"),)
    forgotten = f", {found.forgotten} of them forgotten" if found.forgotten else ""
    return (
        Text(f"The journal is whole: {found.count} {'entry' if found.count == 1 else 'entries'}{forgotten}."),
        Text(f"Head: {found.head}"),
    )


def _instant(words: str, zone: ZoneInfo) -> datetime | None:
    if not words.strip():
        return None
    times = read_times(words, now=datetime.now(UTC).astimezone(zone), zone=zone, prefer="past")
    if len(times) != 1 or times[0].spec.start is None:
        raise UserError(f"“{words}” is no time that I understand; say 2026-11-18, yesterday, or Monday 8:00.")
    return times[0].spec.start


def _table(found: Sequence[Story], zone: ZoneInfo) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("when", "what", "level", "approval", "result", "preview or permit"):
        table.add_column(heading, no_wrap=heading in ("when", "level"), overflow="fold")
    for one in found:
        result = Text(one.result, style=COLOURS.get(one.result, ""))
        cells = (safe(on_one_line(text)) for text in (one.says, one.level, one.approved or "none"))
        table.add_row(_when(one.at, zone), *cells, result, one.permit)
    return table


def _told(one: Story, zone: ZoneInfo) -> Group:
    lines = Table.grid(padding=(0, 2))
    lines.add_column(no_wrap=True)
    lines.add_column(overflow="fold")
    for line in one.lines:
        lines.add_row(Text(_when(line.at, zone), style="dim"), _line(line))
    head = Text.assemble(safe(on_one_line(one.says), "bold"), f" · {one.result or 'forgotten'} · {one.permit}")
    return Group(head, lines, Text(""))


def _line(line: Line) -> Text:
    return safe(on_one_line(line.text))


def _when(at: datetime, zone: ZoneInfo) -> str:
    return moment_words(at, zone=zone, today=datetime.now(UTC).astimezone(zone).date())
