"""Conversations and what was said in them."""

from datetime import datetime
from typing import Literal

from sqlalchemy import func, insert, select
from sqlmodel import SQLModel

from storage.session import Prepared, Session, given
from storage.tables import CONVERSATION, MESSAGE, OWNER, StoredMessage

_MINE = CONVERSATION.c.user_id == given("user")
_ADD = Prepared(insert(CONVERSATION), unless_there=True)
_LIST = Prepared(
    select(CONVERSATION.c.id).where(_MINE).order_by(CONVERSATION.c.created.desc(), CONVERSATION.c.id).limit(given("most"))
)
_ONE_AT_A_TIME = Prepared(select(CONVERSATION.c.id).where(_MINE, CONVERSATION.c.id == given("of")).with_for_update(key_share=True))
_SAY = Prepared(insert(MESSAGE), ["user_id", "conversation", "role", "text", "flow_id", "at", "mark"])
_MESSAGES = Prepared(
    select(MESSAGE)
    .where(MESSAGE.c.user_id == given("user"), MESSAGE.c.conversation == given("of"))
    .order_by(MESSAGE.c.id.desc())
    .limit(given("most"))
)
_KNOWN = Prepared(select(CONVERSATION.c.id).where(_MINE, CONVERSATION.c.id == given("of")))
_WITHIN = (MESSAGE.c.user_id == given("user"), MESSAGE.c.conversation == given("of"))
_BEFORE = Prepared(select(MESSAGE).where(*_WITHIN, MESSAGE.c.id < given("end")).order_by(MESSAGE.c.id.desc()).limit(given("most")))
_FIRST = Prepared(select(MESSAGE).where(*_WITHIN).order_by(MESSAGE.c.id).limit(1))
_ANSWERED_SINCE = Prepared(
    select(MESSAGE.c.flow_id).where(*_WITHIN, MESSAGE.c.id >= given("start"), MESSAGE.c.role == "assistant").distinct()
)
_MARKED = Prepared(select(MESSAGE.c.flow_id).where(MESSAGE.c.user_id == given("user"), MESSAGE.c.mark == given("by")))
_LAST = func.max(MESSAGE.c.id)
_BY_LAST = (
    select(MESSAGE.c.conversation.label("id"), _LAST.label("last"))
    .where(MESSAGE.c.user_id == given("user"))
    .group_by(MESSAGE.c.conversation)
    .having(given("end") > _LAST)
    .order_by(_LAST.desc())
    .limit(given("most"))
)
_TELLING = select(MESSAGE.c.conversation).where(
    MESSAGE.c.user_id == given("user"), func.lower(MESSAGE.c.text).like(given("pattern"), escape="\\")
)
_LATEST, _LATEST_TELLING = Prepared(_BY_LAST), Prepared(_BY_LAST.where(MESSAGE.c.conversation.in_(_TELLING)))
END = 2**31 - 1
"""Behind every message."""


class Latest(SQLModel, frozen=True):
    """A conversation with the number of its last message."""

    id: str
    last: int


def ensure(s: Session, conversation: str, at: datetime, *, user_id: str = OWNER) -> None:
    s.insert(_ADD, {"user_id": user_id, "id": conversation, "created": at})


def add_message(
    s: Session,
    conversation: str,
    role: Literal["user", "assistant", "program", "schedule"],
    text: str,
    at: datetime,
    *,
    flow_id: str | None = None,
    user_id: str = OWNER,
    mark: str | None = None,
) -> None:
    """Begins the conversation where it is new. The flow must be stored by the end of the transaction. Until then no other process
    says anything there, so that whoever has heard a message has heard all with lower numbers."""
    ensure(s, conversation, at, user_id=user_id)
    s.column(_ONE_AT_A_TIME, user=user_id, of=conversation)
    message = {"conversation": conversation, "role": role, "text": text, "flow_id": flow_id, "at": at, "mark": mark}
    s.insert(_SAY, {"user_id": user_id, **message})


def messages(s: Session, conversation: str, limit: int = 50, *, user_id: str = OWNER) -> tuple[StoredMessage, ...]:
    """The last `limit`, oldest first."""
    return s.every(StoredMessage, _MESSAGES, user=user_id, of=conversation, most=limit)[::-1]


def marked(s: Session, mark: str, *, user_id: str = OWNER) -> str | None:
    """The flow of the message that has this mark."""
    return next(iter(s.column(_MARKED, user=user_id, by=mark)), None)


def is_known(s: Session, conversation: str, *, user_id: str = OWNER) -> bool:
    return bool(s.column(_KNOWN, user=user_id, of=conversation))


def page(s: Session, conversation: str, before: int = END, limit: int = 50, *, user_id: str = OWNER) -> tuple[StoredMessage, ...]:
    """The last `limit` of those in front of that message, oldest first."""
    return s.every(StoredMessage, _BEFORE, user=user_id, of=conversation, end=before, most=limit)[::-1]


def first(s: Session, conversation: str, *, user_id: str = OWNER) -> StoredMessage | None:
    return s.first(StoredMessage, _FIRST, user=user_id, of=conversation)


def answered_since(s: Session, conversation: str, start: int, *, user_id: str = OWNER) -> frozenset[str]:
    """The flows that have answered with that message or later ones."""
    return frozenset(flow for flow in s.column(_ANSWERED_SINCE, user=user_id, of=conversation, start=start) if flow)


def latest(s: Session, before: int = END, limit: int = 30, words: str = "", *, user_id: str = OWNER) -> tuple[Latest, ...]:
    """Conversations by their last message, the newest first: those where it is in front of `before`, and where `words` occur in
    some message, without regard to the case of ASCII letters."""
    if not words:
        return s.every(Latest, _LATEST, user=user_id, end=before, most=limit)
    pattern = f"%{words.lower().translate(_PLAIN)}%"
    return s.every(Latest, _LATEST_TELLING, user=user_id, end=before, most=limit, pattern=pattern)


_PLAIN = str.maketrans({sign: f"\\{sign}" for sign in "\\%_"})


def list(s: Session, *, user_id: str = OWNER, limit: int = 100) -> tuple[str, ...]:
    """The names of conversations, the newest first."""
    return s.column(_LIST, user=user_id, most=limit)
