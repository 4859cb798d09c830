"""Schedules in words, by code alone: briefings, reminders, requests that recur, and what is wanted of those that there are."""

import re
from functools import lru_cache
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.values import CreateSchedule, OwnCommand
from integrations.types import Value

__all__ = ["ScheduleRead", "change_of_it", "read_schedule", "schedule_command", "scheduled_task"]

HINT = re.compile(
    r"remind|brief|\bevery\b|\beach\b|daily|weekly|monthly|yearly|hourly|days\b|schedules|summar|digest|recap|sum up|rundown"
    r"|overview|\bmy (?:week|day|inbox|agenda)\b|nudge|ping me|alert me|forget"
    r"|(?:day|morning|evening)s?\b[\w. ]*:",
    re.IGNORECASE,
)
"""What every such message has in it: most messages need not be looked at any closer."""
LONGEST = 1000


class ScheduleRead(Value):
    """What a message wants of schedules: a command, else what must be asked (`asks`, whose answer completes the message), else why
    it can't be (`says`)."""

    command: OwnCommand | None = None
    asks: str = ""
    says: str = ""


def schedule_command(text: str, setting: Setting) -> OwnCommand | None:
    found = read_schedule(text, setting)
    return found.command if found is not None else None


def read_schedule(text: str, setting: Setting) -> ScheduleRead | None:
    """None where the message as a whole is nothing about schedules."""
    found = _read(text, setting) if len(text) <= LONGEST and HINT.search(text) else None
    if found is None or (found.command is not None and not isinstance(found.command, CreateSchedule)):
        return found
    wrong = _impossible(text, setting)
    return ScheduleRead(says=wrong) if wrong else found


@lru_cache(maxsize=64)
def _read(text: str, setting: Setting) -> ScheduleRead | None:
    from assistant.reasoning.offline.planning.scheduling.briefings import briefing
    from assistant.reasoning.offline.planning.scheduling.changing import change, unchanged
    from assistant.reasoning.offline.planning.scheduling.managing import managing
    from assistant.reasoning.offline.planning.scheduling.reminders import reminder
    from assistant.reasoning.offline.planning.scheduling.requests import recurring_request
    from assistant.reasoning.offline.planning.scheduling.rules import BadRule
    from assistant.reasoning.offline.planning.scheduling.times import spelt_out, started
    from assistant.reasoning.offline.planning.scheduling.words import plain

    said = started(spelt_out(plain(text)), setting)
    try:
        if (changed := change(said, text, setting)) is not None and changed.words:
            return ScheduleRead(command=changed)
        if (managed := managing(said)) is not None:
            return ScheduleRead(command=managed)
        if said_why := unchanged(said):
            return ScheduleRead(says=said_why)
        if (reminded := reminder(said, setting)) is not None:
            return ScheduleRead(command=reminded.command, asks=reminded.asks)
        command = briefing(said, setting) or recurring_request(said, setting)
    except BadRule as bad:
        return ScheduleRead(says=str(bad))
    return ScheduleRead(command=command) if command is not None else None


def change_of_it(text: str, setting: Setting) -> ScheduleRead | None:
    """What "make it 9 instead" and "also send it by mail" want, where a schedule was spoken of just before."""
    from assistant.reasoning.offline.planning.scheduling.changing import change
    from assistant.reasoning.offline.planning.scheduling.rules import BadRule
    from assistant.reasoning.offline.planning.scheduling.words import plain

    try:
        changed = change(plain(text), text, setting) if len(text) <= LONGEST else None
    except BadRule as bad:
        return ScheduleRead(says=str(bad))
    return ScheduleRead(command=changed) if changed is not None and not changed.words else None


def _impossible(text: str, setting: Setting) -> str:
    from assistant.reasoning.offline.reading.text.nonexistent import no_such_time

    wrong = no_such_time(text, setting)
    return f"{wrong} Tell me which one you mean." if wrong else ""


def scheduled_task(
    kind: Literal["reminder", "request", "briefing"], when: str, what: str, setting: Setting
) -> CreateSchedule | None:
    """A schedule of which is known what is its time and what its task; None where these words name no time, or more than one."""
    from assistant.reasoning.offline.planning.scheduling.given import given

    return given(kind, when, what, setting)
