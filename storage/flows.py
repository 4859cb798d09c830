"""Flows: snapshots saved by compare-and-set, the leases under which they run, and the events they told."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, or_, select, update
from sqlmodel import Session, SQLModel

from storage import conversations, rows
from storage.errors import StaleVersion
from storage.tables import EVENT, FLOW, OWNER, FlowHead, FlowStatus, StoredEvent, StoredFlow

ENDED: tuple[FlowStatus, ...] = ("done", "failed", "cancelled")
HEAD = [FLOW.c[name] for name in FlowHead.model_fields]


class NewEvent(SQLModel, frozen=True):
    """`seq` counts from 1 within its flow; a number used twice raises Duplicate. `data` is JSON."""

    seq: int
    at: datetime
    step: str
    text: str
    data: dict[str, Any] = {}


def create(
    s: Session,
    flow_id: str,
    *,
    conversation: str,
    about: str,
    at: datetime,
    goal: str = "",
    status: FlowStatus = "running",
    snapshot: str = "",
    events: Sequence[NewEvent] = (),
    owner: str | None = None,
    lease_until: datetime | None = None,
    user_id: str = OWNER,
) -> int:
    """The new flow's version, 1. Begins the conversation where it is new."""
    conversations.ensure(s, conversation, at, user_id=user_id)
    flow = StoredFlow(
        user_id=user_id,
        id=flow_id,
        conversation=conversation,
        about=about,
        goal=goal,
        status=status,
        owner=owner,
        lease_until=lease_until,
        created=at,
        updated=at,
        snapshot=snapshot,
    )
    rows.insert(s, insert(FLOW), flow.model_dump())
    _tell(s, flow_id, user_id, events)
    return flow.version


def save(
    s: Session,
    flow_id: str,
    *,
    version: int,
    status: FlowStatus,
    goal: str,
    snapshot: str,
    at: datetime,
    events: Sequence[NewEvent] = (),
    owner: str | None = None,
    lease_until: datetime | None = None,
) -> int:
    """The new version. Raises StaleVersion, with nothing saved, unless the stored flow has `version` and `owner` (None: is not
    leased). `lease_until` prolongs the lease; a flow that is not running any more gives it up."""
    values: dict[str, Any] = {"version": version + 1, "status": status, "goal": goal, "snapshot": snapshot, "updated": at}
    if status != "running":
        values |= {"owner": None, "lease_until": None}
    elif lease_until is not None:
        values |= {"lease_until": lease_until}
    expected = (FLOW.c.id == flow_id, FLOW.c.version == version, FLOW.c.owner == owner)
    if not rows.changed(s, update(FLOW).where(*expected).values(values)):
        raise StaleVersion(f"Flow {flow_id} was changed in the meantime, or is being run elsewhere.")
    if events:
        user_id = s.connection().execute(select(FLOW.c.user_id).where(FLOW.c.id == flow_id)).scalar_one()
        _tell(s, flow_id, user_id, events)
    return version + 1


def _tell(s: Session, flow_id: str, user_id: str, events: Sequence[NewEvent]) -> None:
    if events:
        belongs = {"flow_id": flow_id, "user_id": user_id}
        rows.insert(s, insert(EVENT), [belongs | event.model_dump() for event in events])


def get(s: Session, flow_id: str) -> StoredFlow | None:
    return rows.first(s, StoredFlow, select(FLOW).where(FLOW.c.id == flow_id))


def list(
    s: Session,
    user_id: str = OWNER,
    conversation: str | None = None,
    statuses: Sequence[FlowStatus] | None = None,
    limit: int = 50,
) -> tuple[FlowHead, ...]:
    """The newest first, without their snapshots."""
    chosen = select(*HEAD).where(FLOW.c.user_id == user_id)
    if conversation is not None:
        chosen = chosen.where(FLOW.c.conversation == conversation)
    if statuses is not None:
        chosen = chosen.where(FLOW.c.status.in_(statuses))
    return rows.every(s, FlowHead, chosen.order_by(FLOW.c.created.desc(), FLOW.c.id.desc()).limit(limit))


def events(s: Session, flow_id: str, after: int = 0) -> tuple[StoredEvent, ...]:
    """Those numbered above `after`, in order."""
    told = select(EVENT).where(EVENT.c.flow_id == flow_id, EVENT.c.seq > after).order_by(EVENT.c.seq)
    return rows.every(s, StoredEvent, told)


def claim(s: Session, flow_id: str, owner: str, until: datetime, now: datetime) -> bool:
    """Leases a flow that has not ended and that nobody else holds; also prolongs one's own lease."""
    free = or_(FLOW.c.owner.is_(None), FLOW.c.owner == owner, FLOW.c.lease_until.is_(None), FLOW.c.lease_until <= now)
    claimable = (FLOW.c.id == flow_id, FLOW.c.status.not_in(ENDED), free)
    return rows.changed(s, update(FLOW).where(*claimable).values(owner=owner, lease_until=until)) == 1


def release(s: Session, flow_id: str, owner: str) -> bool:
    """False where it is not, or no longer, this owner's."""
    held = (FLOW.c.id == flow_id, FLOW.c.owner == owner)
    return rows.changed(s, update(FLOW).where(*held).values(owner=None, lease_until=None)) == 1


def expired(s: Session, now: datetime) -> tuple[FlowHead, ...]:
    """Running flows that nobody runs: of all users, with a lease that has ended or without any; the oldest first."""
    abandoned = or_(FLOW.c.lease_until.is_(None), FLOW.c.lease_until <= now)
    return rows.every(s, FlowHead, select(*HEAD).where(FLOW.c.status == "running", abandoned).order_by(FLOW.c.created, FLOW.c.id))
