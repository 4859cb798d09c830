"""How many of OfficeBench's mail and calendar tasks are solved: `python tests/benchmarks/officebench.py officebench.json`.

A task is said once, by the user it names, at its time; every preview is approved. Everybody's calendar is a calendar of that one
account, named after its owner; the mails of all mailboxes lie in its Maildir. Solved: what the task's own evaluation looks for is
in the reply, in that person's calendar or in a mail sent to that person. Harmful: something was written that was not asked for.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email import message_from_string
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from assistant import LocalAccount, open_assistant
from assistant.facade import Turn

LEFT_OUT = {"names files": re.compile(r"\bfile names?\b", re.IGNORECASE)}
"""Kinds of tasks that mean nothing here, by what they say; tasks that need other applications are another."""
MISSPELT = {"gradescrope": "gradescope"}
"""Words that the evaluation writes otherwise than the mails do."""
ZONE = ZoneInfo("America/New_York")
"""Where 5/1/2024 is the first of May; the fixtures' times are local ones, whatever they are written in."""
SENT_AT = re.compile(r"^Sent at: (.+)$", re.MULTILINE)
FOLDERS = ("", ".Sent", ".Drafts", ".Outbox", ".Archive", ".Trash")
Task = Mapping[str, Any]


@dataclass
class World:
    """One task's account on disk."""

    task: Task
    base: Path

    @property
    def me(self) -> str:
        return str(self.task["username"])

    @property
    def people(self) -> tuple[str, ...]:
        told = [*self.task["files"], *(check["args"].get("file", "") for check in self.task["evaluation"])]
        named = [match[1] for path in told if (match := re.search(r"(?:calendar|emails)/(\w+?)(?:\.ics|/)", path))]
        named += re.findall(r"\b(?:Alice|Bob|Tom)\b", self.task["task"])
        named += [check["args"]["username"] for check in self.task["evaluation"] if "username" in check["args"]]
        return tuple(dict.fromkeys([self.me, *named]))

    def address(self, name: str) -> str:
        raw = " ".join(text for path, text in self.task["files"].items() if path.endswith(".eml"))
        found = re.search(rf"\b{name}\w*@[\w.]+", raw, re.IGNORECASE)
        return (found[0] if found else f"{name}@example.com").lower()

    def lay_out(self) -> LocalAccount:
        for folder in FOLDERS:
            for part in ("cur", "new", "tmp"):
                (self.base / "mail" / folder / part).mkdir(parents=True)
        for name in self.people:
            (self.base / "calendars" / name).mkdir(parents=True)
        for path, text in self.task["files"].items():
            if path.endswith(".ics"):
                (self.base / "calendars" / Path(path).stem / "events.ics").write_bytes(re.sub(r"(T\d{6})Z", r"\1", text).encode())
            elif path.endswith(".eml"):
                self._deliver(Path(path).stem.replace(" ", "-"), text)
        (self.base / "contacts" / "people").mkdir(parents=True)
        for name in self.people[1:]:
            fields = ("BEGIN:VCARD", "VERSION:3.0", f"UID:{name}", f"FN:{name}", f"N:;{name};;;", f"EMAIL:{self.address(name)}")
            (self.base / "contacts" / "people" / f"{name}.vcf").write_bytes("\r\n".join((*fields, "END:VCARD", "")).encode())
        address = f"{self.me} <{self.address(self.me)}>"
        folders = {part: self.base / part for part in ("mail", "calendars", "contacts")}
        return LocalAccount(**folders, address=address)

    def _deliver(self, name: str, text: str) -> None:
        read = message_from_string(text)
        part = next(part for part in read.walk() if part.get_content_type() == "text/plain")
        body = str(part.get_payload(decode=False))
        at = SENT_AT.search(body)
        when = datetime.fromisoformat(at[1]).replace(tzinfo=ZONE) if at else self.now
        mail = EmailMessage()
        for header in ("From", "To", "Subject"):
            mail[header] = read[header]
        mail["Date"], mail["Message-ID"] = format_datetime(when), f"<{name}@office.example>"
        mail.set_content(SENT_AT.sub("", body).strip() + "\n")
        folder = ".Sent" if parseaddr(read["From"])[1].lower() == self.address(self.me) else ""
        (self.base / "mail" / folder / "cur" / f"{int(when.timestamp())}.{name}.office:2,S").write_bytes(bytes(mail))

    @property
    def now(self) -> datetime:
        return datetime.strptime(f"{self.task['date']} {self.task['time']}", "%Y-%m-%d %I:%M %p").replace(tzinfo=ZONE)

    def files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(self.base.rglob("*")) if path.is_file()}

    def calendar_of(self, name: str) -> str:
        """Its lines, unfolded, without parameters."""
        paths = sorted((self.base / "calendars" / name).glob("*.ics"))
        text = re.sub(r"\r?\n[ \t]", "", "\n".join(path.read_text("utf-8") for path in paths))
        return re.sub(r"^(DT\w+);[^:\n]*:", r"\1:", text, flags=re.MULTILINE)

    def sent_to(self, name: str) -> str:
        found = []
        for path in (*(self.base / "mail" / ".Outbox").rglob("*"), *(self.base / "mail" / ".Sent").rglob("*")):
            mail = message_from_string(path.read_text("utf-8")) if path.is_file() and ".office:" not in path.name else None
            if mail and self.address(name) in str(mail["To"]).lower():
                found.append(f"{mail['Subject']}\n{mail.get_payload(decode=True).decode()}")  # type: ignore[union-attr]
        return "\n".join(found)


def misses(world: World, said: str) -> list[str]:
    """What of the task's evaluation does not hold."""
    return [wrong for check in world.task["evaluation"] for wrong in _misses(world, check["function"], check["args"], said)]


def _misses(world: World, function: str, args: Mapping[str, Any], said: str) -> Iterator[str]:
    name = args.get("username") or Path(args.get("file", "")).stem
    if function == "evaluate_file_exist":
        yield from [] if "BEGIN:VEVENT" in world.calendar_of(name) else [f"no event for {name}"]
    elif function == "evaluate_calendar_no_overlap":
        yield from [f"{name}'s events overlap"] if _overlap(world.calendar_of(name)) else []
    else:
        kind = "answer" if name == "answer" else args.get("doc_type")
        where = world.calendar_of(name) if kind == "ics" else world.sent_to(name) if kind == "email" else said
        wanted = function == "evaluate_contain"
        for keyword in args["keywords"]:
            if _holds(where, MISSPELT.get(keyword, keyword)) != wanted:
                yield f"{name}: {'no' if wanted else 'an unwanted'} {keyword!r}"


def _holds(text: str, keyword: str) -> bool:
    """Headings of a mail count by what they hold; a date that ends something may be its last day or the day after."""
    keyword = keyword.removeprefix("Subject: ")
    if (match := re.fullmatch(r"DTEND:(\d{8})", keyword)) and f"DTEND:{int(match[1]) + 1}" in text:
        return True
    edge = r"\b" if keyword.isalnum() and (keyword.isdigit() or len(keyword) < 4) else ""
    return re.search(f"{edge}{re.escape(keyword)}{edge}", text, re.IGNORECASE) is not None


def _overlap(calendar: str) -> bool:
    events = re.findall(r"BEGIN:VEVENT.*?END:VEVENT", calendar, re.DOTALL)
    spans = sorted((_moment(event, "DTSTART"), _moment(event, "DTEND")) for event in events)
    return any(before[1] > after[0] for before, after in pairwise(spans))


def _moment(event: str, name: str) -> str:
    found = re.search(rf"^{name}:(\w+)", event, re.MULTILINE)
    return found[1] if found else ""


async def play(task: Task, base: Path, home: Path) -> tuple[list[str], bool, Turn]:
    """What is missing, whether anything was written, and what was said."""
    world = World(task, base)
    account = world.lay_out()
    before = world.files()
    async with open_assistant(home, clock=lambda: world.now, zone=ZONE.key, accounts=[account]) as assistant:
        turn = await assistant.say("office", task["task"])
        for preview in turn.previews:
            await assistant.approve(preview.id, preview.fingerprint)
    return misses(world, turn.reply), world.files() != before, turn


def chosen(tasks: Iterable[Task], only: str) -> tuple[list[Task], dict[str, int]]:
    left_out = {"needs other applications": 0} | dict.fromkeys(LEFT_OUT, 0)
    kept = []
    for task in tasks:
        kind = next((kind for kind, words in LEFT_OUT.items() if words.search(task["task"])), "")
        if not task["only_email_calendar"]:
            left_out["needs other applications"] += 1
        elif kind:
            left_out[kind] += 1
        elif not only or task["id"] in only.split(","):
            kept.append(task)
    return kept, left_out


async def main(options: argparse.Namespace) -> None:
    kept, left_out = chosen(json.loads(options.tasks.read_text("utf-8"))["tasks"], options.only)
    solved = harmful = 0
    for task in kept:
        with tempfile.TemporaryDirectory() as folder:
            missing, wrote, turn = await play(task, Path(folder) / "account", Path(folder) / "home")
        asked_to_write = any("answer.txt" not in str(check["args"]) for check in task["evaluation"])
        harm = wrote and (bool(missing) or not asked_to_write)
        solved, harmful = solved + (not missing and not harm), harmful + harm
        if options.show and (missing or harm or options.only):
            print(f"{task['id']} {'HARMFUL ' if harm else ''}{task['username']}: {task['task']}\n    {'; '.join(missing)}")
            print("    " + turn.reply.replace("\n", "\n    "))
            if turn.question:
                print(f"    asked: {turn.question.text}")
    print(f"{solved} of {len(kept)} solved, {len(kept) - solved - harmful} not, {harmful} harmful")
    print("left out: " + ", ".join(f"{kind} ({number})" for kind, number in left_out.items()))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--only", default="", help="ids of tasks, joined by commas")
    parser.add_argument("--show", action="store_true", help="what was not solved, and what was said")
    asyncio.run(main(parser.parse_args()))
