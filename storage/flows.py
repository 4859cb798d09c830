"""Flows: snapshots saved by compare-and-set, the leases under which they run, and the events they told.

Of the flows of one conversation only one is running: the database refuses a second.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import func, insert, or_, select, update
from sqlmodel import SQLModel

from storage import conversations
from storage.errors import StaleVersion
from storage.session import Prepared, Session, among, given
from storage.tables import EVENT, FLOW, OWNER, FlowHead, FlowStatus, StoredEvent, StoredFlow

ENDED: tuple[FlowStatus, ...] = ("done", "failed", "cancelled")
HEAD = [FLOW.c[name] for name in FlowHead.model_fields]
_SAVED = ["version", "status", "goal", "snapshot", "updated"]
_LEASE = ["owner", "lease_until"]
_RESTING = ["suspended", "waiting", "parked"]
_THIS = FLOW.c.id == given("which")
_EXPECTED = (_THIS, FLOW.c.version == given("seen"), FLOW.c.owner.is_not_distinct_from(given("held_by")))
_ENDS = or_(FLOW.c.lease_until.is_(None), FLOW.c.lease_until <= given("now"))
_FREE = or_(FLOW.c.owner.is_(None), FLOW.c.owner == given("held_by"), _ENDS)

_CREATE = Prepared(insert(FLOW))
_SAVE = Prepared(update(FLOW).where(*_EXPECTED), _SAVED)
_SAVE_PROLONGED = Prepared(update(FLOW).where(*_EXPECTED), [*_SAVED, "lease_until"])
_SAVE_GIVEN_UP = Prepared(update(FLOW).where(*_EXPECTED), [*_SAVED, *_LEASE, "interrupt"])
_REOPEN = Prepared(
    update(FLOW).where(_THIS, FLOW.c.version == given("seen"), among(FLOW.c.status, _RESTING)),
    ["version", "status", "snapshot", "updated", *_LEASE],
)
_BELONGS_TO = Prepared(select(FLOW.c.user_id).where(_THIS))
_TELL = Prepared(insert(EVENT))
_GET = Prepared(select(FLOW).where(_THIS))
_HEAD = Prepared(select(*HEAD).where(_THIS))
_EVENTS = Prepared(select(EVENT).where(EVENT.c.flow_id == given("which"), EVENT.c.seq > given("after")).order_by(EVENT.c.seq))
_RUNNING = FLOW.c.status == "running"
_CLAIM = Prepared(update(FLOW).where(_THIS, _RUNNING, _FREE), _LEASE)
_RELEASE = Prepared(update(FLOW).where(_THIS, FLOW.c.owner == given("held_by")), _LEASE)
_ALL_EXPIRED = select(*HEAD).where(_RUNNING, _ENDS).order_by(FLOW.c.created, FLOW.c.id)
_EXPIRED, _MY_EXPIRED = Prepared(_ALL_EXPIRED), Prepared(_ALL_EXPIRED.where(FLOW.c.user_id == given("user")))
_VERSIONS = Prepared(select(FLOW.c.id, FLOW.c.version).where(_RUNNING))
_HERE = (FLOW.c.user_id == given("user"), FLOW.c.conversation == given("within"), _RUNNING)
_RUNS_IN = Prepared(select(*HEAD).where(*_HERE))
_TALLY = Prepared(
    select(FLOW.c.conversation, FLOW.c.status, func.count().label("number"))
    .where(FLOW.c.user_id == given("user"), among(FLOW.c.status, ["running", *_RESTING]))
    .group_by(FLOW.c.conversation, FLOW.c.status)
)
_INTERRUPT = Prepared(update(FLOW).where(*_HERE), ["interrupt"])
_IS_FLAGGED = Prepared(select(FLOW.c.interrupt).where(_THIS))
_FLAGGED = Prepared(select(FLOW.c.id).where(_RUNNING, FLOW.c.owner == given("held_by"), FLOW.c.interrupt))


@cache
def _listing(in_conversation: bool, statuses: tuple[FlowStatus, ...] | None) -> Prepared:
    chosen = select(*HEAD).where(FLOW.c.user_id == given("user"))
    if in_conversation:
        chosen = chosen.where(FLOW.c.conversation == given("within"))
    if statuses is not None:
        chosen = chosen.where(among(FLOW.c.status, statuses))
    return Prepared(chosen.order_by(FLOW.c.created.desc(), FLOW.c.id.desc()).limit(given("most")))


class NewEvent(NamedTuple):
    """`seq` counts from 1 within its flow; a number used twice raises Duplicate. `data` is JSON."""

    seq: int
    at: datetime
    step: str
    text: str
    data: Mapping[str, Any] = {}


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
    """The new flow's version, 1. Begins the conversation where it is new. Raises Duplicate where a flow is running in it."""
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
    s.insert(_CREATE, flow.model_dump())
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
    statement = _SAVE
    if status != "running":
        statement = _SAVE_GIVEN_UP
        values |= {"owner": None, "lease_until": None, "interrupt": False}
    elif lease_until is not None:
        statement = _SAVE_PROLONGED
        values |= {"lease_until": lease_until}
    if not s.changed(statement, which=flow_id, seen=version, held_by=owner, **values):
        raise StaleVersion(f"Flow {flow_id} was changed in the meantime, or is being run elsewhere.")
    if events:
        (user_id,) = s.column(_BELONGS_TO, which=flow_id)
        _tell(s, flow_id, user_id, events)
    return version + 1


def reopen(
    s: Session,
    flow_id: str,
    *,
    version: int,
    snapshot: str,
    at: datetime,
    owner: str | None,
    lease_until: datetime,
) -> None:
    """A resting flow runs again. Raises StaleVersion unless it rests and has `version`; Duplicate where another flow is running in
    its conversation."""
    values = {"version": version + 1, "status": "running", "snapshot": snapshot, "updated": at}
    if not s.changed(_REOPEN, which=flow_id, seen=version, owner=owner, lease_until=lease_until, **values):
        raise StaleVersion(f"Flow {flow_id} was changed in the meantime, or is being run elsewhere.")


def _tell(s: Session, flow_id: str, user_id: str, events: Sequence[NewEvent]) -> None:
    if events:
        s.insert_all(_TELL, ({"flow_id": flow_id, "user_id": user_id, **event._asdict()} for event in events))


def get(s: Session, flow_id: str) -> StoredFlow | None:
    return s.first(StoredFlow, _GET, which=flow_id)


def head(s: Session, flow_id: str) -> FlowHead | None:
    return s.first(FlowHead, _HEAD, which=flow_id)


def list(
    s: Session,
    user_id: str = OWNER,
    conversation: str | None = None,
    statuses: Sequence[FlowStatus] | None = None,
    limit: int = 50,
) -> tuple[FlowHead, ...]:
    """The newest first, without their snapshots."""
    listing = _listing(conversation is not None, None if statuses is None else tuple(statuses))
    place = {} if conversation is None else {"within": conversation}
    return s.every(FlowHead, listing, user=user_id, most=limit, **place)


def events(s: Session, flow_id: str, after: int = 0) -> tuple[StoredEvent, ...]:
    """Those numbered above `after`, in order."""
    return s.every(StoredEvent, _EVENTS, which=flow_id, after=after)


def claim(s: Session, flow_id: str, owner: str, until: datetime, now: datetime) -> bool:
    """Leases a running flow that nobody else holds; also prolongs one's own lease."""
    return s.changed(_CLAIM, which=flow_id, held_by=owner, now=now, owner=owner, lease_until=until) == 1


def release(s: Session, flow_id: str, owner: str) -> bool:
    """False where it is not, or no longer, this owner's."""
    return s.changed(_RELEASE, which=flow_id, held_by=owner, owner=None, lease_until=None) == 1


def expired(s: Session, now: datetime, *, user_id: str | None = None) -> tuple[FlowHead, ...]:
    """Running flows that nobody runs, of one user or of all: with a lease that has ended or without any; the oldest first."""
    return s.every(FlowHead, _EXPIRED, now=now) if user_id is None else s.every(FlowHead, _MY_EXPIRED, now=now, user=user_id)


class Version(SQLModel, frozen=True):
    id: str
    version: int


def running(s: Session) -> dict[str, int]:
    """The versions of all running flows, of all users, by id."""
    return {one.id: one.version for one in s.every(Version, _VERSIONS)}


class Tally(SQLModel, frozen=True):
    """How many flows of that status a conversation has."""

    conversation: str
    status: str
    number: int


def unended(s: Session, user_id: str) -> tuple[Tally, ...]:
    """Of flows that run or rest."""
    return s.every(Tally, _TALLY, user=user_id)


def running_in(s: Session, user_id: str, conversation: str) -> FlowHead | None:
    """The flow that runs in a conversation."""
    return s.first(FlowHead, _RUNS_IN, user=user_id, within=conversation)


def interrupt(s: Session, user_id: str, conversation: str) -> bool:
    """Flags the flow that runs in a conversation, for its owner to see; False where none runs."""
    return s.changed(_INTERRUPT, user=user_id, within=conversation, interrupt=True) > 0


def is_flagged(s: Session, flow_id: str) -> bool:
    return any(s.column(_IS_FLAGGED, which=flow_id))


def flagged(s: Session, owner: str) -> tuple[str, ...]:
    """The ids of this owner's running flows that somebody wants to interrupt."""
    return s.column(_FLAGGED, held_by=owner)
