"""The passkeys with which users sign in."""

from datetime import datetime

from sqlalchemy import delete, insert, select, update

from storage.session import Prepared, Session, given
from storage.tables import PASSKEY, StoredPasskey

_MINE = PASSKEY.c.user_id == given("user")
_THIS = PASSKEY.c.id == given("which")
_ADD = Prepared(insert(PASSKEY))
_GET = Prepared(select(PASSKEY).where(_THIS))
_LIST = Prepared(select(PASSKEY).where(_MINE).order_by(PASSKEY.c.created, PASSKEY.c.id))
_ANY = Prepared(select(PASSKEY.c.id).limit(1))
_USED = Prepared(update(PASSKEY).where(_THIS, PASSKEY.c.sign_count == given("seen")), ["sign_count", "used"])
_REMOVE = Prepared(delete(PASSKEY).where(_MINE, _THIS))


def add(
    s: Session, passkey_id: str, *, user_id: str, name: str, public_key: str, at: datetime, sign_count: int = 0
) -> StoredPasskey:
    """Raises Duplicate for a credential that is registered already."""
    passkey = StoredPasskey(id=passkey_id, user_id=user_id, name=name, public_key=public_key, sign_count=sign_count, created=at)
    s.insert(_ADD, passkey.model_dump())
    return passkey


def get(s: Session, passkey_id: str) -> StoredPasskey | None:
    return s.first(StoredPasskey, _GET, which=passkey_id)


def list(s: Session, user_id: str) -> tuple[StoredPasskey, ...]:
    """The oldest first."""
    return s.every(StoredPasskey, _LIST, user=user_id)


def any(s: Session) -> bool:
    """Whether anybody has one."""
    return bool(s.column(_ANY))


def touch(s: Session, passkey: StoredPasskey, sign_count: int, at: datetime) -> bool:
    """False where it has been used since it was read."""
    return s.changed(_USED, which=passkey.id, seen=passkey.sign_count, sign_count=sign_count, used=at) == 1


def remove(s: Session, passkey_id: str, *, user_id: str) -> bool:
    """Whether this user had such a one."""
    return s.changed(_REMOVE, user=user_id, which=passkey_id) == 1
