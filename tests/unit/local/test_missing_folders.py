"""Folders that are not there or can't be read: never taken for empty ones, never made anew below an unmounted disk."""

import errno
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from integrations.actions import CancelEvent, CreateContact, CreateEvent, DeleteContact, SaveDraft, SendMail
from integrations.combined import CombinedReaders
from integrations.errors import IntegrationError, ReadOnly, Unavailable
from integrations.local.standing import remember_folders
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import Address, ContactQuery, EventQuery, MailQuery

KEY = "0123456789abcdef0123456789abcdef"
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
DAY = EventQuery(start=NOW, end=NOW + timedelta(days=1))
SWIM = CreateEvent(account="home", title="Swim", start=NOW, end=NOW + timedelta(hours=1))
EVA = CreateContact(account="home", name="Eva")
LETTER = SendMail(account="home", to=(Address(email="anna@x.example"),), subject="Hi")
MAIL = b"From: a@x.example\nSubject: s\n\nb\n"


@asynccontextmanager
async def connected(place: Path, name: str = "home") -> AsyncIterator[Account]:
    """An account whose three folders lie below `place`/disk, opened as if the program had just been started."""
    settings = {kind: str(place / "disk" / kind) for kind in ("mail", "calendars", "contacts")}
    config = AccountConfig(name=name, kind="local", address="me@home.example", settings=settings)
    account = open_account(config, zone=ZoneInfo("Europe/Berlin"), index=place / "index", clock=lambda: NOW)
    yield account
    await account.close()


def read_mail(account: Account) -> Any:
    return account.readers.mail.search(MailQuery())


def read_events(account: Account) -> Any:
    return account.readers.calendar.events(DAY)


def read_contacts(account: Account) -> Any:
    return account.readers.contacts.search(ContactQuery())


def create_event(account: Account) -> Any:
    return account.writers.calendar.execute(SWIM, KEY)


def create_contact(account: Account) -> Any:
    return account.writers.contacts.execute(EVA, KEY)


def send(account: Account) -> Any:
    return account.writers.mail.execute(LETTER, KEY)


READS = pytest.mark.parametrize("read", [read_mail, read_events, read_contacts])
WRITES = pytest.mark.parametrize("write", [send, create_event, create_contact])


async def use(place: Path) -> None:
    for kind in ("mail/cur", "calendars", "contacts"):
        (place / "disk" / kind).mkdir(parents=True)
    (place / "disk" / "mail" / "cur" / "1.a.host:2,S").write_bytes(MAIL)
    async with connected(place) as account:
        for read in (read_mail, read_events, read_contacts):
            await read(account)


@READS
async def test_a_folder_that_never_was_there_is_empty(tmp_path: Path, read: Callable[[Account], Any]) -> None:
    async with connected(tmp_path) as account:
        assert (await read(account)).items == ()
    assert not (tmp_path / "disk").exists()


@WRITES
async def test_a_folder_that_never_was_there_is_made_by_the_first_write(tmp_path: Path, write: Callable[[Account], Any]) -> None:
    async with connected(tmp_path) as account:
        receipt = await write(account)
        assert receipt.id
    assert (tmp_path / "disk").is_dir()


@READS
async def test_a_folder_that_is_gone_is_not_taken_for_an_empty_one(tmp_path: Path, read: Callable[[Account], Any]) -> None:
    await use(tmp_path)
    (tmp_path / "disk").rename(tmp_path / "elsewhere")
    async with connected(tmp_path) as account:
        with pytest.raises(Unavailable, match=r"is not there or can't be read; is a disk not mounted\?") as refused:
            await read(account)
        assert refused.value.account == "home"
        (tmp_path / "elsewhere").rename(tmp_path / "disk")
        await read(account)


@READS
async def test_a_folder_that_goes_while_the_program_runs_is_missed(tmp_path: Path, read: Callable[[Account], Any]) -> None:
    await use(tmp_path)
    async with connected(tmp_path) as account:
        await read(account)
        (tmp_path / "disk").rename(tmp_path / "elsewhere")
        with pytest.raises(Unavailable):
            await read(account)


@WRITES
async def test_nothing_is_written_where_a_folder_is_gone(tmp_path: Path, write: Callable[[Account], Any]) -> None:
    await use(tmp_path)
    (tmp_path / "disk").rename(tmp_path / "elsewhere")
    async with connected(tmp_path) as account:
        with pytest.raises(ReadOnly, match="is a disk not mounted"):
            await write(account)
    assert not (tmp_path / "disk").exists()


async def test_a_folder_that_was_there_when_it_was_connected_is_missed_before_it_was_ever_read(tmp_path: Path) -> None:
    (tmp_path / "disk" / "calendars").mkdir(parents=True)
    remember_folders("home", [tmp_path / "disk" / "calendars"], tmp_path / "index")
    (tmp_path / "disk" / "calendars").rmdir()
    async with connected(tmp_path) as account:
        with pytest.raises(Unavailable):
            await read_events(account)


async def test_whether_something_was_deleted_is_not_told_by_a_folder_that_is_gone(tmp_path: Path) -> None:
    await use(tmp_path)
    async with connected(tmp_path) as account:
        event = (await create_event(account)).undo[0].event
        contact = (await create_contact(account)).undo[0].contact
        (tmp_path / "disk").rename(tmp_path / "elsewhere")
        with pytest.raises(Unavailable):
            await account.writers.calendar.find(CancelEvent(account="home", event=event), KEY)
        with pytest.raises(Unavailable):
            await account.writers.contacts.find(DeleteContact(account="home", contact=contact), KEY)


async def test_an_empty_folder_whose_disk_was_mounted_once_is_not_taken_for_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calendars = tmp_path / "disk" / "calendars"
    mounted = {str(tmp_path / "disk"), "/"}
    monkeypatch.setattr(os.path, "ismount", lambda path: str(path) in mounted)
    await use(tmp_path)
    async with connected(tmp_path) as account:
        assert (await read_events(account)).items == ()
    mounted.remove(str(tmp_path / "disk"))
    async with connected(tmp_path) as account:
        with pytest.raises(Unavailable):
            await read_events(account)
        (calendars / "work").mkdir()
        assert (await read_events(account)).items == ()


async def test_of_several_accounts_the_one_that_could_not_be_read_is_named(tmp_path: Path) -> None:
    for place in ("one", "two"):
        await use(tmp_path / place)
    (tmp_path / "two" / "disk").rename(tmp_path / "elsewhere")
    async with connected(tmp_path / "one", "here") as here, connected(tmp_path / "two") as gone:
        readers = CombinedReaders([here.readers, gone.readers])
        pages: list[Any] = [
            await readers.mail.search(MailQuery()),
            await readers.calendar.events(DAY),
            await readers.contacts.search(ContactQuery()),
        ]
    for page in pages:
        (skipped,) = page.skipped
        assert skipped.where == "home" and "disk not mounted" in skipped.reason


@READS
async def test_a_folder_that_may_not_be_read_is_unavailable(plain_user: Path, read: Callable[[Account], Any]) -> None:
    await use(plain_user)
    for folder in (plain_user / "disk").iterdir():
        folder.chmod(0)
    async with connected(plain_user) as account:
        with pytest.raises(Unavailable, match="can't be read"):
            await read(account)


async def test_one_folder_that_may_not_be_read_is_told_beside_what_the_others_hold(plain_user: Path) -> None:
    await use(plain_user)
    disk = plain_user / "disk"
    for folder in ("mail/.Work/cur", "mail/.Closed/cur", "calendars/work", "contacts/friends"):
        (disk / folder).mkdir(parents=True)
    for folder in ("mail/.Work/cur", "mail/.Closed", "calendars/work", "contacts/friends"):
        (disk / folder).chmod(0)
    async with connected(plain_user) as account:
        mails = await read_mail(account)
        assert len(mails.items) == 1
        assert {one.where for one in mails.skipped} == {"Work/cur", ".Closed"}
        assert [one.where for one in (await read_events(account)).skipped] == ["work"]
        assert [one.where for one in (await read_contacts(account)).skipped] == ["friends"]
        (disk / "calendars" / "work").chmod(0o700)
        assert (await read_events(account)).skipped == ()


async def test_one_mail_that_may_not_be_read_is_told_and_its_parts_are_unavailable(plain_user: Path) -> None:
    await use(plain_user)
    async with connected(plain_user) as account:
        (mail,) = (await read_mail(account)).items
        (plain_user / "disk" / "mail" / "cur" / "1.a.host:2,S").chmod(0)
        with pytest.raises(Unavailable, match=r"1\.a\.host"):
            await account.readers.mail.attachment(mail.ref, "1")
        with pytest.raises(Unavailable, match=r"1\.a\.host"):
            await account.writers.mail.execute(LETTER.model_copy(update={"forward_of": mail.ref}), KEY)


@WRITES
async def test_where_nothing_may_be_written_the_path_is_told(plain_user: Path, write: Callable[[Account], Any]) -> None:
    await use(plain_user)
    for kind in ("mail", "calendars", "contacts"):
        (plain_user / "disk" / kind).chmod(0o500)
    async with connected(plain_user) as account:
        with pytest.raises(ReadOnly) as refused:
            await write(account)
    assert str(plain_user / "disk") in str(refused.value) or "No calendar" in str(refused.value)


@pytest.mark.parametrize("write", [send, create_event, create_contact])
async def test_a_full_disk_is_said_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Account], Any]
) -> None:
    await use(tmp_path)
    async with connected(tmp_path) as account:
        await account.writers.mail.execute(SaveDraft(account="home", subject="first"), KEY[::-1])
        before = {path for path in (tmp_path / "disk").rglob("*") if path.is_file()}

        def full(handle: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(IntegrationError, match="disk is full"):
                await write(account)
        left = {path for path in (tmp_path / "disk").rglob("*") if path.is_file()} - before
        assert [path for path in left if path.name != "maildirfolder"] == []
        assert (await write(account)).id
