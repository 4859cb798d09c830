"""What accounts sign in with: sealed on disk, and open to nobody without the key."""

import asyncio
import errno
import os
import stat
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from storage import secrets
from storage.database import Database
from storage.errors import StorageError
from storage.sealing import KEY_FILE, Seal
from storage.secrets import Vault

SECRET = '{"refresh_token": "1//very-long-lived"}'
ONE, OTHER = "A" * 43 + "=", "B" * 42 + "A="


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / KEY_FILE


@pytest.fixture
def vault(db: Database, file: Path, now: datetime) -> Callable[..., Vault]:
    """As another process would make it."""
    return lambda key="": Vault(db, Seal(file, key), lambda: now)


async def put(db: Database, seal: Seal, account: str, secret: str, now: datetime) -> None:
    sealed = seal.close(secret)
    await db.write(lambda s: secrets.put(s, account, sealed, now))


# --- the key


def test_what_is_sealed_can_be_opened_and_does_not_show(file):
    sealed = Seal(file).close(SECRET)
    assert "very-long-lived" not in sealed and Seal(file).open(sealed) == SECRET


def test_a_key_is_made_on_first_use_for_the_owner_alone(file):
    Seal(file).open("gAAAAA")
    assert not file.exists()
    Seal(file).close(SECRET)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    made = file.read_text()
    Seal(file).close(SECRET)
    assert file.read_text() == made and os.listdir(file.parent) == [KEY_FILE]


def test_a_key_is_made_where_there_are_no_hard_links(file, monkeypatch):
    def link(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    sealed = Seal(file).close(SECRET)
    assert Seal(file).open(sealed) == SECRET and os.listdir(file.parent) == [KEY_FILE]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_of_several_that_make_a_key_at_once_all_use_the_same(file):
    sealed = await asyncio.gather(*(asyncio.to_thread(Seal(file).close, SECRET) for _ in range(8)))
    assert [Seal(file).open(one) for one in sealed] == [SECRET] * 8


def test_a_key_of_the_environment_is_used_and_none_is_kept(file):
    sealed = Seal(file, ONE).close(SECRET)
    assert Seal(file, ONE).open(sealed) == SECRET and not file.exists()


@pytest.mark.parametrize("broken", ["another key", "no key", "a damaged key", "a damaged text"])
def test_what_can_not_be_opened_is_nothing_rather_than_an_error(file, broken):
    sealed = Seal(file).close(SECRET)
    if broken == "no key":
        file.unlink()
    elif broken == "a damaged key":
        file.write_bytes(b"\xff\xfe not a key")
    elif broken == "a damaged text":
        sealed = sealed[:-8]
    assert Seal(file, ONE if broken == "another key" else "").open(sealed) is None


def test_nothing_is_sealed_with_a_damaged_key(file):
    file.write_text("no key at all")
    with pytest.raises(StorageError, match=f"no usable key in .*{KEY_FILE}"):
        Seal(file).close(SECRET)
    assert file.read_text() == "no key at all"


def test_without_the_package_it_is_said_what_to_install(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.fernet", None)
    for use in (Seal(file).close, Seal(file).open):
        with pytest.raises(StorageError, match="pip install cryptography"):
            use("text")


# --- the database


async def test_a_secret_is_loaded_by_whoever_has_the_key(db, vault, file, now):
    await put(db, Seal(file), "google", SECRET, now)
    assert await vault().load("google") == SECRET
    assert await vault().load("work") is None
    assert await vault(OTHER).load("google") is None


async def test_it_lies_sealed_in_the_database(db, file, now):
    await put(db, Seal(file), "google", SECRET, now)
    assert "very-long-lived" not in (await db.read(lambda s: secrets.get(s, "google")) or SECRET)


async def test_a_refreshed_secret_takes_the_place_of_the_one_that_was_loaded(db, vault, file, now):
    await put(db, Seal(file), "google", SECRET, now)
    mine = vault()
    await mine.load("google")
    for refreshed in ("second", "third"):
        await mine.save("google", refreshed)
        assert await vault().load("google") == refreshed


async def test_a_secret_that_was_connected_anew_is_not_overwritten(db, vault, file, now):
    await put(db, Seal(file), "google", SECRET, now)
    mine = vault()
    await mine.load("google")
    await put(db, Seal(file), "google", "connected anew", now)
    await mine.save("google", "refreshed")
    assert await mine.load("google") == "connected anew"
    await mine.save("google", "refreshed")
    assert await vault().load("google") == "refreshed"


async def test_a_secret_that_was_removed_does_not_come_back(db, vault, file, now):
    await put(db, Seal(file), "google", SECRET, now)
    mine = vault()
    await mine.load("google")
    assert await db.write(lambda s: secrets.remove(s, "google"))
    assert not await db.write(lambda s: secrets.remove(s, "google"))
    await mine.save("google", "refreshed")
    assert await vault().load("google") is None
