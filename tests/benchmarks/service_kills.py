"""Ends `assistant serve` at random moments while it is used over HTTP, mostly with SIGKILL, starts it again, and counts what took
effect against what was approved: `python tests/benchmarks/service_kills.py [--kills 50] [--seed 1]`.

Four clients at once propose, approve, edit, cancel, undo, withdraw and say things, often the same in two tabs at the same moment;
what was not answered is sent again, with its Idempotency-Key, when the service is back. Others follow the conversations, are
cut off and come back all the time. Exit status 0 only if nothing was doubled, lost, stuck or told falsely, every message was said
once, and everybody who followed heard everything once and in order.
"""

import argparse
import asyncio
import contextlib
import signal
import socket
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))

from doubles.killing.counting import Counting, under_way
from doubles.killing.door import CLIENTS, Door, Follower, Gone, Tabs, served
from doubles.killing.notes import Notes, noted
from doubles.killing.verdict import Verdict
from doubles.providers import DOUBLES, ProviderDouble
from doubles.providers.base import ACCOUNT, OWNER
from doubles.providers.stock import stock_of
from pydantic import SecretStr

from assistant.bootstrap import open_assistant
from assistant.running.recovery import LONGEST
from assistant.service.entering import secrets
from config.settings import Settings
from integrations import registry
from storage import accounts, outbox, tokens
from storage.database import Database
from storage.tables import OWNER as USER

LONG = 3.0
"""Seconds at most that a service lives once it is used."""
GENTLE = 0.2
"""Of the ends, so many are SIGTERM."""


class Trial:
    def __init__(self, provider: ProviderDouble, base: Path, seed: str) -> None:
        self.provider, self.seed, self.random = provider, seed, Random(seed)
        self.root, self.home, self.log = base / "account", base / "home", base / "errors"
        self.verdict = Verdict()

    async def run(self, kills: int) -> Verdict:
        await self._furnish()
        for life in range(kills):
            await self._life(life)
        await self._last()
        await self._judge()
        self.verdict.kills = kills
        return self.verdict

    async def _furnish(self) -> None:
        self.home.mkdir()
        self.root.mkdir()
        self.provider.stock(self.root, stock_of(20, owner=OWNER, now=datetime.now(UTC)))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        inner, token, now = self.provider.config(self.root), secrets.fresh(secrets.TOKEN), datetime.now(UTC)
        settings = {"account": inner.model_dump_json(), "hooks": "0"}
        database = Database.open(self.home / "assistant.sqlite")
        await database.write(lambda s: accounts.add(s, name=ACCOUNT, kind="wrapped", address=OWNER, settings=settings, at=now))
        scopes = ("read", "propose", "approve", "manage")
        digest = secrets.digest(token)
        await database.write(lambda s: tokens.add(s, "t", digest=digest, user_id=USER, name="kills", scopes=scopes, at=now))
        await database.close()
        index = self.home / "of-the-test"
        account = registry.open_account(
            inner, zone=ZoneInfo("UTC"), index=index, clock=lambda: datetime.now(UTC), secrets=registry.NoSecrets()
        )
        self.notes = Notes(self.home / "notes")
        self.door = Door(f"http://localhost:{self.port}", token, inner, account.readers, self.notes)

    async def _life(self, life: int) -> None:
        async with served(self.home, self.port, self.log) as process:
            self.door.enter()
            followers = [self._following(one) for one in list(self.door.followed.values())[-3:]]
            work = asyncio.create_task(self._work(life))
            await asyncio.sleep(self.random.uniform(0.3, LONG))
            gentle = self.random.random() < GENTLE
            process.send_signal(signal.SIGTERM if gentle else signal.SIGKILL)
            if gentle:
                await asyncio.wait_for(process.wait(), 30)
                if process.returncode != 0:
                    self.verdict.complain(f"Life {life} ended with {process.returncode}.", stuck=1)
            await process.wait()
            await work
            for task in (*followers, *self._followers):
                task.cancel()
            await asyncio.gather(*followers, *self._followers, return_exceptions=True)
            await self.door.http.aclose()
        self.verdict.amid += await self._amid()

    def _following(self, follower: Follower) -> "asyncio.Task[None]":
        return asyncio.create_task(follower.follow(self.door.http, self.random))

    async def _work(self, life: int) -> None:
        self._followers: list[asyncio.Task[None]] = []
        with contextlib.suppress(Gone):
            await self.door.again()
        await asyncio.gather(*(self._client(f"{life}-{number}") for number in range(CLIENTS)))

    async def _client(self, name: str) -> None:
        with contextlib.suppress(Gone):
            self._followers.append(self._following(self.door.followed[await self.door.conversation(name)]))
            stream = Tabs(self.door, self.notes, Random(f"{self.seed}-{name}"), name)  # type: ignore[arg-type]
            while True:
                await stream.next()

    async def _amid(self) -> bool:
        database = Database.open(self.home / "assistant.sqlite")
        rows = await database.read(outbox.unfinished)
        await database.close()
        return any(row.status == "started" for row in rows)

    async def _last(self) -> None:
        """Nothing is killed any more."""
        async with served(self.home, self.port, self.log) as process:
            self.door.enter()
            await self.door.again()
            await asyncio.sleep(2)  # what is held goes out, and what was cut short comes to its end
            for follower in self.door.followed.values():
                for sentence in await follower.wrong(self.door.http):
                    self.verdict.complain(sentence, lost=1)
            for conversation in self.door.said:
                items = (await self.door.http.get(f"/api/conversations/{conversation}/messages")).json()["items"]
                if (times := sum(one["role"] == "user" for one in items)) != 1:
                    self.verdict.complain(
                        f"A message was said {times} times: {items}", doubled=max(times - 1, 0), lost=int(not times)
                    )
            process.send_signal(signal.SIGTERM)
            await process.wait()
        for trouble in self.door.troubles:
            self.verdict.complain(trouble)

    async def _judge(self) -> None:
        settings = Settings(home=self.home, zone="UTC", database_url=SecretStr(""))

        def clock() -> datetime:
            return datetime.now(UTC) + 2 * LONGEST

        async with open_assistant(settings=settings, clock=clock, accounts=[self.provider.config(self.root)]) as a:
            for _ in range(1000):
                if not any(await under_way(a)):
                    break
                await asyncio.sleep(0.01)
            self.verdict.add(await Counting(a, self.provider, self.root, noted(self.home / "notes")).verdict())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--provider", choices=DOUBLES, default="double")
    options.add_argument("--seed", default="1")
    given = options.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as base, DOUBLES[given.provider]() as provider:
        trial = Trial(provider, Path(base), given.seed)
        verdict = asyncio.run(trial.run(given.kills))
        errors = trial.log.read_text()
    for sentence in verdict.sentences:
        print(sentence)
    if errors:
        print(f"The service wrote: {errors[-4000:]}")
    print(f"{verdict.amid} kills fell between started and done; taken back {verdict.taken_back}, failed and shown {verdict.failed}")
    print(
        f"told falsely {verdict.falsely_told}, {len(trial.door.said)} messages, {len(trial.door.followed)} conversations followed"
    )
    print(f"{verdict.line()}, {time.monotonic() - began:.0f} s")
    sys.exit(bool(verdict.sentences))


if __name__ == "__main__":
    main()
