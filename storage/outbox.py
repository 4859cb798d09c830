"""The outbox: one row per approved action, on disk before anything goes out. Every step of a row is a compare-and-set.

held (until `not_before`) → pending → started → done | failed | unknown
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, insert, select, update
from sqlmodel import Session, SQLModel

from storage import rows
from storage.tables import OUTBOX, OWNER, OutboxRow, OutboxStatus

UNFINISHED: tuple[OutboxStatus, ...] = ("held", "pending", "started")


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
    if not new:
        return ()
    common = {"user_id": user_id, "error": "", "created": at, "updated": at}
    rows.insert(s, insert(OUTBOX), [common | row.model_dump() for row in new])
    stored = {row.key: row for row in _chosen(s, OUTBOX.c.key.in_([row.key for row in new]))}
    return tuple(stored[row.key] for row in new)


def start(s: Session, row_id: int, at: datetime) -> bool:
    """pending → started; only who gets True may go on to the provider. Belongs into a synced write."""
    return advance(s, row_id, expect=("pending",), to="started", at=at)


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
    return advance(s, row_id, expect=("started", "unknown"), to=status, at=at, receipt=receipt, error=error)


def advance(s: Session, row_id: int, *, expect: tuple[OutboxStatus, ...], to: OutboxStatus, at: datetime, **values: Any) -> bool:
    """Any other step, such as held → failed when it is taken back, or started → pending when the provider says that nothing
    happened. `values` are further columns."""
    expected = (OUTBOX.c.id == row_id, OUTBOX.c.status.in_(expect))
    return rows.changed(s, update(OUTBOX).where(*expected).values(status=to, updated=at, **values)) == 1


def release_due(s: Session, now: datetime, *, user_id: str | None = None) -> tuple[OutboxRow, ...]:
    """held → pending for every row whose time has come, of one user or of all; those rows."""
    mine: list[ColumnElement[bool]] = [] if user_id is None else [OUTBOX.c.user_id == user_id]
    due = _chosen(s, OUTBOX.c.status == "held", OUTBOX.c.not_before <= now, *mine)
    return tuple(
        row.model_copy(update={"status": "pending", "updated": now})
        for row in due
        if advance(s, row.id, expect=("held",), to="pending", at=now)
    )


def next_due(s: Session) -> datetime | None:
    """When the next held row goes out."""
    soonest = select(OUTBOX.c.not_before).where(OUTBOX.c.status == "held").order_by(OUTBOX.c.not_before).limit(1)
    due: datetime | None = s.connection().execute(soonest).scalar()
    return due


def get(s: Session, row_id: int) -> OutboxRow | None:
    return rows.first(s, OutboxRow, select(OUTBOX).where(OUTBOX.c.id == row_id))


def by_key(s: Session, key: str) -> OutboxRow | None:
    return rows.first(s, OutboxRow, select(OUTBOX).where(OUTBOX.c.key == key))


def by_preview(s: Session, preview_id: str) -> tuple[OutboxRow, ...]:
    """In order of position."""
    chosen = select(OUTBOX).where(OUTBOX.c.preview_id == preview_id).order_by(OUTBOX.c.position)
    return rows.every(s, OutboxRow, chosen)


def unfinished(s: Session) -> tuple[OutboxRow, ...]:
    """Held, pending and started rows of all users, the oldest first."""
    return _chosen(s, OUTBOX.c.status.in_(UNFINISHED))


def _chosen(s: Session, *conditions: ColumnElement[bool]) -> tuple[OutboxRow, ...]:
    return rows.every(s, OutboxRow, select(OUTBOX).where(*conditions).order_by(OUTBOX.c.id))
