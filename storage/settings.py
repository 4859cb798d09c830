"""A user's settings: text by key."""

from sqlalchemy import delete, insert, select, update

from storage.session import Prepared, Session, given
from storage.tables import OWNER, SETTING, Row

_MINE = SETTING.c.user_id == given("user")
_NAMED = (_MINE, SETTING.c.key == given("which"))
_ADD = Prepared(insert(SETTING))
_CHANGE = Prepared(update(SETTING).where(*_NAMED), ["value"])
_GET = Prepared(select(SETTING.c.value).where(*_NAMED))
_ALL = Prepared(select(SETTING).where(_MINE))
_REMOVE = Prepared(delete(SETTING).where(*_NAMED))


class _Setting(Row):
    key: str
    value: str


def put(s: Session, key: str, value: str, *, user_id: str = OWNER) -> None:
    if not s.changed(_CHANGE, user=user_id, which=key, value=value):
        s.insert(_ADD, {"user_id": user_id, "key": key, "value": value})


def get(s: Session, key: str, *, user_id: str = OWNER) -> str | None:
    return next(iter(s.column(_GET, user=user_id, which=key)), None)


def all(s: Session, *, user_id: str = OWNER) -> dict[str, str]:
    return {row.key: row.value for row in s.every(_Setting, _ALL, user=user_id)}


def remove(s: Session, key: str, *, user_id: str = OWNER) -> bool:
    """Whether it was set."""
    return s.changed(_REMOVE, user=user_id, which=key) == 1
