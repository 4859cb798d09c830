"""Schedules: their rules and tasks, and how far their slots were dealt with. What was dealt with, the slots decide."""

from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, exists, func, insert, not_, or_, select, update

from storage.session import Prepared, Session, given
from storage.tables import SCHEDULE, SLOT, USER, StoredSchedule

_MINE = SCHEDULE.c.user_id == given("user")
_THIS = (_MINE, SCHEDULE.c.id == given("which"))
_ACTIVE = SCHEDULE.c.paused.is_(None)
# Where the clock was set back, `since` lies ahead of it.
_DUE = (_ACTIVE, or_(SCHEDULE.c.next <= given("now"), SCHEDULE.c.since > given("now")))

_ADD = Prepared(insert(SCHEDULE))
_GET = Prepared(select(SCHEDULE).where(*_THIS))
_LIST = Prepared(select(SCHEDULE).where(_MINE).order_by(SCHEDULE.c.created, SCHEDULE.c.id))
_IN = Prepared(
    select(SCHEDULE).where(_MINE, SCHEDULE.c.conversation == given("within")).order_by(SCHEDULE.c.created, SCHEDULE.c.id)
)
_EVERY = Prepared(select(SCHEDULE))
_CHANGED = ["name", "task", "rule", "zone", "targets", "paused", "since", "next", "version", "updated"]
_CHANGE = Prepared(update(SCHEDULE).where(*_THIS, SCHEDULE.c.version == given("seen")), _CHANGED)
_ADVANCE = Prepared(
    update(SCHEDULE).where(*_THIS, SCHEDULE.c.version == given("seen"), SCHEDULE.c.since == given("seen_since"), _ACTIVE),
    ["since", "next"],
)
_SKIP = Prepared(update(SCHEDULE).where(*_THIS), ["since", "next"])
_RETELL = Prepared(update(SCHEDULE).where(*_THIS, SCHEDULE.c.version == given("seen")), ["name", "task", "version"])
_OVER = and_(SCHEDULE.c.next.is_(None), _ACTIVE, SCHEDULE.c.since <= given("before"))
_IS_CLAIMED = exists().where(SLOT.c.schedule_id == SCHEDULE.c.id, SLOT.c.status == "claimed")
_REMOVE_OVER = Prepared(delete(SCHEDULE).where(_OVER, not_(_IS_CLAIMED)))
_REMOVE = Prepared(delete(SCHEDULE).where(*_THIS))
_MAY_RUN = SCHEDULE.c.user_id.in_(select(USER.c.id).where(USER.c.disabled.is_(None)))
_DUE_NOW = Prepared(select(SCHEDULE).where(_MINE, *_DUE).order_by(SCHEDULE.c.next, SCHEDULE.c.id))
_OF_USERS = Prepared(select(SCHEDULE.c.user_id).where(*_DUE).distinct())
_USERS = Prepared(select(SCHEDULE.c.user_id).distinct())
_EARLIEST = Prepared(select(func.min(SCHEDULE.c.next)).where(_ACTIVE, _MAY_RUN))
_MY_EARLIEST = Prepared(select(func.min(SCHEDULE.c.next)).where(_ACTIVE, _MINE))


def add(s: Session, schedule: StoredSchedule) -> None:
    """Raises Duplicate where one has this id."""
    s.insert(_ADD, schedule.model_dump())


def get(s: Session, schedule_id: str, *, user_id: str) -> StoredSchedule | None:
    return s.first(StoredSchedule, _GET, user=user_id, which=schedule_id)


def list(s: Session, user_id: str) -> tuple[StoredSchedule, ...]:
    """The oldest first."""
    return s.every(StoredSchedule, _LIST, user=user_id)


def within(s: Session, conversation: str, *, user_id: str) -> tuple[StoredSchedule, ...]:
    """Those that tell their results in it."""
    return s.every(StoredSchedule, _IN, user=user_id, within=conversation)


def change(s: Session, schedule: StoredSchedule, at: datetime, **values: Any) -> StoredSchedule | None:
    """As it is now; None where it was changed since it was read."""
    changed = schedule.model_copy(update={**values, "version": schedule.version + 1, "updated": at})
    new = {name: getattr(changed, name) for name in _CHANGED}
    met = s.changed(_CHANGE, user=schedule.user_id, which=schedule.id, seen=schedule.version, **new)
    return changed if met else None


def advance(s: Session, schedule: StoredSchedule, *, since: datetime, next: datetime | None) -> bool:
    """False where it was changed, paused or advanced since it was read."""
    seen = {"seen": schedule.version, "seen_since": schedule.since}
    return s.changed(_ADVANCE, user=schedule.user_id, which=schedule.id, **seen, since=since, next=next) == 1


def remove(s: Session, schedule_id: str, *, user_id: str) -> bool:
    """With its slots and their deliveries; whether this user had such a one."""
    return s.changed(_REMOVE, user=user_id, which=schedule_id) == 1


def skip(s: Session, at: datetime) -> tuple[str, ...]:
    """No slot until then counts, of any user; the names of the schedules that had been due."""
    found = s.every(StoredSchedule, _EVERY)
    for one in found:
        # The next one is told by the first look at it.
        s.changed(_SKIP, user=one.user_id, which=one.id, since=at, next=at if one.next else None)
    return tuple(one.name for one in found if one.next is not None and one.next <= at)


def retell(s: Session, schedule: StoredSchedule, *, name: str, task: str) -> int:
    """0 where it was changed since."""
    this = {"user": schedule.user_id, "which": schedule.id, "seen": schedule.version}
    return s.changed(_RETELL, **this, name=name, task=task, version=schedule.version + 1)


def remove_over(s: Session, before: datetime) -> int:
    """Those of all users of which the last run was due until then, with their history."""
    return s.changed(_REMOVE_OVER, before=before)


def due(s: Session, now: datetime, *, user_id: str) -> tuple[StoredSchedule, ...]:
    """Those to be looked at, the one that is due first first."""
    return s.every(StoredSchedule, _DUE_NOW, user=user_id, now=now)


def due_of(s: Session, now: datetime) -> frozenset[str]:
    """The users who have such."""
    return frozenset(s.column(_OF_USERS, now=now))


def users(s: Session) -> frozenset[str]:
    """Who has any."""
    return frozenset(s.column(_USERS))


def earliest(s: Session, *, user_id: str | None = None) -> datetime | None:
    """When the next one is due, of one user or of all."""
    (found,) = s.row(_EARLIEST) if user_id is None else s.row(_MY_EARLIEST, user=user_id)
    return found if isinstance(found, datetime) else None
