"""What the pipeline notes in the audit journal, each in the transaction in which it comes true."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from assistant.pipeline.state import FlowState
from assistant.values import Proposal
from integrations.actions import Action, Receipt
from risk.operations import operation_of
from risk.preview import Preview
from storage import audit
from storage.audit import NewEntry
from storage.session import Session
from storage.tables import OutboxRow

DELIVERY = "deliver"
"""Where an entry tells the course of a flow: what it came to is sent to the user."""


def proposed(state: FlowState, preview: Preview) -> NewEntry:
    content = {
        **_asked(state),
        "fingerprint": preview.fingerprint,
        "level": preview.level,
        "reasons": preview.reasons,
        "replaces": preview.replaces,
        "actions": [
            {"says": item.says, "guesses": item.guesses, **_action(item.action), "to": [str(r.address) for r in item.recipients]}
            for item in preview.items
        ],
    }
    return NewEntry(kind="proposed", flow_id=state.id, preview_id=preview.id, content=content)


def refused(state: FlowState, proposals: Sequence[Proposal], why: Sequence[str]) -> NewEntry:
    """What was proposed and may not even be shown for approval."""
    told = [{"says": p.says, "guesses": p.guesses, **_action(p.action)} for p in proposals]
    content = {**_asked(state), "reasons": tuple(why), "actions": told}
    return NewEntry(kind="refused", flow_id=state.id, preview_id=f"{state.id}-refused", content=content)


def approved(state: FlowState, preview: Preview) -> NewEntry:
    content = {**_asked(state), "fingerprint": preview.fingerprint}
    return NewEntry(kind="approved", flow_id=state.id, preview_id=preview.id, content=content)


def permitted(
    state: FlowState, permit: str, actions: Sequence[Action], says: Sequence[str], reasons: Sequence[str], undoes: str = ""
) -> NewEntry:
    """What runs without a preview: low risk, or an undo (`undoes` is the flow whose doings are taken back)."""
    told = [{"says": words, **_action(action)} for action, words in zip(actions, says, strict=False)]
    content = {**_asked(state), "level": "low", "reasons": reasons, "actions": told, "undoes": undoes}
    return NewEntry(kind="permitted", flow_id=state.id, preview_id=permit, content=content)


def delivered(permit: str, flow: FlowState, schedule: str, says: str, action: Action | None = None) -> NewEntry:
    """That the result of a schedule's run is sent to where the user wants it; `says` is a clause."""
    told = {"says": says, **(_action(action) if action else {})}
    content = {**_asked(flow), "course": DELIVERY, "schedule": schedule, "actions": [told]}
    return NewEntry(kind="permitted", flow_id=flow.id, preview_id=permit, content=content)


def cancelled(state: FlowState, preview: str) -> NewEntry:
    """An open preview that the user dropped."""
    return NewEntry(kind="cancelled", flow_id=state.id, preview_id=preview, content=_asked(state))


def lapsed(state: FlowState, preview: str, by: str = "") -> NewEntry:
    """An open preview that does not stand any more; `by` is the one in its place."""
    return NewEntry(kind="lapsed", flow_id=state.id, preview_id=preview, content={"by": by})


def started(s: Session, row: OutboxRow, action: Action, at: datetime) -> None:
    """What is about to be sent, and under which key; once more where it certainly had not happened."""
    _note(s, "started", row, at, **_action(action))


def answered(
    s: Session,
    row: OutboxRow,
    status: Literal["done", "failed", "unknown"],
    at: datetime,
    *,
    receipt: Receipt | None = None,
    error: str = "",
    found: bool = False,
) -> None:
    """What the provider answered. `found`: it was asked afterwards whether it had happened."""
    told = receipt and {**receipt.model_dump(mode="json", exclude={"undo"}), "undo": [action.kind for action in receipt.undo]}
    _note(s, status, row, at, receipt=told, error=error, found=found)


def differs(s: Session, row: OutboxRow, what: str, at: datetime) -> None:
    """That a write was done otherwise than approved; `what` is a clause."""
    _note(s, "differs", row, at, what=what)


def withdrawn(s: Session, row: OutboxRow, why: str, at: datetime, *, words: str = "") -> None:
    """A row that was given up before it went out; `words` are the user's, where it was taken back with such."""
    _note(s, "withdrawn", row, at, why=why, words=words)


def restored(s: Session, made: datetime, at: datetime) -> None:
    """That what follows goes on from a backup."""
    audit.append(s, at, NewEntry(kind="restored", content={"made": made.astimezone(UTC).isoformat(timespec="minutes")}))


def _note(s: Session, kind: audit.Kind, row: OutboxRow, at: datetime, **content: Any) -> None:
    flow = audit.permitted_by(s, row.preview_id)
    entry = NewEntry(kind=kind, flow_id=flow, preview_id=row.preview_id, key=row.key, content={"position": row.position, **content})
    audit.append(s, at, entry, user_id=row.user_id)


def _asked(state: FlowState) -> dict[str, Any]:
    """Who wanted something: in which conversation, with which words, and through which door they came."""
    by = {"schedule": state.schedule} if state.schedule else {}
    return {
        **by,
        "conversation": state.conversation,
        "words": state.text,
        "door": state.door,
        "course": state.course,
        "own_words": state.own_words,
        "background": state.background,
    }


def _action(action: Action) -> dict[str, Any]:
    return {
        "operation": operation_of(action),
        "action": {"kind": action.kind, **action.model_dump(mode="json", exclude_defaults=True, exclude={"html"})},
    }
