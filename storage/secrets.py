"""What accounts sign in with: sealed in the database, in clear only in the hands of who asks."""

import asyncio
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from storage.database import Database
from storage.sealing import Seal
from storage.session import Prepared, Session, given
from storage.tables import OWNER, SECRET

_NAMED = (SECRET.c.user_id == given("user"), SECRET.c.account == given("which"))
_ADD = Prepared(insert(SECRET))
_CHANGE = Prepared(update(SECRET).where(*_NAMED), ["sealed", "updated"])
_REPLACE = Prepared(update(SECRET).where(*_NAMED, SECRET.c.sealed == given("seen")), ["sealed", "updated"])
_GET = Prepared(select(SECRET.c.sealed).where(*_NAMED))
_REMOVE = Prepared(delete(SECRET).where(*_NAMED))


def put(s: Session, account: str, sealed: str, at: datetime, *, user_id: str = OWNER) -> None:
    if not s.changed(_CHANGE, user=user_id, which=account, sealed=sealed, updated=at):
        s.insert(_ADD, {"user_id": user_id, "account": account, "sealed": sealed, "updated": at})


def replace(s: Session, account: str, seen: str, sealed: str, at: datetime, *, user_id: str = OWNER) -> bool:
    """False where it is no longer the one that was `seen`."""
    return s.changed(_REPLACE, user=user_id, which=account, seen=seen, sealed=sealed, updated=at) == 1


def get(s: Session, account: str, *, user_id: str = OWNER) -> str | None:
    return next(iter(s.column(_GET, user=user_id, which=account)), None)


def remove(s: Session, account: str, *, user_id: str = OWNER) -> bool:
    """Whether there was one."""
    return s.changed(_REMOVE, user=user_id, which=account) == 1


class Vault:
    """The `Secrets` of one user's accounts. What was connected anew since it was loaded is not overwritten, and what was removed
    does not come back."""

    def __init__(self, database: Database, seal: Seal, clock: Callable[[], datetime], user: str = OWNER) -> None:
        self._database, self._seal, self._clock, self._user = database, seal, clock, user
        self._seen: dict[str, str] = {}

    async def load(self, account: str) -> str | None:
        """None where there is none, or none that can be opened."""
        sealed = await self._database.read(lambda s: get(s, account, user_id=self._user))
        if sealed is None:
            return None
        self._seen[account] = sealed
        return await asyncio.to_thread(self._seal.open, sealed)

    async def save(self, account: str, secret: str) -> None:
        """On disk when this returns."""
        seen = self._seen.get(account, "")
        sealed = await asyncio.to_thread(self._seal.close, secret)
        if await self._database.write_synced(lambda s: replace(s, account, seen, sealed, self._clock(), user_id=self._user)):
            self._seen[account] = sealed
