"""Which conversation goes on where a program sends a history again that it was told before."""

from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select, update

from storage.session import Prepared, Session, given
from storage.tables import CONTINUATION

KEPT = timedelta(days=60)

_MINE = CONTINUATION.c.user_id == given("user")
_THIS = (_MINE, CONTINUATION.c.digest == given("which"))
_ADD = Prepared(insert(CONTINUATION), unless_there=True)
_MOVE = Prepared(update(CONTINUATION).where(*_THIS), ["conversation", "at"])
_FIND = Prepared(select(CONTINUATION.c.conversation).where(*_THIS))
_PRUNE = Prepared(delete(CONTINUATION).where(_MINE, CONTINUATION.c.at < given("before")))


def put(s: Session, digest: str, conversation: str, at: datetime, *, user_id: str) -> None:
    """Takes the place of an earlier one; what is older than `KEPT` is removed."""
    s.changed(_PRUNE, user=user_id, before=at - KEPT)
    if not s.changed(_MOVE, user=user_id, which=digest, conversation=conversation, at=at):
        s.insert(_ADD, {"user_id": user_id, "digest": digest, "conversation": conversation, "at": at})


def find(s: Session, digest: str, *, user_id: str) -> str | None:
    return next(iter(s.column(_FIND, user=user_id, which=digest)), None)
