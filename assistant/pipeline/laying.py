"""The rows that are laid down for approved actions: under which key, and until when each is held."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from assistant.pipeline.dependence import waits_for
from assistant.pipeline.state import LOW
from integrations.actions import Action, SendMail
from storage import deliveries, flows, previews, restored
from storage.outbox import NewRow
from storage.session import Session
from storage.tables import OutboxRow

DELIVER = "deliver-"
"""Begins the reference under which a result is sent to the user."""
UNDO = "undo-"
"""Begins the reference under which something is taken back: once only, since each permit is used once."""


@dataclass(frozen=True)
class Permit:
    """Why a write may be carried out: the gate's word for low risk, a person's approval of exactly this preview, the stored
    inverse of something done, or the user's standing wish that the result of a schedule is sent to themselves. `reference` names
    the preview, the flow or the run; each permit is used once."""

    by: Literal["gate", "approval", "undo", "delivery"]
    reference: str


def check_reach(permit: Permit, actions: Sequence[Action], own: Mapping[str, str]) -> None:
    """Raises ValueError where what is to be delivered is anything but a mail to the user's own address; `own` are these by account.
    Only such a mail holds HTML."""
    for action in actions:
        mail = action if isinstance(action, SendMail) else None
        if permit.by == "delivery":
            address = own.get(action.account, "")
            to_self = mail and address and [one.email.lower() for one in mail.to] == [address] and not (mail.cc or mail.bcc)
            if not to_self or (mail and (mail.reply_to or mail.forward_of or mail.send_at)):
                raise ValueError("A delivery goes to the user's own address alone.")
        elif mail and mail.html:
            raise ValueError("Only a delivery holds HTML.")


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
    at = restored.at(s)
    if at is None:
        return False
    if row.preview_id.startswith(DELIVER):  # a run that was due before may have been delivered in what is lost
        due = deliveries.due_of(s, row.key)
        return due is None or due <= at
    flow = flows.head(s, _proposed_by(s, row.preview_id))
    return flow is None or flow.created <= at


def _proposed_by(s: Session, permit: str) -> str:
    while permit.startswith(UNDO):
        permit = permit.removeprefix(UNDO)
    preview = previews.get(s, permit)
    return preview.flow_id if preview else permit.removesuffix(LOW)
