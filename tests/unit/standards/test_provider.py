"""Accounts that have not all of the servers."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from doubles.secrets import KeptSecrets
from servers import Servers

from integrations.actions import CreateContact, CreateEvent
from integrations.errors import AuthExpired, IntegrationError, InvalidResponse, ReadOnly
from integrations.registry import Account, AccountConfig, open_account
from integrations.types import ContactQuery, EventQuery, MailQuery

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
WEEK = EventQuery(start=NOW, end=NOW + timedelta(days=7))


def account(root: Path, address: str = "anna@home.example", **settings: str) -> Account:
    config = AccountConfig(name="acc", kind="imap", address=address, settings=settings)
    return open_account(config, zone=ZoneInfo("Europe/Berlin"), index=root, secrets=KeptSecrets())


async def test_what_an_account_has_not_got_is_empty_and_cannot_be_written(tmp_path: Path) -> None:
    opened = account(tmp_path)
    assert (await opened.readers.mail.search(MailQuery())).items == ()
    assert (await opened.readers.calendar.events(WEEK)).items == ()
    assert (await opened.readers.contacts.search(ContactQuery())).items == ()
    with pytest.raises(ReadOnly):
        await opened.writers.contacts.execute(CreateContact(account="acc", name="Eva"), "k1")
    with pytest.raises(ReadOnly):
        await opened.writers.calendar.execute(CreateEvent(account="acc", title="x", start=NOW, end=NOW + timedelta(hours=1)), "k1")
    await opened.close()


@pytest.mark.parametrize(
    ("settings", "sends", "lacks"),
    [
        ({}, False, {"busy", "invite"}),
        ({"imap": "imaps://m.example", "smtp": "smtps://m.example"}, True, {"busy"}),
        ({"smtp": "smtps://m.example"}, False, {"busy", "invite"}),
        ({"caldav": "https://m.example", "scheduling": "server"}, False, set()),
    ],
)
async def test_it_says_what_it_cannot_do(tmp_path: Path, settings: dict[str, str], sends: bool, lacks: set[str]) -> None:
    opened = account(tmp_path, **settings)
    assert (opened.sends, set(opened.lacks)) == (sends, lacks)
    await opened.close()


async def test_an_account_whose_password_is_not_there_wants_to_be_connected_again(servers: Servers, tmp_path: Path) -> None:
    opened = account(tmp_path, **servers.user("anna@home.example").settings)
    for asked in (
        opened.readers.contacts.search(ContactQuery()),
        opened.readers.calendar.events(WEEK),
        opened.readers.mail.search(MailQuery()),
    ):
        with pytest.raises(AuthExpired, match="accounts add imap"):
            await asked
    await opened.close()


@pytest.mark.parametrize("setting", ["imap", "caldav", "carddav"])
async def test_an_address_that_is_none_spoils_what_it_is_for_and_nothing_else(tmp_path: Path, setting: str) -> None:
    opened = account(tmp_path, **{setting: "nonsense"})
    readers = opened.readers
    for name, ask in (
        ("imap", lambda: readers.mail.search(MailQuery())),
        ("carddav", lambda: readers.contacts.search(ContactQuery())),
        ("caldav", lambda: readers.calendar.events(WEEK)),
    ):
        try:
            await ask()
        except IntegrationError as error:
            assert name == setting or (name, setting) == ("caldav", "imap")
            assert isinstance(error, InvalidResponse) and error.account == "acc"
        else:
            assert name != setting
    await opened.close()


async def test_the_owner_may_be_given_with_a_name_but_signs_in_by_address(servers: Servers, tmp_path: Path) -> None:
    user = servers.user("anna@home.example")
    config = AccountConfig(name="acc", kind="imap", address="Anna Berg <anna@home.example>", settings=user.settings)
    opened = open_account(config, zone=ZoneInfo("Europe/Berlin"), index=tmp_path, secrets=KeptSecrets(acc=user.secret))
    assert (await opened.readers.contacts.search(ContactQuery())).items == ()
    await opened.close()


async def test_everything_is_closed_even_where_closing_one_fails(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = servers.open(servers.user("anna@home.example"), tmp_path)
    await opened.readers.contacts.search(ContactQuery())
    await opened.readers.calendar.events(WEEK)
    connection = opened._connection  # type: ignore[attr-defined]
    closed: list[str] = []

    async def fail() -> None:
        raise OSError("no")

    async def note() -> None:
        closed.append("address book")

    real = connection.address_book.close
    monkeypatch.setattr(connection.calendars, "close", fail)
    monkeypatch.setattr(connection.address_book, "close", note)
    with pytest.raises(OSError, match="no"):
        await opened.close()
    assert closed == ["address book"]
    await real()
