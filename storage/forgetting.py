"""Everything that tells of people, page by page, to be looked through, and what is taken out of it."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Table, delete, select, update

from storage import outbox
from storage.session import Prepared, Session, given
from storage.tables import (
    CALL,
    CONTINUATION,
    CONVERSATION,
    EVENT,
    FLOW,
    MESSAGE,
    OUTBOX,
    OWNER,
    PREVIEW,
    OutboxRow,
    StoredFlow,
    StoredMessage,
    StoredPreview,
)

TABLES = (
    "conversation", "message", "flow", "event", "preview", "outbox", "template", "audit", "schedule", "slot", "delivery", "note",
)  # fmt: skip
"""From which something is taken out."""
T = TypeVar("T", StoredMessage, StoredFlow, StoredPreview, OutboxRow)


def _paged(table: Table) -> Prepared:
    mine = (table.c.user_id == given("user"), table.c.id > given("after"))
    return Prepared(select(table).where(*mine).order_by(table.c.id).limit(given("most")))


_PAGES = {StoredMessage: _paged(MESSAGE), StoredFlow: _paged(FLOW), StoredPreview: _paged(PREVIEW), OutboxRow: _paged(OUTBOX)}
_TEXT = Prepared(update(MESSAGE).where(MESSAGE.c.id == given("which")), ["text"])
_FLOW = Prepared(
    update(FLOW).where(FLOW.c.id == given("which"), FLOW.c.version == given("seen"), FLOW.c.status != "running"),
    ["about", "goal", "snapshot", "status", "version", "thinned"],
)
_PREVIEW = Prepared(
    update(PREVIEW).where(PREVIEW.c.id == given("which"), PREVIEW.c.status == given("seen")), ["body", "status", "thinned"]
)
_ROW = Prepared(
    update(OUTBOX).where(OUTBOX.c.id == given("which"), OUTBOX.c.status == given("seen")),
    ["action", "receipt", "error", "unshown", "status", "updated"],
)

_THERE = (CONVERSATION.c.user_id == given("user"), CONVERSATION.c.id == given("named"))
_IS_THERE = Prepared(select(CONVERSATION.c.id).where(*_THERE))
_SAID = (MESSAGE.c.user_id == given("user"), MESSAGE.c.conversation == given("within"))
_SAID_IDS = Prepared(select(MESSAGE.c.id).where(*_SAID).order_by(MESSAGE.c.id))
_FLOWS_IN = Prepared(
    select(FLOW)
    .where(FLOW.c.user_id == given("user"), FLOW.c.conversation == given("within"), FLOW.c.id > given("after"))
    .order_by(FLOW.c.id)
    .limit(given("most"))
)
_UNSAY = Prepared(delete(MESSAGE).where(*_SAID))
_UNLINK_CALLS = Prepared(update(CALL).where(CALL.c.flow_id == given("of")), ["flow_id"])
_DROP_PREVIEWS = Prepared(delete(PREVIEW).where(PREVIEW.c.flow_id == given("of")))
_DROP_EVENTS = Prepared(delete(EVENT).where(EVENT.c.flow_id == given("of")))
_HELD_FAST = Prepared(select(OUTBOX).where(OUTBOX.c.preview_id == given("permit")).with_for_update())
_DROP_ROWS = Prepared(delete(OUTBOX).where(OUTBOX.c.preview_id == given("permit")))
_DROP_FLOW = Prepared(delete(FLOW).where(FLOW.c.id == given("of"), FLOW.c.status != "running"))
_DROP_CONTINUATIONS = Prepared(
    delete(CONTINUATION).where(CONTINUATION.c.user_id == given("user"), CONTINUATION.c.conversation == given("named"))
)
_DROP_CONVERSATION = Prepared(delete(CONVERSATION).where(*_THERE))


def page(s: Session, kind: type[T], after: int | str, most: int, *, user_id: str = OWNER) -> tuple[T, ...]:
    """The next rows behind the one of that id, in the order of their ids."""
    return s.every(kind, _PAGES[kind], user=user_id, after=after, most=most)


def retext(s: Session, message: StoredMessage, text: str) -> int:
    return s.changed(_TEXT, which=message.id, text=text)


def replace_flow(s: Session, flow: StoredFlow, **values: Any) -> int:
    """0 where it was changed since, or runs. It gets the next version, so that nobody saves what was loaded before. `values` are
    about, goal, snapshot, status and thinned."""
    return s.changed(_FLOW, which=flow.id, seen=flow.version, version=flow.version + 1, **values)


def replace_preview(s: Session, preview: StoredPreview, **values: Any) -> int:
    """0 where its status has changed since. `values` are body, status and thinned."""
    return s.changed(_PREVIEW, which=preview.id, seen=preview.status, **values)


def replace_row(s: Session, row: OutboxRow, at: datetime, **values: Any) -> int:
    """0 where its status has changed since. It is not shown again. `values` are action, receipt, error and status."""
    return s.changed(_ROW, which=row.id, seen=row.status, updated=at, unshown=False, **values)


def drop_events(s: Session, flow: str) -> int:
    return s.changed(_DROP_EVENTS, of=flow)


# --- a conversation


def is_there(s: Session, conversation: str, *, user_id: str = OWNER) -> bool:
    return bool(s.column(_IS_THERE, user=user_id, named=conversation))


def said(s: Session, conversation: str, *, user_id: str = OWNER) -> int:
    """How many messages it has."""
    return len(s.column(_SAID_IDS, user=user_id, within=conversation))


def flows_in(s: Session, conversation: str, after: str, most: int, *, user_id: str = OWNER) -> tuple[StoredFlow, ...]:
    """As `page`, of one conversation."""
    return s.every(StoredFlow, _FLOWS_IN, user=user_id, within=conversation, after=after, most=most)


def rows_under(s: Session, permits: Iterable[str]) -> tuple[OutboxRow, ...]:
    return tuple(row for permit in permits for row in outbox.by_preview(s, permit))


def held_fast(s: Session, permits: Iterable[str]) -> tuple[OutboxRow, ...]:
    """As `rows_under`; nobody else changes them before the end of the transaction."""
    return tuple(row for permit in permits for row in s.every(OutboxRow, _HELD_FAST, permit=permit))


def unsay(s: Session, conversation: str, *, user_id: str = OWNER) -> int:
    """Removes its messages."""
    return s.changed(_UNSAY, user=user_id, within=conversation)


def drop_flow(s: Session, flow: str, permits: Iterable[str]) -> int:
    """With its events and previews and the outbox rows under `permits`; its calls to models stay as figures. 0, and nothing is
    dropped, where it runs. Its messages must be gone by the end of the transaction."""
    if not s.changed(_DROP_FLOW, of=flow):
        return 0
    s.changed(_UNLINK_CALLS, of=flow, flow_id="")
    s.changed(_DROP_PREVIEWS, of=flow)
    for permit in permits:
        s.changed(_DROP_ROWS, permit=permit)
    return 1


def drop_conversation(s: Session, conversation: str, *, user_id: str = OWNER) -> int:
    s.changed(_DROP_CONTINUATIONS, user=user_id, named=conversation)
    return s.changed(_DROP_CONVERSATION, user=user_id, named=conversation)
