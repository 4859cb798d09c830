"""A schedule whose time and task are told apart already."""

import re
from typing import Literal

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.scheduling.briefings import name_of, named_parts
from assistant.reasoning.offline.planning.scheduling.rules import BadRule
from assistant.reasoning.offline.planning.scheduling.times import MORNING, NeedsTime, in_zone, rule_of, spelt_out, started, times_in
from assistant.reasoning.offline.planning.scheduling.words import capitalised, short, tidy
from assistant.timetable.rules import Ask, GiveBriefing, Once, Remind, Task
from assistant.values import CreateSchedule


def given(kind: Literal["reminder", "request", "briefing"], when: str, what: str, setting: Setting) -> CreateSchedule | None:
    words = capitalised(re.sub("^to ", "", tidy(what)))
    said, there, zone = in_zone(started(spelt_out(when), setting), setting)
    found = times_in(said, there)
    if len(found) != 1 or (not words and kind != "briefing"):
        return None
    try:
        rule = rule_of(found[0], said, there, setting.day_starts if kind == "reminder" else MORNING, early=kind == "briefing")
    except (NeedsTime, BadRule):
        return None
    if isinstance(rule, Once) and kind == "request":
        return None  # what is asked for now at a time to come is a mail to be sent later, or an event
    task: Task = Ask(text=words)
    name = short(words)
    if kind == "reminder":
        task, name = Remind(text=words), f"Reminder: {short(tidy(what), 50)}"
    if kind == "briefing":
        parts = named_parts(what)
        task, name = GiveBriefing(parts=parts), name_of(parts, rule)
    return CreateSchedule(name=name, task=task, rule=rule, zone=zone)
