"""Writes whose flow has ended: what could not be done of them is shown again in a flow of its own."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from assistant.pipeline.state import FlowState
from assistant.running.beginning import Beginning
from assistant.running.journal import Busy
from assistant.running.recall import Recall
from storage.tables import OutboxRow

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Late:
    """`start` runs a flow that is stored as running."""

    begin: Beginning
    recall: Recall
    start: Callable[[FlowState], "asyncio.Task[FlowState]"]

    async def shown_again(self, row: OutboxRow) -> str:
        """The flow that shows what this row was to do; empty where its conversation is forgotten. Raises Busy."""
        try:
            conversation, preview = await self.recall.origin(row.preview_id)
            if not conversation:
                return ""
            state = await self.start(await self.begin.late(conversation, row, preview))
        except Busy:
            raise
        except Exception:
            log.exception("What came of the outbox row %s can't be shown again.", row.key)
            return ""
        await self.recall.remember(state)
        return state.id
