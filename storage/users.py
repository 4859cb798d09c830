"""Whose data it is. The first migration stores the owner, the one user there is now."""

from sqlalchemy import select, update

from storage.session import Prepared, Session, given
from storage.tables import OWNER, USER, Base

_GET = Prepared(select(USER).where(USER.c.id == given("user")))
_RENAME = Prepared(update(USER).where(USER.c.id == given("user")), ["name"])


class StoredUser(Base):
    id: str
    name: str


def get(s: Session, user_id: str = OWNER) -> StoredUser | None:
    return s.first(StoredUser, _GET, user=user_id)


def rename(s: Session, name: str, *, user_id: str = OWNER) -> bool:
    return s.changed(_RENAME, user=user_id, name=name) == 1
