"""The runs of schedules, each under a lease while it is claimed: whoever stores a slot first has it."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from sqlalchemy import and_, delete, insert, not_, or_, select, update

from storage.session import Prepared, Session, given
from storage.tables import SLOT, StoredSlot

Ended = Literal["done", "failed"]

_THIS = (SLOT.c.schedule_id == given("which"), SLOT.c.slot == given("named"))
_CLAIMED = SLOT.c.status == "claimed"
_MY_LEASE = (*_THIS, _CLAIMED, SLOT.c.owner == given("held_by"))
_FREE = (_CLAIMED, or_(SLOT.c.owner.is_(None), SLOT.c.lease_until.is_(None), SLOT.c.lease_until <= given("now")))
_OF_ONE = (SLOT.c.user_id == given("user"), SLOT.c.schedule_id == given("which"))

_ADD = Prepared(insert(SLOT))
_MISS = Prepared(insert(SLOT), unless_there=True)
_GET = Prepared(select(SLOT).where(*_THIS))
_AHEAD = (SLOT.c.status == "missed", SLOT.c.due > given("now"))
_KEYS = Prepared(
    select(SLOT.c.slot).where(
        SLOT.c.schedule_id == given("which"), SLOT.c.slot >= given("first"), SLOT.c.slot < "n", not_(and_(*_AHEAD))
    )
)
_UNMISS = Prepared(delete(SLOT).where(SLOT.c.schedule_id == given("which"), *_AHEAD))
_TAKE = Prepared(update(SLOT).where(*_THIS, *_FREE, SLOT.c.attempts == given("seen")), ["owner", "lease_until", "attempts"])
_PROLONG = Prepared(update(SLOT).where(*_MY_LEASE), ["lease_until"])
_BEGIN = Prepared(update(SLOT).where(*_MY_LEASE), ["flow_id"])
_RELEASE = Prepared(update(SLOT).where(*_MY_LEASE), ["owner", "lease_until", "attempts"])
_END = Prepared(update(SLOT).where(*_MY_LEASE), ["status", "result", "covered", "ended", "owner", "lease_until"])
_LIST = Prepared(
    select(SLOT).where(*_OF_ONE).order_by(SLOT.c.due.desc(), SLOT.c.created.desc(), SLOT.c.slot.desc()).limit(given("most"))
)
_LEFT = Prepared(select(SLOT).where(SLOT.c.user_id == given("user"), *_FREE).order_by(SLOT.c.due, SLOT.c.slot))
_LEFT_OF = Prepared(select(SLOT.c.user_id).where(*_FREE).distinct())
_COVERED = Prepared(
    select(SLOT.c.covered)
    .where(*_OF_ONE, SLOT.c.status == "done", SLOT.c.covered != "")
    .order_by(SLOT.c.ended.desc(), SLOT.c.due.desc())
    .limit(1)
)
_LAST_DONE = select(SLOT.c.ended).where(*_OF_ONE, SLOT.c.status == "done").order_by(SLOT.c.ended.desc()).limit(1)
_FAILED = select(SLOT).where(*_OF_ONE, SLOT.c.status == "failed")
_LAST = Prepared(_LAST_DONE)
_ALL_FAILED = Prepared(_FAILED.order_by(SLOT.c.ended))
_FAILED_SINCE = Prepared(_FAILED.where(SLOT.c.ended > given("after")).order_by(SLOT.c.ended))
_UNSURE = Prepared(select(SLOT).where(_CLAIMED))
_CLOSE = Prepared(update(SLOT).where(*_THIS, _CLAIMED), ["status", "result", "ended", "owner", "lease_until"])
_OF_USER = Prepared(select(SLOT).where(SLOT.c.user_id == given("user")))
_RETELL = Prepared(update(SLOT).where(*_THIS), ["result", "covered"])
_OLD = Prepared(
    select(SLOT.c.schedule_id)
    .where(SLOT.c.due <= given("before"), SLOT.c.schedule_id > given("after"))
    .distinct()
    .order_by(SLOT.c.schedule_id)
    .limit(given("many"))
)
_NEWEST = select(SLOT.c.slot).where(SLOT.c.schedule_id == given("which"))
_THIN = Prepared(
    delete(SLOT).where(
        SLOT.c.schedule_id == given("which"),
        SLOT.c.due <= given("before"),
        SLOT.c.status != "claimed",
        SLOT.c.slot.not_in(_NEWEST.order_by(SLOT.c.due.desc(), SLOT.c.slot.desc()).limit(given("most"))),
    )
)


def claim(s: Session, slot: StoredSlot) -> None:
    """Raises Duplicate where somebody has claimed it, or it was missed."""
    s.insert(_ADD, slot.model_dump())


def miss(s: Session, slots: Iterable[StoredSlot]) -> None:
    """What is there already stays as it is."""
    s.insert_all(_MISS, (slot.model_dump() for slot in slots))


def get(s: Session, schedule_id: str, slot: str) -> StoredSlot | None:
    return s.first(StoredSlot, _GET, which=schedule_id, named=slot)


def keys(s: Session, schedule_id: str, first: str, now: datetime) -> frozenset[str]:
    """Of the slots by wall-clock time from `first` on that were dealt with. None is missed that is still to come, though it was
    where the clock has been set back."""
    return frozenset(s.column(_KEYS, which=schedule_id, first=first, now=now))


def unmiss(s: Session, schedule_id: str, now: datetime) -> int:
    """Removes missed ones that are still to come."""
    return s.changed(_UNMISS, which=schedule_id, now=now)


def take(s: Session, slot: StoredSlot, owner: str, until: datetime, now: datetime) -> StoredSlot | None:
    """Claims a slot whose lease has ended once more; None where another was quicker."""
    taken = slot.model_copy(update={"owner": owner, "lease_until": until, "attempts": slot.attempts + 1})
    this = {"which": slot.schedule_id, "named": slot.slot, "seen": slot.attempts, "now": now}
    return taken if s.changed(_TAKE, **this, owner=owner, lease_until=until, attempts=taken.attempts) else None


def prolong(s: Session, slot: StoredSlot, until: datetime) -> bool:
    """False where it is another's by now."""
    return s.changed(_PROLONG, **_mine(slot), lease_until=until) == 1


def begin(s: Session, slot: StoredSlot, flow_id: str) -> bool:
    """Notes its flow; False where it is another's by now."""
    return s.changed(_BEGIN, **_mine(slot), flow_id=flow_id) == 1


def release(s: Session, slot: StoredSlot) -> bool:
    """Whoever takes it up next does so as if this claim had not been."""
    return s.changed(_RELEASE, **_mine(slot), owner=None, lease_until=None, attempts=slot.attempts - 1) == 1


def end(s: Session, slot: StoredSlot, status: Ended, at: datetime, *, result: str, covered: str = "") -> bool:
    """False where it is another's by now, or is gone."""
    values = {"status": status, "result": result, "covered": covered, "ended": at, "owner": None, "lease_until": None}
    return s.changed(_END, **_mine(slot), **values) == 1


def _mine(slot: StoredSlot) -> dict[str, str | None]:
    return {"which": slot.schedule_id, "named": slot.slot, "held_by": slot.owner}


def list(s: Session, schedule_id: str, limit: int, *, user_id: str) -> tuple[StoredSlot, ...]:
    """The newest first."""
    return s.every(StoredSlot, _LIST, user=user_id, which=schedule_id, most=limit)


def left(s: Session, now: datetime, *, user_id: str) -> tuple[StoredSlot, ...]:
    """Claimed ones that nobody runs."""
    return s.every(StoredSlot, _LEFT, user=user_id, now=now)


def left_of(s: Session, now: datetime) -> frozenset[str]:
    """The users who have such."""
    return frozenset(s.column(_LEFT_OF, now=now))


def covered(s: Session, schedule_id: str, *, user_id: str) -> str:
    """What the last one that was done has covered; empty where none has."""
    return next(iter(s.column(_COVERED, user=user_id, which=schedule_id)), "")


def failed_lately(s: Session, schedule_id: str, *, user_id: str) -> tuple[StoredSlot, ...]:
    """Those that have failed since the last one that was done, the oldest first."""
    last = next(iter(s.column(_LAST, user=user_id, which=schedule_id)), None)
    if last is None:
        return s.every(StoredSlot, _ALL_FAILED, user=user_id, which=schedule_id)
    return s.every(StoredSlot, _FAILED_SINCE, user=user_id, which=schedule_id, after=last)


def close_claimed(s: Session, at: datetime, result: str) -> int:
    """Of all users: what was claimed has failed, whoever holds it."""
    found = s.every(StoredSlot, _UNSURE)
    for slot in found:
        values = {"status": "failed", "result": result, "ended": at, "owner": None, "lease_until": None}
        s.changed(_CLOSE, which=slot.schedule_id, named=slot.slot, **values)
    return len(found)


def every(s: Session, user_id: str) -> tuple[StoredSlot, ...]:
    return s.every(StoredSlot, _OF_USER, user=user_id)


def retell(s: Session, slot: StoredSlot, *, result: str, covered: str) -> int:
    return s.changed(_RETELL, which=slot.schedule_id, named=slot.slot, result=result, covered=covered)


def old(s: Session, before: datetime, *, after: str, most: int) -> tuple[str, ...]:
    """Schedules with slots that were due until then, by id from behind `after`."""
    return s.column(_OLD, before=before, after=after, many=most)


def thin(s: Session, schedule_id: str, before: datetime, most: int) -> int:
    """Removes those that were due until then, but the newest `most`, with their deliveries. How many there were."""
    return s.changed(_THIN, which=schedule_id, before=before, most=most)
