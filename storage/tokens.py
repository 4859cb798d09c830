"""The keys of programs that act for a user."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from storage.session import Prepared, Session, given
from storage.tables import TOKEN, StoredToken

_MINE = TOKEN.c.user_id == given("user")
_ADD = Prepared(insert(TOKEN))
_GET = Prepared(select(TOKEN).where(TOKEN.c.digest == given("presented")))
_LIST = Prepared(select(TOKEN).where(_MINE).order_by(TOKEN.c.created, TOKEN.c.id))
_TOUCH = Prepared(update(TOKEN).where(TOKEN.c.id == given("which")), ["used"])
_REMOVE = Prepared(delete(TOKEN).where(_MINE, TOKEN.c.id == given("which")))
_REMOVE_EVERY = Prepared(delete(TOKEN))


def add(
    s: Session,
    token_id: str,
    *,
    digest: str,
    user_id: str,
    name: str,
    scopes: Sequence[str],
    at: datetime,
    expires: datetime | None = None,
) -> StoredToken:
    token = StoredToken(
        id=token_id, digest=digest, user_id=user_id, name=name, scopes=" ".join(scopes), created=at, expires=expires
    )
    s.insert(_ADD, token.model_dump())
    return token


def get(s: Session, digest: str) -> StoredToken | None:
    """Also one that has expired."""
    return s.first(StoredToken, _GET, presented=digest)


def list(s: Session, user_id: str) -> tuple[StoredToken, ...]:
    """The oldest first."""
    return s.every(StoredToken, _LIST, user=user_id)


def touch(s: Session, token_id: str, at: datetime) -> bool:
    return s.changed(_TOUCH, which=token_id, used=at) == 1


def remove(s: Session, token_id: str, *, user_id: str) -> bool:
    """Whether this user had such a one."""
    return s.changed(_REMOVE, user=user_id, which=token_id) == 1


def remove_every(s: Session) -> int:
    """Of all users."""
    return s.changed(_REMOVE_EVERY)
