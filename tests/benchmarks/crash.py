"""Kills the assistant with SIGKILL at random moments of a stream of approvals, starts it again, and counts what took effect against
what was approved: `python tests/benchmarks/crash.py [--kills 1000] [--provider NAME …] [--database sqlite|postgres] [--seed 1]`.

The stream holds mails, replies, forwards, drafts, events, invitations, contacts, labels, trash, reply templates, previews with
several writes, mails sent later, undo and requests in words; in every other home mails are held for a moment before they leave.
More than half of the kills aim at a write in hand, the others fall anywhere, the recovery of the last kill included. Each home
is killed again and again and counted in the end.

Providers are those of `tests/doubles/providers` (which says how one is added); all of them by default. `double` logs every effect
in a process of its own and can be asked; `mute` can't, so that `unknown` is right there, as it is for what `google`
forgets. `imap` stands at the real servers of `tests/servers`. Exit status 0 only if nothing was doubled, lost, stuck or told
falsely, nothing stands as unknown at a provider that can be asked, and a third of the kills fell between started and done.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))

from doubles.killing.lives import Lives
from doubles.killing.verdict import Verdict
from doubles.providers import DOUBLES, ProviderDouble

PROVIDERS: dict[str, ProviderDouble] = {}
"""Those that are being tried, by name; programs forked from this one find them here."""
SHARE = 1 / 3
"""Of the kills, at least so many must fall between started and done."""


class Home(NamedTuple):
    """One home's task."""

    provider: str
    folder: Path
    kills: int
    seed: str
    database: str = ""
    resident: bool = False


def killed(home: Home) -> tuple[str, Verdict]:
    lives = Lives(PROVIDERS[home.provider], home.folder / "account", home.folder / "home", home.seed, home.database, home.resident)
    lives.furnish()
    return home.provider, lives.run(home.kills)


def warm(base: Path, database: str) -> None:
    """What is imported late is there from now on, for every program that is forked from this one."""
    lives = Lives(DOUBLES["local"](), base / "account", base / "home", "warm", database)
    lives.furnish()
    lives.warm()


def homes(providers: Sequence[str], kills: int, each: int, seed: str, base: Path) -> list[Home]:
    """The kills, shared out evenly among providers, `each` at a home at most."""
    tasks = []
    for place, provider in enumerate(providers):
        share = kills // len(providers) + (place < kills % len(providers))
        for number, before in enumerate(range(0, share, each)):
            name = f"{seed}-{provider}-{number}"
            tasks.append(Home(provider, base / name, min(each, share - before), name, resident=number % 2 == 1))
    return tasks


@contextmanager
def databases(kind: str) -> Iterator[Callable[[], str]]:
    """Gives addresses of empty databases."""
    if kind == "sqlite":
        yield lambda: ""
        return
    from doubles.postgres import Server

    with Server() as server:
        yield server.fresh


def run(tasks: Sequence[Home], lanes: int) -> dict[str, Verdict]:
    """By provider."""
    verdicts: dict[str, Verdict] = {}
    with multiprocessing.get_context("fork").Pool(lanes, maxtasksperchild=1) as pool:
        for provider, verdict in pool.imap_unordered(killed, tasks, chunksize=1):
            verdicts.setdefault(provider, Verdict()).add(verdict)
    return verdicts


def passed(verdicts: dict[str, Verdict]) -> bool:
    if any(verdict.sentences for verdict in verdicts.values()):
        return False
    return sum(v.amid for v in verdicts.values()) >= SHARE * sum(v.kills for v in verdicts.values())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=1000)
    options.add_argument("--provider", choices=DOUBLES, nargs="+", default=list(DOUBLES))
    options.add_argument("--database", choices=("sqlite", "postgres"), default="sqlite")
    options.add_argument("--seed", default="1")
    options.add_argument("--home", help="only the home of this name, which a failure tells as its seed")
    options.add_argument("--each", type=int, default=25, help="kills at each home")
    options.add_argument("--lanes", type=int, default=os.cpu_count() or 1, help="homes side by side")
    given = options.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as base, ExitStack() as entered:
        PROVIDERS.update({name: entered.enter_context(DOUBLES[name]()) for name in given.provider})
        fresh = entered.enter_context(databases(given.database))
        warm(Path(base) / "warm", fresh())
        tasks = homes(given.provider, given.kills, given.each, given.seed, Path(base))
        tasks = [task._replace(database=fresh()) for task in tasks if given.home in (None, task.seed)]
        verdicts = run(tasks, given.lanes)
    all = Verdict()
    for name, verdict in sorted(verdicts.items()):
        for sentence in verdict.sentences:
            print(f"{name}: {sentence}")
        print(f"{name}: {verdict.line()}")
        all.add(verdict)
    share = 100 * all.amid / max(all.kills, 1)
    print(f"{all.amid} of {all.kills} kills fell between started and done ({share:.0f} %); told falsely {all.falsely_told}")
    print(f"taken back {all.taken_back}, failed and shown again {all.failed}; {len(tasks)} homes, {time.monotonic() - began:.0f} s")
    print(all.line())
    sys.exit(not passed(verdicts))


if __name__ == "__main__":
    main()
