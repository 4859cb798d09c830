"""Flows: what runs, rests and has ended, going on with it and taking it back."""

from typing import Annotated

from fastapi import APIRouter, Query

from assistant.service import views
from assistant.service.callers import Approving, Chatting, Proposing, Reading
from assistant.service.params import FAR, Id, Words
from assistant.service.views import Flow, Items, Step, Turn

router = APIRouter(prefix="/api/flows", tags=["flows"])


@router.get("")
async def list_flows(served: Reading, conversation: Words | None = None, resting: bool = False) -> Items[Flow]:
    """The newest first; `resting`: only those that could be gone on with."""
    return views.items(map(views.flow_of, await served.assistant.flows(conversation, resting=resting)))


@router.get("/{id}")
async def show_flow(served: Reading, id: Id) -> Turn:
    """As it stands: what it replied, asks, proposes and did."""
    return views.turn_of(await served.assistant.flow(id))


@router.get("/{id}/events")
async def list_steps(served: Reading, id: Id, after: Annotated[int, Query(ge=0, le=FAR)] = 0) -> Items[Step]:
    """Those numbered above `after`."""
    told = [event async for event in served.assistant.events("", flow=id, after=after)]
    return views.items(map(views.step_of, told))


@router.post("/{id}/resume")
async def resume_flow(served: Chatting, id: Id) -> Turn:
    """Goes on where it was left; one that waits for an answer asks again."""
    return views.turn_of(await served.assistant.resume(id))


@router.post("/{id}/cancel")
async def cancel_flow(served: Proposing, id: Id) -> Turn:
    """Gives up what rests; what was done stays done."""
    await served.assistant.flow(id)  # not a preview
    return views.turn_of(await served.assistant.cancel(id))


@router.post("/{id}/undo")
async def undo_flow(served: Approving, id: Id) -> Turn:
    """Takes back what it did; a preview where that reaches others."""
    flow = await served.assistant.flow(id)
    return views.turn_of(await served.assistant.undo(flow.conversation, id))
