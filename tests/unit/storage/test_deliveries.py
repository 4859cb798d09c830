"""Deliveries and targets as they are stored, on both kinds of database."""

import asyncio
from datetime import datetime, timedelta

import pytest

from storage import conversations, deliveries, schedules, slots, targets
from storage.database import Database
from storage.session import Session
from storage.tables import OWNER, StoredDelivery, StoredSchedule, StoredSlot, StoredTarget

SLOT = "2026-11-18T10:30"


@pytest.fixture
async def recorded(db: Database, now: datetime) -> Database:
    """A run whose result is to go to two places."""

    def work(s: Session) -> None:
        conversations.ensure(s, "c", now, user_id=OWNER)
        schedule = StoredSchedule(
            user_id=OWNER,
            id="s",
            name="Morning",
            task="{}",
            rule="{}",
            conversation="c",
            targets=["mail", "Phöne"],
            since=now,
            created=now,
            updated=now,
        )
        schedules.add(s, schedule)
        slots.claim(s, StoredSlot(user_id=OWNER, schedule_id="s", slot=SLOT, due=now, created=now))
        for _ in range(2):
            deliveries.record(s, "s", SLOT, ["mail", "Phöne", "mail"], now)

    await db.write(work)
    return db


async def rows(db: Database) -> tuple[StoredDelivery, ...]:
    return await db.read(lambda s: deliveries.of_slot(s, "s", SLOT))


async def test_each_place_is_recorded_once(recorded: Database) -> None:
    assert sorted((row.target, row.status, row.attempts) for row in await rows(recorded)) == [
        ("Phöne", "pending", 0),
        ("mail", "pending", 0),
    ]
    assert await recorded.read(lambda s: deliveries.of_schedule(s, "s", user_id="u-eva")) == ()


async def test_of_all_who_want_to_begin_it_one_does(recorded: Database, now: datetime) -> None:
    (row, _) = await rows(recorded)
    begun = await asyncio.gather(*(recorded.write_synced(lambda s: deliveries.start(s, row, now)) for _ in range(10)))
    assert sorted(begun) == [False] * 9 + [True]


async def test_who_read_it_before_its_last_attempt_ends_nothing(recorded: Database, now: datetime) -> None:
    (row, _) = await rows(recorded)

    def again(s: Session) -> bool:
        assert deliveries.start(s, row, now)
        first = row.model_copy(update={"status": "started", "attempts": 1})
        assert deliveries.finish(s, first, "pending", now, error="refused", not_before=now)
        assert deliveries.start(s, first.model_copy(update={"status": "pending"}), now)
        return deliveries.finish(s, first, "done", now)

    assert not await recorded.write(again)


async def test_one_is_open_when_its_time_has_come_and_while_it_is_under_way(recorded: Database, now: datetime) -> None:
    (row, other) = await rows(recorded)

    def work(s: Session) -> None:
        deliveries.start(s, row, now)
        deliveries.finish(s, other, "pending", now, not_before=now + timedelta(minutes=1))

    await recorded.write(work)
    soon, later = [await recorded.read(lambda s, at=at: deliveries.open(s, at)) for at in (now, now + timedelta(minutes=1))]
    assert [one.target for one in soon] == [row.target] and len(later) == 2


async def test_what_failed_is_told_once(recorded: Database, now: datetime) -> None:
    def fail(s: Session) -> None:
        for row in deliveries.of_slot(s, "s", SLOT):
            deliveries.finish(s, row, "failed", now, error="refused")

    await recorded.write(fail)
    untold = await recorded.read(lambda s: deliveries.untold(s, "s"))
    assert len(untold) == 2
    await recorded.write(lambda s: deliveries.tell(s, untold[:1]))
    assert await recorded.read(lambda s: deliveries.untold(s, "s")) == untold[1:]


async def test_a_delivery_goes_with_its_schedule(recorded: Database) -> None:
    await recorded.write(lambda s: schedules.remove(s, "s", user_id=OWNER))
    assert await rows(recorded) == ()


async def test_targets_are_found_without_regard_to_case(recorded: Database, now: datetime) -> None:
    target = StoredTarget(user_id=OWNER, name="phÖne", sealed="…", says="json://here", created=now)
    assert await recorded.write(lambda s: targets.add(s, target))
    assert not await recorded.write(lambda s: targets.add(s, target.model_copy(update={"name": "PHÖNE"})))
    assert await recorded.read(lambda s: targets.get(s, "PHÖNE")) == target
    assert await recorded.read(lambda s: targets.used_by(s, "PHÖNE")) == ("Morning",)
    assert await recorded.read(lambda s: targets.all_of(s, user_id="u-eva")) == ()
    assert await recorded.write(lambda s: targets.remove(s, "phöne"))
    assert not await recorded.write(lambda s: targets.remove(s, "phöne"))
