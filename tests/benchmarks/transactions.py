"""Single-row transactions a second, on SQLite and on PostgreSQL, one after another and twenty side by side.

python tests/benchmarks/transactions.py [--seconds 2] [--rounds 3] [--url postgresql://…]

Without --url a PostgreSQL server is started for it, which syncs as servers do.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from doubles.postgres import Server
from rich.console import Console
from rich.table import Table

from storage import settings
from storage.database import Database
from storage.session import Session

SIDE_BY_SIDE = 20
Do = Callable[[str], Awaitable[object]]


def work(name: str) -> Callable[[Session], None]:
    return lambda s: settings.put(s, name, "x" * 100)


def kinds(db: Database) -> dict[str, Do]:
    return {
        "read": lambda name: db.read(lambda s: settings.get(s, name)),
        "write": lambda name: db.write(work(name)),
        "write, synced": lambda name: db.write_synced(work(name)),
    }


async def rate(do: Do, at_once: int, seconds: float) -> float:
    ends = time.perf_counter() + seconds
    done = 0

    async def repeat(name: str) -> None:
        nonlocal done
        while time.perf_counter() < ends:
            await do(name)
            done += 1

    begun = time.perf_counter()
    await asyncio.gather(*(repeat(f"name{n}") for n in range(at_once)))
    return done / (time.perf_counter() - begun)


async def rates(place: Path | str, seconds: float, rounds: int) -> dict[tuple[str, int], float]:
    db = Database.open(place)
    try:
        found: dict[tuple[str, int], list[float]] = {}
        for _ in range(rounds):
            for kind, do in kinds(db).items():
                for at_once in (1, SIDE_BY_SIDE):
                    found.setdefault((kind, at_once), []).append(await rate(do, at_once, seconds))
        return {case: statistics.median(measured) for case, measured in found.items()}
    finally:
        await db.close()


@contextmanager
def places(url: str) -> Iterator[dict[str, Path | str]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = "" if url else stack.enter_context(Server(synced=True)).fresh()
        yield {"SQLite": folder / "assistant.sqlite", "PostgreSQL": url or server}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is told")
    parser.add_argument("--url", default="", help="a PostgreSQL database to use")
    given = parser.parse_args()
    with places(given.url) as opened:
        told = {name: asyncio.run(rates(place, given.seconds, given.rounds)) for name, place in opened.items()}
    table = Table("transactions a second", *told)
    for case in next(iter(told.values())):
        table.add_row(f"{case[0]}, {case[1]} at once", *(f"{measured[case]:,.0f}" for measured in told.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
