"""What a turn with the offline reasoner costs: `python tests/benchmarks/turns.py [--sample] [--mails N …] [--rounds 15]
[--keep FOLDER]`.

Prints, for each account and kind of turn, the median and the longest wall time and the median CPU time of all threads in
milliseconds, then how long `assistant --help` takes in a process of its own. A busy machine makes wall times much longer, CPU
times a little.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from mailbox_of import OWNER, make_mailbox

from assistant import LocalAccount, open_assistant
from assistant.facade import Assistant

TURNS = (
    "what's on my calendar tomorrow?",
    "am I free Thursday at 3?",
    "find available 30-minute slots next Tuesday",
    "find emails from Anna about budget last week",
    "how many unread mails do I have?",
    "read the last mail from Anna",
    "summarise my unread mail",
    "what needs my attention?",
    "who haven't I answered?",
    "when is my next meeting with Tom?",
    "what is Tom's phone number?",
    "flag the last mail from Anna",
    "send a mail to zoe@example.org saying I'll be ten minutes late",
    'make the subject "Late again"',
    "approve",
)
"""Played in this order in each conversation; the last ones go on with what the one before showed."""


class Cost(NamedTuple):
    """Milliseconds."""

    wall: float
    cpu: float


@contextmanager
def _costs(into: list[Cost]) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    into.append(Cost(1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)))


def event(number: int, start: datetime) -> str:
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//bench//EN", "BEGIN:VEVENT", f"UID:e{number}", "DTSTAMP:20260101T000000Z",
             f"SUMMARY:Meeting {number}", f"DTSTART:{start:%Y%m%dT%H%M%S}Z",
             f"DTEND:{start + timedelta(minutes=30):%Y%m%dT%H%M%S}Z", "END:VEVENT", "END:VCALENDAR", "")  # fmt: skip
    return "\r\n".join(lines)


def card(number: int) -> str:
    name = ("Tom Novak", "Mei Chen", "Ruth Cohen")[number] if number < 3 else f"Person{number} Surname{number}"
    lines = ("BEGIN:VCARD", "VERSION:3.0", f"UID:c{number}", f"FN:{name}", f"EMAIL:card{number}@harbour.example",
             f"TEL:+49 30 {number:06}", f"ORG:Company {number % 20}", "END:VCARD", "")  # fmt: skip
    return "\r\n".join(lines)


def folders(base: Path, mails: int) -> LocalAccount:
    """Made where they are not there yet."""
    account = LocalAccount(mail=base / "mail", calendars=base / "calendars", contacts=base / "contacts", address=OWNER)
    if not (base / "contacts").exists():
        make_mailbox(base / "mail", mails, now=datetime.now(UTC))
        (base / "calendars" / "work").mkdir(parents=True)
        today = datetime.now(UTC).replace(hour=8, minute=0, second=0, microsecond=0)
        for number in range(300):
            start = today + timedelta(hours=(number % 8), days=number // 8 - 10)
            (base / "calendars" / "work" / f"e{number}.ics").write_text(event(number, start))
        (base / "contacts").mkdir()
        for number in range(300):
            (base / "contacts" / f"c{number}.vcf").write_text(card(number))
    return account


async def measure(home: Path, accounts: Sequence[LocalAccount], rounds: int) -> None:
    opening: list[Cost] = []
    costs: dict[str, list[Cost]] = {text: [] for text in TURNS}
    with _costs(opening):
        opened = open_assistant(home, accounts=accounts, zone="Europe/Berlin")
        a = await opened.__aenter__()
    try:
        with _costs(opening):
            await a.say("first", TURNS[3])
        await _play(a, "warm", {text: [] for text in TURNS})
        for number in range(rounds):
            await _play(a, f"bench {os.getpid()} {number}", costs)
    finally:
        await opened.__aexit__(None, None, None)
    print(f"  opened in {opening[0].wall:.0f} ms, first turn {opening[1].wall / 1000:.2f} s")
    _print(costs)


async def _play(a: Assistant, conversation: str, costs: dict[str, list[Cost]]) -> None:
    for text in TURNS:
        with _costs(costs[text]):
            await a.say(conversation, text)


def _print(costs: dict[str, list[Cost]]) -> None:
    print("   median  longest      CPU   (milliseconds)")
    everything = [one for taken in costs.values() for one in taken]
    for text, taken in (*costs.items(), ("all turns", everything)):
        walls, cpus = [one.wall for one in taken], [one.cpu for one in taken]
        print(f"  {statistics.median(walls):7.1f}  {max(walls):7.1f}  {statistics.median(cpus):7.1f}   {text}")


def help_time() -> float:
    """Seconds."""

    def once() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "assistant", "--help"], capture_output=True, check=True)
        return time.perf_counter() - began

    return statistics.median(once() for _ in range(7))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sample", action="store_true", help="the sample account")
    options.add_argument("--mails", type=int, nargs="+", default=[], help="made mailboxes of these sizes")
    options.add_argument("--rounds", type=int, default=15)
    options.add_argument("--keep", type=Path, help="where mailboxes and their indexes are kept for the next time")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        if given.sample or not given.mails:
            print("sample account")
            asyncio.run(measure(Path(temporary) / "sample", (), given.rounds))
        for mails in given.mails or ([] if given.sample else [10_000]):
            base = (given.keep or Path(temporary)) / str(mails)
            print(f"{mails} mails")
            asyncio.run(measure(base / "home", (folders(base, mails),), given.rounds))
    print(f"assistant --help: {help_time():.2f} s")


if __name__ == "__main__":
    main()
