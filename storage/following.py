"""What somebody who follows conversations looks up: what was said and told there since, and what is still open."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from zlib import crc32

from sqlalchemy import func, select
from sqlmodel import SQLModel

from storage import audit, flows, outbox
from storage.session import Prepared, Session, among, given
from storage.tables import (
    DELIVERY,
    EVENT,
    FLOW,
    MESSAGE,
    OUTBOX,
    OWNER,
    SCHEDULE,
    SLOT,
    FlowHead,
    OutboxRow,
    StoredEvent,
    StoredMessage,
)

UNFINISHED = ("running", "waiting", "suspended", "parked")
OPEN = ("held", "pending", "started", "unknown")

_MINE = MESSAGE.c.user_id == given("user")
_SAID = Prepared(
    select(MESSAGE)
    .where(_MINE, MESSAGE.c.conversation == given("within"), MESSAGE.c.id > given("after"))
    .order_by(MESSAGE.c.id)
    .limit(given("most"))
)
_NEWEST_ID = Prepared(select(func.max(MESSAGE.c.id).label("newest")))
_NEWEST_ID_IN = Prepared(select(func.max(MESSAGE.c.id).label("newest")).where(_MINE, MESSAGE.c.conversation == given("within")))
_SPOKEN_IN = Prepared(
    select(MESSAGE.c.conversation.label("id"), func.max(MESSAGE.c.id).label("newest"))
    .where(_MINE, MESSAGE.c.id > given("after"))
    .group_by(MESSAGE.c.conversation)
)
_OPEN_FLOWS = select(FLOW.c.id, FLOW.c.conversation, FLOW.c.version, FLOW.c.status, FLOW.c.owner).where(
    FLOW.c.user_id == given("user"), among(FLOW.c.status, UNFINISHED)
)
_UNFINISHED = Prepared(_OPEN_FLOWS)
_UNFINISHED_IN = Prepared(_OPEN_FLOWS.where(FLOW.c.conversation == given("within")))
_LAST_SEQ = Prepared(select(func.max(EVENT.c.seq).label("last")).where(EVENT.c.flow_id == given("which")))
_OPEN_ROWS = Prepared(
    select(OUTBOX.c.id, OUTBOX.c.preview_id, OUTBOX.c.key, OUTBOX.c.status).where(
        OUTBOX.c.user_id == given("user"), among(OUTBOX.c.status, OPEN)
    )
)

_SCHEDULES = Prepared(
    select(SCHEDULE.c.id, SCHEDULE.c.version.label("state"), SCHEDULE.c.updated.label("at"))
    .where(SCHEDULE.c.user_id == given("user"))
    .order_by(SCHEDULE.c.id)
)
_RUNS = Prepared(
    select(SLOT.c.schedule_id.label("id"), SLOT.c.slot.label("state"), SLOT.c.created.label("at"))
    .where(SLOT.c.user_id == given("user"), SLOT.c.status == "claimed")
    .order_by(SLOT.c.schedule_id, SLOT.c.slot)
)
# A run that began and ended between two looks leaves nothing else behind.
_ENDED = Prepared(
    select(SLOT.c.schedule_id.label("id"), func.count().label("state"), func.max(SLOT.c.ended).label("at"))
    .where(SLOT.c.user_id == given("user"), SLOT.c.ended.is_not(None))
    .group_by(SLOT.c.schedule_id)
    .order_by(SLOT.c.schedule_id)
)
_DELIVERIES = Prepared(
    select(DELIVERY.c.schedule_id.label("id"), DELIVERY.c.target.label("state"), DELIVERY.c.updated.label("at"))
    .where(DELIVERY.c.user_id == given("user"), DELIVERY.c.status == "pending")
    .order_by(DELIVERY.c.schedule_id, DELIVERY.c.slot, DELIVERY.c.target)
)


class OpenFlow(SQLModel, frozen=True):
    """One that runs or rests."""

    id: str
    conversation: str
    version: int
    status: str
    owner: str | None


class OpenRow(SQLModel, frozen=True):
    """A write that has not gone out yet, or may not have."""

    id: int
    preview_id: str
    key: str
    status: str


class _Spoken(SQLModel, frozen=True):
    id: str
    newest: int


class _Mark(SQLModel, frozen=True):
    id: str
    state: str | int
    at: datetime


class Changed(NamedTuple):
    """A flow as it is now, with the events that were told since; its snapshot only where it does not run."""

    head: FlowHead
    snapshot: str
    events: tuple[StoredEvent, ...]


class Standing(NamedTuple):
    """How things are with a user: the newest message by conversation, of those above a number, and all that is open. `schedules` is
    another number whenever a schedule, a run of one or its delivery is."""

    newest: dict[str, int]
    flows: tuple[OpenFlow, ...]
    rows: tuple[OpenRow, ...]
    schedules: int = 0


def said(s: Session, conversation: str, after: int, most: int, *, user_id: str = OWNER) -> tuple[StoredMessage, ...]:
    """The first `most` with a number above `after`, in order."""
    return s.every(StoredMessage, _SAID, user=user_id, within=conversation, after=after, most=most)


def newest(s: Session) -> int:
    """The number of the newest message of all; 0 where there is none."""
    return s.row(_NEWEST_ID)[0] or 0


def newest_in(s: Session, conversation: str, *, user_id: str = OWNER) -> int:
    return s.row(_NEWEST_ID_IN, user=user_id, within=conversation)[0] or 0


def since(s: Session, head: FlowHead, seq: int) -> Changed:
    stored = flows.get(s, head.id) if head.status != "running" else None
    return Changed(head, stored.snapshot if stored else "", flows.events(s, head.id, seq))


def unfinished_in(s: Session, conversation: str, *, user_id: str = OWNER) -> tuple[OpenFlow, ...]:
    return s.every(OpenFlow, _UNFINISHED_IN, user=user_id, within=conversation)


def last_seq(s: Session, flow: str) -> int:
    return s.row(_LAST_SEQ, which=flow)[0] or 0


def open_rows(s: Session, *, user_id: str = OWNER) -> tuple[OpenRow, ...]:
    return s.every(OpenRow, _OPEN_ROWS, user=user_id)


def open_rows_in(s: Session, conversation: str, *, user_id: str = OWNER) -> tuple[OpenRow, ...]:
    def within(row: OpenRow) -> bool:
        flow = flows.head(s, audit.permitted_by(s, row.preview_id))
        return flow is not None and flow.conversation == conversation

    return tuple(row for row in open_rows(s, user_id=user_id) if within(row))


def rows(s: Session, ids: Iterable[int], *, user_id: str = OWNER) -> tuple[OutboxRow, ...]:
    found = (outbox.get(s, id) for id in ids)
    return tuple(row for row in found if row is not None and row.user_id == user_id)


def standing(s: Session, after: int, *, user_id: str = OWNER) -> Standing:
    spoken = s.every(_Spoken, _SPOKEN_IN, user=user_id, after=after)
    unfinished = s.every(OpenFlow, _UNFINISHED, user=user_id)
    return Standing({one.id: one.newest for one in spoken}, unfinished, open_rows(s, user_id=user_id), _schedules(s, user_id))


def _schedules(s: Session, user: str) -> int:
    asked = (_SCHEDULES, _RUNS, _ENDED, _DELIVERIES)
    return crc32(repr([(row.id, row.state, row.at) for one in asked for row in s.every(_Mark, one, user=user)]).encode())
