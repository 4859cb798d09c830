"""What a user wants done again and again, or later: set up, changed, run and told."""

import asyncio
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count
from uuid import uuid4
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from assistant.errors import FlowError, Unknown, UserError
from assistant.scheduling.claiming import Claimed, Claiming, coming
from assistant.scheduling.delivery.deliveries import Deliveries
from assistant.scheduling.delivery.targets import Targets
from assistant.scheduling.finding import found
from assistant.scheduling.tending import Tending
from assistant.scheduling.values import RULE, TASK, as_schedule, as_slot, readable
from assistant.scheduling.values import Delivery as Delivery
from assistant.scheduling.values import Schedule as Schedule
from assistant.scheduling.values import Slot as Slot
from assistant.timetable.rules import GiveBriefing, Rule, Task
from assistant.timetable.slots import check
from assistant.timetable.wording import task_in_words
from risk.text import line
from storage import conversations, schedules, slots
from storage.database import Database
from storage.errors import Duplicate
from storage.session import Session
from storage.tables import StoredSchedule, StoredSlot

MOST, LONGEST_NAME, LONGEST_TASK = 200, 100, 2000
CHANGED = "The schedule was changed in the meantime; look at it again."
OVER = "That time is over already; name one that is still to come."


@dataclass(frozen=True)
class Schedules:
    """One user's. Where nothing else is said, each method raises Unknown for a schedule that the user doesn't have."""

    database: Database
    clock: Callable[[], datetime]
    user: str
    claiming: Claiming
    tending: Tending
    deliveries: Deliveries
    targets: Targets
    stir: Callable[[], None]

    async def list(self) -> tuple[Schedule, ...]:
        """The oldest first, without what a newer version has saved."""
        return tuple(as_schedule(row) for row in await self.database.read(lambda s: schedules.list(s, self.user)) if readable(row))

    async def get(self, id: str) -> Schedule:
        return as_schedule(await self._row(id))

    async def find(self, words: str | Sequence[str]) -> Schedule:
        """The one with this id or name, else the one whose name has all words, else the one that they fit, which are of its name,
        task or time. Raises UserError, with the names, where there are none or several."""
        return found(await self.list(), words)

    async def add(
        self,
        name: str,
        task: Task,
        rule: Rule,
        *,
        conversation: str = "",
        targets: Sequence[str] = (),
        zone: str = "",
        by_program: bool = False,
        id: str = "",
    ) -> Schedule:
        """Without a conversation it gets one of its own. A name that is taken gets a number behind it. Where the user has a
        schedule with this `id`, that one is returned. Raises UserError for what can't be used."""
        now, zone = self.clock(), _zone(zone)
        usable(rule)
        _doable(task)
        row = StoredSchedule(
            user_id=self.user,
            id=id or uuid4().hex[:12],
            name=_name(name) if name.strip() else line(task_in_words(task), LONGEST_NAME),
            task=TASK.dump_json(task).decode(),
            rule=RULE.dump_json(rule).decode(),
            zone=zone,
            conversation=conversation or uuid4().hex[:12],
            targets=await self._targets(targets),
            by_program=by_program,
            since=now,
            created=now,
            updated=now,
        )
        row = row.model_copy(update={"next": coming(rule, self.claiming.zone_of(row), now)})
        try:
            added = await self.database.write(lambda s: self._add(s, row))
        except Duplicate as taken:
            raise UserError("This id is taken; give another.") from taken
        self.stir()
        return as_schedule(added)

    async def change(
        self,
        id: str,
        *,
        version: int | None = None,
        name: str | None = None,
        task: Task | None = None,
        rule: Rule | None = None,
        targets: Sequence[str] | None = None,
        zone: str | None = None,
    ) -> Schedule:
        """What is None stays. With another rule or zone only slots from now on count. Raises UserError for what can't be used, and
        FlowError where the schedule does not have `version` any more."""
        row = await self._row(id)
        if version is not None and row.version != version:
            raise FlowError(CHANGED)
        new: dict[str, object] = {"name": _name(name)} if name is not None else {}
        if task is not None:
            _doable(task)
            new["task"] = TASK.dump_json(task).decode()
        if targets is not None:
            new["targets"] = await self._targets(targets)
        if zone is not None:
            new["zone"] = _zone(zone)
        if rule is not None:
            usable(rule)
            new["rule"] = RULE.dump_json(rule).decode()
        return await self._change(row, new, anew=rule is not None or zone is not None)

    async def pause(self, id: str) -> Schedule:
        """Slots that come meanwhile don't count."""
        row = await self._row(id)
        return as_schedule(row) if row.paused else await self._change(row, {"paused": self.clock(), "next": None})

    async def resume(self, id: str) -> Schedule:
        row = await self._row(id)
        return await self._change(row, {"paused": None}, anew=True) if row.paused else as_schedule(row)

    async def remove(self, id: str) -> None:
        """With its history. What runs of it comes to its end."""
        if not await self.database.write(lambda s: schedules.remove(s, id, user_id=self.user)):
            raise _unknown(id)

    async def run(self, id: str) -> Slot:
        """At once, and to its end, also where it is paused."""
        claimed, running = await self.start(id)
        await asyncio.shield(running)
        return await self._ended(claimed)

    async def start(self, id: str, wanted: datetime | None = None) -> tuple[Claimed, "asyncio.Task[None]"]:
        """As `run`, without waiting for its end. Raises Duplicate where it was begun for the moment at which it is `wanted`."""
        self.tending.check_open()
        claimed = await self.claiming.at_once(await self._row(id), wanted)
        return claimed, self.tending.start(claimed)

    async def history(self, id: str, limit: int = 20) -> tuple[Slot, ...]:
        """The newest first."""
        await self._row(id)
        return await self._runs(id, limit)

    async def with_last_runs(self) -> tuple[tuple[Schedule, Slot | None], ...]:
        """As `list`, each with its newest run. One that somebody removes meanwhile may still be among them."""
        return tuple([(one, next(iter(await self._runs(one.id, 1)), None)) for one in await self.list()])

    async def _runs(self, id: str, limit: int) -> tuple[Slot, ...]:
        rows = await self.database.read(lambda s: slots.list(s, id, limit, user_id=self.user))
        delivered = await self.deliveries.listed(id)
        return tuple(as_slot(row, delivered.get(row.slot, ())) for row in rows)

    async def due(self) -> tuple[Slot, ...]:
        """Runs all that is due now, to its end; what came of it."""
        found = [await self._ended(claimed) for claimed in await self.tending.all()]
        await self.deliveries.retry()
        return tuple(found)

    async def tend(self) -> None:
        """As `due`, in the background."""
        await self.tending.begin()
        self.tending.retry()

    async def _ended(self, claimed: Claimed) -> Slot:
        slot = claimed.slot
        row: StoredSlot | None = await self.database.read(lambda s: slots.get(s, slot.schedule_id, slot.slot))
        return as_slot(row or slot, (await self.deliveries.listed(slot.schedule_id)).get(slot.slot, ()))

    async def _row(self, id: str) -> StoredSchedule:
        row = await self.database.read(lambda s: schedules.get(s, id, user_id=self.user))
        if row is None or not readable(row):
            raise _unknown(id)
        return row

    def _add(self, s: Session, row: StoredSchedule) -> StoredSchedule:
        if (there := schedules.get(s, row.id, user_id=self.user)) is not None:
            return there
        if row.next is None:
            raise UserError(OVER)
        every = schedules.list(s, self.user)
        if sum(one.next is not None or one.paused is not None for one in every) >= MOST:
            raise UserError(f"You have {MOST} schedules, which are the most there can be; remove one first.")
        row = row.model_copy(update={"name": _unused(row.name, [one.name for one in every])})
        conversations.ensure(s, row.conversation, row.created, user_id=self.user)
        schedules.add(s, row)
        return row

    async def _change(self, row: StoredSchedule, new: dict[str, object], *, anew: bool = False) -> Schedule:
        now = self.clock()
        if anew:
            changed = row.model_copy(update=new)
            next = coming(as_schedule(changed).rule, self.claiming.zone_of(changed), now)
            if next is None and "rule" in new:
                raise UserError(OVER)
            new |= {"since": now, "next": None if changed.paused else next}

        changed_row = await self.database.write(lambda s: schedules.change(s, row, now, **new))
        if changed_row is None:
            raise FlowError(CHANGED)
        self.stir()
        return as_schedule(changed_row)

    async def _targets(self, named: Sequence[str]) -> builtins.list[str]:
        """As they are called. Raises Unknown for one that is not there."""
        return [*dict.fromkeys(await self.targets.check(tuple(named)))]


def usable(rule: Rule) -> None:
    """Raises UserError where it is not."""
    if trouble := check(rule):
        raise UserError(trouble)


def _doable(task: Task) -> None:
    """Raises UserError for one that tells nothing, or too much."""
    if isinstance(task, GiveBriefing):
        if not task.parts:
            raise UserError("Say what the briefing is about: the inbox, the day or the week.")
    elif not task.text.strip() or len(task.text) > LONGEST_TASK:
        raise UserError(f"Say what is to be done in at most {LONGEST_TASK} characters.")


def _name(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise UserError(f"Give the schedule a name of at most {LONGEST_NAME} characters.")
    return name


def _unused(name: str, taken: Sequence[str]) -> str:
    known = {one.casefold() for one in taken}
    names = chain([name], (f"{name} {number}" for number in count(2)))
    return next(one for one in names if one.casefold() not in known)


def _zone(name: str) -> str:
    try:
        return ZoneInfo(name).key if name else ""
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        raise UserError(f"There is no time zone {name[:60]!r}; use a name such as Europe/Berlin.") from unknown


def _unknown(id: str) -> Unknown:
    return Unknown(f"There is no schedule {id}.")
