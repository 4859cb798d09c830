"""A user's settings: text by key."""

from sqlalchemy import delete, insert, select, update
from sqlmodel import Session

from storage import rows
from storage.tables import OWNER, SETTING


def put(s: Session, key: str, value: str, *, user_id: str = OWNER) -> None:
    mine = (SETTING.c.user_id == user_id, SETTING.c.key == key)
    if not rows.changed(s, update(SETTING).where(*mine).values(value=value)):
        rows.insert(s, insert(SETTING), {"user_id": user_id, "key": key, "value": value})


def get(s: Session, key: str, *, user_id: str = OWNER) -> str | None:
    mine = select(SETTING.c.value).where(SETTING.c.user_id == user_id, SETTING.c.key == key)
    value: str | None = s.connection().execute(mine).scalar()
    return value


def all(s: Session, *, user_id: str = OWNER) -> dict[str, str]:
    mine = select(SETTING.c.key, SETTING.c.value).where(SETTING.c.user_id == user_id)
    return {row.key: row.value for row in s.connection().execute(mine)}


def remove(s: Session, key: str, *, user_id: str = OWNER) -> bool:
    """Whether it was set."""
    return rows.changed(s, delete(SETTING).where(SETTING.c.user_id == user_id, SETTING.c.key == key)) == 1
