"""A worker of a cluster, until it is told to end."""

from pathlib import Path

from assistant.cli.keeping import kept_meanwhile
from assistant.hosting import open_worker


async def work(home: Path | None, at_once: int) -> int:
    async with open_worker(home, at_once=at_once) as (worker, assistant), kept_meanwhile(assistant):
        ready = f"Worker {worker.name} takes up tasks. Ctrl-C or SIGTERM ends it; what it is at is left to others."
        await worker.serve(lambda: print(ready, flush=True))
    return 0
