"""The accounts that a user has connected."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import delete, insert, select
from sqlmodel import Session

from storage import rows
from storage.tables import ACCOUNT, OWNER, StoredAccount


def add(
    s: Session,
    *,
    name: str,
    kind: str,
    address: str,
    settings: Mapping[str, str],
    at: datetime,
    sample: bool = False,
    user_id: str = OWNER,
) -> StoredAccount:
    """Raises Duplicate when there is one of that name."""
    account = StoredAccount(
        user_id=user_id, name=name, kind=kind, address=address, settings=dict(settings), sample=sample, created=at
    )
    rows.insert(s, insert(ACCOUNT), account.model_dump())
    return account


def list(s: Session, *, user_id: str = OWNER) -> tuple[StoredAccount, ...]:
    """In the order they were added."""
    return rows.every(
        s, StoredAccount, select(ACCOUNT).where(ACCOUNT.c.user_id == user_id).order_by(ACCOUNT.c.created, ACCOUNT.c.name)
    )


def get(s: Session, name: str, *, user_id: str = OWNER) -> StoredAccount | None:
    return rows.first(s, StoredAccount, select(ACCOUNT).where(ACCOUNT.c.user_id == user_id, ACCOUNT.c.name == name))


def remove(s: Session, name: str, *, user_id: str = OWNER) -> bool:
    """Whether there was one."""
    return rows.changed(s, delete(ACCOUNT).where(ACCOUNT.c.user_id == user_id, ACCOUNT.c.name == name)) == 1
