"""What `assistant schedules …` does."""

import json as jsonlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rich.table import Table
from rich.text import Text

from assistant.bootstrap import open_assistant
from assistant.cli import render
from assistant.cli.commands import FAILED, NEEDS_ANSWER, NEEDS_APPROVAL, called, status_of
from assistant.cli.new_schedule import Given, wanted
from assistant.cli.text import on_one_line, safe
from assistant.facade import Assistant
from assistant.scheduling.commands import understood
from assistant.scheduling.schedules import Delivery, Schedule, Slot
from assistant.timetable.rules import Once
from assistant.timetable.wording import task_in_words

NONE = 'There are no schedules yet. Add one: assistant schedules add "every weekday at 8 summarise my inbox and my day"'
NOTHING_DUE = "Nothing is due."
COLOURS = {"done": "green", "failed": "red", "missed": "yellow", "claimed": "cyan"}
STATES = {"claimed": "runs"}
WORST_FIRST = (FAILED, NEEDS_ANSWER, NEEDS_APPROVAL)
CHAT = "chat"
"""The conversation of the command line."""
ID = 8
"""So many characters of an id are shown."""


# --- adding


async def added(home: Path | None, given: Given, *, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        new = wanted(given, (await a.dispatch.desk()).setting)
        made = await a.schedules.add(
            new.name, new.task, new.rule, conversation=given.conversation, targets=new.targets, zone=new.zone
        )
        zone = _zone(made, a)
    if json:
        print(made.model_dump_json(indent=2))
    else:
        render.console().print(safe(understood(made, zone, _where(given.conversation))), _runs_while(called(home)), sep="\n")
    return 0


def _where(conversation: str) -> str:
    return "in the chat" if conversation == CHAT else f"in the conversation {conversation}"


def _runs_while(command: str) -> Text:
    return Text(f"It runs while `{command} serve` or a chat is open, or when cron calls `{command} schedules due`.", style="yellow")


# --- telling


async def listed(home: Path | None, *, all_: bool, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        found = [(one, last) for one, last in await a.schedules.with_last_runs() if all_ or not one.is_over]
        zones, now = {one.id: _zone(one, a) for one, _ in found}, a.clock()
    if json:
        _print([{**one.model_dump(mode="json"), "last": last and last.model_dump(mode="json")} for one, last in found])
    elif not found:
        print(NONE)
    else:
        render.console().print(_table(found, zones, now))
    return 0


def _table(found: Sequence[tuple[Schedule, Slot | None]], zones: dict[str, ZoneInfo], now: datetime) -> Table:
    shown = _columns("id", "what", "when", "last")
    for one, last in found:
        zone = zones[one.id]
        what = Text("\n").join((safe(one.name, "bold"), *_what(one)))
        when = Text("\n").join((safe(one.words), *_next(one, zone, now)))
        ran = Text("\n").join((_state(last), safe(_day(last.due, zone, now), "dim"))) if last else Text("never", style="dim")
        shown.add_row(one.id[:ID], what, when, ran)
    return shown


def _columns(*headings: str) -> Table:
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in headings:
        shown.add_column(heading, overflow="fold", no_wrap=heading == "id")
    return shown


def _what(schedule: Schedule) -> Iterable[Text]:
    """What its name doesn't say."""
    if (task := task_in_words(schedule.task)).casefold() != schedule.name.casefold():
        yield safe(task, "dim")
    if schedule.targets:
        yield safe(f"to {', '.join(schedule.targets)}", "dim")


def _next(schedule: Schedule, zone: ZoneInfo, now: datetime) -> Iterable[Text]:
    """What its rule doesn't say."""
    if schedule.paused:
        yield Text("paused", style="yellow")
    elif schedule.next is None:
        yield Text("over", style="dim")
    elif not isinstance(schedule.rule, Once):
        yield safe(f"next {_day(schedule.next, zone, now)}", "dim")


def _state(slot: Slot) -> Text:
    return Text(STATES.get(slot.status, slot.status), style=COLOURS.get(slot.status, ""))


async def told(home: Path | None, which: str, limit: int, *, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        schedule = await _found(a, which)
        slots, zone, now = await a.schedules.history(schedule.id, limit), _zone(schedule, a), a.clock()
    if json:
        _print([slot.model_dump(mode="json") for slot in slots])
    elif not slots:
        print(f"{on_one_line(schedule.name)} has not run yet.")
    else:
        shown = _columns("due", "state", "what came of it")
        for slot in slots:
            shown.add_row(_day(slot.due, zone, now), _state(slot), Text("\n").join(_came(slot)))
        render.console().print(shown)
    return 0


def _came(slot: Slot) -> Iterable[Text]:
    if slot.stands_for:
        yield safe(f"for {slot.stands_for} missed before it too", "dim")
    yield safe(slot.result)
    yield from (_delivered(one) for one in slot.deliveries)


def _delivered(one: Delivery) -> Text:
    words = {"done": "delivered to", "pending": "still to be delivered to", "failed": "not delivered to"}
    said = f"{words.get(one.status, 'perhaps delivered to')} {one.target}"
    return safe(f"{said}: {one.error}" if one.error else said, "dim" if one.status == "done" else "yellow")


def _day(at: datetime, zone: ZoneInfo, now: datetime) -> str:
    local = at.astimezone(zone)
    year = f" {local.year}" if local.year != now.astimezone(zone).year else ""
    return f"{local:%a} {local.day} {local:%b}{year}, {local:%H:%M}"


# --- managing


async def paused(home: Path | None, which: str, *, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        one = await a.schedules.pause((await _found(a, which)).id)
    return _changed(one, f"Paused {on_one_line(one.name)}.", json=json)


async def resumed(home: Path | None, which: str, *, json: bool) -> int:
    async with open_assistant(home, recover=False) as a:
        one = await a.schedules.resume((await _found(a, which)).id)
        then = f"next {_day(one.next, _zone(one, a), a.clock())}" if one.next else "but it is over"
    return _changed(one, f"{on_one_line(one.name)} goes on, {then}.", json=json)


def _changed(one: Schedule, words: str, *, json: bool) -> int:
    print(one.model_dump_json(indent=2) if json else words)
    return 0


async def removed(home: Path | None, which: str) -> int:
    async with open_assistant(home, recover=False) as a:
        one = await _found(a, which)
        await a.schedules.remove(one.id)
    print(f"Removed {on_one_line(one.name)} ({one.words}).")
    return 0


async def _found(a: Assistant, which: str) -> Schedule:
    """By the beginning of its id, where only one begins so, else by words."""
    begins = [one for one in await a.schedules.list() if len(which) >= ID // 2 and one.id.startswith(which)]
    return begins[0] if len(begins) == 1 else await a.schedules.find(which)


# --- running


async def ran(home: Path | None, which: str, *, json: bool) -> int:
    async with open_assistant(home) as a:
        slot = await a.schedules.run((await _found(a, which)).id)
        return await _shown([slot], a, home, json=json)


async def ran_due(home: Path | None, *, json: bool) -> int:
    async with open_assistant(home) as a:
        return await _shown(await a.schedules.due(), a, home, json=json)


async def _shown(slots: Sequence[Slot], a: Assistant, home: Path | None, *, json: bool) -> int:
    """Each with what it said. The exit status is that of the worst."""
    out, statuses, found = render.console(), set[int](), list[dict[str, Any]]()
    for slot in slots:
        turn = await a.flow(slot.flow) if slot.flow else None
        statuses |= {FAILED if slot.status == "failed" else 0, status_of(turn) if turn else 0}
        if json:
            found.append({**slot.model_dump(mode="json"), "turn": turn and turn.model_dump(mode="json")})
            continue
        out.print(render.turn(turn, a.clock(), command=called(home)) if turn else safe(slot.result, "red"))
        out.print(*(_delivered(one) for one in slot.deliveries), sep="\n", end="\n" if slot.deliveries else "")
    if json:
        _print(found)
    elif not slots and out.is_terminal:  # cron mails whatever is printed
        print(NOTHING_DUE)
    return next((status for status in WORST_FIRST if status in statuses), 0)


def _zone(schedule: Schedule, a: Assistant) -> ZoneInfo:
    return ZoneInfo(schedule.zone) if schedule.zone else a.schedules.claiming.zone


def _print(value: object) -> None:
    print(jsonlib.dumps(value, indent=2))
