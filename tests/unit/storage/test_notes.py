"""What users want remembered."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from storage import leaving, notes, users
from storage.database import Database
from storage.session import Session
from storage.tables import StoredNote

ORIGIN = {"said": "remember that I drink tea", "conversation": "c", "flow_id": "f"}


@pytest.fixture
async def two(db: Database, now: datetime) -> Database:
    await db.write(lambda s: users.add(s, "bert", name="Bert", at=now))
    return db


def adding(text: str, at: datetime, user: str = "owner", most: int = 10) -> Callable[[Session], StoredNote | None]:
    return lambda s: notes.add(s, text, at=at, most=most, user_id=user, **ORIGIN)


async def test_notes_are_numbered_for_each_user_and_kept_with_their_origin(two: Database, now: datetime) -> None:
    for text, user in (("tea", "owner"), ("mornings", "owner"), ("coffee", "bert")):
        await two.write(adding(text, now, user))
    mine, theirs = await two.read(notes.every), await two.read(lambda s: notes.every(s, user_id="bert"))
    assert [(one.number, one.text) for one in mine] == [(1, "tea"), (2, "mornings")]
    assert [(one.number, one.text) for one in theirs] == [(1, "coffee")]
    assert (mine[0].said, mine[0].conversation, mine[0].flow_id, mine[0].at) == ("remember that I drink tea", "c", "f", now)


async def test_only_ones_own_are_removed(two: Database, now: datetime) -> None:
    for user in ("owner", "bert"):
        await two.write(adding("tea", now, user))
    assert await two.write(lambda s: notes.remove(s, [1, 7])) == 1
    assert await two.read(notes.every) == ()
    assert len(await two.read(lambda s: notes.every(s, user_id="bert"))) == 1


async def test_there_is_an_end_to_them(db: Database, now: datetime) -> None:
    assert await db.write(adding("one", now, most=1))
    assert await db.write(adding("two", now, most=1)) is None
    assert len(await db.read(notes.every)) == 1


async def test_two_at_once_get_numbers_of_their_own(db: Database, place: Path | str, now: datetime) -> None:
    others = [Database.open(place) for _ in range(3)]
    await asyncio.gather(*(one.write(adding(str(n), now)) for n, one in enumerate(others)))
    for other in others:
        await other.close()
    assert [one.number for one in await db.read(notes.every)] == [1, 2, 3]


async def test_they_leave_with_their_user(two: Database, now: datetime) -> None:
    await two.write(adding("tea", now, "bert"))
    assert (await two.read(lambda s: leaving.belongings(s, "bert"))).notes == 1
    await two.write(lambda s: leaving.remove(s, "bert"))
    assert await two.read(lambda s: notes.every(s, user_id="bert")) == ()
