"""Writes whose flow has ended: what could not be done of them is shown again in a flow of its own."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.errors import FlowError
from assistant.pipeline.state import FlowState
from assistant.running.beginning import Beginning
from assistant.running.recall import Recall
from storage import flows, outbox
from storage.database import Database
from storage.session import Session
from storage.tables import OutboxRow

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Late:
    """`start` runs a flow that is stored as running. What can't be shown stays unshown in the outbox."""

    database: Database
    begin: Beginning
    recall: Recall
    start: Callable[[FlowState], "asyncio.Task[FlowState]"]
    _vain: set[str] = field(default_factory=set)
    """Keys of what this process has tried to show; the next one tries again."""

    async def unshown(self, user: str) -> tuple[OutboxRow, ...]:
        rows = await self.database.read(lambda s: outbox.unshown(s, user_id=user))
        return tuple(row for row in rows if row.key not in self._vain)

    async def shown_again(self, row: OutboxRow) -> str:
        """The flow that shows what this row was to do; empty where something else runs in its conversation, where that is
        forgotten, or where it is shown already. Never raises."""
        try:
            conversation, preview = await self.recall.origin(row.preview_id)
            if not conversation:
                await self.database.write(lambda s: outbox.shown(s, row.id))
                return ""
            state = await self.begin.late(conversation, row, preview)
        except FlowError:
            return ""
        except Exception:
            log.exception("What came of the outbox row %s can't be shown again now.", row.key)
            return ""
        return await self._told(row, state)

    async def _told(self, row: OutboxRow, state: FlowState) -> str:
        try:
            await self.recall.remember(await self.start(state))
        except Exception:
            log.exception("What came of the outbox row %s can't be shown again.", row.key)
            await self._left(row, state.id)
            return ""
        return state.id

    async def _left(self, row: OutboxRow, flow: str) -> None:
        """A flow that still runs is taken up by whoever recovers it."""

        def work(s: Session) -> None:
            head = flows.head(s, flow)
            if head is None or head.status != "running":
                outbox.show_later(s, row.id)

        self._vain.add(row.key)
        try:
            await self.database.write(work)
        except Exception:
            log.exception("The outbox row %s was not shown.", row.key)
