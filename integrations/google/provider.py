"""Accounts at Google: Gmail, Calendar and Contacts. Google's packages are imported when something is asked of the account."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from zoneinfo import ZoneInfo

from integrations.common.addresses import parse_address
from integrations.errors import InvalidResponse
from integrations.readers import CalendarReader, ContactReader, MailReader
from integrations.registry import NO_SECRETS, AccountConfig, Secrets
from integrations.types import Capability
from integrations.writers import CalendarWriter, ContactWriter, MailWriter

if TYPE_CHECKING:
    from integrations.google.address_book import AddressBook
    from integrations.google.google import Google

Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class _Connection:
    """What both readers and writers need."""

    def __init__(self, config: AccountConfig, zone: ZoneInfo, clock: Clock, secrets: Secrets) -> None:
        owner = parse_address(config.address)
        if owner is None:
            raise InvalidResponse(f"{config.address!r} is not a mail address; the account {config.name} needs its owner's.")
        self.config, self.zone, self.clock, self.owner = config, zone, clock, owner.email
        self._secrets = secrets

    @cached_property
    def google(self) -> "Google":
        from integrations.google.google import Google

        return Google(self.config.name, secrets=self._secrets, endpoint=self.config.settings.get("endpoint", ""))

    @cached_property
    def address_book(self) -> "AddressBook":
        from integrations.google.address_book import AddressBook

        return AddressBook(self.google)

    async def close(self) -> None:
        if "google" in self.__dict__:
            await self.google.close()


class GoogleReaders:
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    @property
    def accounts(self) -> Sequence[str]:
        return (self._connection.config.name,)

    @cached_property
    def mail(self) -> MailReader:
        from integrations.google.mail import GoogleMailReader

        given = self._connection
        return GoogleMailReader(given.google, account=given.config.name, owner=given.owner, zone=given.zone)

    @cached_property
    def calendar(self) -> CalendarReader:
        from integrations.google.calendar import GoogleCalendarReader

        given = self._connection
        return GoogleCalendarReader(given.google, account=given.config.name, owner=given.owner, zone=given.zone)

    @cached_property
    def contacts(self) -> ContactReader:
        from integrations.google.contacts import GoogleContactReader

        given = self._connection
        return GoogleContactReader(given.google, given.address_book, account=given.config.name)


class GoogleWriters:
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    @cached_property
    def mail(self) -> MailWriter:
        from integrations.google.mail_writer import GoogleMailWriter

        given = self._connection
        return GoogleMailWriter(
            given.google, account=given.config.name, owner=given.owner, name=given.config.owner, zone=given.zone, clock=given.clock
        )

    @cached_property
    def calendar(self) -> CalendarWriter:
        from integrations.google.calendar_writer import GoogleCalendarWriter

        given = self._connection
        return GoogleCalendarWriter(given.google, account=given.config.name, owner=given.owner, zone=given.zone)

    @cached_property
    def contacts(self) -> ContactWriter:
        from integrations.google.contacts_writer import GoogleContactWriter

        given = self._connection
        return GoogleContactWriter(given.google, given.address_book, account=given.config.name, clock=given.clock)


class GoogleAccount:
    sends = True
    lacks: ClassVar[Mapping[Capability, str]] = {}

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self.readers = GoogleReaders(connection)
        self.writers = GoogleWriters(connection)

    @property
    def config(self) -> AccountConfig:
        return self._connection.config

    async def prepare(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Loads Google's packages; no mails are kept here that could be read ahead."""
        await asyncio.to_thread(import_module, "integrations.google.google")
        return 0

    async def close(self) -> None:
        await self._connection.close()


def open_account(
    config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Clock = _now, secrets: Secrets = NO_SECRETS
) -> GoogleAccount:
    """Settings: `endpoint`, where it is not Google's own. Asks nothing of Google yet."""
    return GoogleAccount(_Connection(config, zone, clock, secrets))
