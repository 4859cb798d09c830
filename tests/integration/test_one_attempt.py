"""A write that has begun is tried again only when nobody can be at it any more, and whoever is at one brings it to its end."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles.cluster import until
from doubles.crashes import MAIL, Died, doing, dying, only_flow, sent
from doubles.slow import SlowFirst

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant
from assistant.pipeline.execute import Executor
from assistant.running import sweeping
from assistant.running.lease import LEASE
from assistant.running.recovery import LONGEST
from storage import outbox

Opened = Callable[..., AbstractAsyncContextManager[Assistant]]


class Time:
    def __init__(self) -> None:
        self.passed = timedelta()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> SlowFirst:
    return SlowFirst(monkeypatch)


@pytest.fixture
def opened(tmp_path: Path, clock: Any, account: LocalAccount, inbox: Path, time: Time) -> Opened:
    @asynccontextmanager
    async def enter(action: Any = MAIL, later: timedelta = timedelta(), **more: Any) -> AsyncIterator[Assistant]:
        reasoner, agent = doing(action, "mail Anna")
        common = {"zone": "Europe/Berlin", "accounts": [account], "reasoner": reasoner, "agents": {"email": agent}}
        async with open_assistant(tmp_path / "home", clock=lambda: clock() + time.passed + later, **common, **more) as a:
            yield a

    return enter


async def rows(a: Assistant) -> list[str]:
    return [row.status for row in await a.database.read(outbox.unfinished)]


async def dies(opened: Opened, monkeypatch: pytest.MonkeyPatch, where: str = "_write") -> None:
    """A process whose approved write has begun, and whose owner is gone."""
    with pytest.raises(Died):
        async with opened() as a:
            await a.say("c", "go")
            revive = dying(monkeypatch, Executor, where)
            await a.say("c", "approve")
    revive()


async def test_whoever_finds_a_lease_that_has_ended_leaves_a_write_in_hand_to_its_owner(opened, account, provider):
    async with opened() as a:
        await a.say("c", "go")
        approving = asyncio.create_task(a.say("c", "approve"))
        await provider.begun.wait()
        async with opened(later=2 * LEASE) as b:
            found = b.recovered, await rows(b)
        provider.may_arrive.set()
        turn = await approving
        assert found == ((), ["started"])
        assert (turn.status, [o.status for o in turn.outcomes]) == ("done", ["done"])
    assert len(sent(account)) == 1


async def test_who_interrupts_what_an_owner_has_in_hand_hears_that_it_may_be_under_way(opened, account, provider):
    async with opened() as a:
        await a.say("c", "go")
        approving = asyncio.create_task(a.say("c", "approve"))
        await provider.begun.wait()
        async with opened(later=2 * LEASE, recover=False) as b:
            await asyncio.wait_for(b.suspend("c"), 20)
            approval = await only_flow(b, "approve")
        provider.may_arrive.set()
        await asyncio.wait([approving])
        assert [o.status for o in approval.outcomes] == ["started"] and "… Under way: mail Anna." in approval.reply
        async with opened(later=2 * LONGEST) as b:
            assert b.recovered == () and [o.status for o in await b.outbox()] == []
    assert len(sent(account)) == 1


async def test_a_write_of_ones_own_in_hand_is_never_tried_again_whatever_the_clock_says(opened, account, provider, time):
    async with opened() as a:
        await a.say("c", "go")
        approving = asyncio.create_task(a.say("c", "approve"))
        await provider.begun.wait()
        time.passed = timedelta(days=1)
        recovery = a.dispatch.turns.runner._keeper
        found = await recovery.run(alone=False, go_on=True)
        provider.may_arrive.set()
        assert found.outcomes == () and (await approving).status == "done"
    assert len(sent(account)) == 1


async def test_what_the_dead_had_begun_beside_others_is_settled_when_no_attempt_can_take_that_long(opened, account, monkeypatch):
    async with opened():  # so that nobody is alone
        await dies(opened, monkeypatch)
        for later in (2 * LEASE, LONGEST - LEASE):
            async with opened(later=later) as a:
                assert a.recovered == () and (await only_flow(a, "approve")).status == "running"
        async with opened(later=LONGEST) as a:
            assert [(o.status, o.says) for o in a.recovered] == [("done", "mail Anna")]
            assert (await only_flow(a, "approve")).status == "done"
    assert len(sent(account)) == 1


# --- an orderly end


async def broken_off(opened, provider) -> None:
    """A start that is cancelled while the provider has a write in hand."""

    async def start() -> None:
        async with opened():
            pass

    starting = asyncio.create_task(start())
    await provider.begun.wait()
    starting.cancel()
    provider.may_arrive.set()
    with pytest.raises(asyncio.CancelledError):
        await starting


async def test_what_is_sent_at_a_start_is_finished_though_the_start_is_broken_off(opened, account, provider, clock, time):
    async with opened(MAIL.model_copy(update={"send_at": clock() + timedelta(hours=1)})) as a:
        await a.say("c", "go")
        await a.say("c", "approve")
    time.passed = timedelta(hours=2)

    await broken_off(opened, provider)
    async with opened(recover=False) as a:
        assert await rows(a) == []
    assert len(sent(account)) == 1


async def test_what_a_recovery_tries_again_is_finished_though_it_is_broken_off(opened, account, monkeypatch):
    await dies(opened, monkeypatch)
    provider = SlowFirst(monkeypatch)

    await broken_off(opened, provider)
    async with opened(recover=False) as a:
        assert await rows(a) == []
    assert len(sent(account)) == 1


# --- beside one that stays open


async def test_one_that_stays_open_takes_up_what_another_process_left(opened, account, monkeypatch, time):
    monkeypatch.setattr(sweeping, "SWEEP", timedelta(milliseconds=20))
    async with opened(resident=True) as chat:
        with chat.went_out() as news:
            await dies(opened, monkeypatch)
            time.passed = LONGEST
            told = await asyncio.wait_for(news.get(), 20)
        assert (told.outcome.status, told.outcome.says) == ("done", "mail Anna")
        assert (await only_flow(chat, "approve")).status == "done"
    assert len(sent(account)) == 1


async def test_one_that_stays_open_tries_again_what_could_not_be_begun(opened, account, inbox, monkeypatch, time):
    monkeypatch.setattr(sweeping, "SWEEP", timedelta(milliseconds=20))
    monkeypatch.setattr(sweeping, "LONGEST", timedelta())
    async with opened(resident=True) as chat:
        await dies(opened, monkeypatch, "_send")
        away = inbox.rename(inbox.with_name("away"))
        time.passed = 2 * LEASE

        async def is_told() -> bool:
            return (await only_flow(chat, "approve")).status == "done"

        await asyncio.wait_for(until(is_told), 20)
        assert "… Waiting: mail Anna." in (await only_flow(chat, "approve")).reply
        away.rename(inbox)
        time.passed = 4 * LEASE

        async def is_sent() -> bool:
            return bool(sent(account))

        await asyncio.wait_for(until(is_sent), 20)
    assert len(sent(account)) == 1


async def test_where_the_machine_has_slept_owners_get_time_to_wake(opened, monkeypatch, time):
    monkeypatch.setattr(sweeping, "SWEEP", timedelta(milliseconds=1))
    slept, looked = [0.0], asyncio.Event()

    def ahead() -> float:
        looked.set()
        return slept[0]

    monkeypatch.setattr(sweeping, "_ahead", ahead)
    async with opened(resident=True) as chat:
        await looked.wait()
        slept[0] = 3600.0
        for _ in range(2):
            looked.clear()
            await looked.wait()
        await dies(opened, monkeypatch)
        time.passed = timedelta(hours=1)
        for _ in range(3):
            looked.clear()
            await looked.wait()
        assert await rows(chat) == ["started"]
