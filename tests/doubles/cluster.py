"""Workers in processes of their own, on one database and one account's folders.

python -m doubles.cluster HOME URL ACCOUNT LEASE THINKING: one worker, with leases of so many seconds, that thinks so many seconds
about each message.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import repeat
from pathlib import Path
from typing import Any

from assistant.running import lease

TESTS = Path(__file__).parents[1]
READY = "takes up tasks"


def shorten_leases(seconds: float) -> None:
    """Before anything else of the assistant is imported."""
    lease.LEASE = timedelta(seconds=seconds)
    lease.BEAT = lease.LEASE / 3


def settings_for(home: Path, url: str, runner: str) -> Any:
    from pydantic import SecretStr

    from config.settings import Settings

    return Settings(home=home, database_url=SecretStr(url), runner=runner, zone="UTC")


def account_at(root: Path) -> Any:
    from assistant.bootstrap import LocalAccount

    folders = {name: root / name for name in ("mail", "calendars", "contacts")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return LocalAccount(**folders, address="me@example.org")


def thinking_slowly(seconds: float) -> Any:
    """The offline reasoner, as slow as a model."""
    from assistant.reasoning.offline.reasoner import OfflineReasoner

    class Slow(OfflineReasoner):
        async def analyse(self, request):
            await asyncio.sleep(seconds)
            return await super().analyse(request)

    return Slow()


@contextmanager
def workers(number: int, base: Path, url: str, *, lease: float, thinking: float = 0.0) -> Iterator[list["subprocess.Popen[str]"]]:
    """Each on a home of its own; those that still live at the end are killed."""
    running = [started(base / f"worker{n}", url, base / "account", lease, thinking) for n in range(number)]
    try:
        for worker in running:
            assert worker.stdout and READY in worker.stdout.readline()
        yield running
    finally:
        for worker in running:
            worker.kill()
            worker.communicate()


def started(home: Path, url: str, account: Path, lease: float, thinking: float) -> "subprocess.Popen[str]":
    home.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "doubles.cluster", *map(str, (home, url, account, lease, thinking))]
    paths = os.pathsep.join((str(TESTS), str(TESTS.parent)))
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths})


def ended(worker: "subprocess.Popen[str]", sent: signal.Signals) -> int:
    worker.send_signal(sent)
    return worker.wait(20)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    for pause in repeat(0.02):
        if await holds():
            return
        await asyncio.sleep(pause)


async def work(home: Path, url: str, root: Path, thinking: float) -> int:
    from assistant.hosting import open_worker

    reasoner = thinking_slowly(thinking) if thinking else None
    async with open_worker(settings=settings_for(home, url, "process"), accounts=[account_at(root)], reasoner=reasoner) as (
        worker,
        _,
    ):
        await worker.serve(lambda: print(READY, flush=True))
    return 0


def main() -> None:
    home, url, root, seconds, thinking = sys.argv[1:]
    shorten_leases(float(seconds))
    from assistant.cli.process import run

    sys.exit(run(work(Path(home), url, Path(root), float(thinking)), terminated=0))


if __name__ == "__main__":
    main()
