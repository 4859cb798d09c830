"""Workers on one PostgreSQL, whose programs must be installed:
`python tests/benchmarks/cluster.py [--conversations 80] [--at-once 80] [--thinking 3] [--lease 30]`.

A process that takes requests has each conversation read, propose a mail and approve it: three flows, handed to workers that have a
process each. Prints flows per second with one worker and with two, by the offline reasoner as it is and with one that takes as long
as a model (`--thinking` seconds for the read), then the same load while one of two workers is killed by SIGKILL. The last line
counts what became of it; the exit status is 0 only if all flows ended and no effect is doubled or lost.
"""

import argparse
import asyncio
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from doubles.cluster import account_at, ended, settings_for, shorten_leases, until, workers
from doubles.postgres import Server

READ = "what's on my calendar tomorrow?"
FLOWS = 3
"""In each conversation."""


class Load(NamedTuple):
    conversations: int
    at_once: int
    thinking: float
    lease: float


class Result(NamedTuple):
    """`longest`: seconds until the last flow had ended after a worker was killed."""

    flows: int
    ended: int
    doubled: int
    lost: int
    stuck: int
    seconds: float
    longest: float = 0.0


async def play(base: Path, url: str, load: Load, number: int, *, kill: bool = False) -> Result:
    """The load on so many workers; with `kill` the first of them is killed when a third of it is done."""
    from assistant.bootstrap import open_assistant

    settings = settings_for(base / "web", url, "cluster")
    with workers(number, base, url, lease=load.lease, thinking=load.thinking) as running:
        async with open_assistant(settings=settings, accounts=[account_at(base / "account")]) as a:
            await converse(a, "warm")
            begun, waiting = time.perf_counter(), asyncio.Semaphore(load.at_once)
            names = [f"mail-{n}" for n in range(load.conversations)]
            talking = [asyncio.create_task(conversed(a, name, waiting)) for name in names]
            killed_at = await killed(running[0], talking) if kill else 0.0
            outcomes = await asyncio.gather(*talking)
            seconds = time.perf_counter() - begun
            heads = [head for name in names for head in await a.flows(name)]
        assert all(ended(worker, signal.SIGTERM) == 0 for worker in running[kill:])
    sent = effects(base)
    return Result(
        flows=FLOWS * len(names),
        ended=sum(head.status in ("done", "failed") for head in heads),
        doubled=sum(sent[name] > 1 for name in names),
        lost=sum(outcome == "done" and not sent[name] for name, outcome in zip(names, outcomes, strict=True)),
        stuck=sum(head.status == "running" for head in heads),
        seconds=seconds,
        longest=time.perf_counter() - killed_at if kill else 0.0,
    )


async def killed(worker: "subprocess.Popen[str]", talking: Sequence["asyncio.Task[str]"]) -> float:
    async def third_done() -> bool:
        return sum(task.done() for task in talking) >= len(talking) / 3

    await until(third_done)
    ended(worker, signal.SIGKILL)
    return time.perf_counter()


async def conversed(a, name: str, waiting: asyncio.Semaphore) -> str:
    async with waiting:
        return await converse(a, name)


async def converse(a, name: str) -> str:
    from integrations.actions import SendMail
    from integrations.types import Address

    assert (await a.say(name, READ)).status == "done"
    mail = SendMail(account="local", to=(Address(email="anna@example.org"),), subject=name, body="hello")
    preview = (await a.propose(name, [mail], [name])).previews[0]
    return (await a.approve(preview.id, preview.fingerprint)).outcomes[0].status


def effects(base: Path) -> Counter[str]:
    files = (base / "account" / "mail" / ".Outbox" / "cur").glob("*")
    return Counter(match[1] for file in files if (match := re.search(r"^Subject: (.*)$", file.read_text(), re.M)))


def measured(server: Server, load: Load, number: int, *, kill: bool = False) -> Result:
    with tempfile.TemporaryDirectory() as base:
        return asyncio.run(play(Path(base), server.fresh(), load, number, kill=kill))


def table(server: Server, load: Load) -> None:
    print("flows/s        one worker  two workers  ratio")
    for what, thinking in (("offline", 0.0), (f"{load.thinking:g} s to think", load.thinking)):
        one, two = (measured(server, load._replace(thinking=thinking), number) for number in (1, 2))
        rates = [result.flows / result.seconds for result in (one, two)]
        print(f"{what:15}{rates[0]:10.1f}{rates[1]:13.1f}{rates[1] / rates[0]:7.2f}", flush=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--conversations", type=int, default=80)
    options.add_argument("--at-once", type=int, default=80, help="conversations that talk at the same time")
    options.add_argument("--thinking", type=float, default=3.0, help="seconds that a model takes")
    options.add_argument("--lease", type=float, default=30.0, help="seconds")
    options.add_argument("--only-kill", action="store_true")
    given = options.parse_args()
    shorten_leases(given.lease)
    load = Load(given.conversations, given.at_once, given.thinking, given.lease)
    with Server(synced=True) as server:
        if not given.only_kill:
            table(server, load)
        found = measured(server, load, 2, kill=True)
    print(f"one of two workers killed: the last flow had ended {found.longest:.1f} s later")
    print(f"flows {found.flows} ended {found.ended} doubled {found.doubled} lost {found.lost} stuck {found.stuck}")
    return int(found.ended < found.flows or found.doubled + found.lost + found.stuck > 0)


if __name__ == "__main__":
    sys.exit(main())
