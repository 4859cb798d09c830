"""Previews: what awaits a person's approval."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import func, insert, select, update
from sqlmodel import SQLModel

from storage import conversations
from storage.session import Prepared, Session, among, given
from storage.tables import OWNER, PREVIEW, PreviewStatus, StoredPreview

_ADD = Prepared(insert(PREVIEW))
_GET = Prepared(select(PREVIEW).where(PREVIEW.c.id == given("which")))
_BY_FLOW = Prepared(select(PREVIEW).where(PREVIEW.c.flow_id == given("flow")).order_by(PREVIEW.c.created, PREVIEW.c.id))
_EXPECTED = (PREVIEW.c.id == given("which"), PREVIEW.c.status == given("expect"))
_SET_STATUS = Prepared(update(PREVIEW).where(*_EXPECTED), ["status"])
_SET_STATUS_OF_EXACTLY = Prepared(update(PREVIEW).where(*_EXPECTED, PREVIEW.c.fingerprint == given("exactly")), ["status"])

_OPEN = Prepared(
    select(PREVIEW.c.conversation, func.count().label("number"))
    .where(PREVIEW.c.user_id == given("user"), PREVIEW.c.status == "open")
    .group_by(PREVIEW.c.conversation)
)


class Tally(SQLModel, frozen=True):
    """How many open previews a conversation has."""

    conversation: str
    number: int


@cache
def _listing(in_conversation: bool, statuses: tuple[PreviewStatus, ...] | None) -> Prepared:
    chosen = select(PREVIEW).where(PREVIEW.c.user_id == given("user"))
    if in_conversation:
        chosen = chosen.where(PREVIEW.c.conversation == given("within"))
    if statuses is not None:
        chosen = chosen.where(among(PREVIEW.c.status, statuses))
    return Prepared(chosen.order_by(PREVIEW.c.created.desc(), PREVIEW.c.id.desc()).limit(given("most")))


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
    s.insert(_ADD, preview.model_dump())
    return preview


def get(s: Session, preview_id: str) -> StoredPreview | None:
    return s.first(StoredPreview, _GET, which=preview_id)


def list(
    s: Session,
    user_id: str = OWNER,
    conversation: str | None = None,
    statuses: Sequence[PreviewStatus] | None = None,
    limit: int = 100,
) -> tuple[StoredPreview, ...]:
    """The newest first."""
    listing = _listing(conversation is not None, None if statuses is None else tuple(statuses))
    place = {} if conversation is None else {"within": conversation}
    return s.every(StoredPreview, listing, user=user_id, most=limit, **place)


def list_open(s: Session, user_id: str = OWNER, conversation: str | None = None) -> tuple[StoredPreview, ...]:
    """The newest first, those that have expired among them."""
    return list(s, user_id, conversation, ("open",))


def count_open(s: Session, user_id: str) -> dict[str, int]:
    """By conversation."""
    return {one.conversation: one.number for one in s.every(Tally, _OPEN, user=user_id)}


def by_flow(s: Session, flow_id: str) -> tuple[StoredPreview, ...]:
    """The oldest first."""
    return s.every(StoredPreview, _BY_FLOW, flow=flow_id)


def set_status(s: Session, preview_id: str, *, expect: PreviewStatus, to: PreviewStatus, fingerprint: str | None = None) -> bool:
    """Of several that try at once exactly one gets True. `fingerprint`, where given, must be the stored one."""
    if fingerprint is None:
        return s.changed(_SET_STATUS, which=preview_id, expect=expect, status=to) == 1
    return s.changed(_SET_STATUS_OF_EXACTLY, which=preview_id, expect=expect, exactly=fingerprint, status=to) == 1
