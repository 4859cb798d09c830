"""Meetings for several people with busy times (Natural Plan, calendar scheduling): is the golden slot the first one offered?

Run: python tests/benchmarks/natural_plan.py [--misses] [FILE]

Each task is asked twice: with everybody's schedule in a calendar of their own and one sentence that says who, how long and when
(`calendars`), and with the schedules told in the message as the task has it (`told`). A task with several solutions counts as
right only where the first slot offered is the golden one; `offered` counts those where the golden one is among them.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.values import Partial, Slot, Success

DATA = Path(__file__).parents[3] / "shared" / "data" / "natural_plan_dev.json"
NOW = datetime(2026, 11, 22, 10, tzinfo=UTC)
"""A Sunday: the days named are those of the week that follows."""
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
PLAN = re.compile(
    r"meeting for (?P<who>.+?) for (?P<long>half an hour|one hour) between .*? (?P<first>\d+:\d+) to (?P<last>\d+:\d+) "
    r"on (?P<days>.+?)\. ?$",
    re.MULTILINE,
)
SCHEDULE = re.compile(
    r"^(?P<who>\w+?) ?(?:has |is |have )[a-z ]*?(?:on )?(?P<times>(?:Mon|Tues|Wednes|Thurs|Fri)day during .*)$", re.MULTILINE
)
Task = dict[str, Any]


def at(day: str, clock: str) -> datetime:
    hour, minute = (int(number) for number in clock.split(":"))
    return (NOW + timedelta(DAYS.index(day) + 1)).replace(hour=hour, minute=minute)


def busy_times(text: str) -> list[tuple[datetime, datetime]]:
    found = []
    for day, hours in re.findall(r"(\w+day) during ([\d:to, ]+)", text):
        found += [(at(day, start), at(day, stop)) for start, stop in re.findall(r"(\d+:\d+) to (\d+:\d+)", hours)]
    return found


def lay_out(task: Task, folder: Path) -> LocalAccount:
    """One calendar and one card for each person who is to come."""
    people = PLAN.search(task["task"])
    assert people
    schedules = {found["who"]: busy_times(found["times"]) for found in SCHEDULE.finditer(task["task"])}
    cards = folder / "contacts"
    cards.mkdir(parents=True)
    for name in re.split(r", | and ", people["who"]):
        card = f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{name}\r\nFN:{name}\r\nEMAIL:{name.lower()}@plan.example\r\nEND:VCARD\r\n"
        (cards / f"{name}.vcf").write_text(card)
        place = folder / "calendars" / name
        place.mkdir(parents=True)
        for number, (start, stop) in enumerate(schedules.get(name, [])):
            (place / f"{number}.ics").write_text(event(f"{name}-{number}", start, stop))
    return LocalAccount(calendars=folder / "calendars", contacts=cards, address="me@plan.example")


def event(uid: str, start: datetime, stop: datetime) -> str:
    lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//plan//EN", "BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20261101T000000Z",
        f"DTSTART:{start:%Y%m%dT%H%M%SZ}", f"DTEND:{stop:%Y%m%dT%H%M%SZ}", "SUMMARY:Busy", "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    return "\r\n".join(lines)


def sentence(task: Task) -> str:
    """Who, how long, when; and what the task says that people don't want, in words of an assistant's user."""
    plan = PLAN.search(task["task"])
    assert plan
    days = plan["days"].removeprefix("either ")
    asked = f"Find {plan['long']} for {plan['who']} on {days} between {plan['first']} and {plan['last']}"
    return asked + "".join(f", not {when}" for when in unwanted(task["task"]))


def unwanted(text: str) -> list[str]:
    told = re.search(r"(?:not want to meet|rather not meet|can not meet|avoid more meetings) (on .*)", text)
    parts = re.split(r"\. ?", told[1]) if told else []
    found = []
    for part in parts:
        when = re.search(r"(?:on )?((?:Mon|Tues|Wednes|Thurs|Fri)day(?: (?:after|before) \d+:\d+)?)$", part)
        found += [f"on {when[1]}"] if when else []
    return found


def golden(task: Task) -> tuple[datetime, datetime]:
    plan = task["golden"]
    midnight = at(plan["day"], "0:00")
    return midnight + timedelta(minutes=plan["start"]), midnight + timedelta(minutes=plan["end"])


async def offered(text: str, account: LocalAccount, home: Path) -> tuple[list[Slot], str]:
    async with open_assistant(home, clock=lambda: NOW, zone="UTC", accounts=[account]) as assistant:
        turn = await assistant.say("plan", text)
        data = [report.data for report in turn.reports.values() if isinstance(report, Success | Partial)]
        return [slot for one in data if one for slot in one.slots], turn.reply


async def run(tasks: list[Task], *, told: bool, misses: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for task in tasks:
        with tempfile.TemporaryDirectory() as folder:
            account = lay_out(task, Path(folder) / "account")
            if told:
                for path in (Path(folder) / "account" / "calendars").glob("*/*.ics"):
                    path.unlink()
            text = task["task"] if told else sentence(task)
            slots, said = await offered(text, account, Path(folder) / "home")
        want = golden(task)
        found = [(slot.start.astimezone(UTC), slot.end.astimezone(UTC)) for slot in slots]
        counts["right"] += found[:1] == [want]
        counts["offered"] += want in found
        if misses and found[:1] != [want]:
            print(f"{task['id']}: {sentence(task)}\n    wants {want[0]:%a %H:%M}-{want[1]:%H:%M}, {said[:300]!r}")
    return counts


def main(arguments: list[str]) -> int:
    paths = [Path(word) for word in arguments if not word.startswith("-")]
    path = paths[0] if paths else DATA
    if not path.exists():
        print(f"{path} is not there: nothing to run")
        return 1
    tasks = json.loads(path.read_text())["few_shot"]
    for name, told in (("calendars", False), ("told", True)):
        counts = asyncio.run(run(tasks, told=told, misses="--misses" in arguments))
        print(f"{name}: {counts['right']} of {len(tasks)} right, the golden slot offered in {counts['offered']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
