"""What a crash leaves behind in a database that other machines use too: whoever comes next waits until the lease has ended, and
where a write had begun, until nobody can be at it any more."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from doubles.crashes import MAIL, doing, dying, killed, only_flow, sent, shown
from doubles.postgres import Server
from doubles.slow import SlowFirst

from assistant.bootstrap import LocalAccount
from assistant.cli.keeping import keep
from assistant.pipeline.execute import Executor
from assistant.running.lease import LEASE
from assistant.running.recovery import LONGEST
from integrations.local.mail_writer import LocalMailWriter
from storage import forgetting
from storage import postgres as on_postgres


@pytest.fixture
def database_url(postgres_url: str) -> str:
    return postgres_url


class Clock:
    def __init__(self, begins: datetime) -> None:
        self.now = begins

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, time: timedelta) -> None:
        self.now += time


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime.fromisoformat("2026-11-18T10:00:00+01:00"))


@pytest.mark.parametrize(
    ("where", "after", "most"),
    [
        ("carry_out", False, LEASE),
        ("_send", False, LEASE),
        ("_write", False, LONGEST),
        ("_write", True, LONGEST),
        ("_finish", False, LONGEST),
    ],
)
async def test_an_approval_that_a_crash_cut_short_is_done_once_when_its_owner_is_certainly_gone(
    scripted: Callable,
    account: LocalAccount,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    after: bool,
    most: timedelta,
) -> None:
    await shown(scripted, doing(MAIL, "mail Anna"))
    revive = dying(monkeypatch, Executor, where, after=after)
    await killed(scripted, doing(MAIL), "approve")
    revive()
    before = sent(account)
    clock.pass_by(most - LEASE / 2)
    async with scripted(*doing(MAIL)) as a:
        assert (a.recovered, sent(account)) == ((), before)
    clock.pass_by(LEASE)
    for recovered in (["done"], []):
        async with scripted(*doing(MAIL)) as a:
            assert [outcome.status for outcome in a.recovered] == recovered
            assert (await only_flow(a, "approve")).status == "done"
    assert len(sent(account)) == 1


async def test_a_machine_whose_clock_is_wrong_leaves_to_others_what_they_are_at(
    scripted: Callable, account: LocalAccount, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowFirst(monkeypatch)
    async with scripted(*doing(MAIL, "mail Anna")) as a:
        await a.say("c", "go")
        approving = asyncio.create_task(a.say("c", "approve"))
        await slow.begun.wait()
        right, wrong = on_postgres._now, timedelta(hours=1)
        monkeypatch.setattr(on_postgres, "_now", lambda: right() + wrong)
        clock.pass_by(wrong)
        async with scripted(*doing(MAIL)) as b:
            found = b.recovered, (await only_flow(b, "approve")).status
        monkeypatch.setattr(on_postgres, "_now", right)
        clock.pass_by(-wrong)
        slow.may_arrive.set()
        assert found == ((), "running") and (await approving).status == "done"
    assert len(sent(account)) == 1


async def test_a_task_that_another_machine_works_on_is_left_to_it(scripted: Callable) -> None:
    reasoner, agent = doing(MAIL, "mail Anna")
    agent.gates["do"] = go_on = asyncio.Event()
    begun = asyncio.Event()
    agent.on_start = lambda _: begun.set()
    async with scripted(reasoner, agent) as a:
        saying = asyncio.create_task(a.say("c", "go"))
        await begun.wait()
        async with scripted(*doing(MAIL)) as b:
            assert (await only_flow(b, "go")).status == "running"
        go_on.set()
        assert (await saying).status == "done"


async def test_the_database_may_be_started_anew_in_the_middle_of_an_approval(
    scripted: Callable, account: LocalAccount, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview = await shown(scripted, doing(MAIL, "mail Anna"))
    write = LocalMailWriter.execute

    async def meanwhile(self, *given):
        postgres.stop(crash=True)
        postgres.start()
        return await write(self, *given)

    monkeypatch.setattr(LocalMailWriter, "execute", meanwhile)
    async with scripted(*doing(MAIL)) as a:
        turn = await a.approve(preview.id, preview.fingerprint)
    assert (turn.status, [outcome.status for outcome in turn.outcomes]) == ("done", ["done"])
    assert len(sent(account)) == 1


async def test_forgetting_writes_anew_what_tells_of_people_and_keeping_leaves_its_tables_to_the_server(
    scripted: Callable, tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def files() -> dict[str, int]:
        with psycopg.connect(database_url) as connection:
            return dict(
                connection.execute("SELECT relname, pg_relation_filenode(oid) FROM pg_class WHERE relkind = 'r'").fetchall()
            )

    await shown(scripted, doing(MAIL, "mail Anna"))
    before = files()
    monkeypatch.setenv("ASSISTANT_DATABASE_URL", database_url)
    assert await keep(tmp_path / "home", json=True) == 0 and files() == before
    async with scripted(*doing(MAIL)) as a:
        await a.forget(conversation="c", really=True)
    assert {table for table, file in files().items() if file != before[table]} == set(forgetting.TABLES)
