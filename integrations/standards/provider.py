"""Accounts at any server that speaks the open standards: IMAP and SMTP for mail, CalDAV for calendars, CardDAV for contacts."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from integrations.common import absent
from integrations.common.addresses import parse_address
from integrations.errors import InvalidResponse, NotFound
from integrations.readers import CalendarReader, ContactReader, MailReader
from integrations.registry import NO_SECRETS, AccountConfig, Secrets
from integrations.standards.credentials import Credentials
from integrations.standards.endpoints import Endpoint, Protocol, endpoint_of
from integrations.types import Capability
from integrations.writers import CalendarWriter, ContactWriter, MailWriter

if TYPE_CHECKING:
    from integrations.standards.dav.addressbook import AddressBook
    from integrations.standards.dav.calendars import Calendars
    from integrations.standards.dav.dav_kept import DavKept
    from integrations.standards.imap.idle import Idle
    from integrations.standards.imap.imap import Imap
    from integrations.standards.mailbox.places import Places
    from integrations.standards.sending.sending import Sending

Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class Connection:
    """What readers and writers share, each made when it is first wanted."""

    def __init__(self, config: AccountConfig, zone: ZoneInfo, index: Path, clock: Clock, secrets: Secrets) -> None:
        owner = parse_address(config.address)
        if owner is None:
            raise InvalidResponse(
                f"{config.address!r} is not a mail address; the account {config.name} needs its owner's.", config.name
            )
        self.config, self.zone, self.clock, self.owner, self.index = config, zone, clock, owner.email, index
        self.settings = config.settings
        self.trusted = self.settings.get("trusted", "")
        self.by_server = self.settings.get("scheduling") == "server"
        self.credentials = Credentials(config.name, secrets, self.settings.get("username") or owner.email)

    def endpoint(self, setting: str, protocol: Protocol) -> Endpoint | None:
        """None where the account has no such server."""
        given = self.settings.get(setting, "")
        if not given:
            return None
        return endpoint_of(given, protocol, self.config.name).model_copy(update={"public": self.settings.get("public") == "yes"})

    @cached_property
    def imap(self) -> "Imap | None":
        from integrations.standards.imap.imap import Imap

        endpoint = self.endpoint("imap", "imap")
        return Imap(self.config.name, endpoint, self.credentials, trusted=self.trusted) if endpoint else None

    @cached_property
    def mail(self) -> MailReader | None:
        if self.imap is None:
            return None
        from integrations.standards.mail import StandardsMailReader

        return StandardsMailReader(self.imap, self.places, account=self.config.name, owner=self.owner, zone=self.zone)

    @cached_property
    def idle(self) -> "Idle | None":
        from integrations.standards.imap.idle import Idle

        return Idle(self.imap) if self.imap else None

    @cached_property
    def places(self) -> "Places":
        from integrations.standards.mailbox.places import Places

        return Places(self.index, self.config.name)

    @cached_property
    def sending(self) -> "Sending | None":
        """How a mail leaves; None where it can't."""
        from integrations.standards.sending.sending import Sending

        endpoint = self.endpoint("smtp", "smtp")
        if endpoint is None or self.imap is None:
            return None
        return Sending(
            self.imap, self.places, endpoint, self.credentials, account=self.config.name, owner=self.owner, settings=self.settings
        )

    @cached_property
    def calendars(self) -> "Calendars | None":
        from integrations.standards.dav.calendars import Calendars

        endpoint = self.endpoint("caldav", "http")
        if endpoint is None:
            return None
        return Calendars(self.config.name, endpoint, self.credentials, trusted=self.trusted, kept=self.dav_kept)

    @cached_property
    def address_book(self) -> "AddressBook | None":
        from integrations.standards.dav.addressbook import AddressBook

        endpoint = self.endpoint("carddav", "http")
        if endpoint is None:
            return None
        return AddressBook(self.config.name, endpoint, self.credentials, trusted=self.trusted, kept=self.dav_kept)

    @cached_property
    def dav_kept(self) -> "DavKept":
        from integrations.standards.dav.dav_kept import DavKept

        signed_in = f"{self.config.name} {self.settings.get('username') or self.owner}"
        return DavKept(self.index, self.config.name, signed_in)

    async def close(self) -> None:
        """What was made first is closed last, and all of it, whatever goes wrong with one."""
        async with AsyncExitStack() as closing:
            closing.push_async_callback(self.credentials.close)
            for made in ("dav_kept", "address_book", "calendars", "places", "imap", "sending", "idle"):
                if self.__dict__.get(made) is not None:
                    closing.push_async_callback(self.__dict__[made].close)


class StandardsReaders:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def accounts(self) -> Sequence[str]:
        return (self._connection.config.name,)

    @cached_property
    def mail(self) -> MailReader:
        return self._connection.mail or absent.NoMail()

    @cached_property
    def calendar(self) -> CalendarReader:
        given = self._connection
        if given.calendars is None:
            return absent.NoCalendar()
        from integrations.standards.calendar import StandardsCalendarReader

        return StandardsCalendarReader(
            given.calendars,
            account=given.config.name,
            owner=given.owner,
            zone=given.zone,
            mail=given.mail,
            by_server=given.by_server,
            clock=given.clock,
        )

    @cached_property
    def contacts(self) -> ContactReader:
        given = self._connection
        if given.address_book is None:
            return absent.NoContacts()
        from integrations.standards.contacts import StandardsContactReader

        return StandardsContactReader(given.address_book, account=given.config.name)


class StandardsWriters:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @cached_property
    def mail(self) -> MailWriter:
        given = self._connection
        if given.imap is None:
            return absent.Unwritable(given.config.name, "mail")
        from integrations.standards.mail_writer import StandardsMailWriter

        return StandardsMailWriter(
            given.imap,
            given.places,
            given.sending,
            account=given.config.name,
            owner=given.owner,
            name=given.config.owner,
            clock=given.clock,
        )

    @cached_property
    def calendar(self) -> CalendarWriter:
        given = self._connection
        if given.calendars is None:
            return absent.Unwritable(given.config.name, "calendars")
        from integrations.standards.calendar_writer import StandardsCalendarWriter

        return StandardsCalendarWriter(
            given.calendars,
            given.sending,
            account=given.config.name,
            owner=given.owner,
            name=given.config.owner,
            zone=given.zone,
            clock=given.clock,
            mail=given.mail,
            by_server=given.by_server,
        )

    @cached_property
    def contacts(self) -> ContactWriter:
        given = self._connection
        if given.address_book is None:
            return absent.Unwritable(given.config.name, "contacts")
        from integrations.standards.contacts_writer import StandardsContactWriter

        return StandardsContactWriter(given.address_book, account=given.config.name, clock=given.clock)


class StandardsAccount:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.readers = StandardsReaders(connection)
        self.writers = StandardsWriters(connection)

    @property
    def config(self) -> AccountConfig:
        return self._connection.config

    @property
    def sends(self) -> bool:
        """Through the outgoing server; what was sent is kept by the other one."""
        settings = self._connection.settings
        return bool(settings.get("smtp") and settings.get("imap"))

    @property
    def lacks(self) -> Mapping[Capability, str]:
        missing: dict[Capability, str] = {}
        by_server = self._connection.by_server
        if not by_server:
            missing["busy"] = "this calendar server tells only of the owner's own time"
        if not (by_server or self.sends):
            missing["invite"] = "there is no server that would tell others"
        return missing

    async def news(self) -> None:
        if self._connection.idle is None:
            raise NotFound("This account has no mail.", self.config.name)
        await self._connection.idle.news()

    async def try_sending(self) -> None:
        if self._connection.sending is None:
            raise NotFound("This account sends no mail.", self.config.name)
        await self._connection.sending.try_out()

    async def prepare(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Loads the packages; no mails are read ahead."""
        if self._connection.settings.get("imap"):
            await asyncio.to_thread(import_module, "integrations.standards.imap.imap")
        if self._connection.settings.get("caldav"):
            await asyncio.to_thread(import_module, "caldav.davclient")
        return 0

    async def close(self) -> None:
        await self._connection.close()


def open_account(
    config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Clock = _now, secrets: Secrets = NO_SECRETS
) -> StandardsAccount:
    """Settings: the servers `imap`, `smtp`, `caldav` and `carddav` as addresses, any may be missing or empty; `username`, where it
    is not the address; `trusted`, a file of certificates; `scheduling`: "server" where the calendar server tells others of events;
    `files_sent`: "yes" where the outgoing server files what it has sent; `public`: "yes" where
    no server is reached but on the internet. Asks nothing of a server yet."""
    return StandardsAccount(Connection(config, zone, index, clock, secrets))
