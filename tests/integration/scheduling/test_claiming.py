"""Who runs a slot, whatever is done to processes, clocks, zones and schedules."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from doubles.clockwork import Clockwork

from assistant.errors import FlowError
from assistant.running.lease import LEASE
from assistant.running.scheduled import Left
from assistant.scheduling.claiming import ATTEMPTS, DIED, MOST
from assistant.timetable.rules import Cron, Remind
from storage import schedules, slots
from storage.database import Database
from storage.tables import StoredSchedule

MONDAY = datetime(2026, 11, 23, 6, 0, tzinfo=UTC)
DAILY, CALL = Cron(expression="0 8 * * *"), Remind(text="call Tom")


@pytest.fixture
async def work(tmp_path: Path) -> AsyncIterator[Clockwork]:
    database = Database.open(tmp_path / "a.sqlite")
    yield Clockwork(database, MONDAY)
    await database.close()


async def test_of_two_processes_one_has_the_slot(work):
    added = await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    others = [work.again(owner=str(n)) for n in range(5)]
    await asyncio.gather(*(one.tending.all() for one in others))
    assert sum(len(one.flows.ran) for one in others) == 1
    assert [slot.status for slot in await work.schedules.history(added.id)] == ["done"]


async def test_a_slot_whose_claimant_died_is_taken_up_when_its_lease_has_ended(work):
    added = await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    assert await work.claiming.next()
    other = work.again(owner="two")
    assert await other.schedules.due() == ()
    other.at += LEASE
    (slot,) = await other.schedules.due()
    assert (slot.schedule, slot.slot, slot.status) == (added.id, "2026-11-23T08:00", "done")


async def test_a_run_that_waits_stays_with_its_process_however_long_the_machine_sleeps(work):
    added = await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    work.flows.free.clear()
    ((_, running),) = await work.tending.begin()
    for _ in range(ATTEMPTS):
        work.at += 2 * LEASE
        assert await work.tending.begin() == ()
    work.flows.free.set()
    await running
    assert [slot.status for slot in await work.schedules.history(added.id)] == ["done"]
    assert len(work.flows.ran) == 1


async def test_one_that_was_begun_in_time_and_is_taken_up_hours_later_says_that_it_is_late(work):
    await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    assert await work.claiming.next()
    other = work.again(at=work.at + timedelta(hours=3), owner="two")
    await other.schedules.due()
    assert other.lates == ["This was due on Monday 23 November at 08:00, when it could not run."]


async def test_a_slot_that_has_its_flow_goes_on_with_it(work):
    await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    claimed = await work.claiming.next()
    await work.database.write(lambda s: slots.begin(s, claimed.slot, "flow-1"))
    other = work.again(at=work.at + LEASE, owner="two")
    (slot,) = await other.schedules.due()
    assert (slot.flow, slot.status, other.flows.ran) == ("flow-1", "done", [])


async def test_who_lost_the_lease_neither_begins_nor_ends_the_slot(work):
    await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    claimed = await work.claiming.next()
    other = work.again(at=work.at + LEASE, owner="two")
    taken = await other.claiming.next()
    assert not await work.database.write(lambda s: slots.begin(s, claimed.slot, "flow-1"))
    assert not await work.database.write(lambda s: slots.prolong(s, claimed.slot, other.at))
    assert not await work.database.write(lambda s: slots.end(s, claimed.slot, "done", work.at, result=""))
    assert await work.database.write(lambda s: slots.begin(s, taken.slot, "flow-2"))


async def test_after_three_claimants_died_it_has_failed_and_the_next_run_says_so(work):
    added = await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    for _ in range(ATTEMPTS):
        assert await work.claiming.next()
        work.at += LEASE
    assert await work.schedules.due() == ()
    (slot,) = await work.schedules.history(added.id)
    assert (slot.status, slot.result) == ("failed", DIED)
    work.at += timedelta(days=1)
    await work.schedules.due()
    assert f"The run of Monday 23 November at 08:00 failed: {DIED}" in work.lates[-1]
    work.at += timedelta(days=1)
    await work.schedules.due()
    assert "failed" not in work.lates[-1]


async def test_a_process_that_ends_gives_its_slots_back_at_once_and_uncounted(work):
    await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)

    async def never(*given):
        await asyncio.Event().wait()

    for _ in range(ATTEMPTS + 1):
        leaving = work.again()
        leaving.flows.begin = never
        await leaving.tending.begin()
        await leaving.tending.close()
    assert [slot.status for slot in await work.schedules.due()] == ["done"]


async def test_where_nothing_begins_any_more_the_slot_is_given_back(work):
    await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)

    async def left(*given):
        raise Left("no more")

    leaving = work.again()
    leaving.flows.begin = left
    await leaving.tending.begin()
    await leaving.tending.close()
    assert [slot.status for slot in await work.schedules.due()] == ["done"]


async def test_what_can_not_begin_is_tried_again_later_and_fails_in_the_end(work):
    added = await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)

    async def busy(*given):
        raise FlowError("Another task does not come to an end.")

    work.flows.begin = busy
    for _ in range(ATTEMPTS):
        (slot,) = await work.schedules.due()
        assert await work.schedules.due() == ()
        work.at += LEASE
    (slot,) = await work.schedules.history(added.id)
    assert (slot.status, slot.result) == ("failed", "Another task does not come to an end.")


async def test_a_clock_that_jumps_by_a_year_has_one_run_made_up_for(work):
    added = await work.schedules.add("Often", CALL, Cron(expression="*/10 * * * *"))
    work.at += timedelta(days=365)
    (ran,) = await work.schedules.due()
    assert ran.stands_for == MOST - 1 and "at least 499 earlier runs" in work.lates[0]
    assert len(await work.schedules.history(added.id, limit=10_000)) == MOST
    assert await work.schedules.due() == ()


async def test_a_clock_that_is_set_back_runs_nothing_twice_and_goes_on(work):
    added = await work.schedules.add("Calls", CALL, DAILY)
    for hours in (2, 24, -48, 24, 24, 24, 24):
        work.at += timedelta(hours=hours)
        await work.schedules.due()
    ran = [slot.slot for slot in reversed(await work.schedules.history(added.id))]
    assert ran == ["2026-11-23T08:00", "2026-11-24T08:00", "2026-11-25T08:00", "2026-11-26T08:00"]
    assert len(work.flows.ran) == 4


async def test_a_clock_that_was_a_year_ahead_and_is_right_again_does_not_silence_a_schedule(work):
    added = await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(days=365)
    await work.schedules.due()
    work.at -= timedelta(days=364)
    assert await work.schedules.due() == ()
    assert (await work.schedules.get(added.id)).next < work.at + timedelta(days=1)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo", "Pacific/Kiritimati"])
async def test_another_zone_runs_no_wall_clock_time_twice(work, zone):
    added = await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    await work.schedules.due()
    moved = work.again(zone=zone)
    await moved.claiming.refresh()
    for _ in range(72):
        await moved.schedules.due()
        moved.at += timedelta(hours=1)
    ran = [slot.slot for slot in await work.schedules.history(added.id)]
    assert len(ran) == len(set(ran)) == len(work.flows.ran) + len(moved.flows.ran)
    assert {slot[11:] for slot in ran} == {"08:00"}


async def test_with_another_zone_the_alarm_is_set_for_the_same_wall_clock_time(work):
    added = await work.schedules.add("Calls", CALL, DAILY)
    moved = work.again(zone="Europe/London")
    await moved.claiming.refresh()
    assert (await moved.schedules.get(added.id)).next == datetime(2026, 11, 23, 8, 0, tzinfo=UTC)


async def test_a_schedule_with_a_zone_of_its_own_keeps_it(work):
    added = await work.schedules.add("Calls", CALL, DAILY, zone="Asia/Tokyo")
    await work.again(zone="Europe/London").claiming.refresh()
    assert (await work.schedules.get(added.id)).next == datetime(2026, 11, 23, 23, 0, tzinfo=UTC)


async def test_a_schedule_that_can_not_be_read_keeps_no_other_from_running(work, caplog):
    await work.database.write(lambda s: schedules.add(s, unreadable(work.at)))
    await work.schedules.add("Calls", CALL, DAILY)
    work.at += timedelta(hours=1)
    (claimed,) = await work.tending.all()
    assert claimed.schedule.name == "Calls" and await work.tending.all() == ()
    assert len(caplog.messages) == 1
    assert [one.name for one in await work.schedules.list()] == ["Calls"]


def unreadable(at):
    times = {"since": at, "next": at, "created": at, "updated": at}
    return StoredSchedule(id="new", name="New", task="{}", rule='{"kind": "moon"}', conversation="c", **times)
