"""The record of calls to language models, in the database."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from assistant.llm.budget import Spent
from assistant.llm.metering import ModelCall
from storage import calls
from storage.database import Database
from storage.errors import StorageError
from storage.tables import OWNER


@dataclass(frozen=True)
class Calls:
    """Implements Ledger. A record is written while the flow goes on, ahead of all that the flow writes next; where it can't be, the
    flow's own writes can't either, and tell."""

    database: Database
    user: str = OWNER

    def record(self, call: ModelCall) -> None:
        columns = call.model_dump(exclude={"usage", "flow"}) | call.usage.model_dump() | {"flow_id": call.flow}
        with suppress(StorageError):  # closed: a call that nobody waited for any more
            written = self.database.write_behind(lambda s: calls.add(s, columns, user_id=self.user))
            written.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def spent(self, *, flow: str = "", since: datetime | None = None) -> Spent:
        number, tokens, cost = await self.database.read(lambda s: calls.spent(s, flow=flow, since=since, user_id=self.user))
        return Spent(calls=number, tokens=tokens, cost=cost)
