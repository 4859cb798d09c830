"""What is due runs by itself wherever an assistant stays open: for all users, each at its time."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from doubles.cluster import account_at, settings_for, until, workers
from doubles.household import EVA, Two
from doubles.living import Life
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step
from doubles.virtual_time import Time

from assistant.bootstrap import open_assistant
from assistant.facade import Assistant
from assistant.household import Household
from assistant.running.recovery import LONGEST
from assistant.scheduling import alarm
from assistant.scheduling.values import Schedule
from assistant.timetable.rules import Ask, Cron, Once, Remind
from assistant.values import Data, Success
from storage import deliveries, users
from storage.session import Session
from storage.tables import OWNER

CALL = Remind(text="call Tom")
ALWAYS, DAILY = Cron(expression="* * * * *"), Cron(expression="0 8 * * *")
FOUND = Success(data=Data(kind="text", text="nothing new"))


@pytest.fixture
def time() -> Time:
    return Time(datetime(2026, 11, 23, 6, 0, tzinfo=UTC))


@pytest.fixture
async def two(tmp_path: Path, time: Time) -> Two:
    return await Two.moved_in(tmp_path, time)


@pytest.fixture(autouse=True)
def far_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks because it was set, not since it looks now and then."""
    monkeypatch.setattr(alarm, "LONGEST", timedelta(hours=1))


async def statuses(assistant: Assistant, schedule: str) -> list[str]:
    return [slot.status for slot in await assistant.schedules.history(schedule) if slot.status != "missed"]


async def until_done(assistant: Assistant, schedule: str, number: int = 1) -> None:
    async def holds() -> bool:
        return await statuses(assistant, schedule) == ["done"] * number

    await asyncio.wait_for(until(holds), 60)


async def add_for(two: Two, user: str, rule: Cron = ALWAYS) -> str:
    async with two.opened() as household:
        return (await (await household.of(user)).schedules.add("Calls", CALL, rule)).id


async def test_at_the_start_what_was_missed_is_made_up_for_also_of_users_who_do_not_come_by(two, time):
    schedule = await add_for(two, EVA)
    time.now += timedelta(hours=1)
    async with two.opened() as household:
        await asyncio.wait_for(until(lambda: opened(household, EVA)), 60)
        await until_done(await household.of(EVA), schedule)


async def opened(household: Household, user: str) -> bool:
    return user in household.opened


async def test_one_whose_accounts_can_not_be_opened_stands_in_nobodys_way(two, time):
    hers = await add_for(two, EVA)
    await add_for(two, OWNER)
    rmtree(two.folders[OWNER].mail)
    two.folders[OWNER].mail.write_text("no folder")
    time.now += timedelta(hours=1)
    async with two.opened() as household:
        await until_done(await household.of(EVA), hers)


async def test_who_may_not_enter_has_nothing_run_until_they_may_again(two, time):
    schedule = await add_for(two, EVA)
    async with two.opened() as household:
        await household.database.write(lambda s: users.disable(s, time(), user_id=EVA))
        his = await (await household.of(OWNER)).schedules.add("Calls", CALL, ALWAYS)
        time.now += timedelta(hours=1)
        household.house.stir()
        await until_done(await household.of(OWNER), his.id)
        assert EVA not in household.opened
        await household.database.write(lambda s: users.disable(s, None, user_id=EVA))
        household.house.stir()
        await until_done(await household.of(EVA), schedule)


async def left_sending(household: Household, user: str, schedule: str) -> None:
    """As who dies while a note is under way."""
    slot, at = await (await household.of(user)).schedules.run(schedule), household.clock()

    def work(s: Session) -> None:
        deliveries.record(s, schedule, slot.slot, ["phone"], at, user_id=user)
        (row,) = deliveries.of_slot(s, schedule, slot.slot, user_id=user)
        deliveries.start(s, row, at)

    await household.database.write(work)


async def test_a_delivery_that_was_cut_short_is_settled_though_nothing_is_due(two, time):
    schedule = await add_for(two, EVA, rule=DAILY)
    async with two.opened() as household:
        await left_sending(household, EVA, schedule)
    time.now += LONGEST
    async with two.opened() as household:
        hers = await household.of(EVA)

        async def settled() -> bool:
            (slot,) = await hers.schedules.history(schedule)
            return [delivery.status for delivery in slot.deliveries] == ["unknown"]

        await asyncio.wait_for(until(settled), 60)


async def test_nor_for_a_delivery_that_is_under_way_still(two, time):
    schedule = await add_for(two, EVA)
    async with two.opened() as household:
        await left_sending(household, EVA, schedule)
        await household.database.write(lambda s: users.disable(s, time(), user_id=EVA))
    time.now += timedelta(hours=1)
    async with two.opened() as household:
        his = await (await household.of(OWNER)).schedules.add("Calls", CALL, ALWAYS)
        time.now += timedelta(hours=1)
        household.house.stir()
        await until_done(await household.of(OWNER), his.id)
        assert await statuses(await household.of(EVA), schedule) == ["done"]


async def test_in_a_chat_what_is_added_runs_at_its_time(tmp_path, account):
    async with open_assistant(tmp_path / "home", zone="UTC", accounts=[account], resident=True) as assistant:
        soon = (datetime.now(UTC) + timedelta(seconds=1)).replace(tzinfo=None)
        added = await assistant.schedules.add("Soon", CALL, Once(at=soon))
        await until_done(assistant, added.id)


async def test_a_clock_that_is_set_back_keeps_it_from_no_look(monkeypatch):
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) + timedelta(hours=1)

    monkeypatch.setattr(alarm, "datetime", Ahead)  # by which it is set, before the clock is right again
    monkeypatch.setattr(alarm, "LONGEST", timedelta(seconds=0.05))
    looks, enough = 0, asyncio.Event()

    async def look() -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            enough.set()

    async def earliest() -> None:
        return None

    running = asyncio.create_task(alarm.Alarm(look, earliest, lambda: datetime.now(UTC)).run())
    await asyncio.wait_for(enough.wait(), 60)
    running.cancel()
    await asyncio.wait([running])


async def test_an_assistant_that_is_opened_for_one_request_runs_nothing_by_itself(tmp_path, account):
    life = Life(tmp_path / "home", account)
    async with life() as assistant:
        added = await assistant.schedules.add("Calls", CALL, ALWAYS)
    life.passes(hours=1)
    async with life() as assistant:
        await assistant.say("c", "hello")
        assert await statuses(assistant, added.id) == []


async def under_way(household: Household, agent: ScriptedAgent, time: Time) -> tuple[Assistant, Schedule]:
    """A schedule whose run has begun, and stands at the agent's gate."""
    began = asyncio.Event()
    agent.on_start = lambda _: began.set()
    agent.gates["look"] = asyncio.Event()
    owner = await household.of(OWNER)
    added = await owner.schedules.add("Looks", Ask(text="look"), Once(at=datetime(2026, 11, 23, 8, 0)))  # noqa: DTZ001
    time.now += timedelta(hours=1)
    household.house.stir()
    await asyncio.wait_for(began.wait(), 60)
    return owner, added


async def test_what_runs_when_the_service_ends_goes_on_with_the_next_as_the_same_task(two, time):
    reasoner = ScriptedReasoner({"look": plan(step(1, "look"))})
    agent = ScriptedAgent("email", {"look": [FOUND]})
    async with two.opened(reasoner, agent) as household:
        owner, added = await under_way(household, agent, time)
    agent = ScriptedAgent("email", {"look": [FOUND]})
    async with two.opened(reasoner, agent) as household:
        owner = await household.of(OWNER)
        await until_done(owner, added.id)
        (slot,) = await owner.schedules.history(added.id)
        said = await owner.said(added.conversation)
        assert [head.id for head in await owner.flows(added.conversation)] == [slot.flow]
    assert [message.role for message in said.messages] == ["schedule", "assistant"]


async def test_after_a_change_of_settings_what_ran_goes_on_as_the_same_task(two, time):
    reasoner = ScriptedReasoner({"look": plan(step(1, "look"))})
    agent = ScriptedAgent("email", {"look": [FOUND, FOUND]})
    async with two.opened(reasoner, agent) as household:
        owner, added = await under_way(household, agent, time)
        owner = await household.reopen(OWNER)
        agent.gates["look"].set()
        household.house.stir()
        await until_done(owner, added.id)
        assert len(await owner.flows(added.conversation)) == 1


async def test_where_workers_run_the_flows_they_tend_the_schedules(tmp_path, postgres_url):
    pytest.importorskip("dbos")
    settings = settings_for(tmp_path / "web", postgres_url, "cluster")
    async with open_assistant(settings=settings, accounts=[account_at(tmp_path / "account")], resident=True) as assistant:
        soon = (datetime.now(UTC) + timedelta(seconds=1)).replace(tzinfo=None)
        due = await assistant.schedules.add("Soon", CALL, Once(at=soon))
        await asyncio.sleep(1)
        assert await statuses(assistant, due.id) == []
        with workers(1, tmp_path, postgres_url, lease=3.0):
            await until_done(assistant, due.id)
            assert (await assistant.schedules.run(due.id)).status == "done"


async def test_what_runs_when_a_chat_is_closed_goes_on_with_the_next_as_the_same_task(tmp_path, account):
    life = Life(tmp_path / "home", account)
    reasoner = ScriptedReasoner({"look": plan(step(1, "look"))})

    def thinking() -> tuple[ScriptedAgent, dict[str, Any]]:
        agent = ScriptedAgent("email", {"look": [FOUND]})
        return agent, {"reasoner": reasoner, "agents": dict.fromkeys(("email", "calendar", "contacts"), agent), "resident": True}

    agent, given = thinking()
    began = asyncio.Event()
    agent.on_start = lambda _: began.set()
    agent.gates["look"] = asyncio.Event()
    async with life(**given) as assistant:
        added = await assistant.schedules.add("Looks", Ask(text="look"), Once(at=datetime(2026, 11, 23, 8, 0)))  # noqa: DTZ001
        life.passes(hours=1)
        assistant.schedules.stir()
        await asyncio.wait_for(began.wait(), 60)
    _, given = thinking()
    async with life(**given) as assistant:
        await until_done(assistant, added.id)
        assert len(await assistant.flows(added.conversation)) == 1
