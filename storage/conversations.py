"""Conversations and what was said in them."""

from datetime import datetime
from typing import Literal

from sqlalchemy import insert, select
from sqlmodel import Session

from storage import rows
from storage.tables import CONVERSATION, MESSAGE, OWNER, StoredMessage


def ensure(s: Session, conversation: str, at: datetime, *, user_id: str = OWNER) -> None:
    there = select(CONVERSATION.c.id).where(CONVERSATION.c.user_id == user_id, CONVERSATION.c.id == conversation)
    if s.connection().execute(there).first() is None:
        rows.insert(s, insert(CONVERSATION), {"user_id": user_id, "id": conversation, "created": at})


def add_message(
    s: Session,
    conversation: str,
    role: Literal["user", "assistant"],
    text: str,
    at: datetime,
    *,
    flow_id: str | None = None,
    user_id: str = OWNER,
) -> None:
    """Begins the conversation where it is new. The flow must be stored by the end of the transaction."""
    ensure(s, conversation, at, user_id=user_id)
    message = {"user_id": user_id, "conversation": conversation, "role": role, "text": text, "flow_id": flow_id, "at": at}
    rows.insert(s, insert(MESSAGE), message)


def messages(s: Session, conversation: str, limit: int = 50, *, user_id: str = OWNER) -> tuple[StoredMessage, ...]:
    """The last `limit`, oldest first."""
    newest = (
        select(MESSAGE)
        .where(MESSAGE.c.user_id == user_id, MESSAGE.c.conversation == conversation)
        .order_by(MESSAGE.c.id.desc())
        .limit(limit)
    )
    return rows.every(s, StoredMessage, newest)[::-1]


def list(s: Session, *, user_id: str = OWNER, limit: int = 100) -> tuple[str, ...]:
    """The names of conversations, the newest first."""
    newest = (
        select(CONVERSATION.c.id)
        .where(CONVERSATION.c.user_id == user_id)
        .order_by(CONVERSATION.c.created.desc(), CONVERSATION.c.id)
        .limit(limit)
    )
    return tuple(s.connection().execute(newest).scalars())
