"""Several processes tend the same schedules on one database, while one after the other is killed and started again.

python tests/benchmarks/slots.py [--slots 500] [--processes 3] [--kills 5] [--url postgresql://…] [--seed 0]

The last line tells how many slots were due and what came of them; it fails unless each was run exactly once.
"""

import argparse
import asyncio
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from doubles.attendants import Ahead, ready, settings_for, started  # noqa: E402
from doubles.cluster import account_at, shorten_leases  # noqa: E402

ROUNDS, HOUR, LEASE = 5, 3600.0, 2.0
"""Each schedule is due once in each round; seconds."""


class Race:
    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        self.folder, self.url, self.number = folder, arguments.url, arguments.processes
        self.slots, self.kills = arguments.slots, arguments.kills
        self.chance = random.Random(arguments.seed)
        self.clock = Ahead(folder / "clock")
        self.clock.jump(0)

    def home(self, number: int) -> Path:
        """On a server each process may have a machine of its own."""
        return self.folder / (f"home{number}" if self.url else "home")

    async def run(self) -> str:
        from assistant.bootstrap import open_database

        database = open_database(settings_for(self.home(0), self.url))
        await self.settle(database)
        running = [self.start(n) for n in range(self.number)]
        for process in running:
            ready(process)
        since, killed = time.monotonic(), 0
        try:
            for past in range(1, ROUNDS + 1):
                self.clock.jump(past * HOUR)
                wanted, begun = past * self.slots // ROUNDS, (past - 1) * self.slots // ROUNDS
                while (done := await self.done(database)) < wanted:
                    if killed < self.kills * past / ROUNDS and done >= begun + self.chance.randrange(self.slots // ROUNDS):
                        self.replace(running, self.chance.randrange(self.number))
                        killed += 1
                    await asyncio.sleep(0.05)
        finally:
            for process in running:
                process.kill()
                process.communicate()
        told = await self.verdict(database)
        await database.close()
        return f"slots {self.slots} processes {self.number} kills {killed} {told} seconds {time.monotonic() - since:.1f}"

    def start(self, number: int) -> Any:
        return started(self.home(number), self.url, self.folder / "clock", LEASE)

    def replace(self, running: list[Any], which: int) -> None:
        running[which].send_signal(signal.SIGKILL)
        running[which].communicate()
        running[which] = self.start(which)

    async def settle(self, database: Any) -> None:
        """Schedules that are due every hour, each with a conversation of its own."""
        from assistant.scheduling.values import RULE, TASK
        from assistant.timetable.rules import Cron, Remind
        from storage import accounts, conversations, schedules
        from storage.tables import OWNER, StoredSchedule

        at, account = self.clock(), account_at(self.folder / "account").config()
        # None is due before the clock jumps.
        rule = RULE.dump_json(Cron(expression=f"{(at.minute + 30) % 60} * * * *")).decode()
        task = TASK.dump_json(Remind(text="call Tom")).decode()

        def work(s: Any) -> None:
            accounts.add(s, name="local", kind="local", address=account.address, settings=account.settings, at=at, user_id=OWNER)
            for n in range(self.slots // ROUNDS):
                name = f"s{n:04}"
                conversations.ensure(s, name, at, user_id=OWNER)
                times = {"since": at, "next": at, "created": at, "updated": at}
                schedules.add(s, StoredSchedule(id=name, name=name, task=task, rule=rule, conversation=name, **times))

        await database.write(work)

    async def done(self, database: Any) -> int:
        return await database.read(lambda s: _counted(s, "SELECT count(*) FROM slot WHERE status = 'done'"))

    async def verdict(self, database: Any) -> str:
        def work(s: Any) -> tuple[Counter[str], Counter[str], int, int]:
            statuses = Counter(dict(s.connection.execute("SELECT status, count(*) FROM slot GROUP BY status").fetchall()))
            flows = Counter(json.loads(text)["slot"] for (text,) in s.connection.execute("SELECT snapshot FROM flow").fetchall())
            # What a run has said twice counts as a second run.
            said = s.connection.execute("SELECT conversation, count(*) FROM message WHERE role = 'assistant' GROUP BY 1").fetchall()
            again = _counted(s, "SELECT count(*) FROM slot WHERE attempts > 1")
            return statuses, flows, sum(max(0, number - ROUNDS) for _, number in said), again

        statuses, flows, more, again = await database.read(work)
        doubled = sum(number - 1 for number in flows.values()) + more
        lost = self.slots - min(statuses["done"], len(flows))
        return f"runs {statuses['done']} doubled {doubled} lost {lost} missed {statuses['missed']} taken-over {again}"


def _counted(s: Any, statement: str) -> int:
    return int(s.connection.execute(statement).fetchone()[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slots", type=int, default=500)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--url", default="")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    shorten_leases(LEASE)
    with tempfile.TemporaryDirectory() as folder:
        told = asyncio.run(Race(Path(folder), arguments).run())
    print(told)
    return 0 if f"runs {arguments.slots} doubled 0 lost 0 missed 0" in told else 1


if __name__ == "__main__":
    sys.exit(main())
