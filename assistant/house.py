"""A home and what all its users share; what it is opened with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant import preferences
from assistant.agents.base import Agent
from assistant.errors import UserError
from assistant.reasoning.base import Reasoner
from assistant.running.lease import Presence
from assistant.running.queue import FlowQueue
from assistant.values import AgentName
from config.settings import Settings
from integrations.common.addresses import parse_address
from integrations.registry import AccountConfig
from integrations.types import Value
from risk.matrix import Matrix
from storage.database import Database
from storage.restored import identity
from storage.sealing import KEY_FILE, Seal
from storage.tables import OWNER

Clock = Callable[[], datetime]
Progress = Callable[[int, int], None]


class LocalAccount(Value):
    """Plain folders: `mail` a Maildir++, `calendars` and `contacts` folders of .ics and .vcf; each may be left out. `address` may
    carry the owner's name: "Eva Klein <eva@example.org>"."""

    mail: Path | None = None
    calendars: Path | None = None
    contacts: Path | None = None
    address: str
    name: str = "local"

    def config(self) -> AccountConfig:
        folders = {"mail": self.mail, "calendars": self.calendars, "contacts": self.contacts}
        settings = {kind: str(Path(path).expanduser().absolute()) for kind, path in folders.items() if path is not None}
        owner = parse_address(self.address)
        if owner is None:
            raise UserError(f"{self.address!r} is not a mail address.")
        return AccountConfig(name=self.name, kind="local", address=owner.email, owner=owner.name, settings=settings)


def zone_of(name: str) -> ZoneInfo:
    """The named zone, or this machine's."""
    if not name:
        import tzlocal

        try:
            return ZoneInfo(tzlocal.get_localzone_name() or "UTC")
        except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
            raise UserError("This machine's time zone is not known; set zone, such as Europe/Berlin.") from unknown
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        words = f"The setting zone is not usable: there is no time zone {name!r}; use a name such as Europe/Berlin."
        raise UserError(words) from unknown


def seal_of(settings: Settings) -> Seal:
    return Seal(settings.home / KEY_FILE, settings.secret_key.get_secret_value())


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Given:
    """What a home is opened with; `accounts`, where there are any, stand for those that the owner has connected."""

    settings: Settings
    clock: Clock
    zone: str = ""
    accounts: Sequence[LocalAccount | AccountConfig] = ()
    reasoner: Reasoner | None = None
    agents: Mapping[AgentName, Agent] | None = None
    on_progress: Progress | None = None


@dataclass
class House:
    """`clock` is the same on all machines, since leases go by it; over `queue`, where there is one, flows are handed to workers,
    who recover, and send what is due. `file` is the database's, as it was opened. `alone`: nobody else has these data open, from
    `enter` to `let_in`."""

    given: Given
    database: Database
    clock: Clock
    zone: ZoneInfo
    matrix: Matrix
    queue: FlowQueue | None
    presence: Presence
    file: tuple[int, int] | None
    alone: bool = False
    stir: Callable[[], None] = lambda: None
    """Wakes whoever tends schedules."""

    @property
    def settings(self) -> Settings:
        return self.given.settings

    @property
    def seal(self) -> Seal:
        return seal_of(self.settings)

    def home_of(self, user: str) -> Path:
        """Where the user's sample and index lie."""
        return self.settings.home if user == OWNER else self.settings.home / "users" / user

    async def settings_of(self, user: str) -> Settings:
        own = await self.database.read(lambda s: preferences.of(s, user))
        return self.settings.model_copy(update={**own.over_the_house, "home": self.home_of(user)})

    async def zone_of(self, user: str) -> ZoneInfo:
        return zone_of(self.given.zone or (await self.settings_of(user)).zone)

    async def enter(self) -> None:
        """Waits while another process takes care of what was left over."""
        self.alone = self.presence.enter() and not self.database.shared
        if not self.alone:
            await self.presence.settle()
        if identity(self.database.path) != self.file:
            raise UserError(f"{self.settings.home} was put back from a backup at this moment; start once more.")

    async def let_in(self) -> None:
        """Call when what was left over has been taken care of."""
        if self.alone:
            await self.presence.settle()
            self.alone = False
