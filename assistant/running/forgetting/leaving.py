"""A user who leaves: all that is stored of theirs goes. Mailboxes, calendars and address books are not touched."""

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assistant.errors import FlowError, Unknown, UserError
from assistant.running.forgetting.removal import TRACES, then_compact
from storage import audit, leaving, outbox, users
from storage.database import Database
from storage.errors import StorageError
from storage.leaving import Belongings
from storage.session import Session
from storage.tables import OWNER, StoredUser

BUSY = "Something of theirs is being written at this moment; try again when that has ended."
OWNERS = "The owner can't be removed; everything of the owner's lies in the home folder."


@dataclass(frozen=True)
class Leaving:
    """`folder` is where the user's sample and index lie."""

    database: Database
    clock: Callable[[], datetime]
    user: str
    folder: Path

    async def would(self) -> Belongings:
        """What would go. Raises Unknown, and UserError for the owner."""
        return await self.database.read(self._belongings)

    async def run(self) -> Belongings:
        """What has gone. Nobody may enter as this user any more. Raises FlowError while a write is under way, as well."""
        gone = await self.database.write_synced(self._remove)
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)
        try:
            await self.database.compact(leaving.TABLES)
        except StorageError as refused:
            raise FlowError(TRACES.format(refused, then_compact(self.database))) from refused
        return gone

    def _belongings(self, s: Session) -> Belongings:
        self._known(s)
        return leaving.belongings(s, self.user)

    def _remove(self, s: Session) -> Belongings:
        user, at = self._known(s), self.clock()
        if any(row.status == "started" for row in outbox.unfinished(s, user_id=user.id)):
            raise FlowError(BUSY)
        found = leaving.belongings(s, user.id)
        leaving.remove(s, user.id)
        users.remove(s, user.id, at)
        if entries := audit.with_content(s, user.id):
            audit.forget(s, entries, at, user_id=user.id)
        return found

    def _known(self, s: Session) -> StoredUser:
        if self.user == OWNER:
            raise UserError(OWNERS)
        user = users.get(s, self.user)
        if user is None:
            raise Unknown(f"There is no user {self.user}.")
        return user
