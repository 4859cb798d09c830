"""Deliveries: one row per result and place. Every step of a row is a compare-and-set.

pending (until `not_before`) → started → done | failed | unknown, or pending again where it was certainly refused
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import insert, or_, select, update
from sqlmodel import SQLModel

from storage.session import Prepared, Session, given
from storage.tables import DELIVERY, OWNER, SCHEDULE, SLOT, StoredDelivery

_MINE = DELIVERY.c.user_id == given("user")
_SCHEDULE = DELIVERY.c.schedule_id == given("of_schedule")
_SLOT = (_MINE, _SCHEDULE, DELIVERY.c.slot == given("of_slot"))
_ROW = (*_SLOT, DELIVERY.c.target == given("at_target"))
_AS_READ = (*_ROW, DELIVERY.c.status == given("expect"), DELIVERY.c.attempts == given("tried"))
_ALL = select(DELIVERY).order_by(DELIVERY.c.created, DELIVERY.c.target)
_ADD = Prepared(insert(DELIVERY), unless_there=True)
_OF_SLOT = Prepared(_ALL.where(*_SLOT))
_OF_SCHEDULE = Prepared(_ALL.where(_MINE, _SCHEDULE))
_IS_OPEN = or_((DELIVERY.c.status == "pending") & (DELIVERY.c.not_before <= given("now")), DELIVERY.c.status == "started")
_OPEN = Prepared(_ALL.where(_MINE, _IS_OPEN))
_DUE_USERS = Prepared(select(DELIVERY.c.user_id).where(_IS_OPEN).distinct())
_ASKABLE = Prepared(_ALL.where(_MINE, DELIVERY.c.status == "unknown", DELIVERY.c.key != ""))
_UNTOLD = Prepared(
    _ALL.where(_MINE, _SCHEDULE, or_(DELIVERY.c.status == "failed", DELIVERY.c.status == "unknown"), DELIVERY.c.told.is_(False))
)
_START = Prepared(update(DELIVERY).where(*_AS_READ), ["status", "attempts", "key", "updated"])
_FINISH = Prepared(update(DELIVERY).where(*_AS_READ), ["status", "error", "not_before", "updated"])
_TELL = Prepared(update(DELIVERY).where(*_ROW, DELIVERY.c.status == given("expect")), ["told"])
_RUN = Prepared(
    select(SCHEDULE.c.name, SCHEDULE.c.zone, SLOT.c.due, SLOT.c.flow_id)
    .join(SLOT, SLOT.c.schedule_id == SCHEDULE.c.id)
    .where(SLOT.c.user_id == given("user"), SLOT.c.schedule_id == given("of_schedule"), SLOT.c.slot == given("of_slot"))
)
_DUE_OF = Prepared(
    select(SLOT.c.due)
    .join(DELIVERY, (DELIVERY.c.schedule_id == SLOT.c.schedule_id) & (DELIVERY.c.slot == SLOT.c.slot))
    .where(DELIVERY.c.key == given("known_as"))
)


class Run(SQLModel, frozen=True):
    """The run that a delivery is the result of; `name` and `zone` are its schedule's."""

    name: str
    zone: str
    due: datetime
    flow_id: str | None


def record(s: Session, schedule: str, slot: str, targets: Iterable[str], at: datetime, *, user_id: str = OWNER) -> None:
    """Due at once. What is recorded already stays as it is."""
    for target in dict.fromkeys(targets):
        row = StoredDelivery(user_id=user_id, schedule_id=schedule, slot=slot, target=target, not_before=at, created=at, updated=at)
        s.insert(_ADD, row.model_dump())


def of_slot(s: Session, schedule: str, slot: str, *, user_id: str = OWNER) -> tuple[StoredDelivery, ...]:
    return s.every(StoredDelivery, _OF_SLOT, user=user_id, of_schedule=schedule, of_slot=slot)


def of_schedule(s: Session, schedule: str, *, user_id: str = OWNER) -> tuple[StoredDelivery, ...]:
    """The oldest first."""
    return s.every(StoredDelivery, _OF_SCHEDULE, user=user_id, of_schedule=schedule)


def run_of(s: Session, schedule: str, slot: str, *, user_id: str = OWNER) -> Run | None:
    return s.first(Run, _RUN, user=user_id, of_schedule=schedule, of_slot=slot)


def due_of(s: Session, key: str) -> datetime | None:
    """When the run was due whose delivery lies under this key in the outbox."""
    return next(iter(s.column(_DUE_OF, known_as=key)), None)


def open(s: Session, now: datetime, *, user_id: str = OWNER) -> tuple[StoredDelivery, ...]:
    """Those that are due, and those that have begun."""
    return s.every(StoredDelivery, _OPEN, user=user_id, now=now)


def open_of(s: Session, now: datetime) -> frozenset[str]:
    """The users who have such."""
    return frozenset(s.column(_DUE_USERS, now=now))


def askable(s: Session, *, user_id: str = OWNER) -> tuple[StoredDelivery, ...]:
    """Those that are unknown and lie in the outbox, which may have found out since."""
    return s.every(StoredDelivery, _ASKABLE, user=user_id)


def start(s: Session, row: StoredDelivery, at: datetime, key: str = "") -> bool:
    """pending → started; only who gets True may go on. `key` is of its row in the outbox. Belongs into a synced write."""
    return s.changed(_START, **_as_read(row), status="started", attempts=row.attempts + 1, key=key, updated=at) == 1


def finish(
    s: Session, row: StoredDelivery, status: str, at: datetime, *, error: str = "", not_before: datetime | None = None
) -> bool:
    """From where it stood when it was read."""
    return s.changed(_FINISH, **_as_read(row), status=status, error=error, not_before=not_before, updated=at) == 1


def untold(s: Session, schedule: str, *, user_id: str = OWNER) -> tuple[StoredDelivery, ...]:
    """The failed and the unknown that the user has not heard of."""
    return s.every(StoredDelivery, _UNTOLD, user=user_id, of_schedule=schedule)


def tell(s: Session, rows: Sequence[StoredDelivery]) -> None:
    """Unless it came to something else since they were read."""
    for row in rows:
        s.changed(_TELL, **_named(row), expect=row.status, told=True)


def _named(row: StoredDelivery) -> dict[str, str]:
    return {"user": row.user_id, "of_schedule": row.schedule_id, "of_slot": row.slot, "at_target": row.target}


def _as_read(row: StoredDelivery) -> dict[str, object]:
    return {**_named(row), "expect": row.status, "tried": row.attempts}
