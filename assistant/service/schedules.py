"""Schedules as the API shows them, and what is checked of new ones before anything else looks at them."""

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from textwrap import shorten
from zoneinfo import ZoneInfo

from assistant.errors import UserError
from assistant.facade import Assistant
from assistant.intake import CONTROL, FIRST_YEAR, LAST_YEAR
from assistant.scheduling.schedules import LONGEST_TASK
from assistant.scheduling.values import Schedule, Slot
from assistant.timetable import slots
from assistant.timetable.rules import Calendar, Cron, GiveBriefing, Once, Rule, Task
from assistant.timetable.wording import in_words, task_in_words
from assistant.values import CreateSchedule
from integrations.types import Value

LONGEST_RULE = 500
"""Characters."""
SHOWN = 3
"""Due times that are told before a schedule is added."""
LONGEST_NAME = 60


class ScheduleView(Schedule):
    """`does` is its task in words, `words` its rule; `last` its last run, null where there was none."""

    does: str
    last: Slot | None


class Understood(Value):
    """What would be added: `does` is the task in words, `words` the rule; `next` are the first times; `trouble` is a sentence
    why it could not be added so, else empty."""

    name: str
    task: Task
    rule: Rule
    does: str
    words: str
    targets: tuple[str, ...]
    zone: str
    next: tuple[datetime, ...]
    trouble: str


def view_of(schedule: Schedule, last: Slot | None) -> ScheduleView:
    return ScheduleView(**dict(schedule), does=task_in_words(schedule.task), last=last)


async def understood(assistant: Assistant, command: CreateSchedule, now: datetime) -> Understood:
    zone = zone_of(command.zone) if command.zone else assistant.dispatch.history.zone
    trouble = slots.check(command.rule) or await _no_target(assistant, command.targets)
    coming = () if trouble else tuple(islice(_from(command.rule, zone, now), SHOWN))
    return Understood(
        **command.model_dump(include={"name", "targets", "zone"}),
        task=command.task,
        rule=command.rule,
        does=task_in_words(command.task),
        words="" if slots.check(command.rule) else in_words(command.rule, command.zone, now.astimezone(zone).date()),
        next=coming,
        trouble=trouble or ("" if coming else "That time is over."),
    )


def _from(rule: Rule, zone: ZoneInfo, now: datetime) -> Iterator[datetime]:
    after = now
    while (due := slots.next_due(rule, zone, after)) is not None:
        yield due.at.astimezone(zone)
        after = due.at


async def check_targets(assistant: Assistant, targets: Sequence[str]) -> None:
    """Raises UserError where one is not there."""
    if trouble := await _no_target(assistant, targets):
        raise UserError(trouble)


async def _no_target(assistant: Assistant, targets: Sequence[str]) -> str:
    known = {one.name.casefold() for one in await assistant.targets.list()} | {"mail"}
    missing = [one for one in targets if one.casefold() not in known]
    return f"There is no target called {missing[0]}; add it first, or use mail." if missing else ""


def zone_of(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:
        raise UserError(f"There is no time zone called {name}; say it as in Europe/Berlin.") from error


def name_of(task: Task) -> str:
    if isinstance(task, GiveBriefing):
        return task_in_words(task).capitalize()
    return shorten(task.text, LONGEST_NAME, placeholder=" …")


def id_of(user: str, key: str, wanted: Value) -> str:
    """The same for a request that is sent again."""
    return hashlib.sha256(f"{user}\0{key}\0{wanted.model_dump_json()}".encode("utf-8", "surrogatepass")).hexdigest()[:24]


def check_texts(task: Task) -> Task:
    """Raises ValueError."""
    if isinstance(task, GiveBriefing):
        if not task.parts:
            raise ValueError("name at least one part of the briefing")
    elif not task.text.strip() or len(task.text) > LONGEST_TASK or CONTROL.search(task.text):
        raise ValueError(f"give a text of 1 to {LONGEST_TASK} characters")
    return task


def check_rule(rule: Rule) -> Rule:
    """Raises ValueError."""
    match rule:
        case Cron(expression=text) | Calendar(rrule=text) if len(text) > LONGEST_RULE:
            raise ValueError(f"give a rule of {LONGEST_RULE} characters at the most")
        case Calendar(start=time) | Once(at=time) if not FIRST_YEAR <= time.year <= LAST_YEAR:
            raise ValueError(f"give a time between the years {FIRST_YEAR} and {LAST_YEAR}")
    return rule
