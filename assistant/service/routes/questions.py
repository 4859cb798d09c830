"""Questions that wait for an answer."""

from fastapi import APIRouter

from assistant.service import views
from assistant.service.callers import Chatting, Reading
from assistant.service.params import Id, Text
from assistant.service.views import Items, OpenQuestion, Turn
from integrations.types import Value

router = APIRouter(prefix="/api/questions", tags=["questions"])


class Answer(Value):
    """A choice's id or label, or free text where there are no choices."""

    words: Text


@router.get("")
async def list_questions(served: Reading) -> Items[OpenQuestion]:
    """The newest first."""
    return views.items(map(views.question_of, await served.assistant.questions()))


@router.post("/{id}/answer")
async def answer_question(served: Chatting, id: Id, given: Answer) -> Turn:
    """The flow that asked goes on."""
    return views.turn_of(await served.assistant.answer(id, given.words, own_words=served.caller.own_words))
