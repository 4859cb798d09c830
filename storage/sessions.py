"""Browsers that are signed in."""

from datetime import datetime

from sqlalchemy import delete, insert, select, update

from storage.session import Prepared, Session, given
from storage.tables import SESSION, StoredSession

_MINE = SESSION.c.user_id == given("user")
_ADD = Prepared(insert(SESSION))
_GET = Prepared(select(SESSION).where(SESSION.c.digest == given("presented")))
_LIST = Prepared(select(SESSION).where(_MINE).order_by(SESSION.c.seen.desc(), SESSION.c.id))
_TOUCH = Prepared(update(SESSION).where(SESSION.c.id == given("which")), ["seen", "expires"])
_REMOVE = Prepared(delete(SESSION).where(_MINE, SESSION.c.id == given("which")))
_REMOVE_OTHERS = Prepared(delete(SESSION).where(_MINE, SESSION.c.id != given("which")))
_REMOVE_EVERY = Prepared(delete(SESSION))
_REMOVE_EXPIRED = Prepared(delete(SESSION).where(SESSION.c.expires <= given("now")))


def add(
    s: Session, session_id: str, *, digest: str, user_id: str, at: datetime, expires: datetime, agent: str = ""
) -> StoredSession:
    session = StoredSession(id=session_id, digest=digest, user_id=user_id, created=at, seen=at, expires=expires, agent=agent)
    s.insert(_ADD, session.model_dump())
    return session


def get(s: Session, digest: str) -> StoredSession | None:
    """Also one that has expired."""
    return s.first(StoredSession, _GET, presented=digest)


def list(s: Session, user_id: str) -> tuple[StoredSession, ...]:
    """The one that was last seen first."""
    return s.every(StoredSession, _LIST, user=user_id)


def touch(s: Session, session_id: str, at: datetime, expires: datetime) -> bool:
    return s.changed(_TOUCH, which=session_id, seen=at, expires=expires) == 1


def remove(s: Session, session_id: str, *, user_id: str) -> bool:
    """Whether this user had such a one."""
    return s.changed(_REMOVE, user=user_id, which=session_id) == 1


def remove_all(s: Session, user_id: str, *, but: str = "") -> int:
    """How many; the session with the id `but` stays."""
    return s.changed(_REMOVE_OTHERS, user=user_id, which=but)


def remove_expired(s: Session, now: datetime) -> int:
    return s.changed(_REMOVE_EXPIRED, now=now)


def remove_every(s: Session) -> int:
    """Of all users."""
    return s.changed(_REMOVE_EVERY)
