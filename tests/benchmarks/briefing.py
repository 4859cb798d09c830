"""What a briefing costs offline: `python tests/benchmarks/briefing.py [--mails 10000] [--events 2000] [--rounds 9]
[--keep FOLDER]`.

Makes a mailbox and a calendar in local folders, builds the mail index, then prints in milliseconds what a morning briefing
(inbox and day) takes: the first one of a process, where the index exists, with what opening the assistant takes before it, and
warm ones. A busy machine makes wall times much longer, CPU times a little.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from mailbox_of import OWNER, make_mailbox
from turns import card

PLACES = (["Room Larch"], ["Video call"], ["Canal Street 12"], ["https://meet.example/abc"], ["Harbour Hall\\, Quay 3"], [])
CONTACTS = 300


def event(number: int, start: datetime) -> str:
    """Every fourth has no guests, and one of three no description; some overlap."""
    guests = [(f"card{(number + at) % CONTACTS}@harbour.example", number % 5 != at) for at in range(number % 4)]
    lines = (
        *("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//bench//EN", "BEGIN:VEVENT", f"UID:e{number}", "DTSTAMP:20260101T000000Z"),
        *(f"SUMMARY:Meeting {number}", f"DTSTART:{start:%Y%m%dT%H%M%SZ}", f"DTEND:{start + timedelta(minutes=45):%Y%m%dT%H%M%SZ}"),
        *([f"ORGANIZER:mailto:{OWNER}"] if guests else []),
        *(f"ATTENDEE;PARTSTAT={'ACCEPTED' if comes else 'NEEDS-ACTION'}:mailto:{email}" for email, comes in guests),
        *(["DESCRIPTION:What was agreed\\, and what is left."] if number % 3 else []),
        *(f"LOCATION:{place}" for place in PLACES[number % len(PLACES)][:1]),
        *("END:VEVENT", "END:VCALENDAR", ""),
    )
    return "\r\n".join(lines)


def make_account(base: Path, mails: int, events: int) -> None:
    """Where it is not there yet."""
    if (base / "contacts").exists():
        return
    now = datetime.now(UTC)
    make_mailbox(base / "mail", mails, now=now)
    (base / "calendars" / "work").mkdir(parents=True)
    morning = now.replace(hour=7, minute=0, second=0, microsecond=0) - timedelta(days=events // 16)
    for number in range(events):
        start = morning + timedelta(minutes=70 * (number % 8) - 30 * (number % 7 == 0), days=number // 8)
        (base / "calendars" / "work" / f"e{number}.ics").write_text(event(number, start))
    (base / "contacts").mkdir()
    for number in range(CONTACTS):
        (base / "contacts" / f"c{number}.vcf").write_text(card(number))


async def measure(base: Path, rounds: int) -> dict[str, float]:
    """Milliseconds: of opening, of the first briefing (and its CPU time), and of the others."""
    began = time.perf_counter()
    from assistant import LocalAccount, open_assistant

    account = LocalAccount(mail=base / "mail", calendars=base / "calendars", contacts=base / "contacts", address=OWNER)
    async with open_assistant(base / "home", accounts=(account,), zone="Europe/Berlin") as a:
        opened, cpu = time.perf_counter(), time.process_time()
        briefing = await a.briefing()
        figures = {"opening": opened - began, "first": time.perf_counter() - opened, "first CPU": time.process_time() - cpu}
        walls, cpus = [], []
        for _ in range(rounds):
            wall, cpu = time.perf_counter(), time.process_time()
            briefing = await a.briefing()
            walls.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
    if rounds:
        figures |= {"median": statistics.median(walls), "longest": max(walls), "CPU": statistics.median(cpus)}
    lines = sum(len(section.lines) for section in briefing.sections)
    return {name: 1000 * seconds for name, seconds in figures.items()} | {"lines": lines}


def cold(base: Path) -> dict[str, float]:
    """In a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--once", str(base)], capture_output=True, check=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mails", type=int, default=10_000)
    options.add_argument("--events", type=int, default=2_000)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--keep", type=Path, help="where the account and its index are kept for the next time")
    options.add_argument("--once", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.once:
        print(json.dumps(asyncio.run(measure(given.once, 0))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        base = (given.keep or Path(temporary)) / f"{given.mails}-{given.events}"
        make_account(base, given.mails, given.events)
        warm = asyncio.run(measure(base, given.rounds))
        print(f"{given.mails} mails, {given.events} events, a briefing of {warm['lines']:.0f} lines (milliseconds)")
        once = [cold(base) for _ in range(3)]
        opening, first, cpu = (statistics.median(one[name] for one in once) for name in ("opening", "first", "first CPU"))
        print(f"the first of a process  {first:6.0f}, CPU {cpu:.0f}, after {opening:.0f} for opening")
        print(f"warm                    {warm['median']:6.0f}, CPU {warm['CPU']:.0f}, longest {warm['longest']:.0f}")


if __name__ == "__main__":
    main()
