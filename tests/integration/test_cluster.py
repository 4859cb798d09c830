"""One process takes requests, workers run the flows: with DBOS, on PostgreSQL, and real processes."""

import asyncio
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from doubles.cluster import account_at, ended, settings_for, until, workers

from assistant.bootstrap import open_assistant
from assistant.errors import FlowError
from assistant.facade import Assistant
from assistant.hosting import open_household
from assistant.running import cluster, journal
from integrations.actions import SendMail
from integrations.types import Address
from storage import accounts, users
from storage.session import Session
from storage.tables import OWNER

pytest.importorskip("dbos")
LEASE = 3.0
Web = Callable[[], AbstractAsyncContextManager[Assistant]]


@pytest.fixture
def web(tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Web:
    monkeypatch.setattr(journal, "LEASE", timedelta(seconds=LEASE))

    @asynccontextmanager
    async def opened() -> AsyncIterator[Assistant]:
        settings = settings_for(tmp_path / "web", postgres_url, "cluster")
        async with open_assistant(settings=settings, accounts=[account_at(tmp_path / "account")]) as a:
            yield a

    return opened


def sent(base: Path) -> Counter[str]:
    files = (base / "account" / "mail" / ".Outbox" / "cur").glob("*")
    return Counter(re.search(r"^Subject: (.*)$", file.read_text(), re.M)[1] for file in files)


async def send(a: Assistant, name: str) -> str:
    """Proposes a mail and approves it in a conversation of its own."""
    mail = SendMail(account="local", to=(Address(email="anna@example.org"),), subject=name, body="hello")
    preview = (await a.propose(name, [mail], [name])).previews[0]
    return (await a.approve(preview.id, preview.fingerprint)).outcomes[0].status


async def begun(a: Assistant) -> bool:
    return any(head.owner for head in await a.flows())


async def done(a: Assistant, flow: str) -> bool:
    return (await a.flow(flow)).status == "done"


async def test_a_killed_workers_flows_go_on_elsewhere_and_nothing_is_done_twice(web, tmp_path, postgres_url):
    names = [f"mail-{n}" for n in range(30)]
    async with web() as a:
        with workers(2, tmp_path, postgres_url, lease=LEASE) as (first, second):
            sending = [asyncio.create_task(send(a, name)) for name in names]
            await asyncio.wait(sending, return_when=asyncio.FIRST_COMPLETED)
            ended(first, signal.SIGKILL)
            assert Counter(await asyncio.wait_for(asyncio.gather(*sending), 60)) == {"done": 30}
            assert ended(second, signal.SIGTERM) == 0
        assert not [head for head in await a.flows() if head.status != "done"]
    assert sent(tmp_path) == Counter(names)


async def test_a_worker_runs_the_flows_of_every_user_with_their_own_accounts(tmp_path, postgres_url):
    settings, hers = settings_for(tmp_path / "web", postgres_url, "cluster"), account_at(tmp_path / "eva" / "account").config()

    def add(s: Session) -> None:
        at = datetime.now(UTC)
        users.add(s, "eva", name="Eva", at=at)
        accounts.add(s, name="local", kind="local", address=hers.address, settings=hers.settings, at=at, user_id="eva")

    async with open_household(settings=settings) as household:
        await household.database.write(add)
        with workers(1, tmp_path, postgres_url, lease=30):
            eva = await household.of("eva")
            assert await asyncio.wait_for(send(eva, "from Eva"), 30) == "done"
            assert not await (await household.of(OWNER)).flows()
    assert (sent(tmp_path), sent(tmp_path / "eva")) == (Counter(), Counter(["from Eva"]))


async def test_a_worker_that_is_told_to_end_hands_on_what_it_is_at(web, tmp_path, postgres_url):
    async with web() as a:
        with workers(2, tmp_path, postgres_url, lease=30, thinking=1.0) as (first, second):
            asking = [asyncio.create_task(a.say(f"c{n}", "what's on my calendar tomorrow?")) for n in range(6)]
            await until(lambda: begun(a))
            assert ended(first, signal.SIGTERM) == 0
            turns = await asyncio.wait_for(asyncio.gather(*asking), 25)
            assert {turn.status for turn in turns} == {"done"}
            assert ended(second, signal.SIGTERM) == 0


async def test_a_message_interrupts_what_a_worker_runs_and_its_events_are_heard(web, tmp_path, postgres_url):
    async with web() as a:
        with workers(1, tmp_path, postgres_url, lease=LEASE, thinking=1.0):
            heard: list[str] = []

            async def listen() -> None:
                async for event in a.events("c"):
                    heard.append(event.step)

            listening = asyncio.create_task(listen())
            first = asyncio.create_task(a.say("c", "what's on my calendar tomorrow?"))
            await until(lambda: begun(a))
            second = await asyncio.wait_for(a.say("c", "how many unread mails do I have?"), 20)
            assert ((await first).status, second.status) == ("suspended", "done")
            assert (await a.resume((await first).flow)).status == "done"
            listening.cancel()
            assert {"7.5", "1", "9", "15"} <= set(heard)


async def test_without_a_worker_the_task_is_kept_until_one_comes(web, tmp_path, postgres_url, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.1)
    monkeypatch.setattr(journal, "LEASE", timedelta(0))
    async with web() as a:
        with pytest.raises(FlowError, match="No worker has taken this up yet"):
            await a.say("c", "what's on my calendar tomorrow?")
        async with open_assistant(settings=settings_for(tmp_path / "other", postgres_url, "process")) as passing:
            (head,) = await passing.flows()
        assert (head.status, head.owner) == ("running", None)
        with workers(1, tmp_path, postgres_url, lease=LEASE):
            await until(lambda: done(a, head.id))
