"""Which slot of a schedule is to be run: decided by plain code, then claimed in one transaction, so that one process has it."""

import logging
from collections import deque
from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from assistant.running.lease import LEASE
from assistant.scheduling.values import readable, rule_of
from assistant.timetable.rules import Due, Rule
from assistant.timetable.slots import due, next_due
from storage import schedules, slots
from storage.database import Database
from storage.errors import Duplicate
from storage.session import Session
from storage.tables import StoredSchedule, StoredSlot

MOST = 500
"""So many missed slots are written down; what lies further back is left."""
ATTEMPTS = 3
"""How often a slot is claimed whose claimants die."""
TRAVEL = timedelta(days=2)
"""By more than that no wall clock is moved by another zone."""
NOW = "now-"
"""Begins the name of a slot that the user wanted at once."""
DIED = f"It was begun {ATTEMPTS} times, and each time the program ended in the middle of it."

log = logging.getLogger(__name__)


class Decision(NamedTuple):
    """`run` is the last slot that is due, `missed` those before it; slots after `since` are still to be looked at; `next` is when
    the next is due."""

    missed: tuple[Due, ...]
    run: Due | None
    since: datetime
    next: datetime | None


def decide(rule: Rule, zone: ZoneInfo, since: datetime, handled: Container[str], now: datetime) -> Decision:
    """`handled` are slots that were dealt with, which settles it whatever was done to the clock or the zone."""
    found = [one for one in _lately(rule, zone, since, now) if one.slot not in handled]
    run = found[-1] if found else None
    return Decision(tuple(found[:-1]), run, run.at if run else now, coming(rule, zone, now, handled))


def coming(rule: Rule, zone: ZoneInfo, now: datetime, handled: Container[str] = ()) -> datetime | None:
    """When the next slot is due that was not dealt with."""
    after = now
    while (found := next_due(rule, zone, after)) is not None and found.slot in handled:
        after = found.at
    return found.at if found else None


def _lately(rule: Rule, zone: ZoneInfo, since: datetime, now: datetime) -> list[Due]:
    """The last `MOST` that are due. It looks back further and further, since a clock may have jumped by years."""
    span = timedelta(hours=1)
    while True:
        start = max(since, now - span)
        found = deque(due(rule, zone, start, now), maxlen=MOST)
        if start == since or start > now or len(found) == MOST:
            return list(found)
        span *= 4


SlotKey = tuple[str, str]


def key_of(slot: StoredSlot) -> SlotKey:
    return slot.schedule_id, slot.slot


class Claimed(NamedTuple):
    """`slot` as it is claimed, with its owner."""

    schedule: StoredSchedule
    slot: StoredSlot


@dataclass(frozen=True)
class Claiming:
    """For one user, in whose `zone` schedules run that name none."""

    database: Database
    clock: Callable[[], datetime]
    user: str
    zone: ZoneInfo
    owner: str

    async def next(self, held: Container[SlotKey] = ()) -> Claimed | None:
        """A slot to be run here: one that its claimant has left, else one that is due. None where there is nothing to do. What is
        `held` here is not left, though its lease may have run out: while the machine slept, or the database was out of reach."""
        return await self._left_over(held) or await self._due()

    async def at_once(self, schedule: StoredSchedule, wanted: datetime | None = None) -> Claimed:
        """Raises Duplicate where there is one for the moment at which it was `wanted`."""
        at = wanted or self.clock()
        while True:
            slot = self._slot(schedule, Due(f"{NOW}{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}", at), self.clock())
            try:
                await self.database.write(partial(slots.claim, slot=slot))
                return Claimed(schedule, slot)
            except Duplicate:
                if wanted is not None:
                    raise
                at += timedelta(microseconds=1)

    async def refresh(self) -> None:
        """Another zone has other instants for the same slots."""
        now = self.clock()

        def decided(s: Session) -> list[tuple[StoredSchedule, Decision | None]]:
            return [(row, self._decided(s, row, now)) for row in schedules.list(s, self.user)]

        for row, decision in await self.database.read(decided):
            if row.paused is None and decision and decision.run is None and decision.next != row.next:
                await self.database.write(partial(schedules.advance, schedule=row, since=row.since, next=decision.next))

    def zone_of(self, schedule: StoredSchedule) -> ZoneInfo:
        return ZoneInfo(schedule.zone) if schedule.zone else self.zone

    async def _due(self) -> Claimed | None:
        now = self.clock()
        for row in await self.database.read(lambda s: schedules.due(s, now, user_id=self.user)):
            decision = await self.database.read(partial(self._decided, row=row, now=now))
            if decision is None:
                log.warning("The schedule %s can't be read, so it does not run.", row.id)
                await self.database.write(partial(schedules.advance, schedule=row, since=row.since, next=None))
                continue
            try:
                claimed = await self.database.write(partial(self._settle, row=row, decision=decision, now=now))
            except Duplicate:  # another was quicker
                continue
            if claimed is not None:
                return claimed
        return None

    def _decided(self, s: Session, row: StoredSchedule, now: datetime) -> Decision | None:
        """None where this version can't read the schedule."""
        if not readable(row):
            return None
        handled = slots.keys(s, row.id, f"{min(row.since, now) - TRAVEL:%Y-%m-%d}", now)
        return decide(rule_of(row), self.zone_of(row), row.since, handled, now)

    def _settle(self, s: Session, row: StoredSchedule, decision: Decision, now: datetime) -> Claimed | None:
        """None where another has settled it meanwhile, or no slot is due."""
        if not schedules.advance(s, row, since=decision.since, next=decision.next):
            return None
        if row.since > now:  # the clock was set back
            slots.unmiss(s, row.id, now)
        if decision.run is None:
            return None
        if decision.missed:
            told = f"Missed; made up for on {in_zone(now, self.zone_of(row))}."
            ended = {"status": "missed", "result": told, "ended": now, "owner": None, "lease_until": None, "attempts": 0}
            slots.miss(s, (self._slot(row, one, now).model_copy(update=ended) for one in decision.missed))
        slot = self._slot(row, decision.run, now).model_copy(update={"stands_for": len(decision.missed)})
        slots.claim(s, slot)
        return Claimed(row, slot)

    def _slot(self, schedule: StoredSchedule, one: Due, now: datetime) -> StoredSlot:
        return StoredSlot(
            user_id=self.user,
            schedule_id=schedule.id,
            slot=one.slot,
            due=one.at.astimezone(UTC),
            owner=self.owner,
            lease_until=now + LEASE,
            created=now,
        )

    async def _left_over(self, held: Container[SlotKey]) -> Claimed | None:
        now = self.clock()
        left = await self.database.read(lambda s: slots.left(s, now, user_id=self.user))
        for slot in (slot for slot in left if key_of(slot) not in held):
            if claimed := await self.database.write(partial(self._take, slot=slot, now=now)):
                return claimed
        return None

    def _take(self, s: Session, slot: StoredSlot, now: datetime) -> Claimed | None:
        taken = slots.take(s, slot, self.owner, now + LEASE, now)
        schedule = schedules.get(s, slot.schedule_id, user_id=self.user)
        if taken is None or schedule is None:
            return None
        if slot.attempts >= ATTEMPTS:
            slots.end(s, taken, "failed", now, result=DIED)
            return None
        return Claimed(schedule, taken)


def in_zone(at: datetime, zone: ZoneInfo) -> str:
    """ "Monday 23 November at 08:00"."""
    there = at.astimezone(zone)
    return f"{there:%A} {there.day} {there:%B} at {there:%H:%M}"
