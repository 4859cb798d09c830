"""Conversations: which there are, what was said in them, and proposing writes in one."""

from typing import Annotated

from fastapi import APIRouter, Body

from assistant.running.forgetting.removal import Removal
from assistant.service import views
from assistant.service.callers import Managing, Proposing, Reading
from assistant.service.params import Actions, Cursor, Id, Limit, Words
from assistant.service.views import Begun, Conversation, Listed, Messages, Turn

router = APIRouter(prefix="/api/conversations", tags=["conversations"])


@router.get("")
async def list_conversations(served: Reading, limit: Limit = 30, before: Cursor = "", q: Words = "") -> Listed[Conversation]:
    """The one that was talked in last comes first; `q` occurs in what was said."""
    page = await served.assistant.conversations(words=q, before=before, limit=limit)
    return Listed[Conversation](items=page.items, next=page.next)


@router.post("", status_code=201)
async def begin_conversation(served: Proposing) -> Begun:
    """An empty one."""
    return Begun(id=await served.assistant.begin())


@router.get("/{id:path}/messages")
async def list_messages(served: Reading, id: Id, before: Cursor = "", limit: Limit = 50) -> Messages:
    """The last ones, or those before an earlier page; with a flow's last message the turn that it came to."""
    cursor = await served.assistant.cursor(id)  # first, so that whatever is said meanwhile comes again and is not missed
    said = await served.assistant.said(id, before=before, limit=limit)
    shown = tuple(views.message_of(one, said.turns.get(one.id)) for one in said.messages)
    return Messages(items=shown, next=said.next, cursor=cursor, running=said.running)


@router.post("/{id:path}/suspend")
async def suspend_conversation(served: Proposing, id: Id) -> Turn | None:
    """What runs there is saved and rests; null where nothing runs."""
    await served.assistant.known(id)
    turn = await served.assistant.suspend(id)
    return views.turn_of(turn) if turn else None


@router.post("/{id:path}/actions")
async def propose_writes(
    served: Proposing, id: Id, actions: Actions, says: Annotated[tuple[str, ...], Body(max_length=50)] = ()
) -> Turn:
    """Typed writes, which always become a preview; `says` describes each in one clause."""
    await served.assistant.known(id)
    return views.turn_of(await served.assistant.propose(id, actions, says, by="by hand" if served.caller.session else "program"))


@router.delete("/{id:path}")
async def forget_conversation(served: Managing, id: Id, really: bool = False) -> Removal:
    """What is stored of it is gone for good with `really`, else it is only told. The mailboxes are not touched."""
    await served.assistant.known(id)
    return await served.assistant.forget(conversation=id, really=really)
