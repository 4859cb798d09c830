"""Accounts that are folders on this machine: Maildir++ for mail, .ics and .vcf files for calendars and contacts."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import ClassVar
from zoneinfo import ZoneInfo

from integrations.common import absent
from integrations.common.addresses import parse_address
from integrations.errors import InvalidResponse
from integrations.local.mail_index import MailIndex, Progress, index_file
from integrations.local.standing import marker_file
from integrations.readers import CalendarReader, ContactReader, MailReader
from integrations.registry import NO_SECRETS, AccountConfig, Secrets
from integrations.types import Capability
from integrations.writers import CalendarWriter, ContactWriter, MailWriter

Clock = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class _Folders:
    """Where an account's things are, and what both its readers and its writers need."""

    def __init__(self, config: AccountConfig, zone: ZoneInfo, index: Path, clock: Clock) -> None:
        owner = parse_address(config.address)
        if owner is None:
            raise InvalidResponse(f"{config.address!r} is not a mail address; the account {config.name} needs its owner's.")
        self.config, self.zone, self.clock, self.owner = config, zone, clock, owner.email
        self._index_folder = index

    def path(self, setting: str) -> Path | None:
        """None where the account has no such folder."""
        given = self.config.settings.get(setting, "")
        return Path(given).expanduser() if given else None

    def marker(self, setting: str) -> Path | None:
        """Where it is remembered that this folder was there."""
        root = self.path(setting)
        return marker_file(self._index_folder, self.config.name, root) if root else None

    @cached_property
    def mail_index(self) -> MailIndex | None:
        root = self.path("mail")
        if root is None:
            return None
        file = index_file(self._index_folder, self.config.name, root)
        return MailIndex(root, file, owner=self.owner, marker=self.marker("mail"))


class FolderReaders:
    def __init__(self, folders: _Folders) -> None:
        self._folders = folders

    @property
    def accounts(self) -> Sequence[str]:
        return (self._folders.config.name,)

    @cached_property
    def mail(self) -> MailReader:
        given = self._folders
        if given.mail_index is None:
            return absent.NoMail()
        from integrations.local.mail import LocalMailReader

        return LocalMailReader(given.mail_index, account=given.config.name, zone=given.zone, sample=given.config.sample)

    @cached_property
    def calendar(self) -> CalendarReader:
        given, root = self._folders, self._folders.path("calendars")
        if root is None:
            return absent.NoCalendar()
        from integrations.local.calendar import LocalCalendarReader

        marker = given.marker("calendars")
        return LocalCalendarReader(
            root, account=given.config.name, owner=given.owner, zone=given.zone, sample=given.config.sample, marker=marker
        )

    @cached_property
    def contacts(self) -> ContactReader:
        given, root = self._folders, self._folders.path("contacts")
        if root is None:
            return absent.NoContacts()
        from integrations.local.contacts import LocalContactReader

        return LocalContactReader(root, account=given.config.name, sample=given.config.sample, marker=given.marker("contacts"))


class FolderWriters:
    def __init__(self, folders: _Folders) -> None:
        self._folders = folders

    @cached_property
    def mail(self) -> MailWriter:
        given = self._folders
        if given.mail_index is None:
            return absent.Unwritable(given.config.name, "mail")
        from integrations.local.mail_writer import LocalMailWriter

        return LocalMailWriter(
            given.mail_index,
            account=given.config.name,
            owner=given.owner,
            clock=given.clock,
            name=given.config.owner,
        )

    @cached_property
    def calendar(self) -> CalendarWriter:
        given, root = self._folders, self._folders.path("calendars")
        if root is None:
            return absent.Unwritable(given.config.name, "calendars")
        from integrations.local.calendar_writer import LocalCalendarWriter

        marker = given.marker("calendars")
        return LocalCalendarWriter(
            root, account=given.config.name, owner=given.owner, zone=given.zone, sample=given.config.sample, marker=marker
        )

    @cached_property
    def contacts(self) -> ContactWriter:
        given, root = self._folders, self._folders.path("contacts")
        if root is None:
            return absent.Unwritable(given.config.name, "contacts")
        from integrations.local.contacts_writer import LocalContactWriter

        return LocalContactWriter(root, account=given.config.name, sample=given.config.sample, marker=given.marker("contacts"))


class FolderAccount:
    sends = False
    lacks: ClassVar[Mapping[Capability, str]] = {
        "busy": "folders on this machine tell only of the owner's own time",
        "invite": "there is no server that would tell others",
    }

    def __init__(self, folders: _Folders) -> None:
        self._folders = folders
        self.readers = FolderReaders(folders)
        self.writers = FolderWriters(folders)

    @property
    def config(self) -> AccountConfig:
        return self._folders.config

    async def prepare(self, on_progress: Progress | None = None) -> int:
        """Builds the mail index now rather than at the first question; the number of mails."""
        index = self._folders.mail_index
        if index is None:
            return 0
        index.on_progress = on_progress
        try:
            return await asyncio.to_thread(index.prepare)
        finally:
            index.on_progress = None

    async def close(self) -> None:
        index = self._folders.__dict__.get("mail_index")
        if isinstance(index, MailIndex):
            await asyncio.to_thread(index.close)


def open_account(
    config: AccountConfig, *, zone: ZoneInfo, index: Path, clock: Clock = _now, secrets: Secrets = NO_SECRETS
) -> FolderAccount:
    """Settings: the folders `mail`, `calendars` and `contacts`; any may be missing or empty. Opens no file yet."""
    return FolderAccount(_Folders(config, zone, index, clock))
