"""Processes that tend the same schedules, by a clock that a test moves forward.

python -m doubles.attendants HOME URL CLOCK LEASE: one of them, with leases of so many seconds. URL is empty for a file in the home.
CLOCK is a file with how many seconds the clock is ahead.
"""

import asyncio
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from doubles.cluster import shorten_leases

TESTS = Path(__file__).parents[1]
READY = "tends"


class Ahead:
    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(self._file.read_text()))

    def jump(self, seconds: float) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_text(str(seconds))
        fresh.replace(self._file)


def settings_for(home: Path, url: str) -> Any:
    from pydantic import SecretStr

    from config.settings import Settings

    return Settings(home=home, database_url=SecretStr(url), zone="UTC")


def started(home: Path, url: str, clock: Path, lease: float) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "doubles.attendants", *map(str, (home, url, clock, lease))]
    paths = os.pathsep.join((str(TESTS), str(TESTS.parent)))
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths})


def ready(process: "subprocess.Popen[str]") -> None:
    """Returns when it tends."""
    assert process.stdout and READY in process.stdout.readline()


async def tend(home: Path, url: str, clock: Path) -> int:
    from assistant.hosting import open_household

    async with open_household(settings=settings_for(home, url), clock=Ahead(clock)):
        print(READY, flush=True)
        await asyncio.Event().wait()
    return 0


def main() -> None:
    home, url, clock, seconds = sys.argv[1:]
    shorten_leases(float(seconds))
    from assistant.scheduling import alarm

    alarm.LONGEST, alarm.SHORTEST = timedelta(seconds=0.2), timedelta(seconds=0.05)
    from assistant.cli.process import run

    sys.exit(run(tend(Path(home), url, Path(clock)), terminated=0))


if __name__ == "__main__":
    main()
