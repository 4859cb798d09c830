"""Saved reply templates. Their names are unique for a user without regard to case."""

from sqlalchemy import delete as delete_from
from sqlalchemy import insert, select
from sqlmodel import Session

from storage import rows
from storage.tables import OWNER, TEMPLATE, StoredTemplate


def save(s: Session, *, name: str, body: str, subject: str = "", user_id: str = OWNER) -> StoredTemplate:
    """Replaces one of the same name."""
    delete(s, name, user_id=user_id)
    template = StoredTemplate(user_id=user_id, name=name, subject=subject, body=body)
    rows.insert(s, insert(TEMPLATE), template.model_dump())
    return template


def list(s: Session, *, user_id: str = OWNER) -> tuple[StoredTemplate, ...]:
    """By name."""
    mine = rows.every(s, StoredTemplate, select(TEMPLATE).where(TEMPLATE.c.user_id == user_id))
    return tuple(sorted(mine, key=lambda template: template.name.casefold()))


def get(s: Session, name: str, *, user_id: str = OWNER) -> StoredTemplate | None:
    # Compared here, since SQLite folds the case of ASCII letters only.
    return next((template for template in list(s, user_id=user_id) if template.name.casefold() == name.casefold()), None)


def delete(s: Session, name: str, *, user_id: str = OWNER) -> bool:
    """Whether there was one."""
    found = get(s, name, user_id=user_id)
    if found is None:
        return False
    rows.changed(s, delete_from(TEMPLATE).where(TEMPLATE.c.user_id == user_id, TEMPLATE.c.name == found.name))
    return True
