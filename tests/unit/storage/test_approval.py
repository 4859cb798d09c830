"""Previews and the outbox: what must happen exactly once."""

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import audit, flows, outbox, previews
from storage.database import Database
from storage.errors import Duplicate, StorageError
from storage.outbox import NewRow
from storage.session import Session
from storage.tables import FlowStatus

HOUR = timedelta(hours=1)


async def preview(db: Database, now: datetime, preview_id: str = "p1", **given: Any) -> None:
    values = {"flow_id": "f1", "conversation": "c1", "fingerprint": "v1:abc", "level": "high", "body": "{}"} | given

    def add(s: Session) -> None:
        if flows.get(s, values["flow_id"]) is None:
            flows.create(s, values["flow_id"], conversation=values["conversation"], about="x", at=now)
        previews.add(s, preview_id, **({"created": now, "expires": now + HOUR} | values))

    await db.write(add)


def row(position: int = 0, **given: Any) -> NewRow:
    values = {"preview_id": "p1", "position": position, "key": f"key{position}", "account": "work", "action": "{}"}
    return NewRow(**(values | given))


async def test_a_preview_comes_back_as_it_was_added(db: Database, now: datetime) -> None:
    await preview(db, now, body='{"items": []}', replaces="p0")
    stored = await db.read(lambda s: previews.get(s, "p1"))
    assert stored is not None
    assert (stored.body, stored.fingerprint, stored.level, stored.status) == ('{"items": []}', "v1:abc", "high", "open")
    assert (stored.created, stored.expires, stored.replaces, stored.flow_id) == (now, now + HOUR, "p0", "f1")
    assert await db.read(lambda s: previews.get(s, "p2")) is None


async def test_a_preview_of_an_unknown_flow_is_refused(db: Database, now: datetime) -> None:
    def add(s: Session) -> None:
        given = {"conversation": "c1", "fingerprint": "f", "level": "low", "body": "{}", "created": now, "expires": now}
        previews.add(s, "p1", flow_id="nothing", **given)

    with pytest.raises(StorageError, match=r"(?i)foreign key"):
        await db.write(add)


async def test_open_previews_are_listed_newest_first(db: Database, now: datetime) -> None:
    await preview(db, now, "p1")
    await preview(db, now, "p2", created=now + HOUR)
    await preview(db, now, "p3", status="approved")
    await preview(db, now, "p4", flow_id="f2", conversation="c2", created=now + 2 * HOUR)
    assert [p.id for p in await db.read(previews.list_open)] == ["p4", "p2", "p1"]
    assert [p.id for p in await db.read(lambda s: previews.list_open(s, conversation="c1"))] == ["p2", "p1"]
    assert [p.id for p in await db.read(lambda s: previews.by_flow(s, "f1"))] == ["p1", "p3", "p2"]


async def test_of_simultaneous_approvals_one_counts(db: Database, place: Path | str, now: datetime) -> None:
    await preview(db, now)
    others = [Database.open(place) for _ in range(4)]
    approvals = await asyncio.gather(
        *(
            other.write(lambda s: previews.set_status(s, "p1", expect="open", to="approved", fingerprint="v1:abc"))
            for other in others
            for _ in range(5)
        )
    )
    for other in others:
        await other.close()
    assert sum(approvals) == 1


async def test_another_fingerprint_approves_nothing(db: Database, now: datetime) -> None:
    await preview(db, now)
    assert not await db.write(lambda s: previews.set_status(s, "p1", expect="open", to="approved", fingerprint="v1:other"))
    stored = await db.read(lambda s: previews.get(s, "p1"))
    assert stored is not None
    assert stored.status == "open"


async def test_rows_are_added_all_or_none(db: Database, now: datetime) -> None:
    added = await db.write(lambda s: outbox.add_all(s, [row(1), row(0)], now))
    assert [(stored.position, stored.key, stored.status) for stored in added] == [(1, "key1", "pending"), (0, "key0", "pending")]
    assert [stored.position for stored in await db.read(lambda s: outbox.by_preview(s, "p1"))] == [0, 1]
    for again in (row(1, key="other"), row(3, key="key1")):
        with pytest.raises(Duplicate):
            await db.write(lambda s, again=again: outbox.add_all(s, [row(2), again], now))
    assert len(await db.read(outbox.unfinished)) == 2


async def test_a_row_is_started_by_one_only(db: Database, place: Path | str, now: datetime) -> None:
    (stored,) = await db.write(lambda s: outbox.add_all(s, [row()], now))
    others = [Database.open(place) for _ in range(4)]
    started = await asyncio.gather(
        *(other.write_synced(lambda s: outbox.start(s, stored.id, now)) for other in others for _ in range(5))
    )
    for other in others:
        await other.close()
    assert sum(started) == 1


async def test_a_row_that_was_left_behind_is_taken_over_by_one_only(db: Database, place: Path | str, now: datetime) -> None:
    (stored,) = await db.write(lambda s: outbox.add_all(s, [row()], now))
    await db.write(lambda s: outbox.start(s, stored.id, now))
    left = await db.read(lambda s: outbox.by_key(s, "key0"))
    others = [Database.open(place) for _ in range(4)]
    taken = await asyncio.gather(*(other.write_synced(lambda s: outbox.take_over(s, left, now)) for other in others))
    for other in others:
        await other.close()
    assert sum(one is not None for one in taken) == 1


async def test_a_finished_row_keeps_its_receipt_and_is_never_started_again(db: Database, now: datetime) -> None:
    (stored,) = await db.write(lambda s: outbox.add_all(s, [row()], now))
    assert not await db.write(lambda s: outbox.finish(s, stored.id, status="done", at=now)), "it has not begun"
    assert await db.write(lambda s: outbox.start(s, stored.id, now))
    assert await db.write(lambda s: outbox.finish(s, stored.id, status="done", at=now + HOUR, receipt='{"id": 7}'))
    assert not await db.write(lambda s: outbox.start(s, stored.id, now))
    assert not await db.write(lambda s: outbox.finish(s, stored.id, status="failed", at=now))
    finished = await db.read(lambda s: outbox.by_key(s, "key0"))
    assert finished == stored.model_copy(update={"status": "done", "updated": now + HOUR, "receipt": '{"id": 7}'})
    assert await db.read(outbox.unfinished) == ()


async def test_what_is_unknown_can_still_be_settled(db: Database, now: datetime) -> None:
    (stored,) = await db.write(lambda s: outbox.add_all(s, [row()], now))
    await db.write(lambda s: outbox.start(s, stored.id, now))
    assert await db.write(lambda s: outbox.finish(s, stored.id, status="unknown", at=now, error="connection lost"))
    assert not await db.write(lambda s: outbox.finish(s, stored.id, status="unknown", at=now)), "nothing new is known"
    assert not await db.write(lambda s: outbox.start(s, stored.id, now))
    assert await db.write(lambda s: outbox.finish(s, stored.id, status="done", at=now, receipt="{}"))
    settled = await db.read(lambda s: outbox.get(s, stored.id))
    assert settled is not None
    assert (settled.status, settled.error) == ("done", "")


@pytest.mark.parametrize(("status", "late"), [("running", False), ("done", True), ("suspended", True), (None, True)])
async def test_a_failure_is_still_to_be_shown_unless_its_flow_runs_and_by_one_only(
    db: Database, place: Path | str, now: datetime, status: FlowStatus | None, late: bool
) -> None:
    def fail(s: Session) -> int:
        if status:
            flows.create(s, "f1", conversation="c1", about="x", at=now, status=status)
        (stored,) = outbox.add_all(s, [row(status="pending")], now)
        audit.append(s, now, audit.NewEntry(kind="approved", flow_id="f1", preview_id="p1"))
        assert outbox.advance(s, stored.id, expect=("pending",), to="failed", at=now)
        outbox.failed_late(s, stored)
        return stored.id

    failed = await db.write(fail)
    assert [one.id for one in await db.read(outbox.unshown)] == ([failed] if late else [])
    others = [Database.open(place) for _ in range(2)]
    claimed = await asyncio.gather(*(other.write(lambda s: outbox.shown(s, failed)) for other in others for _ in range(3)))
    assert sum(claimed) == late and await db.read(outbox.unshown) == ()
    for other in others:
        await other.close()


async def test_a_held_row_goes_out_when_its_time_has_come(db: Database, now: datetime) -> None:
    rows = [row(0, status="held", not_before=now + HOUR), row(1, status="held", not_before=now + 2 * HOUR)]
    first, _ = await db.write(lambda s: outbox.add_all(s, rows, now))
    assert not await db.write(lambda s: outbox.start(s, first.id, now))
    assert await db.write(lambda s: outbox.release_due(s, now)) == ()
    assert await db.read(outbox.next_due) == now + HOUR
    released = await db.write(lambda s: outbox.release_due(s, now + HOUR))
    assert [(r.key, r.status) for r in released] == [("key0", "pending")]
    assert await db.read(outbox.next_due) == now + 2 * HOUR
    assert await db.write(lambda s: outbox.start(s, first.id, now + HOUR))


async def test_a_due_row_is_released_by_one_only(db: Database, place: Path | str, now: datetime) -> None:
    await db.write(lambda s: outbox.add_all(s, [row(n, status="held", not_before=now) for n in range(20)], now))
    others = [Database.open(place) for _ in range(4)]
    released = await asyncio.gather(*(other.write(lambda s: outbox.release_due(s, now)) for other in others for _ in range(2)))
    for other in others:
        await other.close()
    assert sorted(r.position for rows in released for r in rows) == list(range(20))


async def test_a_row_taken_back_while_held_never_goes_out(db: Database, now: datetime) -> None:
    (held,) = await db.write(lambda s: outbox.add_all(s, [row(status="held", not_before=now)], now))
    assert await db.write(lambda s: outbox.advance(s, held.id, expect=("held",), to="failed", at=now, error="taken back"))
    assert await db.write(lambda s: outbox.release_due(s, now + HOUR)) == ()
    assert not await db.write(lambda s: outbox.start(s, held.id, now))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    db = Database.open(tmp_path_factory.mktemp("home") / "assistant.db")
    yield db
    asyncio.run(db.close())


STEPS = st.lists(st.sampled_from(["start", "done", "failed", "unknown", "reopen"]), max_size=12)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS)
def test_whatever_the_order_a_row_is_done_at_most_once(steps: list[str], shared: Database) -> None:
    now = datetime.fromisoformat("2026-11-18T09:30:00+00:00")
    key = uuid4().hex

    def play(s: Session) -> list[str]:
        (stored,) = outbox.add_all(s, [row(preview_id=key, key=key)], now)
        return [name for name in steps if step(s, stored.id, name)]

    def step(s: Session, row_id: int, name: Any) -> bool:
        if name == "start":
            return outbox.start(s, row_id, now)
        if name == "reopen":
            return outbox.advance(s, row_id, expect=("started",), to="pending", at=now)
        return outbox.finish(s, row_id, status=name, at=now)

    taken = asyncio.run(shared.write(play))
    assert taken.count("done") + taken.count("failed") <= 1
    for before, after in pairwise(taken):
        assert after != "start" or before == "reopen"
        assert before not in ("done", "failed")
