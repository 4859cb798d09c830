"""Everything stored of one user: how much there is, and its removal."""

from sqlalchemy import Table, delete, func, select
from sqlmodel import SQLModel

from storage import audit
from storage.session import Prepared, Session, given
from storage.tables import (
    ACCOUNT,
    CALL,
    CONTINUATION,
    CONVERSATION,
    DELIVERY,
    EVENT,
    FLOW,
    INVITATION,
    MESSAGE,
    NOTE,
    OUTBOX,
    PASSKEY,
    PREVIEW,
    SCHEDULE,
    SECRET,
    SESSION,
    SETTING,
    SLOT,
    TARGET,
    TEMPLATE,
    TOKEN,
)

_IN_ORDER = (
    DELIVERY, SLOT, SCHEDULE, TARGET, CONTINUATION, INVITATION, PASSKEY, TOKEN, SESSION, SECRET, ACCOUNT, SETTING, TEMPLATE, CALL,
    NOTE, OUTBOX, EVENT, PREVIEW, MESSAGE, FLOW, CONVERSATION,
)  # fmt: skip
"""What refers to another comes before it. The audit journal stays, without its content."""
TABLES = ("audit", *(table.name for table in _IN_ORDER))
"""From which something is taken out."""


class Belongings(SQLModel, frozen=True):
    """How many of each; `writes` are those in the outbox, `journal` entries of the audit journal that have content."""

    accounts: int = 0
    conversations: int = 0
    messages: int = 0
    tasks: int = 0
    previews: int = 0
    writes: int = 0
    templates: int = 0
    schedules: int = 0
    notes: int = 0
    journal: int = 0


def _counted(table: Table) -> Prepared:
    return Prepared(select(func.count().label("number")).select_from(table).where(table.c.user_id == given("user")))


_COUNTS = {
    "accounts": _counted(ACCOUNT), "conversations": _counted(CONVERSATION), "messages": _counted(MESSAGE), "tasks": _counted(FLOW),
    "previews": _counted(PREVIEW), "writes": _counted(OUTBOX), "templates": _counted(TEMPLATE),
    "schedules": _counted(SCHEDULE), "notes": _counted(NOTE),
}  # fmt: skip
_REMOVALS = tuple(Prepared(delete(table).where(table.c.user_id == given("user"))) for table in _IN_ORDER)


def belongings(s: Session, user_id: str) -> Belongings:
    counts = {name: s.row(statement, user=user_id)[0] for name, statement in _COUNTS.items()}
    return Belongings(**counts, journal=len(audit.with_content(s, user_id)))


def remove(s: Session, user_id: str) -> None:
    """All but the audit journal, and the user."""
    for statement in _REMOVALS:
        s.changed(statement, user=user_id)
