"""What a user asked to remember. It is said in a conversation; here it is seen and taken away."""

import re

from fastapi import APIRouter

from assistant.errors import Unknown
from assistant.running.notes import Note
from assistant.service.callers import Managing, Reading
from assistant.service.params import Id
from assistant.service.views import Items, items

router = APIRouter(prefix="/api/notes", tags=["notes"])

NUMBER = re.compile(r"[0-9]{1,6}", re.ASCII)


@router.get("")
async def list_notes(served: Reading) -> Items[Note]:
    """The oldest first, each with the message in which the user said it."""
    return items(await served.assistant.notes.list())


@router.delete("/{number}")
async def forget_note(served: Managing, number: Id) -> Note:
    """The message in which it was said stays in its conversation."""
    if not NUMBER.fullmatch(number):
        raise Unknown(f"There is no note {number}.")
    return await served.assistant.notes.forget(int(number))


@router.delete("")
async def forget_all_notes(served: Managing) -> dict[str, int]:
    """How many there were."""
    return {"forgotten": await served.assistant.notes.forget_all()}
