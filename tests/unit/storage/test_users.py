"""Users, and what they come in with."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from storage import (
    accounts,
    audit,
    conversations,
    flows,
    invitations,
    leaving,
    leftover,
    outbox,
    passkeys,
    sessions,
    settings,
    tokens,
    users,
)
from storage.database import Database
from storage.errors import Duplicate
from storage.flows import NewEvent
from storage.outbox import NewRow
from storage.session import Session
from storage.tables import METADATA, OWNER

HOUR = timedelta(hours=1)


@pytest.fixture
async def eva(db: Database, now: datetime) -> str:
    await db.write(lambda s: users.add(s, "u1", name="Eva", at=now + HOUR, email="eva@example.org"))
    return "u1"


async def test_users_are_listed_in_the_order_they_were_added(db: Database, now: datetime) -> None:
    for id, name, days in (("b", "Ben", 36500), ("a", "Ada", 73000)):
        await db.write(lambda s, id=id, name=name, days=days: users.add(s, id, name=name, at=now + timedelta(days=days)))
    stored = await db.read(users.list)
    assert [(u.id, u.name, u.role) for u in stored] == [(OWNER, "", "owner"), ("b", "Ben", "member"), ("a", "Ada", "member")]


async def test_a_name_is_one_persons_whatever_its_case(db: Database, eva: str, now: datetime) -> None:
    with pytest.raises(Duplicate, match="Eva"):
        await db.write(lambda s: users.add(s, "u2", name="EVA", at=now))
    with pytest.raises(Duplicate):
        await db.write(lambda s: users.rename(s, "eva"))
    assert await db.write(lambda s: users.rename(s, "EVA", user_id=eva))
    found = await db.read(lambda s: users.by_name(s, "eva"))
    assert found is not None and (found.id, found.name) == (eva, "EVA")
    assert await db.read(lambda s: users.by_name(s, "")) is None


async def test_of_a_removed_user_nothing_but_the_id_is_left(db: Database, eva: str, now: datetime) -> None:
    assert await db.write(lambda s: users.set_password(s, "hash", user_id=eva))
    assert await db.write(lambda s: users.remove(s, eva, now))
    assert await db.read(lambda s: users.get(s, eva)) is None
    assert [user.id for user in await db.read(users.list)] == [OWNER]
    assert not await db.write(lambda s: users.set_password(s, "hash", user_id=eva))
    with pytest.raises(Duplicate):
        await db.write(lambda s: users.add(s, eva, name="Somebody else", at=now))
    assert await db.write(lambda s: users.add(s, "u2", name="Eva", at=now))


async def test_a_disabled_user_can_be_let_in_again(db: Database, eva: str, now: datetime) -> None:
    async def disabled() -> datetime | None:
        found = await db.read(lambda s: users.get(s, eva))
        assert found is not None
        return found.disabled

    assert await db.write(lambda s: users.disable(s, now, user_id=eva))
    assert await disabled() == now
    assert await db.write(lambda s: users.disable(s, None, user_id=eva))
    assert await disabled() is None


async def test_a_session_is_found_by_the_digest_of_its_cookie(db: Database, eva: str, now: datetime) -> None:
    def add(s: Session, id: str, user: str) -> None:
        sessions.add(s, id, digest=f"digest {id}", user_id=user, at=now, expires=now + HOUR, agent="Firefox")

    for id, user in (("one", eva), ("two", eva), ("owners", OWNER)):
        await db.write(lambda s, id=id, user=user: add(s, id, user))
    with pytest.raises(Duplicate):
        await db.write(lambda s: sessions.add(s, "three", digest="digest one", user_id=eva, at=now, expires=now))
    assert await db.write(lambda s: sessions.touch(s, "one", now + HOUR, now + 2 * HOUR))
    found = await db.read(lambda s: sessions.get(s, "digest one"))
    assert found is not None
    assert (found.user_id, found.seen, found.expires, found.agent) == (eva, now + HOUR, now + 2 * HOUR, "Firefox")
    assert [one.id for one in await db.read(lambda s: sessions.list(s, eva))] == ["one", "two"]
    assert not await db.write(lambda s: sessions.remove(s, "owners", user_id=eva))
    assert await db.write(lambda s: sessions.remove_all(s, eva, but="one")) == 1
    assert await db.write(lambda s: sessions.remove_expired(s, now + HOUR)) == 1
    assert await db.read(lambda s: sessions.get(s, "digest owners")) is None
    assert await db.write(lambda s: sessions.remove(s, "one", user_id=eva))
    assert await db.read(lambda s: sessions.list(s, eva)) == ()


async def test_a_token_is_found_by_its_digest_and_revoked_by_its_user_alone(db: Database, eva: str, now: datetime) -> None:
    await db.write(
        lambda s: tokens.add(s, "t1", digest="d1", user_id=eva, name="script", scopes=("read", "propose"), at=now, expires=now)
    )
    await db.write(lambda s: tokens.add(s, "t2", digest="d2", user_id=OWNER, name="other", scopes=("read",), at=now))
    assert await db.write(lambda s: tokens.touch(s, "t1", now + HOUR))
    found = await db.read(lambda s: tokens.get(s, "d1"))
    assert found is not None and (found.scopes, found.used, found.expires) == ("read propose", now + HOUR, now)
    assert [one.id for one in await db.read(lambda s: tokens.list(s, OWNER))] == ["t2"]
    assert not await db.write(lambda s: tokens.remove(s, "t1", user_id=OWNER))
    assert await db.write(lambda s: tokens.remove(s, "t1", user_id=eva))
    assert await db.read(lambda s: tokens.get(s, "d1")) is None


async def test_a_passkey_counts_on_only_from_where_it_was_seen(db: Database, eva: str, now: datetime) -> None:
    assert not await db.read(passkeys.any)
    key = await db.write(lambda s: passkeys.add(s, "k1", user_id=eva, name="phone", public_key="AQID", at=now))
    with pytest.raises(Duplicate):
        await db.write(lambda s: passkeys.add(s, "k1", user_id=OWNER, name="copy", public_key="AQID", at=now))
    assert await db.read(passkeys.any)
    assert await db.write(lambda s: passkeys.touch(s, key, 5, now + HOUR))
    assert not await db.write(lambda s: passkeys.touch(s, key, 6, now + HOUR))
    found = await db.read(lambda s: passkeys.get(s, "k1"))
    assert found is not None and (found.public_key, found.sign_count, found.used) == ("AQID", 5, now + HOUR)
    assert not await db.write(lambda s: passkeys.remove(s, "k1", user_id=OWNER))
    assert await db.write(lambda s: passkeys.remove(s, "k1", user_id=eva))
    assert await db.read(lambda s: passkeys.list(s, eva)) == ()


async def test_an_invitation_is_taken_once_and_in_time(db: Database, eva: str, now: datetime) -> None:
    await db.write(lambda s: invitations.add(s, "earlier", user_id=eva, expires=now + HOUR))
    await db.write(lambda s: invitations.add(s, "later", user_id=eva, expires=now + HOUR))
    assert await db.read(lambda s: invitations.get(s, "earlier", now)) is None
    assert await db.write(lambda s: invitations.take(s, "later", now + HOUR)) is None
    taken = await asyncio.gather(*(db.write(lambda s: invitations.take(s, "later", now)) for _ in range(3)))
    assert [one.user_id for one in taken if one] == [eva]


def test_what_a_user_leaves_behind_is_looked_for_in_every_table_that_has_users() -> None:
    owned = {table.name for table in METADATA.tables.values() if "user_id" in table.c}
    assert owned == set(leaving.TABLES)


async def test_of_a_user_who_leaves_nothing_stays_but_hashes(db: Database, eva: str, now: datetime) -> None:
    def live(s: Session, user: str) -> None:
        flows.create(s, f"flow of {user}", conversation="c", about="x", at=now, events=[NewEvent(1, now, "3", "t")], user_id=user)
        conversations.add_message(s, "c", "user", "x", now, flow_id=f"flow of {user}", user_id=user)
        accounts.add(s, name="local", kind="local", address="a@b.example", settings={}, at=now, user_id=user)
        settings.put(s, "zone", "UTC", user_id=user)
        audit.append(s, now, audit.NewEntry(kind="proposed", content={"who": user}), user_id=user)

    for user in (OWNER, eva):
        await db.write(lambda s, user=user: live(s, user))
    before = await db.read(lambda s: leaving.belongings(s, OWNER))

    def leave(s: Session) -> None:
        leaving.remove(s, eva)
        audit.forget(s, audit.with_content(s, eva), now, user_id=eva)

    await db.write(leave)
    assert await db.read(lambda s: leaving.belongings(s, eva)) == leaving.Belongings()
    assert await db.read(lambda s: leaving.belongings(s, OWNER)) == before
    assert (await db.read(audit.verify)).wrong == ""


async def test_whose_flows_and_writes_wait_for_somebody_is_found_for_all_users(db: Database, eva: str, now: datetime) -> None:
    def lay(s: Session) -> None:
        row = NewRow(preview_id="p", position=0, key="k1", account="a", action="{}", status="held", not_before=now + HOUR)
        outbox.add_all(s, [row], now, user_id=eva)
        flows.create(s, "f", conversation="c", about="x", at=now, owner="dead", lease_until=now + HOUR, user_id=OWNER)

    await db.write(lay)

    async def left(at: datetime, **more: object) -> frozenset[str]:
        terms: dict[str, Any] = {"leases": at, "rows": False, **more}
        return await db.read(lambda s: leftover.of_users(s, at, **terms))

    assert await left(now) == set()
    assert await left(now, leases=now + HOUR) == {OWNER}
    assert await left(now + HOUR) == {OWNER, eva}
    assert await left(now + HOUR, but=frozenset({eva})) == {OWNER}
    await db.write(lambda s: outbox.release_due(s, now + HOUR))
    assert await left(now) == set() and await left(now, rows=True) == {eva}
