"""The rows that are laid down for approved actions: under which key, and until when each is held."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from assistant.pipeline.dependence import waits_for
from assistant.pipeline.state import LOW
from integrations.actions import Action, SendMail
from storage import flows, previews, restored
from storage.outbox import NewRow
from storage.session import Session
from storage.tables import OutboxRow

UNDO = "undo-"
"""Begins the reference under which something is taken back: once only, since each permit is used once."""


@dataclass(frozen=True)
class Permit:
    """Why a write may be carried out: the gate's word for low risk, a person's approval of exactly this preview, or the stored
    inverse of something done. `reference` names the preview or the flow; each permit is used once."""

    by: Literal["gate", "approval", "undo"]
    reference: str


Until = Callable[[Action], datetime | None]
"""Until when an action is held; None: not at all."""


def rows_of(permit: Permit, actions: Sequence[Action], until: Until) -> list[NewRow]:
    """One for each action. What waits for one that is held is held with it."""
    rows = [row_of(permit, position, action) for position, action in enumerate(actions)]
    for n, action in enumerate(actions):
        before = (rows[m].not_before for m in range(n) if waits_for(action, actions[m]))
        if held := max(filter(None, (until(action), *before)), default=None):
            rows[n] = rows[n].model_copy(update={"status": "held", "not_before": held})
    return rows


def row_of(permit: Permit, position: int, action: Action) -> NewRow:
    return NewRow(
        preview_id=permit.reference,
        position=position,
        key=uuid5(NAMESPACE_URL, f"{permit.by}:{permit.reference}:{position}").hex,
        account=action.account,
        action=action.model_dump_json(),
    )


def held_until(action: Action, now: datetime, window: timedelta, own: frozenset[str]) -> datetime | None:
    """The time that the user has set for a mail, else the end of the window in which one to others can be taken back."""
    if not isinstance(action, SendMail):
        return None
    if action.send_at is not None:
        return action.send_at
    others = {address.email for address in (*action.to, *action.cc, *action.bcc)} - own
    return now + window if window and others else None


def may_have_been_done(s: Session, row: OutboxRow) -> bool:
    """Whether a write that was never begun in this database may have been in what came of it after a backup: only where the backup
    knew the flow that proposed it, or that of what it takes back. Such a flow may give a preview's id once more."""
    at = restored.at(s, user_id=row.user_id)
    if at is None:
        return False
    flow = flows.head(s, _proposed_by(s, row.preview_id))
    return flow is None or flow.created <= at


def _proposed_by(s: Session, permit: str) -> str:
    while permit.startswith(UNDO):
        permit = permit.removeprefix(UNDO)
    preview = previews.get(s, permit)
    return preview.flow_id if preview else permit.removesuffix(LOW)
