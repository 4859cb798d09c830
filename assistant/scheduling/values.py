"""Schedules, their slots and where the results went, as they are handed out."""

from datetime import datetime
from typing import Literal

from pydantic import TypeAdapter

from assistant.timetable.rules import Rule, Task
from assistant.timetable.wording import in_words
from integrations.types import Value
from storage.tables import StoredSchedule, StoredSlot

SlotStatus = Literal["claimed", "done", "failed", "missed"]
DeliveryStatus = Literal["pending", "done", "failed", "unknown"]
RULE: TypeAdapter[Rule] = TypeAdapter(Rule)
TASK: TypeAdapter[Task] = TypeAdapter(Task)


class Schedule(Value):
    """`zone` empty: the user's; `next` None: paused, or over; `words`: the rule in words; `version` counts its changes, from 1."""

    id: str
    name: str
    task: Task
    rule: Rule
    zone: str = ""
    conversation: str
    targets: tuple[str, ...] = ()
    by_program: bool = False
    paused: datetime | None = None
    next: datetime | None = None
    version: int = 1
    created: datetime
    words: str

    @property
    def is_over(self) -> bool:
        """Nothing of it is due any more."""
        return self.next is None and self.paused is None


class Delivery(Value):
    """One result at one place. `error`: one sentence why it is not there, or may not be."""

    target: str
    status: DeliveryStatus = "pending"
    error: str = ""
    attempts: int = 0


class Slot(Value):
    """One run of a schedule. `slot` is its wall-clock time ("2026-11-23T08:00"), or "now-" with an instant; `stands_for` counts the
    missed slots that it made up for; `flow` is empty where none was begun; `result` is a sentence."""

    schedule: str
    slot: str
    due: datetime
    status: SlotStatus
    stands_for: int = 0
    flow: str = ""
    result: str = ""
    started: datetime
    ended: datetime | None = None
    deliveries: tuple[Delivery, ...] = ()


def rule_of(row: StoredSchedule) -> Rule:
    """Raises ValueError for one that this version does not know."""
    return RULE.validate_json(row.rule)


def task_of(row: StoredSchedule) -> Task:
    """As `rule_of`."""
    return TASK.validate_json(row.task)


def readable(row: StoredSchedule) -> bool:
    try:
        return bool(rule_of(row) and task_of(row))
    except ValueError:
        return False


def as_schedule(row: StoredSchedule) -> Schedule:
    rule = rule_of(row)
    return Schedule(
        id=row.id,
        name=row.name,
        task=task_of(row),
        rule=rule,
        zone=row.zone,
        conversation=row.conversation,
        targets=tuple(row.targets),
        by_program=row.by_program,
        paused=row.paused,
        next=row.next,
        version=row.version,
        created=row.created,
        words=in_words(rule, row.zone, row.created.date()),
    )


def as_slot(row: StoredSlot, deliveries: tuple[Delivery, ...] = ()) -> Slot:
    return Slot(
        schedule=row.schedule_id,
        slot=row.slot,
        due=row.due,
        status=row.status,
        stands_for=row.stands_for,
        flow=row.flow_id or "",
        result=row.result,
        started=row.created,
        ended=row.ended,
        deliveries=deliveries,
    )
