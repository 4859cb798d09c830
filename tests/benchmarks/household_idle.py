"""What a household costs that nobody uses just now.

python tests/benchmarks/household_idle.py [USERS] [SECONDS]
"""

import asyncio
import gc
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from assistant.hosting import open_household
from assistant.household import Household
from storage import users

STATUS = Path("/proc/self/status")


def resident() -> int:
    """Megabytes of memory."""
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(lines["VmRSS"].split()[0]) // 1024


async def move_in(household: Household, number: int) -> None:
    for n in range(number - 1):
        await household.database.write(lambda s, n=n: users.add(s, f"u{n}", name=f"User {n}", at=datetime.now(UTC)))
    for user in await household.database.read(users.list):
        await (await household.of(user.id)).say("chat", "what do I have tomorrow?")


async def measure(number: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as home:
        async with open_household(home) as household:
            print(f"nobody opened: {resident()} MB")
            await move_in(household, number)
            gc.collect()
            print(f"{number} users who have each asked once: {resident()} MB")
            spent, since = time.process_time(), time.perf_counter()
            await asyncio.sleep(seconds)
            share = (time.process_time() - spent) / (time.perf_counter() - since)
            print(f"idle for {seconds:.0f} s: {100 * share:.2f} % of one core")


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 20, float(sys.argv[2]) if len(sys.argv) > 2 else 60))
