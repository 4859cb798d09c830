"""Sends a signal to a program at random moments while it approves writes that take long, and notes what became of each process.

python -m doubles.terminations HOME ACCOUNT NOTES TIMES DELAY GRACE SEED SIGNAL
"""

import asyncio
import os
import random
import signal
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.cli import process
from assistant.pipeline.execute import Executor
from integrations.actions import Action, CreateEvent, SendMail
from integrations.types import Address

START = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)
FOLDERS = ("mail", "calendars", "contacts")


def account_at(root: Path) -> LocalAccount:
    mail, calendars, contacts = (root / name for name in FOLDERS)
    return LocalAccount(mail=mail, calendars=calendars, contacts=contacts, address="me@example.org")


def write_named(name: str, number: int) -> Action:
    if number % 2:
        return CreateEvent(account="local", title=name, start=START, end=START + timedelta(hours=1))
    return SendMail(account="local", to=(Address(email="anna@example.org"),), subject=name, body="hello")


def slow_down(delay: float) -> None:
    write = Executor._write

    async def slowly(self, action, key):
        await asyncio.sleep(delay)
        return await write(self, action, key)

    Executor._write = slowly


async def approve_writes(home: Path, root: Path, notes: Path, life: int) -> int:
    with notes.open("a", buffering=1) as noted:
        async with open_assistant(home, clock=lambda: START, zone="UTC", accounts=[account_at(root)]) as a:
            for number in count():
                name = f"write-{life}-{number}"
                preview = (await a.propose("c", [write_named(name, number)], [name])).previews[0]
                noted.write(f"approving {name} {preview.id}\n")
                turn = await a.approve(preview.id, preview.fingerprint)
                noted.write(f"{turn.outcomes[0].status} {name} {preview.id}\n")
    return 0


def main() -> None:
    home, root, notes = (Path(argument) for argument in sys.argv[1:4])
    times, delay, grace = int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6])
    moments, ending = random.Random(int(sys.argv[7])), signal.Signals[sys.argv[8]]
    slow_down(delay)
    process.GRACE = grace
    for life in range(times):
        child = os.fork()
        if child == 0:
            os._exit(process.run(approve_writes(home, root, notes, life)))
        before = notes.stat().st_size
        while notes.stat().st_size == before:  # the first approval is under way
            time.sleep(0.005)
        time.sleep(moments.uniform(0, 3 * min(delay, 0.1)))
        os.kill(child, ending)
        began = time.monotonic()
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), f"{time.monotonic() - began:.3f}", flush=True)


if __name__ == "__main__":
    main()
