"""Whose data it is. The first migration stores the owner, the one user there is now."""

from sqlalchemy import select, update
from sqlmodel import Session

from storage import rows
from storage.tables import OWNER, USER, Base


class StoredUser(Base):
    id: str
    name: str


def get(s: Session, user_id: str = OWNER) -> StoredUser | None:
    return rows.first(s, StoredUser, select(USER).where(USER.c.id == user_id))


def rename(s: Session, name: str, *, user_id: str = OWNER) -> bool:
    return rows.changed(s, update(USER).where(USER.c.id == user_id).values(name=name)) == 1
