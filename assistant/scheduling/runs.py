"""One claimed slot, to its end: its flow, what came of it, and where that goes."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.briefing.facts import Coverage, Wanted
from assistant.errors import Unknown, Unreadable
from assistant.pipeline.state import FlowState
from assistant.running.lease import BEAT, LEASE
from assistant.running.runner import finished
from assistant.running.scheduled import Came, Left, Run, ScheduledFlows, came_to
from assistant.scheduling.claiming import ATTEMPTS, MOST, NOW, Claimed, Claiming, in_zone
from assistant.scheduling.delivery.deliveries import Deliveries
from assistant.scheduling.values import task_of
from assistant.timetable.rules import GiveBriefing
from storage import slots
from storage.database import Database
from storage.errors import StorageError
from storage.session import Session
from storage.tables import StoredSlot

LATE = timedelta(minutes=5)
"""A run that begins by so much later says so."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Runs:
    database: Database
    clock: Callable[[], datetime]
    claiming: Claiming
    flows: ScheduledFlows
    deliveries: Deliveries

    async def run(self, claimed: Claimed) -> None:
        """It never raises, unless it is cancelled. Where this process ends, the slot is free for whoever takes it up."""
        slot = claimed.slot
        beating = asyncio.create_task(self._beat(slot))
        try:
            if not await self._run(claimed):
                await self._release(slot)
        except asyncio.CancelledError:
            await finished(lambda: self._release(slot))
            raise
        except Exception as error:
            await self._broke_off(claimed, error)
        finally:
            beating.cancel()
        await self.deliveries.make(slot.schedule_id, slot.slot)

    async def _run(self, claimed: Claimed) -> bool:
        """Whether it came to its end."""
        slot = claimed.slot
        try:
            state = await (self.flows.go_on(slot.flow_id) if slot.flow_id else self._begun(claimed))
        except Left:
            return False
        if came := came_to(state):
            await self._end(claimed, came, state)
        return came is not None

    async def _begun(self, claimed: Claimed) -> FlowState:
        schedule, slot = claimed
        task, notices = task_of(schedule), await self._notices(claimed)
        brief, late = None, self._late(claimed)
        if isinstance(task, GiveBriefing):
            brief = Wanted(parts=task.parts, since=await self._covered(slot), notices=notices)
        else:
            late = " ".join(filter(None, (late, *notices)))
        run = Run(
            schedule=schedule.id,
            slot=slot.slot,
            name=schedule.name,
            conversation=schedule.conversation,
            task=task,
            brief=brief,
            late=late,
        )
        return await self.flows.begin(run, lambda s, flow: slots.begin(s, slot, flow))

    async def _covered(self, slot: StoredSlot) -> Coverage | None:
        stored = await self.database.read(lambda s: slots.covered(s, slot.schedule_id, user_id=slot.user_id))
        return Coverage.model_validate_json(stored) if stored else None

    async def _notices(self, claimed: Claimed) -> tuple[str, ...]:
        """What the user must hear of earlier runs and their deliveries."""
        schedule, slot = claimed
        failed = await self.database.read(lambda s: slots.failed_lately(s, schedule.id, user_id=slot.user_id))
        zone = self.claiming.zone_of(schedule)
        runs = (f"The run of {in_zone(one.due, zone)} failed: {one.result}" for one in failed[-3:])
        return (*runs, *await self.deliveries.notices(schedule.id))

    def _late(self, claimed: Claimed) -> str:
        """One sentence for a run that does not come in time; empty for one that does."""
        schedule, slot = claimed
        if slot.slot.startswith(NOW) or (not slot.stands_for and self.clock() - slot.due < LATE):
            return ""
        due = f"This was due on {in_zone(slot.due, self.claiming.zone_of(schedule))}, when it could not run"
        if not slot.stands_for:
            return f"{due}."
        missed = "one earlier run" if slot.stands_for == 1 else f"{slot.stands_for} earlier runs"
        if slot.stands_for >= MOST - 1:  # what lies further back was not counted
            missed = f"at least {missed}"
        return f"{due}; it makes up for {missed} that I missed, too."

    async def _end(self, claimed: Claimed, came: Came, state: FlowState | None = None) -> None:
        schedule, slot = claimed
        covered = state.briefing.coverage.model_dump_json() if state and state.briefing and came.status == "done" else ""

        def work(s: Session) -> None:
            if not slots.end(s, slot, came.status, self.clock(), result=came.result, covered=covered):
                return  # another has it, or the schedule is gone
            if state is not None:
                self.deliveries.record(s, schedule.id, slot.slot, schedule.targets)
                self.deliveries.told(s, schedule.id)

        await self.database.write(work)

    async def _broke_off(self, claimed: Claimed, error: Exception) -> None:
        """Its flow may have told why it failed. Without one it is tried again when the lease has ended."""
        slot = claimed.slot
        try:
            now = await self.database.read(lambda s: slots.get(s, slot.schedule_id, slot.slot))
            if now is None or now.owner != slot.owner:  # its schedule was removed, or another has it
                return
            log.warning("The run %s of the schedule %s broke off.", slot.slot, slot.schedule_id, exc_info=error)
            if now.flow_id and not slot.flow_id:
                await self._run(Claimed(claimed.schedule, now))
            elif slot.attempts >= ATTEMPTS or isinstance(error, Unknown | Unreadable):
                await self._end(claimed, Came(status="failed", result=str(error)))
        except Exception:
            log.exception("The run %s of the schedule %s can't be ended now.", slot.slot, slot.schedule_id)

    async def _beat(self, slot: StoredSlot) -> None:
        """Keeps the lease."""
        while True:
            await asyncio.sleep(BEAT.total_seconds())
            try:
                if not await self.database.write(lambda s: slots.prolong(s, slot, self.clock() + LEASE)):
                    return
            except StorageError as error:
                log.warning("The lease of a run can't be prolonged now: %s", error)

    async def _release(self, slot: StoredSlot) -> None:
        try:
            await self.database.write(lambda s: slots.release(s, slot))
        except StorageError as error:
            log.warning("The lease of a run has to end by itself: %s", error)
