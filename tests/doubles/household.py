"""Two people who use one service, each with folders of their own."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from doubles.thinking import ScriptedAgent, ScriptedReasoner

from assistant.bootstrap import LocalAccount
from assistant.hosting import open_household
from assistant.household import Household
from storage import accounts, users
from storage.database import Database
from storage.session import Session
from storage.tables import OWNER

EVA = "u-eva"
Opened = Callable[..., AbstractAsyncContextManager[Household]]


@dataclass(frozen=True)
class Two:
    """The owner, and Eva; their accounts have the same name. `folders` by user."""

    home: Path
    clock: Callable[[], datetime]
    folders: dict[str, LocalAccount]

    @classmethod
    async def moved_in(cls, root: Path, clock: Callable[[], datetime]) -> "Two":
        two = cls(root / "home", clock, {user: _folders(root / user) for user in (OWNER, EVA)})
        database = Database.open(two.home / "assistant.sqlite")
        await database.write(two._settle)
        await database.close()
        return two

    def _settle(self, s: Session) -> None:
        at = self.clock()
        users.add(s, EVA, name="Eva", at=at)
        for user, folder in self.folders.items():
            config = folder.config()
            accounts.add(s, name="local", kind="local", address=config.address, settings=config.settings, at=at, user_id=user)

    @asynccontextmanager
    async def opened(
        self, reasoner: ScriptedReasoner | None = None, agent: ScriptedAgent | None = None
    ) -> AsyncIterator[Household]:
        agents = {"email": agent, "calendar": agent, "contacts": agent} if agent else None
        common = {"clock": self.clock, "zone": "Europe/Berlin"}
        async with open_household(self.home, reasoner=reasoner, agents=agents, **common) as household:  # type: ignore[arg-type]
            yield household


def _folders(root: Path) -> LocalAccount:
    folders = {name: root / name for name in ("mail", "calendars", "contacts")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    for name in ("cur", "new", "tmp"):
        (root / "mail" / name).mkdir()
    return LocalAccount(**folders, address=f"{root.name}@example.org")
