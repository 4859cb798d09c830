"""What a crash, or a course that raised, left behind: flows that had begun to write are ended with what came of it, others go on
from their snapshots, and writes are settled by asking the provider."""

import asyncio
import logging
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from assistant.errors import AssistantError, FlowError, Unreadable
from assistant.pipeline.execute import Executor
from assistant.pipeline.outcomes import worded
from assistant.pipeline.state import FlowState, permits_in
from assistant.running.courses import Courses
from assistant.running.journal import FOREVER, FlowJournal
from assistant.running.lease import LEASE
from assistant.values import Outcome
from integrations.errors import IntegrationError
from storage import flows, outbox, previews
from storage.database import Database
from storage.errors import StorageError
from storage.session import Session
from storage.tables import FlowHead, OutboxRow

MOST = 3
"""How often a task that the program's end cut short is gone on with by itself."""
LONGEST = 3 * LEASE
"""How long an attempt at a write may take, and more: providers give up well before."""
NOT_DONE = "The program ended before this was done, and it can't be done now; please say it again."
ENDED_IN_THE_MIDDLE = "The program ended in the middle of this; what came of it was found out when it started again."

UNREAD = (
    "This task has ended, because its state can't be read: it is damaged, or was saved by another version of the program. "
    "What it was about to write is told by: assistant outbox."
)
BEGUN = "What had begun is not lost: the next start finds out what came of it."

log = logging.getLogger(__name__)


class Recovered(NamedTuple):
    """`outcomes` of writes that were under way; `going_on`: flows that run again, by id."""

    outcomes: tuple[Outcome, ...] = ()
    going_on: Mapping[str, asyncio.Task[FlowState]] = {}


@dataclass(frozen=True)
class Recovery:
    """Of what is this user's. `start` runs a flow that was taken up; `running` are the ids of what runs here. What fails of rows
    whose flow has ended stays unshown in the outbox."""

    user: str
    database: Database
    journal: FlowJournal
    courses: Courses
    executor: Executor
    start: Callable[[FlowState], asyncio.Task[FlowState]]
    running: Callable[[], Container[str]]
    clock: Callable[[], datetime]
    _in_hand: set[str] = field(default_factory=set)

    async def run(self, *, alone: bool, go_on: bool, most: int | None = None, rows: bool = True) -> Recovered:
        """Takes up what nobody runs any more; it never raises. `alone`: no other process has these data open, so leases need not
        run out first. Every short act that the user wanted (an approval, an undo, a cancellation) is brought to its end, and so is
        every write. A task that was being worked on goes on in the background with `go_on`; without, where nobody waits for it
        and it would only stand in the way of what is asked now, it rests and can be resumed, unless it waits for a worker. Of all
        flows `most` are taken up. With `rows` what the outbox holds of flows that have ended is settled too."""
        outcomes: dict[str, Outcome] = {}
        going_on: dict[str, asyncio.Task[FlowState]] = {}
        try:
            left = await self._left(alone)
            for head in [head for head in left if go_on or alone or head.owner is not None]:
                if len(going_on) == most:
                    break
                found = await self._recovered(head, dead=alone, go_on=go_on and not head.interrupt)
                if isinstance(found, asyncio.Task):
                    going_on[head.id] = found
                else:
                    outcomes |= {one.key: one for one in found}
            unowned = await self._unowned(alone) if rows else ()
            outcomes |= {one.key: one for one in await self._settled(unowned, alone)}
        except Exception:
            log.exception("What was left over can't be settled now.")
        return Recovered(tuple(outcomes.values()), going_on)

    async def _left(self, alone: bool) -> list[FlowHead]:
        """Flows that nobody runs any more. An owner who has let its lease end in the middle of a write may come back to tell of it,
        for as long as that may take."""
        as_of = FOREVER if alone else self.clock()
        left = await self.database.read(lambda s: flows.expired(s, as_of, user_id=self.user))
        return [head for head in left if head.id not in self.running() and (alone or not await self._is_writing(head.id))]

    async def take_over(self, flow: str) -> None:
        """Lays to rest a flow that nobody runs any more and that somebody wants to interrupt; another may be quicker. What may be
        under way of it is told so, and settled later."""
        if head := await self.database.read(lambda s: flows.head(s, flow)):
            await self._recovered(head, dead=False, go_on=False)

    async def take_up(self, flow: str) -> asyncio.Task[FlowState] | None:
        """Runs a flow that was left to whoever takes it up; None where there is nothing to run, or no more."""
        head = await self.database.read(lambda s: flows.head(s, flow))
        if head is None or await self._is_writing(flow):
            return None
        found = await self._recovered(head, dead=False, go_on=not head.interrupt)
        return found if isinstance(found, asyncio.Task) else None

    async def _recovered(self, head: FlowHead, *, dead: bool, go_on: bool) -> tuple[Outcome, ...] | asyncio.Task[FlowState]:
        """Several may find the same flow at once; one of them takes it up, since to whoever owns a lease it is free."""
        if head.id in self._in_hand or head.id in self.running():
            return ()
        self._in_hand.add(head.id)
        try:
            return await self._taken_up(head, dead=dead, go_on=go_on)
        finally:
            self._in_hand.discard(head.id)

    async def _taken_up(self, head: FlowHead, *, dead: bool, go_on: bool) -> tuple[Outcome, ...] | asyncio.Task[FlowState]:
        try:
            state, fresh = await self.journal.take(head.id, dead=dead)
        except Unreadable:
            return await self._unread(head, dead)
        except FlowError:  # another was quicker, or it has come to rest
            return ()
        try:
            ended = None if fresh else await self._ended(state, ENDED_IN_THE_MIDDLE, alone=dead)
            if ended is not None:
                return ended.outcomes
            if state.resumable and not (go_on and state.revived < MOST):
                return (await self._suspended(state)).outcomes
            running = self.start(state if fresh else await self._revived(state))
            if state.resumable:
                running.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # it is told in its reply
                return running
            await asyncio.wait([running])
            return () if running.exception() else running.result().outcomes
        except Exception:
            log.exception("The task %s can't be recovered now.", head.id)
            return await self._left_resting(head.id)

    async def _unread(self, head: FlowHead, dead: bool) -> tuple[Outcome, ...]:
        """For a while it is left to whoever can read it, such as a worker of a newer version. What it wrote is settled as that of
        any flow that has ended."""
        log.warning("The state of the task %s can't be read.", head.id)
        try:
            if dead or (head.lease_until or head.updated) <= self.clock() - LONGEST:
                await self.journal.end_unread(head.id, UNREAD, dead=dead)
        except Exception:
            log.exception("The task %s stays as it was.", head.id)
        return ()

    async def _revived(self, state: FlowState) -> FlowState:
        """Counted, since what ends the program each time would do so for ever."""
        if state.revived >= MOST:
            raise FlowError(f"This ended the program {MOST} times.")
        state = self.journal.tell(state, "7.5", f"The program ended in the middle; going on: {state.about}")
        return await self.journal.save(state.but(revived=state.revived + 1))

    async def _left_resting(self, flow: str) -> tuple[Outcome, ...]:
        """What it wrote is found in the outbox when it is gone on with."""
        try:
            state, _ = await self.journal.take(flow)
            await (self._suspended(state) if state.resumable else self._not_done(state, NOT_DONE))
        except Exception:
            log.exception("The task %s stays as it was.", flow)
        return ()

    async def _ended(self, state: FlowState, remark: str, *, alone: bool = False) -> FlowState | None:
        """The flow ended with what came of it; None where nothing had."""
        state = state.but(limitations=(*state.limitations, remark))
        return await self.courses.master.conclude(state, self.courses.desk, self.journal, alone=alone)

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
        """Unfinished and uncertain rows that no running flow holds. Beside others only what lies for longer than a lease and was
        certainly never begun, since of those who take it up only one can begin it; and what was begun, when whoever did is at it no
        more."""
        now = self.clock()
        ages = {"pending": LEASE, "unknown": LONGEST}

        def is_left(row: OutboxRow) -> bool:
            if row.status == "started":
                return self.executor.is_over(row, alone=alone)
            return row.status in ages and (alone or row.updated <= now - ages[row.status])

        found = await self.database.read(lambda s: outbox.unfinished(s, user_id=self.user) + outbox.unknown(s, user_id=self.user))
        rows = tuple(filter(is_left, found))
        if not rows:
            return ()
        running = await self.database.read(lambda s: _running(s, self.user))
        held = {permit for flow, text in running for permit in permits_in(flow, text)}
        return tuple(row for row in rows if row.preview_id not in held)

    async def _settled(self, rows: tuple[OutboxRow, ...], alone: bool) -> tuple[Outcome, ...]:
        outcomes: list[Outcome] = []
        for row in rows:
            outcomes += await self.executor.settle([row], await self.courses.outbox.clauses(row), alone=alone)
        return tuple(outcomes)

    # --- courses that raise (`assistant.running.runner.Keeper`)

    async def prolong(self, running: Iterable[str]) -> tuple[str, ...]:
        return await self.journal.prolong(running)

    async def flagged(self) -> tuple[str, ...]:
        return await self.journal.flagged()

    async def broke_off(self, flow: str, error: Exception) -> FlowState:
        """What was done is never told as a failure: then the flow ends with it, and with the error as a remark."""
        heard = error if isinstance(error, AssistantError | IntegrationError | StorageError) else AssistantError(worded(error))
        try:
            state, _ = await self.journal.take(flow)
            ended = await self._ended(state, str(heard)) or await self._not_done(state, str(heard))
            if ended.outcomes:
                return ended
        except Exception:
            log.exception("The task %s broke off and can't be saved.", flow)
            if isinstance(heard, StorageError) and await self._has_begun(flow):
                heard = type(heard)(f"{heard} {BEGUN}")
        if heard is error:
            raise error
        raise heard from error

    async def _has_begun(self, flow: str) -> bool:
        """Whether a write of the flow may have happened that the database knows no more of."""
        try:
            return bool(await self._started(flow))
        except StorageError:
            return True

    async def _is_writing(self, flow: str) -> bool:
        """Whether somebody may still be at a write of the flow."""
        return any(not self.executor.is_over(row) for row in await self._started(flow))

    async def _started(self, flow: str) -> list[OutboxRow]:
        stored = await self.database.read(lambda s: flows.get(s, flow))
        permits = permits_in(flow, stored.snapshot) if stored else ()
        return [row for permit in permits for row in await self.executor.laid_down(permit) if row.status == "started"]


def _running(session: Session, user: str) -> list[tuple[str, str]]:
    """(id, snapshot) of the user's flows that somebody runs."""
    heads = flows.list(session, user, statuses=("running",), limit=1000)
    return [(head.id, stored.snapshot) for head in heads if (stored := flows.get(session, head.id))]
