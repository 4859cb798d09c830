"""Where a user's accounts, and what these sign in with, are stored."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assistant.errors import UserError
from integrations.errors import IntegrationError
from integrations.registry import provider_of
from storage import accounts, secrets
from storage.database import Database
from storage.sealing import Seal
from storage.tables import OWNER, StoredAccount

LOCKED = "The key does not open its sign-in"
LONGEST_NAME = 60


class Locked(UserError):
    """What an account signs in with is there, but sealed with another key."""


@dataclass(frozen=True)
class Kept:
    """`index` is the folder of what can be rebuilt."""

    database: Database
    seal: Seal
    index: Path
    clock: Callable[[], datetime]
    user: str = OWNER

    async def accounts(self) -> tuple[StoredAccount, ...]:
        return await self.database.read(lambda s: accounts.list(s, user_id=self.user))

    async def account(self, name: str) -> StoredAccount | None:
        return await self.database.read(lambda s: accounts.get(s, name, user_id=self.user))

    async def secret(self, name: str) -> str | None:
        """None where there is none. Raises Locked, and UserError where the key can't be read."""
        sealed = await self.database.read(lambda s: secrets.get(s, name, user_id=self.user))
        try:
            secret = await asyncio.to_thread(self.seal.open, sealed) if sealed else None
        except OSError as unread:
            raise UserError(f"The file {unread.filename} can't be used: {unread.strerror or unread}.") from unread
        if sealed and secret is None:
            raise Locked(f"{LOCKED}.")
        return secret

    async def sealed(self, secret: str) -> str:
        return await asyncio.to_thread(self.seal.close, secret)


def check_name(name: str) -> None:
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise UserError(f"Give the account a name of 1 to {LONGEST_NAME} letters, such as work.")


def taken(name: str) -> UserError:
    return UserError(f"There is an account called {name} already; choose another name, or remove that one.")


def check_provider(kind: str) -> None:
    """Raises UserError that says what is missing for an account of this kind."""
    try:
        provider_of(kind)
    except IntegrationError as missing:
        raise UserError(str(missing)) from missing
