"""What a turn with the offline reasoner costs: `python tests/benchmarks/turns.py [--mails 10000] [--rounds 15]`.

Prints the median milliseconds of each kind of turn, and of `assistant --help` in a process of its own.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mailbox_of import make_mailbox

from assistant import LocalAccount, open_assistant

TURNS = (
    "what's on my calendar tomorrow?",
    "find emails from Anna about budget last week",
    "am I free Thursday at 3?",
    "how many unread mails do I have?",
    "what needs my attention?",
    "who haven't I answered?",
    "send a mail to zoe@example.org saying I'll be ten minutes late",
)


def event(number: int, start: datetime) -> str:
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//bench//EN", "BEGIN:VEVENT", f"UID:e{number}", "DTSTAMP:20260101T000000Z",
             f"SUMMARY:Meeting {number}", f"DTSTART:{start:%Y%m%dT%H%M%S}Z", f"DTEND:{start + timedelta(minutes=30):%Y%m%dT%H%M%S}Z",
             "END:VEVENT", "END:VCALENDAR", "")  # fmt: skip
    return "\r\n".join(lines)


def folders(base: Path, mails: int) -> LocalAccount:
    make_mailbox(base / "mail", mails)
    calendar = base / "calendars" / "work"
    calendar.mkdir(parents=True)
    today = datetime.now(UTC).replace(hour=8, minute=0, second=0, microsecond=0)
    for number in range(300):
        (calendar / f"e{number}.ics").write_text(event(number, today + timedelta(hours=(number % 8), days=number // 8 - 10)))
    (base / "contacts").mkdir()
    return LocalAccount(mail=base / "mail", calendars=base / "calendars", contacts=base / "contacts", address="me@example.org")


async def measure(base: Path, mails: int, rounds: int) -> None:
    account = folders(base, mails)
    async with open_assistant(base / "home", accounts=[account], zone="Europe/Berlin") as a:
        began = time.perf_counter()
        await a.say("warm", TURNS[1])
        print(f"first turn, with the index built: {time.perf_counter() - began:.2f} s")
        everything: list[float] = []
        for text in TURNS:
            taken = []
            for round in range(rounds):
                began = time.perf_counter()
                await a.say(f"bench {round}", text)
                taken.append(1000 * (time.perf_counter() - began))
            everything += taken
            print(f"{statistics.median(taken):7.1f} ms  {max(taken):7.1f} ms at most  {text}")
    print(f"median over all turns, {mails} mails: {statistics.median(everything):.1f} ms")


def help_time() -> float:
    def once() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "assistant", "--help"], capture_output=True, check=True)
        return time.perf_counter() - began

    return statistics.median(once() for _ in range(7))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mails", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=15)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), given.mails, given.rounds))
    print(f"assistant --help: {help_time():.2f} s")
