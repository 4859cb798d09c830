"""A home with an account, and the programs that are killed while they work on it."""

import asyncio
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random, uniform
from typing import NoReturn

from doubles.killing.counting import Counting, under_way
from doubles.killing.notes import Notes, noted
from doubles.killing.stream import Stream
from doubles.killing.verdict import Verdict
from doubles.providers import ProviderDouble
from doubles.providers.base import OWNER
from doubles.providers.stock import stock_of
from doubles.providers.wrapped import wrapped
from pydantic import SecretStr

from assistant.bootstrap import open_assistant
from assistant.facade import Assistant
from assistant.running.recovery import LONGEST
from config.settings import Settings
from integrations.registry import AccountConfig
from storage import outbox

PATIENCE = 30.0
"""Seconds for a program to begin its next write, or to settle what an earlier one left."""
STOCKED = 20
"""Mails, events and contacts that an account holds at first."""
WAY = 0.006
"""Seconds at most that a write, or the answer to it, is on its way."""


@dataclass(frozen=True)
class Lives:
    """`root` is the account's folder at the provider; `database` the address of an empty one, or nothing for a file in
    the home. `resident`: the programs are such as stay open, which hold mails for a while before they leave."""

    provider: ProviderDouble
    root: Path
    home: Path
    seed: str
    database: str = ""
    resident: bool = False

    @property
    def notes(self) -> Path:
        return self.home / "notes"

    def furnish(self) -> None:
        """Call once, before the first life."""
        self.home.mkdir(parents=True)
        self.root.mkdir(parents=True)
        self.provider.stock(self.root, stock_of(STOCKED, owner=OWNER, now=datetime.now(UTC)))

    def warm(self) -> None:
        """Writes a little, so that what is imported late is there for every program forked from this one."""
        asyncio.run(self._warm())

    async def _warm(self) -> None:
        _, telling = os.pipe()
        async with self._opened(0, telling=telling) as a:
            stream = Stream(a, Notes(self.notes), Random(1), "warm")
            for _ in range(30):
                await stream.next()

    def run(self, kills: int) -> Verdict:
        """Kills so many programs, one after another, and counts."""
        moments = Random(self.seed)
        troubles = [trouble for life in range(kills) if (trouble := self._killed(life, moments))]
        verdict = asyncio.run(self._judged(kills))
        verdict.kills = kills
        verdict.sentences += [f"{sentence} (seed {self.seed})" for sentence in troubles]
        return verdict

    # --- one life, in a process of its own

    def _killed(self, life: int, moments: Random) -> str:
        """What went wrong, or nothing."""
        watching, telling = os.pipe()
        aimed, write = moments.random() < 0.7, moments.randint(1, 6)
        delay = moments.uniform(0, 3 * WAY) if aimed else moments.uniform(0, 0.4)
        child = os.fork()
        if child == 0:
            os.close(watching)
            _live(lambda: asyncio.run(self._live(life, telling)))
        os.close(telling)
        late = aimed and not _begun(watching, write)
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(watching)
        if late:
            return f"Life {life} did not begin to write within {PATIENCE:.0f} s."
        return "" if os.WIFSIGNALED(status) else f"Life {life} ended by itself."

    async def _live(self, life: int, telling: int) -> None:
        notes = Notes(self.notes)
        if await self._amid(life):
            notes.note("amid")
        async with self._opened(life, telling=telling) as a:
            for left in await settled(a):
                notes.note("trouble", says=f"After life {life - 1}, {left} was stuck.")
            for outcome in (*a.recovered, *a.released):
                notes.note("told", key=outcome.key, status=outcome.status)
            stream = Stream(a, notes, Random(f"{self.seed}-{life}"), str(life))
            while True:
                await stream.next()

    async def _amid(self, life: int) -> bool:
        """Whether the last kill fell between started and done."""
        async with self._opened(life, recover=False) as a:
            return any(row.status == "started" for row in await a.database.read(outbox.unfinished))

    def _opened(self, life: int, *, telling: int | None = None, recover: bool = True) -> AbstractAsyncContextManager[Assistant]:
        """Each life begins when nobody can be at work any more on what the one before has left."""

        def clock() -> datetime:
            return datetime.now(UTC) + 2 * LONGEST * life

        account = self.provider.config(self.root)
        watched = account if telling is None else slow(account, telling)
        settings = Settings(home=self.home, zone="UTC", database_url=SecretStr(self.database), undo_window=1)
        resident = self.resident and recover
        return open_assistant(settings=settings, clock=clock, accounts=[watched], recover=recover, resident=resident)

    # --- the end

    async def _judged(self, lives: int) -> Verdict:
        amid = await self._amid(lives)
        for life in (lives, lives + 1):  # what one recovery leaves, the next must leave alone
            async with self._opened(life) as a:
                await settled(a)
                all = noted(self.notes)
                verdict = await Counting(a, self.provider, self.root, all).verdict()
        verdict.amid = all.counts["amid"] + amid
        verdict.stuck += len(all.troubles)
        verdict.sentences = [f"{sentence} (seed {self.seed})" for sentence in (*verdict.sentences, *all.troubles)]
        return verdict


def slow(account: AccountConfig, telling: int) -> AccountConfig:
    """As over a network; whenever a write begins, a byte is told."""

    async def before() -> None:
        os.write(telling, b".")
        await on_the_way()

    async def on_the_way() -> None:
        await asyncio.sleep(uniform(0, WAY))

    return wrapped(account, before, on_the_way)


async def settled(a: Assistant) -> list[str]:
    """Waits until what an earlier program left is taken care of; what is not after a long time."""
    giving_up = time.monotonic() + PATIENCE
    while left := [one for some in await under_way(a) for one in some]:
        if time.monotonic() > giving_up:
            return left
        await asyncio.sleep(0.005)
    return []


def _begun(watching: int, write: int) -> bool:
    """Waits for the beginning of the n-th write."""
    for _ in range(write):
        ready, _, _ = select.select([watching], [], [], PATIENCE)
        if not ready or not os.read(watching, 1):
            return False
    return True


def _live(life: Callable[[], None]) -> NoReturn:
    try:
        life()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)
