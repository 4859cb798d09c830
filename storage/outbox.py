"""The outbox: one row per approved action, on disk before anything goes out. Every step of a row is a compare-and-set.

held (until `not_before`) → pending → started → done | failed | unknown
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal

from sqlalchemy import insert, select, update
from sqlmodel import SQLModel

from storage import audit, flows
from storage.session import Prepared, Session, among, given
from storage.tables import OUTBOX, OWNER, OutboxRow, OutboxStatus

UNFINISHED: tuple[OutboxStatus, ...] = ("held", "pending", "started")

_ALL = select(OUTBOX).order_by(OUTBOX.c.id)
_DUE = _ALL.where(OUTBOX.c.status == "held", OUTBOX.c.not_before <= given("now")).with_for_update(skip_locked=True)
_ADD = Prepared(insert(OUTBOX), [column.name for column in OUTBOX.c if column.name not in ("id", "receipt")])
_ALL_DUE, _MY_DUE = Prepared(_DUE), Prepared(_DUE.where(OUTBOX.c.user_id == given("user")))
_NEXT_DUE = Prepared(
    select(OUTBOX.c.not_before)
    .where(OUTBOX.c.status == "held", OUTBOX.c.user_id == given("user"))
    .order_by(OUTBOX.c.not_before)
    .limit(1)
)
_GET = Prepared(_ALL.where(OUTBOX.c.id == given("which")))
_BY_KEY = Prepared(_ALL.where(OUTBOX.c.key == given("known_as")))
_BY_PREVIEW = Prepared(select(OUTBOX).where(OUTBOX.c.preview_id == given("preview")).order_by(OUTBOX.c.position))
_MINE = OUTBOX.c.user_id == given("user")
_UNFINISHED, _MY_UNFINISHED = (Prepared(_ALL.where(among(OUTBOX.c.status, UNFINISHED), *mine)) for mine in ((), (_MINE,)))
_TAKE_OVER = Prepared(
    update(OUTBOX).where(OUTBOX.c.id == given("which"), OUTBOX.c.status == "started", OUTBOX.c.updated == given("before")),
    ["updated"],
)
_UNKNOWN, _MY_UNKNOWN = (Prepared(_ALL.where(OUTBOX.c.status == "unknown", *mine)) for mine in ((), (_MINE,)))
_FAILED = OUTBOX.c.status == "failed"
_UNSHOWN = Prepared(_ALL.where(_FAILED, OUTBOX.c.unshown, OUTBOX.c.user_id == given("user")))
_SHOW_LATER = Prepared(update(OUTBOX).where(OUTBOX.c.id == given("which"), _FAILED), ["unshown"])
_SHOWN = Prepared(update(OUTBOX).where(OUTBOX.c.id == given("which"), OUTBOX.c.unshown), ["unshown"])


@cache
def _advancing(expect: tuple[OutboxStatus, ...], columns: tuple[str, ...]) -> Prepared:
    return Prepared(update(OUTBOX).where(OUTBOX.c.id == given("which"), among(OUTBOX.c.status, expect)), columns)


class NewRow(SQLModel, frozen=True):
    """As OutboxRow, before it is stored. `preview_id` is whatever permits the action."""

    preview_id: str
    position: int
    key: str
    account: str
    action: str
    status: Literal["held", "pending"] = "pending"
    not_before: datetime | None = None


def add_all(s: Session, new: Sequence[NewRow], at: datetime, *, user_id: str = OWNER) -> tuple[OutboxRow, ...]:
    """All or none: Duplicate when one of their keys or positions is there already."""
    common = {"user_id": user_id, "error": "", "unshown": False, "created": at, "updated": at}
    rows: list[dict[str, Any]] = [common | row.model_dump() for row in new]
    return tuple(OutboxRow(id=s.insert(_ADD, row), **row) for row in rows)


def start(s: Session, row_id: int, at: datetime) -> bool:
    """pending → started; only who gets True may go on to the provider. Belongs into a synced write."""
    return advance(s, row_id, expect=("pending",), to="started", at=at)


def take_over(s: Session, row: OutboxRow, at: datetime) -> datetime | None:
    """A row that was begun and came to nothing, as it was read: of all who try it again only one gets a time, at which it has now
    begun. Belongs into a synced write."""
    later = max(at, row.updated + timedelta(microseconds=1))
    return later if s.changed(_TAKE_OVER, which=row.id, before=row.updated, updated=later) else None


def finish(
    s: Session,
    row_id: int,
    *,
    status: Literal["done", "failed", "unknown"],
    at: datetime,
    receipt: str | None = None,
    error: str = "",
) -> bool:
    """started, or unknown that has been settled since → `status`."""
    expect: tuple[OutboxStatus, ...] = ("started",) if status == "unknown" else ("started", "unknown")
    return advance(s, row_id, expect=expect, to=status, at=at, receipt=receipt, error=error)


def advance(s: Session, row_id: int, *, expect: tuple[OutboxStatus, ...], to: OutboxStatus, at: datetime, **values: Any) -> bool:
    """Any other step, such as held → failed when it is taken back, or started → pending when the provider says that nothing
    happened. `values` are further columns."""
    statement = _advancing(expect, ("status", "updated", *values))
    return s.changed(statement, which=row_id, status=to, updated=at, **values) == 1


def release_due(s: Session, now: datetime, *, user_id: str | None = None) -> tuple[OutboxRow, ...]:
    """held → pending for every row whose time has come, of one user or of all; those rows."""
    due = s.every(OutboxRow, _ALL_DUE, now=now) if user_id is None else s.every(OutboxRow, _MY_DUE, now=now, user=user_id)
    return tuple(
        row.model_copy(update={"status": "pending", "updated": now})
        for row in due
        if advance(s, row.id, expect=("held",), to="pending", at=now)
    )


def next_due(s: Session, *, user_id: str = OWNER) -> datetime | None:
    """When the next held row goes out."""
    return next(iter(s.column(_NEXT_DUE, user=user_id)), None)


def get(s: Session, row_id: int) -> OutboxRow | None:
    return s.first(OutboxRow, _GET, which=row_id)


def by_key(s: Session, key: str) -> OutboxRow | None:
    return s.first(OutboxRow, _BY_KEY, known_as=key)


def by_preview(s: Session, preview_id: str) -> tuple[OutboxRow, ...]:
    """In order of position."""
    return s.every(OutboxRow, _BY_PREVIEW, preview=preview_id)


def unfinished(s: Session, *, user_id: str | None = None) -> tuple[OutboxRow, ...]:
    """Held, pending and started rows, of one user or of all; the oldest first."""
    return s.every(OutboxRow, _UNFINISHED) if user_id is None else s.every(OutboxRow, _MY_UNFINISHED, user=user_id)


def unknown(s: Session, *, user_id: str | None = None) -> tuple[OutboxRow, ...]:
    """Rows of one user or of all of which it is not certain whether they happened, the oldest first."""
    return s.every(OutboxRow, _UNKNOWN) if user_id is None else s.every(OutboxRow, _MY_UNKNOWN, user=user_id)


# --- failures that are still to be shown


def failed_late(s: Session, row: OutboxRow) -> None:
    """Belongs beside the step to failed: unless the flow that permitted the row runs, and tells of it, it is still to be shown."""
    flow = flows.head(s, audit.permitted_by(s, row.preview_id))
    if flow is None or flow.status != "running":
        show_later(s, row.id)


def show_later(s: Session, row_id: int) -> None:
    s.changed(_SHOW_LATER, which=row_id, unshown=True)


def shown(s: Session, row_id: int) -> bool:
    """Of several that are about to show it only one gets True."""
    return s.changed(_SHOWN, which=row_id, unshown=False) == 1


def unshown(s: Session, *, user_id: str = OWNER) -> tuple[OutboxRow, ...]:
    """The oldest first."""
    return s.every(OutboxRow, _UNSHOWN, user=user_id)
