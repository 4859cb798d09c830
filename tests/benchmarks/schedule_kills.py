"""Ends `assistant serve` with SIGKILL at random moments while schedules are due all the time, starts it again, and counts what came
of each run: in its conversation, in the user's mailbox, and at a service that takes notes over HTTP.

python tests/benchmarks/schedule_kills.py [--kills 50] [--slots 200] [--url postgresql://…] [--seed 0]

The last line tells how many slots were due and what came of them. Exit status 0 only if each was run once, each result arrived once
wherever it was told so and never twice, and the audit journal is whole.
"""

import argparse
import asyncio
import contextlib
import os
import re
import signal
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from doubles.attendants import settings_for  # noqa: E402
from doubles.cluster import account_at, until  # noqa: E402
from doubles.crashes import sent  # noqa: E402
from doubles.delivering import NoteService, note_service  # noqa: E402
from doubles.killing.door import served  # noqa: E402

from assistant.bootstrap import open_assistant, open_database  # noqa: E402
from assistant.running.recovery import LONGEST  # noqa: E402
from assistant.scheduling.values import Slot  # noqa: E402
from assistant.timetable.rules import Once, Remind  # noqa: E402
from storage import accounts  # noqa: E402

LIFE = (0.8, 3.5)
"""Seconds that a service lives."""
SETTLING = 3 * LONGEST
"""At most until the leases of all who were killed, and what they were sending, have run out and were seen to."""
CONVERSATIONS = 20
NUMBER = re.compile(r"number-(\d+)")


class Trial:
    def __init__(self, folder: Path, given: argparse.Namespace, notes: NoteService) -> None:
        self.home, self.log, self.account = folder / "home", folder / "errors", account_at(folder / "account")
        self.given, self.notes, self.random = given, notes, Random(given.seed)
        self.settings = settings_for(self.home, given.url)
        self.troubles: list[str] = []
        self.due: dict[str, int] = {}
        """The number of each schedule, each of which is due once."""

    async def run(self) -> str:
        await self.furnish()
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        for _ in range(self.given.kills):
            async with served(self.home, port, self.log) as process:
                await asyncio.sleep(self.random.uniform(*LIFE))
                process.send_signal(signal.SIGKILL)
        async with served(self.home, port, self.log):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.settled(), SETTLING.total_seconds())
        return await self.verdict()

    async def furnish(self) -> None:
        """Slots that are due at whatever second for as long as the service is killed, and some that are due at once."""
        self.home.mkdir()
        database, at = open_database(self.settings), datetime.now(UTC)
        account = self.account.config()
        await database.write(
            lambda s: accounts.add(s, name="local", kind="local", address=account.address, settings=account.settings, at=at)
        )
        await database.close()
        async with open_assistant(settings=self.settings) as assistant:
            await assistant.targets.add("phone", self.notes.address)
            length = self.given.kills * (sum(LIFE) / 2 + 1)
            begins = datetime.now(UTC) + timedelta(seconds=10 + self.given.slots / 20)
            for number in range(self.given.slots):
                rule = Once(at=(begins + timedelta(seconds=self.random.uniform(0, length) // 1)).replace(tzinfo=None))
                added = await assistant.schedules.add(
                    f"s{number}",
                    Remind(text=f"number-{number}."),
                    rule,
                    conversation=f"c{number % CONVERSATIONS}",
                    targets=("mail", "phone"),
                )
                self.due[added.id] = number

    async def settled(self) -> None:
        database = open_database(self.settings)
        runs = "SELECT count(*) FROM slot WHERE status = 'done'"
        under_way = "SELECT count(*) FROM delivery WHERE status IN ('pending', 'started')"
        statement = f"SELECT ({runs}), ({under_way})"

        async def holds() -> bool:
            found = await database.read(lambda s: s.connection.execute(statement).fetchone())
            return [*found] == [len(self.due), 0]

        try:
            await until(holds)
        finally:
            await database.close()

    async def verdict(self) -> str:
        told, mailed = _counted(sent(self.account)), _counted(self.notes.bodies)
        async with open_assistant(settings=self.settings, recover=False) as assistant:
            runs = {number: await assistant.schedules.history(id) for id, number in self.due.items()}
            said: Counter[int] = Counter()
            for name in range(CONVERSATIONS):
                messages = (await assistant.said(f"c{name}")).messages
                said += _counted(message.text for message in messages if message.role == "assistant")
            broken = (await assistant.dispatch.history.verify()).wrong
        for number, slots in runs.items():
            self.judge(number, slots, said[number], {"mail": told[number], "phone": mailed[number]})
        if broken:
            self.troubles.append(f"The audit journal: {broken}")
        return self.line(runs.values(), said, told, mailed)

    def judge(self, number: int, slots: tuple[Slot, ...], said: int, arrived: dict[str, int]) -> None:
        if [slot.status for slot in slots] != ["done"] or said != 1:
            self.troubles.append(f"{number} was said {said} times: {slots}")
        for delivery in (delivery for slot in slots for delivery in slot.deliveries):
            times = arrived[delivery.target]
            right = {"done": times == 1, "unknown": times <= 1, "failed": times == 0}.get(delivery.status, False)
            if not right:
                self.troubles.append(f"{number} arrived {times} times: {delivery}")

    def line(self, runs: Iterable[tuple[Slot, ...]], said: Counter[int], mails: Counter[int], notes: Counter[int]) -> str:
        slots = [slot for some in runs for slot in some]
        by_status = Counter(f"{one.target} {one.status}" for slot in slots for one in slot.deliveries)
        number = len(self.due)
        return (
            f"slots {number} kills {self.given.kills} runs {len(slots)} doubled {_doubled(said)} lost {number - len(said)}; "
            f"mails doubled {_doubled(mails)} lost {by_status['mail done'] - len(mails)} unknown {by_status['mail unknown']}; "
            f"notes doubled {_doubled(notes)} unknown {by_status['phone unknown']}; {dict(by_status)}"
        )


def _counted(texts: Iterable[str]) -> Counter[int]:
    return Counter(int(found[1]) for text in texts if (found := NUMBER.search(text)))


def _doubled(counted: Counter[int]) -> int:
    return sum(number - 1 for number in counted.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--slots", type=int, default=200)
    parser.add_argument("--url", default="")
    parser.add_argument("--seed", type=int, default=0)
    with tempfile.TemporaryDirectory() as folder, note_service() as notes:
        given = parser.parse_args()
        os.environ["ASSISTANT_DATABASE_URL"] = given.url
        trial = Trial(Path(folder), given, notes)
        line = asyncio.run(trial.run())
        errors = trial.log.read_text()
    for trouble in trial.troubles:
        print(trouble)
    if errors:
        print(f"The service wrote: {errors[-4000:]}")
    print(line)
    return bool(trial.troubles)


if __name__ == "__main__":
    sys.exit(main())
