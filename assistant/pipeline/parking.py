"""A flow that ran by itself and is parked: what becomes of the preview that it waits with settles it, in the same transaction."""

from datetime import datetime
from typing import Literal

from assistant.errors import Unreadable
from assistant.pipeline.state import FlowState, read_state
from storage import flows, previews
from storage.session import Session
from storage.tables import StoredFlow


def settle(s: Session, preview: str, to: Literal["done", "cancelled"], at: datetime) -> None:
    """Call when the preview is open no more. A flow stays parked while another one of its previews is."""
    flow = _waiting_with(s, preview)
    if flow is None:
        return
    state = _state(flow)
    waits = state.previews if state else [one.id for one in previews.by_flow(s, flow.id)]
    if any((row := previews.get(s, id)) is not None and row.status == "open" for id in waits):
        return
    _save(s, flow, state.but(status=to) if state else None, to, at)


def refresh(s: Session, preview: str, fresh: str, at: datetime) -> None:
    """Call when the fresh one has taken the place of a preview that was stale: the flow waits with that one from now on."""
    flow = _waiting_with(s, preview)
    state = _state(flow) if flow else None
    if flow is not None and state is not None:
        waits = (*(id for id in state.previews if id != preview), fresh)
        _save(s, flow, state.but(previews=waits), "parked", at)


def _waiting_with(s: Session, preview: str) -> StoredFlow | None:
    """The parked flow that this preview, or the one it stands for, came from."""
    row = previews.get(s, preview)
    while row is not None:
        flow = flows.get(s, row.flow_id)
        if flow is not None and flow.status == "parked":
            return flow
        row = previews.get(s, row.replaces) if row.replaces else None
    return None


def _state(flow: StoredFlow) -> FlowState | None:
    try:
        return read_state(flow.snapshot)
    except Unreadable:
        return None


def _save(s: Session, flow: StoredFlow, state: FlowState | None, to: Literal["parked", "done", "cancelled"], at: datetime) -> None:
    """What can't be read stays as it is, but for its status."""
    snapshot = state.but(version=flow.version + 1).model_dump_json() if state else flow.snapshot
    flows.save(s, flow.id, version=flow.version, status=to, goal=flow.goal, snapshot=snapshot, at=at)
