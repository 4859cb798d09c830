"""What `assistant schedules add` is given, made into the schedule that is wanted."""

from contextlib import suppress
from datetime import date, datetime, time
from typing import NamedTuple

from assistant.cli.briefing import PARTS
from assistant.errors import UserError
from assistant.intake import checked_text
from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.scheduling import read_schedule
from assistant.timetable.rules import Ask, Calendar, Cron, GiveBriefing, Once, Remind, Rule, Task
from assistant.values import CreateSchedule

UNREAD = (
    "This can't be read as something to be done later. Say it like "
    '"every weekday at 8 summarise my inbox and my day", or see: assistant schedules add --help'
)


class Given(NamedTuple):
    """In words, or by options; those that were not given are empty."""

    words: str
    cron: str
    rrule: str
    at: str
    briefing: str
    remind: str
    ask: str
    name: str
    to: tuple[str, ...]
    zone: str
    conversation: str


def wanted(given: Given, setting: Setting) -> CreateSchedule:
    """Raises UserError."""
    options = any((given.cron, given.rrule, given.at, given.briefing, given.remind, given.ask))
    if bool(given.words.strip()) == options:
        raise UserError("Say it all in words, or give when (--cron, --rrule, --at) and what (--briefing, --remind, --ask).")
    if options:
        task = _task(given)
        return CreateSchedule(name=given.name, task=task, rule=_rule(given, setting.day_starts), targets=given.to, zone=given.zone)
    read = _read(given.words, setting)
    return read.model_copy(
        update={"name": given.name or read.name, "targets": (*read.targets, *given.to), "zone": given.zone or read.zone}
    )


def _read(words: str, setting: Setting) -> CreateSchedule:
    found = read_schedule(words, setting)
    if found and isinstance(found.command, CreateSchedule):
        return found.command
    raise UserError((found and (found.says or found.asks)) or UNREAD)


def _rule(given: Given, day_starts: time) -> Rule:
    if bool(given.cron) + bool(given.rrule or given.at) != 1:
        raise UserError("Say when, by one of --cron and --at; --rrule goes with the --at from which it counts.")
    if given.cron:
        return Cron(expression=given.cron)
    if not given.at:
        raise UserError("Give the first time with --at; an --rrule counts from it.")
    at = _at(given.at, day_starts)
    return Calendar(rrule=given.rrule.removeprefix("RRULE:"), start=at) if given.rrule else Once(at=at)


def _at(text: str, day_starts: time) -> datetime:
    """A day without an hour means when days start."""
    with suppress(ValueError):
        return datetime.combine(date.fromisoformat(text.strip()), day_starts)
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError as wrong:
        raise UserError('Give the time like "2026-11-27 09:00".') from wrong
    if at.tzinfo is not None:
        raise UserError("Give the time as the clock on the wall shows it, and another zone with --zone.")
    return at


def _task(given: Given) -> Task:
    if sum(map(bool, (given.briefing, given.remind, given.ask))) != 1:
        raise UserError("Say what to do, by one of --briefing, --remind and --ask.")
    if given.remind:
        return Remind(text=checked_text(given.remind, "reminder"))
    if given.ask:
        return Ask(text=checked_text(given.ask, "request"))
    names = [name.strip().lower() for name in given.briefing.split(",") if name.strip()]
    if not names or not set(names) <= PARTS.keys():
        raise UserError(f"A briefing is on one or several of {', '.join(PARTS)}.")
    return GiveBriefing(parts=tuple(dict.fromkeys(part for name in names for part in PARTS[name])))
