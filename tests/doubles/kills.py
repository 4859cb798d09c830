"""Kills a program at random moments while it proposes and approves one write after another, and notes what it approved.

python -m doubles.kills HOME ACCOUNT NOTES KILLS SEED
"""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from assistant.bootstrap import LocalAccount, open_assistant
from integrations.actions import Action, CreateEvent, SendMail
from integrations.types import Address

START = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


def account_at(root: Path) -> LocalAccount:
    return LocalAccount(mail=root / "mail", calendars=root / "calendars", contacts=root / "contacts", address="me@example.org")


def write_named(name: str, number: int) -> Action:
    if number % 2:
        return CreateEvent(account="local", title=name, start=START, end=START + timedelta(hours=1))
    return SendMail(account="local", to=(Address(email="anna@example.org"),), subject=name, body="hello")


async def approve_writes(home: Path, root: Path, notes: Path, life: str, numbers: Iterable[int]) -> None:
    with notes.open("a", buffering=1) as noted:
        async with open_assistant(home, clock=lambda: START, zone="UTC", accounts=[account_at(root)]) as a:
            for number in numbers:
                name = f"write-{life}-{number}"
                preview = (await a.propose("c", [write_named(name, number)], [name])).previews[0]
                noted.write(f"approving {name} {preview.id}\n")
                turn = await a.approve(preview.id, preview.fingerprint)
                noted.write(f"{turn.outcomes[0].status} {name} {preview.id}\n")


def main() -> None:
    home, root, notes = (Path(argument) for argument in sys.argv[1:4])
    moments = random.Random(int(sys.argv[5]))
    asyncio.run(approve_writes(home, root, notes, "first", range(1)))  # what is imported late is there from now on
    begun = time.monotonic()
    asyncio.run(approve_writes(home, root, notes, "second", range(2)))
    took = min(time.monotonic() - begun, 0.3)
    for life in range(int(sys.argv[4])):
        child = os.fork()
        if child == 0:
            asyncio.run(approve_writes(home, root, notes, str(life), count()))
        time.sleep(moments.uniform(0.2, 2.5) * took)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
