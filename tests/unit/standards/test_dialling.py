"""Accounts of users who reach nothing but the internet, at servers that are not there."""

from collections.abc import Awaitable, Callable

import pytest
from doubles.secrets import KeptSecrets
from servers import Servers, User

from integrations.common.remote import Unreached
from integrations.standards import dialling
from integrations.standards.credentials import Credentials
from integrations.standards.dav.addressbook import AddressBook
from integrations.standards.dav.calendars import Calendars
from integrations.standards.dialling import Private, public_address
from integrations.standards.endpoints import Endpoint, Protocol, endpoint_of
from integrations.standards.imap.imap import Imap
from integrations.standards.sending.smtp import sign_in

Using = Callable[[Endpoint, Credentials, str], Awaitable[None]]


async def by_imap(endpoint: Endpoint, credentials: Credentials, trusted: str) -> None:
    imap = Imap("acc", endpoint, credentials, trusted=trusted)
    try:
        await imap.read(lambda session: session.folders())
    finally:
        await imap.close()


async def by_smtp(endpoint: Endpoint, credentials: Credentials, trusted: str) -> None:
    await sign_in(endpoint, credentials, account="acc", trusted=trusted)


async def by_caldav(endpoint: Endpoint, credentials: Credentials, trusted: str) -> None:
    calendars = Calendars("acc", endpoint, credentials, trusted=trusted)
    try:
        await calendars.names()
    finally:
        await calendars.close()


async def by_carddav(endpoint: Endpoint, credentials: Credentials, trusted: str) -> None:
    book = AddressBook("acc", endpoint, credentials, trusted=trusted)
    try:
        await book.names()
    finally:
        await book.close()


WAYS: dict[str, tuple[Protocol, Using]] = {
    "imap": ("imap", by_imap),
    "smtp": ("smtp", by_smtp),
    "caldav": ("http", by_caldav),
    "carddav": ("http", by_carddav),
}


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user("anna@home.example")


@pytest.fixture
def here_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine passes for the internet, with any port."""
    monkeypatch.setattr(dialling, "of_the_internet", lambda address: True)
    monkeypatch.setattr(dialling, "ORDINARY_PORTS", range(2**16))


async def used(user: User, which: str, settings: dict[str, str], trusted: str) -> None:
    protocol, using = WAYS[which]
    endpoint = endpoint_of(settings[which], protocol).model_copy(update={"public": True})
    await using(endpoint, Credentials("acc", KeptSecrets(acc=user.secret), user.email), trusted)


def seen(servers: Servers) -> list[object]:
    return [*servers.imap.lines, *servers.smtp.commands, *servers.dav.requests]


@pytest.mark.parametrize("which", WAYS)
async def test_servers_of_this_machine_are_not_connected_to(anna: User, servers: Servers, which: str) -> None:
    for settings in (anna.settings, anna.secure_settings, {which: anna.settings[which].replace("127.0.0.1", "localhost")}):
        with pytest.raises(Unreached, match="not a server on the internet"):
            await used(anna, which, settings, str(servers.trusted))
    assert seen(servers) == []


@pytest.mark.parametrize("which", WAYS)
@pytest.mark.usefixtures("here_is_there")
async def test_what_was_looked_at_is_connected_to_and_has_to_have_the_name(anna: User, servers: Servers, which: str) -> None:
    secure, starttls, wrong = anna.secure_settings, anna.starttls_settings, servers.wrong_name_settings(anna)
    for settings in (anna.settings, secure, starttls):
        await used(anna, which, settings, str(servers.trusted))
    before = seen(servers)
    with pytest.raises(Unreached, match=r"certificate .*is for another name"):
        await used(anna, which, wrong, str(servers.trusted))
    assert seen(servers) == before


def test_ports_of_other_services_are_not_reached() -> None:
    with pytest.raises(Private):
        public_address("1.1.1.1", 6379)
    assert public_address("1.1.1.1", 993) == "1.1.1.1"
