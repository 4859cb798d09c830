"""Accounts, templates and settings."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from storage import accounts, calls, settings, templates
from storage.database import Database
from storage.errors import Duplicate, StorageError
from storage.session import Session


async def test_accounts_are_listed_in_the_order_they_were_added(db: Database, now: datetime) -> None:
    def add(s: Session, name: str, at: datetime) -> None:
        accounts.add(s, name=name, kind="local", address=f"me@{name}.example", settings={"mail": f"/{name}"}, at=at)

    await db.write(lambda s: add(s, "work", now))
    await db.write(lambda s: add(s, "home", now + timedelta(days=1)))
    stored = await db.read(accounts.list)
    assert [(a.name, a.address, a.settings, a.sample) for a in stored] == [
        ("work", "me@work.example", {"mail": "/work"}, False),
        ("home", "me@home.example", {"mail": "/home"}, False),
    ]
    with pytest.raises(Duplicate):
        await db.write(lambda s: add(s, "work", now))
    assert await db.write(lambda s: accounts.remove(s, "work"))
    assert not await db.write(lambda s: accounts.remove(s, "work"))
    assert await db.read(lambda s: accounts.get(s, "work")) is None
    assert await db.read(accounts.list) == stored[1:]


async def test_a_row_of_an_unknown_user_is_refused(db: Database) -> None:
    with pytest.raises(StorageError, match=r"(?i)foreign key"):
        await db.write(lambda s: settings.put(s, "zone", "Europe/Berlin", user_id="nobody"))


async def test_a_template_saved_again_is_replaced_whatever_its_case(db: Database) -> None:
    await db.write(lambda s: templates.save(s, name="Größe", body="old"))
    await db.write(lambda s: templates.save(s, name="GRÖSSE", body="new", subject="Re"))
    await db.write(lambda s: templates.save(s, name="apology", body="Sorry"))
    stored = await db.read(templates.list)
    assert [(t.name, t.subject, t.body) for t in stored] == [("apology", "", "Sorry"), ("GRÖSSE", "Re", "new")]
    assert await db.read(lambda s: templates.get(s, "Apology")) == stored[0]
    assert await db.write(lambda s: templates.delete(s, "größe"))
    assert not await db.write(lambda s: templates.delete(s, "größe"))
    assert await db.read(templates.list) == stored[:1]


async def test_of_names_that_differ_in_case_alone_one_is_kept_whoever_saves_them(db: Database, place: Path | str) -> None:
    others = [Database.open(place) for _ in range(4)]
    names = ("Größe", "GRÖSSE", "größe", "Grösse")
    await asyncio.gather(*(o.write(lambda s, n=n: templates.save(s, name=n, body=n)) for o, n in zip(others, names, strict=True)))
    for other in others:
        await other.close()
    assert len(await db.read(templates.list)) == 1


async def test_what_calls_cost_is_summed_of_a_flow_and_since_an_instant(db: Database, now: datetime) -> None:
    def add(s: Session) -> None:
        common = {"role": "reply", "model": "m", "cached": 0, "seconds": 1.0, "trouble": "", "estimated": False}
        for hour, (flow, cost) in enumerate((("f1", 0.25), ("f1", None), ("f2", 0.5))):
            calls.add(s, {**common, "at": now + timedelta(hours=hour), "flow_id": flow, "cost": cost, "prompt": 3, "completion": 4})

    await db.write(add)
    assert await db.read(lambda s: calls.spent(s, flow="f1")) == (2, 14, 0.25)
    assert await db.read(lambda s: calls.spent(s, since=now + timedelta(hours=1))) == (2, 14, 0.5)
    assert await db.read(lambda s: calls.spent(s, flow="nothing")) == (0, 0, 0)


async def test_settings_are_kept_by_key(db: Database) -> None:
    assert await db.read(lambda s: settings.get(s, "zone")) is None
    for value in ("Europe/Berlin", "Asia/Tokyo"):
        await db.write(lambda s, value=value: settings.put(s, "zone", value))
    await db.write(lambda s: settings.put(s, "empty", ""))
    assert await db.read(settings.all) == {"zone": "Asia/Tokyo", "empty": ""}
    assert await db.write(lambda s: settings.remove(s, "empty"))
    assert not await db.write(lambda s: settings.remove(s, "empty"))
    assert await db.read(lambda s: settings.get(s, "zone")) == "Asia/Tokyo"
