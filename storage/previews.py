"""Previews: what awaits a person's approval."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import insert, select, update
from sqlmodel import Session

from storage import conversations, rows
from storage.tables import OWNER, PREVIEW, PreviewStatus, StoredPreview


def add(
    s: Session,
    preview_id: str,
    *,
    flow_id: str,
    conversation: str,
    fingerprint: str,
    level: str,
    body: str,
    created: datetime,
    expires: datetime,
    status: PreviewStatus = "open",
    replaces: str = "",
    user_id: str = OWNER,
) -> StoredPreview:
    """The flow must be stored by the end of the transaction."""
    conversations.ensure(s, conversation, created, user_id=user_id)
    preview = StoredPreview(
        user_id=user_id,
        id=preview_id,
        flow_id=flow_id,
        conversation=conversation,
        fingerprint=fingerprint,
        level=level,
        status=status,
        body=body,
        created=created,
        expires=expires,
        replaces=replaces,
    )
    rows.insert(s, insert(PREVIEW), preview.model_dump())
    return preview


def get(s: Session, preview_id: str) -> StoredPreview | None:
    return rows.first(s, StoredPreview, select(PREVIEW).where(PREVIEW.c.id == preview_id))


def list(
    s: Session,
    user_id: str = OWNER,
    conversation: str | None = None,
    statuses: Sequence[PreviewStatus] | None = None,
    limit: int = 100,
) -> tuple[StoredPreview, ...]:
    """The newest first."""
    chosen = select(PREVIEW).where(PREVIEW.c.user_id == user_id)
    if conversation is not None:
        chosen = chosen.where(PREVIEW.c.conversation == conversation)
    if statuses is not None:
        chosen = chosen.where(PREVIEW.c.status.in_(statuses))
    return rows.every(s, StoredPreview, chosen.order_by(PREVIEW.c.created.desc(), PREVIEW.c.id.desc()).limit(limit))


def list_open(s: Session, user_id: str = OWNER, conversation: str | None = None) -> tuple[StoredPreview, ...]:
    """The newest first, those that have expired among them."""
    return list(s, user_id, conversation, ("open",))


def by_flow(s: Session, flow_id: str) -> tuple[StoredPreview, ...]:
    """The oldest first."""
    return rows.every(
        s, StoredPreview, select(PREVIEW).where(PREVIEW.c.flow_id == flow_id).order_by(PREVIEW.c.created, PREVIEW.c.id)
    )


def set_status(s: Session, preview_id: str, *, expect: PreviewStatus, to: PreviewStatus, fingerprint: str | None = None) -> bool:
    """Of several that try at once exactly one gets True. `fingerprint`, where given, must be the stored one."""
    expected = [PREVIEW.c.id == preview_id, PREVIEW.c.status == expect]
    if fingerprint is not None:
        expected.append(PREVIEW.c.fingerprint == fingerprint)
    return rows.changed(s, update(PREVIEW).where(*expected).values(status=to)) == 1
