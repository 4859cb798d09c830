"""What a user wants remembered, by numbers that count up for each user."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, insert, select

from storage.session import Prepared, Session, given
from storage.tables import NOTE, OWNER, USER, StoredNote

_MINE = NOTE.c.user_id == given("user")
_ADD = Prepared(insert(NOTE))
_ALL = Prepared(select(NOTE).where(_MINE).order_by(NOTE.c.number))
_ONE_AT_A_TIME = Prepared(select(USER.c.id).where(USER.c.id == given("user")).with_for_update(key_share=True))
_REMOVE = Prepared(delete(NOTE).where(_MINE, NOTE.c.number == given("which")))
_WITHIN = Prepared(select(NOTE).where(_MINE, NOTE.c.conversation == given("named")).order_by(NOTE.c.number))


def add(
    s: Session, text: str, *, said: str, conversation: str, flow_id: str, at: datetime, most: int, user_id: str = OWNER
) -> StoredNote | None:
    """None where there are `most` already."""
    s.column(_ONE_AT_A_TIME, user=user_id)  # else two at once take the same number, or the last room
    there = every(s, user_id=user_id)
    if len(there) >= most:
        return None
    number = there[-1].number + 1 if there else 1
    note = StoredNote(user_id=user_id, number=number, text=text, said=said, conversation=conversation, flow_id=flow_id, at=at)
    s.insert(_ADD, note.model_dump())
    return note


def every(s: Session, *, user_id: str = OWNER) -> tuple[StoredNote, ...]:
    """The oldest first."""
    return s.every(StoredNote, _ALL, user=user_id)


def within(s: Session, conversation: str, *, user_id: str = OWNER) -> tuple[StoredNote, ...]:
    """Those that were said in it."""
    return s.every(StoredNote, _WITHIN, user=user_id, named=conversation)


def remove(s: Session, numbers: Iterable[int], *, user_id: str = OWNER) -> int:
    """How many there were."""
    return sum(s.changed(_REMOVE, user=user_id, which=number) for number in numbers)
