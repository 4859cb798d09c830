"""Who uses the program. The first migration stores the owner."""

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import insert, select, update

from storage.errors import Duplicate
from storage.session import Prepared, Session, given
from storage.tables import OWNER, USER, StoredUser

Role = Literal["owner", "member"]

_THIS = (USER.c.id == given("user"), USER.c.removed.is_(None))
_ADD = Prepared(insert(USER))
_GET = Prepared(select(USER).where(*_THIS))
_LIST = Prepared(select(USER).where(USER.c.removed.is_(None)).order_by(USER.c.created, USER.c.id))
_WHO_MAY_ENTER = Prepared(select(USER.c.id).where(USER.c.disabled.is_(None)))
_ONE_AT_A_TIME = Prepared(select(USER.c.id).where(USER.c.id == given("user")).with_for_update(key_share=True))
_RENAME = Prepared(update(USER).where(*_THIS), ["name"])
_SET_PASSWORD = Prepared(update(USER).where(*_THIS), ["password"])
_DISABLE = Prepared(update(USER).where(*_THIS), ["disabled"])
_REMOVE = Prepared(update(USER).where(*_THIS), ["name", "email", "password", "disabled", "removed"])


def add(s: Session, user_id: str, *, name: str, at: datetime, email: str = "", role: Role = "member") -> StoredUser:
    """Without a password. Raises Duplicate for an id or a name that is there already."""
    _check_free(s, name, but=user_id)
    user = StoredUser(id=user_id, name=name, email=email, role=role, created=at)
    s.insert(_ADD, user.model_dump())
    return user


def get(s: Session, user_id: str = OWNER) -> StoredUser | None:
    return s.first(StoredUser, _GET, user=user_id)


def list(s: Session) -> tuple[StoredUser, ...]:
    """In the order they were added; the owner is among them."""
    return s.every(StoredUser, _LIST)


def who_may_enter(s: Session) -> frozenset[str]:
    return frozenset(s.column(_WHO_MAY_ENTER))


def by_name(s: Session, name: str) -> StoredUser | None:
    # Compared here, since SQLite folds the case of ASCII letters only.
    return next((user for user in list(s) if name and user.name.casefold() == name.casefold()), None)


def rename(s: Session, name: str, *, user_id: str = OWNER) -> bool:
    """Raises Duplicate where somebody else has this name."""
    _check_free(s, name, but=user_id)
    return _changed(s, _RENAME, user_id, name=name)


def set_password(s: Session, password: str, *, user_id: str = OWNER) -> bool:
    """`password` is a hash; empty: none."""
    return _changed(s, _SET_PASSWORD, user_id, password=password)


def disable(s: Session, at: datetime | None, *, user_id: str) -> bool:
    """None: they may enter again."""
    return _changed(s, _DISABLE, user_id, disabled=at)


def remove(s: Session, user_id: str, at: datetime) -> bool:
    """Leaves the id alone, as one that is never given again. What belongs to the user is removed by `storage.leaving`."""
    return _changed(s, _REMOVE, user_id, name="", email="", password="", disabled=at, removed=at)


def _changed(s: Session, statement: Prepared, user_id: str, **values: Any) -> bool:
    return s.changed(statement, user=user_id, **values) == 1


def _check_free(s: Session, name: str, *, but: str) -> None:
    s.column(_ONE_AT_A_TIME, user=OWNER)  # the table itself takes names that differ in case for two
    other = by_name(s, name)
    if other is not None and other.id != but:
        raise Duplicate(f"There is a user {other.name} already.")
