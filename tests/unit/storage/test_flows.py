import asyncio
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from storage import conversations, flows
from storage.database import Database
from storage.errors import Duplicate, StaleVersion
from storage.flows import NewEvent
from storage.session import Session
from storage.tables import OWNER, StoredFlow

MINUTE = timedelta(minutes=1)


async def create(db: Database, now: datetime, flow_id: str = "f1", **given: Any) -> None:
    values = {"conversation": "c1", "about": "move my 3pm to 4pm", "at": now} | given
    await db.write(lambda s: flows.create(s, flow_id, **values))


async def get(db: Database, flow_id: str = "f1") -> StoredFlow:
    flow = await db.read(lambda s: flows.get(s, flow_id))
    assert flow is not None
    return flow


def save(s: Session, now: datetime, **given: Any) -> int:
    values = {"version": 1, "status": "running", "goal": "g", "snapshot": "{}", "at": now} | given
    return flows.save(s, "f1", **values)


async def test_a_flow_comes_back_as_it_was_created(db: Database, now: datetime) -> None:
    await create(db, now, goal="move it", snapshot='{"step": 1}', owner="p1", lease_until=now + MINUTE)
    assert await get(db) == StoredFlow(
        id="f1",
        conversation="c1",
        about="move my 3pm to 4pm",
        goal="move it",
        status="running",
        version=1,
        owner="p1",
        lease_until=now + MINUTE,
        created=now,
        updated=now,
        snapshot='{"step": 1}',
    )


async def test_what_is_read_is_frozen(db: Database, now: datetime) -> None:
    await create(db, now)
    flow = await get(db)
    with pytest.raises(ValidationError):
        flow.status = "done"


async def test_times_are_stored_in_utc_whatever_their_zone(db: Database, now: datetime) -> None:
    there = now.astimezone(timezone(timedelta(hours=-7)))
    await create(db, there, lease_until=there + MINUTE)
    stored = (await get(db)).lease_until
    assert stored == now + MINUTE
    assert stored is not None
    assert stored.utcoffset() == timedelta(0)
    assert await db.read(lambda s: flows.expired(s, there)) == ()


async def test_saving_counts_the_version_up_and_stores_the_events(db: Database, now: datetime) -> None:
    await create(db, now, events=[NewEvent(seq=1, at=now, step="1", text="Looked at the conversation")])
    event = NewEvent(seq=2, at=now + MINUTE, step="9", text="Asked the calendar", data={"step": 1, "rows": [1, 2]})
    version = await db.write(lambda s: save(s, now + MINUTE, goal="new", snapshot="{1}", events=[event]))
    flow = await get(db)
    assert (version, flow.version, flow.goal, flow.snapshot, flow.updated) == (2, 2, "new", "{1}", now + MINUTE)
    told = await db.read(lambda s: flows.events(s, "f1"))
    assert [(e.seq, e.step) for e in told] == [(1, "1"), (2, "9")]
    assert (told[1].data, told[1].at, told[1].user_id) == (event.data, now + MINUTE, "owner")
    assert await db.read(lambda s: flows.events(s, "f1", after=1)) == told[1:]


async def test_a_stale_version_is_refused_with_its_events(db: Database, now: datetime) -> None:
    await create(db, now)
    await db.write(lambda s: save(s, now, snapshot="first"))
    with pytest.raises(StaleVersion):
        await db.write(lambda s: save(s, now, snapshot="second", events=[NewEvent(seq=1, at=now, step="1", text="t")]))
    assert (await get(db)).snapshot == "first"
    assert await db.read(lambda s: flows.events(s, "f1")) == ()


async def test_an_unknown_flow_can_not_be_saved(db: Database, now: datetime) -> None:
    with pytest.raises(StaleVersion):
        await db.write(lambda s: save(s, now))


async def test_of_simultaneous_saves_of_one_version_one_succeeds(db: Database, place: Path | str, now: datetime) -> None:
    await create(db, now)
    others = [Database.open(place) for _ in range(4)]
    results = await asyncio.gather(
        *(other.write(lambda s: save(s, now)) for other in others for _ in range(5)), return_exceptions=True
    )
    for other in others:
        await other.close()
    assert sorted(str(type(result).__name__) for result in results) == ["StaleVersion"] * 19 + ["int"]


async def test_an_event_number_used_twice_undoes_the_whole_save(db: Database, now: datetime) -> None:
    event = NewEvent(seq=1, at=now, step="1", text="t")
    await create(db, now, events=[event])
    with pytest.raises(Duplicate):
        await db.write(lambda s: save(s, now, snapshot="lost", events=[event]))
    assert (await get(db)).version == 1


async def test_a_flow_id_is_used_once(db: Database, now: datetime) -> None:
    await create(db, now)
    with pytest.raises(Duplicate):
        await create(db, now)


async def test_only_the_owner_of_a_leased_flow_saves_it(db: Database, now: datetime) -> None:
    await create(db, now, owner="p1", lease_until=now + MINUTE)
    for other in (None, "p2"):
        with pytest.raises(StaleVersion):
            await db.write(lambda s, other=other: save(s, now, owner=other))
    assert await db.write(lambda s: save(s, now, owner="p1", lease_until=now + 2 * MINUTE)) == 2
    assert (await get(db)).lease_until == now + 2 * MINUTE


async def test_a_flow_that_stops_running_gives_up_its_lease(db: Database, now: datetime) -> None:
    await create(db, now, owner="p1", lease_until=now + MINUTE)
    await db.write(lambda s: save(s, now, owner="p1", status="suspended"))
    flow = await get(db)
    assert (flow.status, flow.owner, flow.lease_until) == ("suspended", None, None)


async def test_a_lease_is_exclusive_until_it_ends_or_is_released(db: Database, now: datetime) -> None:
    await create(db, now)

    async def claim(owner: str, at: datetime) -> bool:
        return await db.write(lambda s: flows.claim(s, "f1", owner, at + MINUTE, at))

    assert await claim("p1", now)
    assert not await claim("p2", now)
    assert await claim("p1", now + MINUTE / 2), "its owner prolongs it"
    assert not await claim("p2", now + MINUTE)
    assert await claim("p2", now + MINUTE * 1.5), "it has ended"
    assert not await db.write(lambda s: flows.release(s, "f1", "p1"))
    assert await db.write(lambda s: flows.release(s, "f1", "p2"))
    assert await claim("p3", now)


async def test_of_simultaneous_claims_one_wins(db: Database, place: Path | str, now: datetime) -> None:
    await create(db, now)
    others = [Database.open(place) for _ in range(4)]
    won = await asyncio.gather(
        *(other.write(lambda s, n=n: flows.claim(s, "f1", f"p{n}", now + MINUTE, now)) for n, other in enumerate(others))
    )
    for other in others:
        await other.close()
    assert sum(won) == 1


@pytest.mark.parametrize("status", flows.ENDED)
async def test_a_flow_that_has_ended_can_not_be_claimed(db: Database, now: datetime, status: str) -> None:
    await create(db, now, status=status)
    assert not await db.write(lambda s: flows.claim(s, "f1", "p1", now + MINUTE, now))


async def test_only_running_flows_without_a_living_lease_are_expired(db: Database, now: datetime) -> None:
    await create(db, now, "dead", owner="p1", lease_until=now - MINUTE)
    await create(db, now + MINUTE, "never leased", conversation="c2")
    await create(db, now, "alive", conversation="c3", owner="p2", lease_until=now + MINUTE)
    for status in ("waiting", "suspended", "parked", *flows.ENDED):
        await create(db, now, status, status=status)
    assert [flow.id for flow in await db.read(lambda s: flows.expired(s, now))] == ["dead", "never leased"]


async def test_flows_are_listed_by_conversation_and_status_newest_first(db: Database, now: datetime) -> None:
    await create(db, now, "a", status="suspended")
    await create(db, now + MINUTE, "b", status="waiting")
    await create(db, now + 2 * MINUTE, "c", conversation="c2")

    async def ids(**given: Any) -> list[str]:
        return [flow.id for flow in await db.read(lambda s: flows.list(s, **given))]

    assert await ids() == ["c", "b", "a"]
    assert await ids(limit=1) == ["c"]
    assert await ids(conversation="c1") == ["b", "a"]
    assert await ids(conversation="c1", statuses=("suspended", "done")) == ["a"]
    assert await ids(statuses=()) == []
    assert await ids(user_id="somebody else") == []


async def test_messages_and_flow_go_into_one_transaction_in_any_order(db: Database, now: datetime) -> None:
    def talk(s: Session) -> None:
        conversations.add_message(s, "c1", "user", "move my 3pm to 4pm", now, flow_id="f1")
        flows.create(s, "f1", conversation="c1", about="move my 3pm to 4pm", at=now)
        for n in range(5):
            conversations.add_message(s, "c1", "assistant", str(n), now)

    await db.write(talk)
    last = await db.read(lambda s: conversations.messages(s, "c1", 3))
    assert [message.text for message in last] == ["2", "3", "4"]
    everything = await db.read(lambda s: conversations.messages(s, "c1"))
    assert (everything[0].role, everything[0].flow_id, everything[0].at) == ("user", "f1", now)
    assert await db.read(lambda s: conversations.messages(s, "c2")) == ()
    assert await db.read(conversations.list) == ("c1",)


async def test_only_one_flow_of_a_conversation_runs(db: Database, now: datetime) -> None:
    await create(db, now, "a")
    with pytest.raises(Duplicate):
        await create(db, now, "b")
    await create(db, now, "other conversation", conversation="c2")
    await create(db, now, "resting", status="suspended")
    with pytest.raises(Duplicate):
        await db.write(lambda s: reopened(s, "resting", now))
    await db.write(lambda s: flows.save(s, "a", version=1, status="done", goal="", snapshot="", at=now))
    await create(db, now, "b")


def reopened(s: Session, flow: str, now: datetime, version: int = 1) -> None:
    flows.reopen(s, flow, version=version, snapshot="again", at=now, owner="me", lease_until=now + MINUTE)


async def test_a_resting_flow_is_reopened_once(db: Database, now: datetime) -> None:
    await create(db, now, "a", status="waiting")
    await db.write(lambda s: reopened(s, "a", now))
    flow = await db.read(lambda s: flows.get(s, "a"))
    assert flow and (flow.status, flow.version, flow.owner, flow.snapshot) == ("running", 2, "me", "again")
    for version in (1, 2):
        with pytest.raises(StaleVersion):
            await db.write(lambda s, version=version: reopened(s, "a", now, version))


async def test_an_ended_flow_is_not_reopened(db: Database, now: datetime) -> None:
    await create(db, now, "a", status="done")
    with pytest.raises(StaleVersion):
        await db.write(lambda s: reopened(s, "a", now))


async def test_a_running_flow_is_flagged_for_its_owner_until_it_rests(db: Database, now: datetime) -> None:
    assert not await db.write(lambda s: flows.interrupt(s, OWNER, "c1"))
    await create(db, now, "a", owner="p1", lease_until=now + MINUTE)
    await create(db, now, "b", conversation="c2", owner="p1", lease_until=now + MINUTE)
    assert await db.write(lambda s: flows.interrupt(s, OWNER, "c1"))
    assert await db.read(lambda s: (flows.flagged(s, "p1"), flows.flagged(s, "p2"))) == (("a",), ())
    assert await db.read(lambda s: [flows.is_flagged(s, flow) for flow in ("a", "b")]) == [True, False]
    await db.write(lambda s: flows.save(s, "a", version=1, status="suspended", goal="", snapshot="", at=now, owner="p1"))
    assert await db.read(lambda s: (flows.flagged(s, "p1"), flows.running_in(s, OWNER, "c1"))) == ((), None)
    assert not await db.read(lambda s: flows.is_flagged(s, "a"))
