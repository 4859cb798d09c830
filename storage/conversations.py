"""Conversations and what was said in them."""

from datetime import datetime
from typing import Literal

from sqlalchemy import insert, select

from storage.session import Prepared, Session, given
from storage.tables import CONVERSATION, MESSAGE, OWNER, StoredMessage

_MINE = CONVERSATION.c.user_id == given("user")
_ADD = Prepared(insert(CONVERSATION), unless_there=True)
_LIST = Prepared(
    select(CONVERSATION.c.id).where(_MINE).order_by(CONVERSATION.c.created.desc(), CONVERSATION.c.id).limit(given("most"))
)
_SAY = Prepared(insert(MESSAGE), ["user_id", "conversation", "role", "text", "flow_id", "at"])
_MESSAGES = Prepared(
    select(MESSAGE)
    .where(MESSAGE.c.user_id == given("user"), MESSAGE.c.conversation == given("of"))
    .order_by(MESSAGE.c.id.desc())
    .limit(given("most"))
)


def ensure(s: Session, conversation: str, at: datetime, *, user_id: str = OWNER) -> None:
    s.insert(_ADD, {"user_id": user_id, "id": conversation, "created": at})


def add_message(
    s: Session,
    conversation: str,
    role: Literal["user", "assistant", "program"],
    text: str,
    at: datetime,
    *,
    flow_id: str | None = None,
    user_id: str = OWNER,
) -> None:
    """Begins the conversation where it is new. The flow must be stored by the end of the transaction."""
    ensure(s, conversation, at, user_id=user_id)
    message = {"user_id": user_id, "conversation": conversation, "role": role, "text": text, "flow_id": flow_id, "at": at}
    s.insert(_SAY, message)


def messages(s: Session, conversation: str, limit: int = 50, *, user_id: str = OWNER) -> tuple[StoredMessage, ...]:
    """The last `limit`, oldest first."""
    return s.every(StoredMessage, _MESSAGES, user=user_id, of=conversation, most=limit)[::-1]


def list(s: Session, *, user_id: str = OWNER, limit: int = 100) -> tuple[str, ...]:
    """The names of conversations, the newest first."""
    return s.column(_LIST, user=user_id, most=limit)
