"""What has ended is made smaller after a while: in batches, so that nothing else waits for long."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, select, update

from storage.flows import ENDED
from storage.session import Prepared, Session, among, given
from storage.tables import EVENT, FLOW, OUTBOX, PREVIEW, StoredFlow, StoredPreview

_OLD_FLOWS = (among(FLOW.c.status, ENDED), FLOW.c.updated <= given("before"), FLOW.c.id > given("after"))
_FLOWS = Prepared(select(FLOW).where(*_OLD_FLOWS, FLOW.c.thinned < given("level")).order_by(FLOW.c.id).limit(given("most")))
_TELLING = Prepared(
    select(FLOW.c.id).where(*_OLD_FLOWS, exists().where(EVENT.c.flow_id == FLOW.c.id)).order_by(FLOW.c.id).limit(given("most"))
)
_OLD_PREVIEWS = (PREVIEW.c.status != "open", PREVIEW.c.created <= given("before"), PREVIEW.c.id > given("after"))
_PREVIEWS = Prepared(select(PREVIEW).where(*_OLD_PREVIEWS, PREVIEW.c.thinned < 1).order_by(PREVIEW.c.id).limit(given("most")))
_THIN_FLOW = Prepared(update(FLOW).where(FLOW.c.id == given("which"), FLOW.c.version == given("seen")), ["snapshot", "thinned"])
_THIN_PREVIEW = Prepared(update(PREVIEW).where(PREVIEW.c.id == given("which"), PREVIEW.c.status != "open"), ["body", "thinned"])
_DROP_EVENTS = Prepared(delete(EVENT).where(EVENT.c.flow_id == given("which")))
_OPEN = Prepared(select(PREVIEW.c.flow_id).where(PREVIEW.c.status == "open"))
_UNSETTLED = Prepared(
    select(OUTBOX.c.preview_id).where(among(OUTBOX.c.status, ("held", "pending", "started", "unknown"))).distinct()
)


def old_flows(s: Session, before: datetime, *, level: int, after: str, most: int) -> tuple[StoredFlow, ...]:
    """Flows that ended until then and were not thinned to `level` yet, by id from behind `after`."""
    return s.every(StoredFlow, _FLOWS, before=before, level=level, after=after, most=most)


def old_previews(s: Session, before: datetime, *, after: str, most: int) -> tuple[StoredPreview, ...]:
    """As `old_flows`, of previews that are not open any more."""
    return s.every(StoredPreview, _PREVIEWS, before=before, after=after, most=most)


def telling(s: Session, before: datetime, *, after: str, most: int) -> tuple[str, ...]:
    """The ids of flows that ended until then and whose events are still there."""
    return s.column(_TELLING, before=before, after=after, most=most)


def thin_flow(s: Session, flow: StoredFlow, snapshot: str, level: int) -> bool:
    """False where it was changed since."""
    return s.changed(_THIN_FLOW, which=flow.id, seen=flow.version, snapshot=snapshot, thinned=level) == 1


def thin_preview(s: Session, preview: StoredPreview, body: str) -> bool:
    return s.changed(_THIN_PREVIEW, which=preview.id, body=body, thinned=1) == 1


def drop_events(s: Session, flows: Sequence[str]) -> int:
    """How many there were."""
    return sum(s.changed(_DROP_EVENTS, which=flow) for flow in flows)


def flows_awaiting_approval(s: Session) -> frozenset[str]:
    return frozenset(s.column(_OPEN))


def unsettled(s: Session) -> frozenset[str]:
    """The permits of writes that are not done for certain."""
    return frozenset(s.column(_UNSETTLED))
