"""Previews: what awaits approval."""

from fastapi import APIRouter
from pydantic import model_validator

from assistant.service import views
from assistant.service.callers import Approving, Chatting, Proposing, Reading
from assistant.service.params import Edited, Fingerprint, Id, Text, Words
from assistant.service.views import Items, Turn
from integrations.types import Value
from risk.preview import Preview

router = APIRouter(prefix="/api/previews", tags=["previews"])


class Approval(Value):
    fingerprint: Fingerprint


class Revision(Value):
    """In words ("make it 4 pm"), or the edited actions themselves."""

    fingerprint: Fingerprint
    words: Text = ""
    actions: Edited = ()

    @model_validator(mode="after")
    def _one_way(self) -> "Revision":
        if bool(self.words.strip()) == bool(self.actions):
            raise ValueError("say what to change, or give the edited actions")
        return self


@router.get("")
async def list_previews(served: Reading, conversation: Words | None = None) -> Items[Preview]:
    """The open ones, the newest first."""
    return views.items(await served.assistant.open_previews(conversation))


@router.get("/{id}")
async def show_preview(served: Reading, id: Id) -> Preview:
    """Whatever became of it."""
    return await served.assistant.preview(id)


@router.post("/{id}/approve")
async def approve_preview(served: Approving, id: Id, approval: Approval) -> Turn:
    """Carries out exactly what the fingerprint stands for, once. Sent again it answers with what came of it."""
    return views.turn_of(await served.assistant.approve(id, approval.fingerprint, again=True))


@router.post("/{id}/revise")
async def revise_preview(served: Chatting, id: Id, revision: Revision) -> Turn:
    """Brings a new preview in place of this one."""
    words, actions, own_words = revision.words, revision.actions, served.caller.own_words
    return views.turn_of(await served.assistant.revise(id, words, actions, fingerprint=revision.fingerprint, own_words=own_words))


@router.post("/{id}/cancel")
async def cancel_preview(served: Proposing, id: Id) -> Turn:
    """Drops it; nothing of it is done."""
    await served.assistant.preview(id)  # not a flow
    return views.turn_of(await served.assistant.cancel(id))
