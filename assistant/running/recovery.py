"""What a crash, or a course that raised, left behind: flows that had begun to write are ended with what came of it, others rest
where they can be gone on with, and writes are settled by asking the provider."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from assistant.agents.base import Desk
from assistant.errors import AssistantError
from assistant.pipeline.execute import Executor, worded
from assistant.pipeline.master import Master
from assistant.pipeline.propose import as_preview
from assistant.pipeline.state import FlowState
from assistant.running.journal import FlowJournal
from assistant.running.lease import LEASE
from assistant.values import CancelFlow, Outcome
from integrations.errors import IntegrationError
from storage import flows, outbox, previews
from storage.database import Database
from storage.errors import StorageError
from storage.session import Session
from storage.tables import FlowHead, OutboxRow

ENDED_IN_THE_MIDDLE = "The program ended in the middle of this; what came of it was found out when it started again."
NOT_BEGUN = "The program ended before this was done, so nothing was done; please say it again."

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recovery:
    database: Database
    journal: FlowJournal
    master: Master
    executor: Executor
    desk: Callable[[], Awaitable[Desk]]
    clock: Callable[[], datetime]

    async def run(self, *, alone: bool) -> tuple[Outcome, ...]:
        """What came of writes that were under way; it never raises. `alone`: no other process has this home open, so leases need
        not run out first."""
        try:
            if alone:
                await self._release()
            ended = [await self._recovered(head) for head in await self.database.read(lambda s: flows.expired(s, self.clock()))]
            left = await self._settled(await self._unowned(alone))
        except Exception:
            log.exception("What was left over can't be settled now.")
            return ()
        told = {outcome.key: outcome for outcomes in (*ended, left) for outcome in outcomes}
        return tuple(told.values())

    async def _release(self) -> None:
        def work(session: Session) -> None:
            for head in flows.list(session, statuses=("running",), limit=1000):
                flows.release(session, head.id, head.owner or "")

        await self.database.write(work)

    async def _recovered(self, head: FlowHead) -> tuple[Outcome, ...]:
        try:
            state = await self.journal.take(head.id)
            ended = await self._ended(state, ENDED_IN_THE_MIDDLE)
            if ended is None:
                ended = await (self._suspended(state) if state.resumable else self._not_done(state, NOT_BEGUN))
        except Exception:
            log.exception("The task %s can't be recovered now.", head.id)
            return await self._left_resting(head.id)
        return ended.outcomes

    async def _left_resting(self, flow: str) -> tuple[Outcome, ...]:
        """What it wrote is found in the outbox when it is gone on with."""
        try:
            state = await self.journal.take(flow)
            if state.resumable and state.status == "running":
                await self._suspended(state)
        except Exception:
            log.exception("The task %s stays as it was.", flow)
        return ()

    async def _ended(self, state: FlowState, remark: str) -> FlowState | None:
        """The flow ended with what came of it; None where nothing had."""
        state = state.but(limitations=(*state.limitations, remark))
        return await self.master.conclude(state, self.desk, self.journal) or await self._given_up(state, remark)

    async def _given_up(self, state: FlowState, remark: str) -> FlowState | None:
        """The flow ended where what it was to cancel is cancelled."""
        command = state.analysis.command if state.analysis else None
        target = command.flow if isinstance(command, CancelFlow) else state.target
        preview, flow = await self.database.read(lambda s: (previews.get(s, target), flows.get(s, target)))
        if preview and preview.status == "cancelled":
            reply = f"Cancelled: {as_preview(preview).items[0].says}. Nothing was done. {remark}"
        elif flow and flow.status == "cancelled":
            reply = f'Given up: "{flow.about}". {remark}'
        else:
            return None
        return await self.journal.save(self.journal.tell(state.but(status="done", reply=reply), "15", reply))

    async def _suspended(self, state: FlowState) -> FlowState:
        state = self.journal.tell(state, "7.5", f"The program ended in the middle; saved: {state.about}")
        return await self.journal.save(state.but(status="suspended"))

    async def _not_done(self, state: FlowState, why: str) -> FlowState:
        """A preview that was to be approved stays open, and on the screen."""
        approving = state.carried.preview if state.carried and state.course == "approve" else ""
        preview = await self.database.read(lambda s: previews.get(s, approving))
        shown = (approving,) if preview and preview.status == "open" else ()
        return await self.journal.save(self.journal.tell(state.but(status="failed", reply=why, previews=shown), "15", why))

    # --- rows whose flow has ended

    async def _unowned(self, alone: bool) -> tuple[OutboxRow, ...]:
        """Unfinished rows that no running flow holds. Beside others only what was certainly never begun, and lies for longer than
        a lease: of those who take it up only one can begin it."""
        rows, running = await self.database.read(lambda s: (outbox.unfinished(s), _running(s)))
        held = {f"{flow}-low" for flow, _ in running} | {FlowState.model_validate_json(text).permit for _, text in running}
        old = self.clock() - LEASE
        return tuple(
            row
            for row in rows
            if row.preview_id not in held
            and (row.status in ("pending", "started") if alone else row.status == "pending" and row.updated <= old)
        )

    async def _settled(self, rows: tuple[OutboxRow, ...]) -> tuple[Outcome, ...]:
        outcomes: list[Outcome] = []
        for row in rows:
            outcomes += await self.executor.settle([row], await self._clauses(row))
        return tuple(outcomes)

    async def _clauses(self, row: OutboxRow) -> list[str]:
        stored = await self.database.read(lambda s: previews.get(s, row.preview_id))
        return [item.says for item in as_preview(stored).items] if stored else []

    # --- courses that raise (`assistant.running.runner.Keeper`)

    async def prolong(self, flow: str) -> None:
        await self.journal.prolong(flow)

    async def broke_off(self, flow: str, error: Exception) -> FlowState:
        """What was done is never told as a failure: then the flow ends with it, and with the error as a remark."""
        heard = error if isinstance(error, AssistantError | IntegrationError | StorageError) else AssistantError(worded(error))
        try:
            state = await self.journal.take(flow)
            if state.status == "running":
                ended = await self._ended(state, str(heard)) or await self._not_done(state, str(heard))
                if ended.outcomes:
                    return ended
        except Exception:
            log.exception("The task %s broke off and can't be saved.", flow)
        if heard is error:
            raise error
        raise heard from error


def _running(session: Session) -> list[tuple[str, str]]:
    """(id, snapshot) of the flows that somebody runs."""
    heads = flows.list(session, statuses=("running",), limit=1000)
    return [(head.id, stored.snapshot) for head in heads if (stored := flows.get(session, head.id))]
