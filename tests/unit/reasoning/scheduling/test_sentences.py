"""What each message of the tables wants of schedules, read by code alone."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.planning.scheduling import ScheduleRead, read_schedule
from assistant.timetable.rules import Ask, Calendar, Cron, GiveBriefing, Remind, Rule, Task
from assistant.values import ChangeSchedule, CreateSchedule, ManageSchedule, ShowBriefing, ShowSchedules

HERE = Path(__file__).parent
BERLIN = ZoneInfo("Europe/Berlin")
NAMES = ("Anna Berg", "Anna Lee", "Tom Fuchs", "David Smith", "Eva Klein", "Sarah Jones")


def table(name: str) -> list[tuple[str, str]]:
    lines = [line for line in (HERE / name).read_text("utf-8").splitlines() if not line.startswith("#")]
    return list(zip(lines[::2], (" ".join(line.split()) for line in lines[1::2]), strict=True))


@pytest.fixture(scope="module")
def setting() -> Setting:
    return Setting(now=datetime(2026, 11, 18, 10, tzinfo=BERLIN), zone=BERLIN, names=frozenset(NAMES))


@pytest.mark.parametrize(("text", "expected"), table("said.txt"))
def test_a_message_comes_to(text: str, expected: str, setting: Setting) -> None:
    assert fits(written(read_schedule(text, setting)), expected)


@pytest.mark.parametrize(("text", "expected"), [*table("held_out.txt"), *table("held_out_again.txt")])
def test_a_message_said_otherwise_comes_to(text: str, expected: str, setting: Setting) -> None:
    assert fits(written(read_schedule(text, setting)), expected)


def fits(got: str, expected: str) -> bool:
    """What is asked or said need only hold the words expected."""
    kind, _, rest = expected.partition(" ")
    assert got.startswith(kind) and rest in got if kind in ("asks", "says") else got == expected, got
    return True


def written(read: ScheduleRead | None) -> str:
    """On one line, in the tables' words."""
    if read is None:
        return "none"
    command = read.command
    if isinstance(command, CreateSchedule):
        parts = [_task(command.task), _rule(command.rule)]
        parts += [f"to {' '.join(command.targets)}"] if command.targets else []
        return " | ".join([*parts, *([f"in {command.zone}"] if command.zone else [])])
    if isinstance(command, ManageSchedule):
        return " ".join([command.act, *(["all"] if command.every else []), *command.words])
    if isinstance(command, ChangeSchedule):
        return _changed(command)
    if isinstance(command, ShowBriefing):
        return f"brief {' '.join(command.parts)}"
    if isinstance(command, ShowSchedules):
        return "show"
    return f"asks {read.asks}" if read.asks else f"says {read.says}"


def _changed(command: ChangeSchedule) -> str:
    said = " and ".join(word for word, said in (("days", command.dated), ("hour", command.timed)) if said)
    parts = [f"{said} of {_rule(command.rule)}"] if command.rule else []
    parts += [f"to {' '.join(command.targets)}"] if command.targets else []
    parts += [f"not to {' '.join(command.without)}"] if command.without else []
    return " | ".join([f"change {' '.join(command.words)}", *parts])


def _task(task: Task) -> str:
    if isinstance(task, GiveBriefing):
        return f"briefing {' '.join(task.parts)}"
    return f"remind {task.text}" if isinstance(task, Remind) else f"ask {task.text}" if isinstance(task, Ask) else "?"


def _rule(rule: Rule) -> str:
    if isinstance(rule, Cron):
        return rule.expression
    if isinstance(rule, Calendar):
        return f"{rule.rrule} from {rule.start:%Y-%m-%d %H:%M}"
    return f"once {rule.at:%Y-%m-%d %H:%M}"
