import asyncio
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, update

from storage import audit
from storage.audit import GENESIS, NewEntry, Verification
from storage.database import Database
from storage.errors import CorruptDatabase
from storage.session import Prepared, Session
from storage.tables import AUDIT, AUDIT_HEAD

MOST = 9
AT = datetime(2026, 11, 18, 9, 30, 0, 123456, tzinfo=UTC)
TEXTS = [column.name for column in AUDIT.c if column.name not in ("seq", "at", "user_id")]


def entry(number: int) -> NewEntry:
    return NewEntry(kind="started", flow_id=f"f{number}", preview_id=f"f{number}-p1", key=f"k{number}", content={"n": number})


def run(s: Session, statement, **values) -> None:
    """Past storage.audit, as somebody with the file in their hands would."""
    s.changed(Prepared(statement), **values)


class Put(Exception):
    pass


async def verified(db: Database, change: Callable[[Session], None], noted: str = "") -> Verification:
    """What is found of a change, which is taken back."""
    found: list[Verification] = []

    def work(s: Session) -> None:
        change(s)
        found.append(audit.verify(s, noted))
        raise Put

    with pytest.raises(Put):
        await db.write(work)
    return found[-1]


@pytest.fixture
async def full(db: Database) -> Database:
    """Entry 2 is forgotten, which is entry 5."""

    def work(s: Session) -> None:
        for number in range(1, MOST + 1):
            at = AT + timedelta(seconds=number)
            audit.append(s, at, entry(number)) if number != 5 else audit.forget(s, [2], at)

    await db.write(work)
    return db


async def test_the_journal_of_a_new_database_is_empty_and_holds(db):
    assert await db.read(audit.verify) == Verification(count=0, head=GENESIS)


async def test_entries_are_numbered_without_a_gap_and_chained(full):
    entries = await full.read(audit.page)
    assert [e.seq for e in entries] == list(range(1, MOST + 1))
    assert [e.previous for e in entries] == [GENESIS, *(e.hash for e in entries[:-1])]
    found = await full.read(audit.verify)
    assert found == Verification(count=MOST, head=entries[-1].hash, forgotten=1)


async def test_what_was_noted_is_handed_out_as_it_was(full):
    (only,) = await full.read(lambda s: audit.of_permit(s, "f3-p1"))
    assert (only.kind, only.flow_id, only.preview_id, only.at) == ("started", "f3", "f3-p1", AT + timedelta(seconds=3))
    assert audit.content_of(only)["n"] == 3


async def test_texts_of_every_kind_can_be_noted(db):
    words = "\x00 \ud800 \u2028 \N{PILE OF POO} “é” %_'\""
    await db.write(lambda s: audit.append(s, AT, NewEntry(kind="proposed", content={"words": words})))
    (only,) = await db.read(audit.page)
    assert audit.content_of(only)["words"] == words and not (await db.read(audit.verify)).wrong


async def test_a_permit_is_found_by_the_beginning_of_its_id_its_key_or_its_flow(full):
    for beginning in ("f3-p1", "f3-p", "k3", "f3"):
        assert await full.read(lambda s, beginning=beginning: audit.permits(s, beginning)) == ("f3-p1",)
    assert await full.read(lambda s: audit.permits(s, "f")) == tuple(f"f{n}-p1" for n in (9, 8, 7, 6, 4, 3, 2, 1))
    assert await full.read(lambda s: audit.permits(s, "%")) == ()


async def test_permits_are_told_newest_first_and_since_a_time(full):
    since = AT + timedelta(seconds=6)
    assert await full.read(lambda s: audit.latest(s, since, 2)) == ("f9-p1", "f8-p1")
    assert await full.read(lambda s: audit.latest(s, since, 10)) == ("f9-p1", "f8-p1", "f7-p1", "f6-p1")


async def test_a_write_that_fails_leaves_the_chain_as_it_was(full):
    before = await full.read(audit.verify)

    def work(s: Session) -> None:
        audit.append(s, AT, entry(99))
        raise Put

    with pytest.raises(Put):
        await full.write(work)
    assert await full.read(audit.verify) == before


# --- forgetting


async def test_what_is_forgotten_is_gone_and_the_chain_holds(full):
    (second,) = await full.read(lambda s: audit.of_permit(s, "f2-p1"))
    assert second.content is None and audit.content_of(second) == {} and second.digest
    told = (await full.read(audit.page))[4]
    assert told.kind == "forgotten" and audit.content_of(told)["seqs"] == [2]


async def test_only_what_was_there_is_forgotten_and_once(full):
    assert await full.write(lambda s: audit.forget(s, [2, 4, 4, 77], AT)) == 1
    assert await full.write(lambda s: audit.forget(s, [2, 4], AT)) == 0
    found = await full.read(audit.verify)
    assert (found.count, found.forgotten, found.wrong) == (MOST + 1, 2, "")


async def test_what_tells_of_a_forgetting_is_not_forgotten(full):
    assert await full.write(lambda s: audit.forget(s, [5], AT)) == 0
    assert not (await full.read(audit.verify)).wrong


async def test_content_that_goes_without_a_word_is_missed(full):
    found = await verified(full, lambda s: run(s, update(AUDIT).where(AUDIT.c.seq == 6).values(content=None)))
    assert found.wrong == "Entry 6 of the journal has lost its content, and none says why." and found.count == 5


async def test_equal_contents_have_digests_that_tell_nothing(db):
    same = NewEntry(kind="proposed", content={"to": "helena@example.org"})
    await db.write(lambda s: audit.append(s, AT, same, same))
    one, other = await db.read(audit.page)
    assert one.digest != other.digest


# --- what was tampered with

NUMBERS = st.integers(1, MOST)


def changed(number: int, column: str, value: object) -> Callable[[Session], None]:
    return lambda s: run(s, update(AUDIT).where(AUDIT.c.seq == number).values({column: value}))


def removed(number: int) -> Callable[[Session], None]:
    return lambda s: run(s, delete(AUDIT).where(AUDIT.c.seq == number))


def moved(number: int, to: int) -> Callable[[Session], None]:
    return lambda s: run(s, update(AUDIT).where(AUDIT.c.seq == number).values(seq=to))


def swapped(one: int, other: int) -> Callable[[Session], None]:
    def work(s: Session) -> None:
        for number, to in ((one, -1), (other, one), (-1, other)):
            moved(number, to)(s)

    return work


def cut_off(number: int) -> Callable[[Session], None]:
    return lambda s: run(s, delete(AUDIT).where(AUDIT.c.seq >= number))


def closed_up(number: int) -> Callable[[Session], None]:
    """Removed, and the later ones moved up."""

    def work(s: Session) -> None:
        removed(number)(s)
        for later in range(number + 1, MOST + 1):
            moved(later, later - 1)(s)

    return work


def put_in(number: int) -> Callable[[Session], None]:
    """A copy under a number in front of the first, or behind the last."""

    def work(s: Session) -> None:
        (only,) = (e for e in audit.page(s) if e.seq == abs(number) % MOST + 1)
        columns = only.model_dump() | {"seq": number}
        run(s, insert(AUDIT).values(columns))

    return work


TAMPERING = st.one_of(
    st.builds(changed, NUMBERS, st.sampled_from(TEXTS), st.text("abc", max_size=3).map(lambda text: f"?{text}")),
    st.builds(changed, NUMBERS, st.just("at"), st.datetimes(timezones=st.just(UTC))),
    st.builds(removed, NUMBERS),
    st.builds(closed_up, NUMBERS),
    st.builds(cut_off, NUMBERS),
    st.lists(NUMBERS, min_size=2, max_size=2, unique=True).map(lambda two: swapped(*two)),
    st.builds(put_in, st.sampled_from([-3, 0, MOST + 1, MOST + 2])),
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TAMPERING)
async def test_any_single_change_is_found(full, change):
    assert (await verified(full, change)).wrong


async def test_the_first_entry_that_is_wrong_is_named(full):
    cases = {
        "Entry 4 of the journal is missing.": removed(4),
        "Entry 4 of the journal was changed after it was written.": changed(4, "key", "x"),
        "The content of entry 4 of the journal was changed.": changed(4, "content", "{}"),
        "Entry 4 of the journal does not follow on entry 3: it was changed, moved or put in.": swapped(4, 6),
        "Entry 8 of the journal is missing: 2 were cut off at its end.": cut_off(8),
        "There are entries in front of the first of the journal: they were put in.": put_in(0),
    }
    for words, change in cases.items():
        assert (await verified(full, change)).wrong == words


async def test_a_head_that_was_changed_or_lost_is_found(full):
    assert "lost its head" in (await verified(full, lambda s: run(s, delete(AUDIT_HEAD)))).wrong
    assert "head is not that" in (await verified(full, lambda s: run(s, update(AUDIT_HEAD).values(count=4)))).wrong


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("value", ["at = 'yesterday'", "key = x'00ff'", "content = x'00ff'"])
async def test_an_entry_that_can_not_be_read_is_named(full, value):
    def change(s: Session) -> None:
        s.connection.execute(f"UPDATE audit SET {value} WHERE seq = 4")

    found = await verified(full, change)
    assert found.wrong == "Entry 4 of the journal can't be read: it was changed."


@pytest.mark.parametrize("content", [None, "{}", "[]", '{"seqs": 5}'])
async def test_a_forgetting_that_no_longer_says_what_it_forgot_is_found(full, content):
    assert "Entry 2" in (await verified(full, changed(5, "content", content))).wrong


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
async def test_a_head_that_is_no_number_is_found(full):
    assert "head is not that" in (await verified(full, lambda s: s.connection.execute("UPDATE audit_head SET count = x'00'"))).wrong


async def test_a_chain_written_anew_is_found_by_a_head_noted_before(full):
    noted = (await full.read(audit.page))[3].hash
    assert not (await full.read(lambda s: audit.verify(s, noted))).wrong

    def forged(s: Session) -> None:
        run(s, delete(AUDIT))
        run(s, update(AUDIT_HEAD).values(count=0, hash=GENESIS))
        for number in range(1, MOST + 1):
            audit.append(s, AT, entry(number))

    assert not (await verified(full, forged)).wrong
    assert "noted is not part" in (await verified(full, forged, noted)).wrong


async def test_without_its_head_nothing_more_is_recorded(full):
    def work(s: Session) -> None:
        run(s, delete(AUDIT_HEAD))
        audit.append(s, AT, entry(1))

    with pytest.raises(CorruptDatabase, match="lost its head"):
        await full.write(work)


# --- who writes it

APPENDING = """
import asyncio, sys
from datetime import UTC, datetime
from storage import audit
from storage.audit import NewEntry
from storage.database import Database

async def main(place, name):
    db = Database.open(place)
    for number in range(40):
        await db.write(lambda s: audit.append(s, datetime.now(UTC), NewEntry(kind="started", key=f"{name}-{number}")))
    await db.close()

asyncio.run(main(*sys.argv[1:]))
"""


async def test_several_processes_append_to_one_chain(db, place):
    racing = [await asyncio.create_subprocess_exec(sys.executable, "-c", APPENDING, str(place), name) for name in "ab"]
    assert [await process.wait() for process in racing] == [0, 0]
    found = await db.read(audit.verify)
    assert (found.count, found.wrong) == (80, "")


def test_only_its_own_module_writes_the_journal():
    """What changes the tables is named there and nowhere else."""
    root = Path(audit.__file__).parents[1]
    sources = [
        path for folder in ("assistant", "storage", "risk", "integrations", "config") for path in (root / folder).rglob("*.py")
    ]
    naming = {path.name for path in sources if "AUDIT" in path.read_text() or "audit_head" in path.read_text()}
    assert naming == {"audit.py", "tables.py", "0004_audit_journal.py"}
