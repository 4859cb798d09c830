"""The accounts that a user has connected."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, insert, select, update

from storage.session import Prepared, Session, given
from storage.tables import ACCOUNT, OWNER, StoredAccount

_NAMED = (ACCOUNT.c.user_id == given("user"), ACCOUNT.c.name == given("which"))
_ADD = Prepared(insert(ACCOUNT))
_LIST = Prepared(select(ACCOUNT).where(_NAMED[0]).order_by(ACCOUNT.c.created, ACCOUNT.c.name))
_GET = Prepared(select(ACCOUNT).where(*_NAMED))
_CHANGE = Prepared(update(ACCOUNT).where(*_NAMED), ["owner", "settings"])
_REMOVE = Prepared(delete(ACCOUNT).where(*_NAMED))


def add(
    s: Session,
    *,
    name: str,
    kind: str,
    address: str,
    settings: Mapping[str, str],
    at: datetime,
    owner: str = "",
    sample: bool = False,
    user_id: str = OWNER,
) -> StoredAccount:
    """Raises Duplicate when there is one of that name."""
    account = StoredAccount(
        user_id=user_id, name=name, kind=kind, address=address, owner=owner, settings=dict(settings), sample=sample, created=at
    )
    s.insert(_ADD, account.model_dump())
    return account


def list(s: Session, *, user_id: str = OWNER) -> tuple[StoredAccount, ...]:
    """In the order they were added."""
    return s.every(StoredAccount, _LIST, user=user_id)


def get(s: Session, name: str, *, user_id: str = OWNER) -> StoredAccount | None:
    return s.first(StoredAccount, _GET, user=user_id, which=name)


def change(s: Session, name: str, *, owner: str, settings: Mapping[str, str], user_id: str = OWNER) -> bool:
    """Whether there was one."""
    return s.changed(_CHANGE, user=user_id, which=name, owner=owner, settings=dict(settings)) == 1


def remove(s: Session, name: str, *, user_id: str = OWNER) -> bool:
    """Whether there was one."""
    return s.changed(_REMOVE, user=user_id, which=name) == 1
