"""Statements worded once and run many times."""

from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import insert, select, update

from storage import conversations
from storage.database import Database
from storage.errors import StorageError
from storage.session import Prepared, Session, among, given
from storage.tables import ACCOUNT, CONVERSATION, OWNER, StoredAccount

ADD = Prepared(insert(ACCOUNT))
NAMED = Prepared(select(ACCOUNT).where(ACCOUNT.c.name == given("which")))
ONLY_LOCAL = Prepared(select(ACCOUNT.c.name).where(ACCOUNT.c.kind == "local").order_by(ACCOUNT.c.name))


def account(name: str, at: datetime, *, kind: str = "local", sample: bool = False) -> dict[str, object]:
    return {
        "user_id": OWNER, "name": name, "kind": kind, "owner": "", "address": "me@x.example", "settings": {"mail": f"/{name}"},
        "sample": sample, "created": at,
    }  # fmt: skip


async def test_a_row_comes_back_in_pythons_types(db: Database, now: datetime) -> None:
    elsewhere = now.astimezone(timezone(timedelta(hours=5)))
    await db.write(lambda s: s.insert(ADD, account("a", elsewhere, sample=True)))
    found = await db.read(lambda s: s.first(StoredAccount, NAMED, which="a"))
    assert found is not None
    assert (found.settings, found.sample, found.created) == ({"mail": "/a"}, True, now)
    assert found.created.utcoffset() == timedelta()


async def test_what_a_statement_compares_with_by_itself_needs_no_value(db: Database, now: datetime) -> None:
    def fill(s: Session) -> None:
        s.insert_all(ADD, [account("b", now), account("a", now), account("c", now, kind="imap")])

    await db.write(fill)
    assert await db.read(lambda s: s.column(ONLY_LOCAL)) == ("a", "b")


async def test_one_of_no_values_meets_nothing(db: Database, now: datetime) -> None:
    await db.write(lambda s: conversations.ensure(s, "c", now))
    none, some = (Prepared(select(CONVERSATION.c.id).where(among(CONVERSATION.c.id, ids))) for ids in ((), ("x", "c")))
    assert await db.read(lambda s: (s.column(none), s.column(some))) == ((), ("c",))


async def test_a_value_that_was_not_given_is_refused_and_nothing_changes(db: Database, now: datetime) -> None:
    rename = Prepared(update(ACCOUNT).where(ACCOUNT.c.name == given("which")), ["address"])
    await db.write(lambda s: s.insert(ADD, account("a", now)))
    with pytest.raises(StorageError):
        await db.write(lambda s: s.changed(rename, address="other@x.example"))
    found = await db.read(lambda s: s.first(StoredAccount, NAMED, which="a"))
    assert found is not None and found.address == "me@x.example"


async def test_a_naive_time_is_refused(db: Database, now: datetime) -> None:
    with pytest.raises(ValueError):
        await db.write(lambda s: s.insert(ADD, account("a", now.replace(tzinfo=None))))
