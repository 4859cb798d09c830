"""Accounts at Microsoft: Outlook mail, calendar and contacts. Its packages are imported when something is asked of one."""

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
    from integrations.microsoft.address_book import AddressBook
    from integrations.microsoft.folders import FolderTree
    from integrations.microsoft.graph import Graph

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
        self.personal = bool(config.settings.get("personal"))
        self._secrets = secrets

    @cached_property
    def graph(self) -> "Graph":
        from integrations.microsoft.graph import Graph

        return Graph(self.config.name, secrets=self._secrets, endpoint=self.config.settings.get("endpoint", ""))

    @cached_property
    def folders(self) -> "FolderTree":
        from integrations.microsoft.folders import FolderTree

        return FolderTree(self.graph)

    @cached_property
    def address_book(self) -> "AddressBook":
        from integrations.microsoft.address_book import AddressBook

        return AddressBook(self.graph)

    async def close(self) -> None:
        if "graph" in self.__dict__:
            await self.graph.close()


class MicrosoftReaders:
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    @property
    def accounts(self) -> Sequence[str]:
        return (self._connection.config.name,)

    @cached_property
    def mail(self) -> MailReader:
        from integrations.microsoft.mail import MicrosoftMailReader

        given = self._connection
        return MicrosoftMailReader(
            given.graph, given.folders, account=given.config.name, owner=given.owner, zone=given.zone, personal=given.personal
        )

    @cached_property
    def calendar(self) -> CalendarReader:
        from integrations.microsoft.calendar import MicrosoftCalendarReader

        given = self._connection
        return MicrosoftCalendarReader(
            given.graph, account=given.config.name, owner=given.owner, zone=given.zone, personal=given.personal
        )

    @cached_property
    def contacts(self) -> ContactReader:
        from integrations.microsoft.contacts import MicrosoftContactReader

        given = self._connection
        return MicrosoftContactReader(given.graph, given.address_book, account=given.config.name)


class MicrosoftWriters:
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    @cached_property
    def mail(self) -> MailWriter:
        from integrations.microsoft.mail_writer import MicrosoftMailWriter

        given = self._connection
        return MicrosoftMailWriter(
            given.graph,
            given.folders,
            account=given.config.name,
            owner=given.owner,
            name=given.config.owner,
            zone=given.zone,
            clock=given.clock,
        )

    @cached_property
    def calendar(self) -> CalendarWriter:
        from integrations.microsoft.calendar_writer import MicrosoftCalendarWriter

        given = self._connection
        return MicrosoftCalendarWriter(given.graph, account=given.config.name, owner=given.owner, zone=given.zone)

    @cached_property
    def contacts(self) -> ContactWriter:
        from integrations.microsoft.contacts_writer import MicrosoftContactWriter

        given = self._connection
        return MicrosoftContactWriter(given.graph, given.address_book, account=given.config.name, clock=given.clock)


class MicrosoftAccount:
    sends = True
    lacks: ClassVar[Mapping[Capability, str]] = {
        "dates": "Outlook repeats events by a pattern alone, and knows no single extra dates",
        "restore": "what Outlook has removed comes back as a new event only, and an answer that was sent can't be taken back",
    }

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self.readers = MicrosoftReaders(connection)
        self.writers = MicrosoftWriters(connection)

    @property
    def config(self) -> AccountConfig:
        return self._connection.config

    async def prepare(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Loads Microsoft's packages; no mails are kept here that could be read ahead."""
        for name in ("graph", "mail", "calendar", "contacts"):
            await asyncio.to_thread(import_module, f"integrations.microsoft.{name}")
        return 0

    async def close(self) -> None:
        await self._connection.close()


def open_account(
    config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Clock = _now, secrets: Secrets = NO_SECRETS
) -> MicrosoftAccount:
    """Settings: `endpoint`, where it is not Microsoft's own; `personal`, where no organisation gave it. Asks nothing yet."""
    return MicrosoftAccount(_Connection(config, zone, clock, secrets))
