"""Saved reply templates. Their names are unique for a user without regard to case."""

from sqlalchemy import delete as delete_from
from sqlalchemy import insert, select

from storage.session import Prepared, Session, given
from storage.tables import OWNER, TEMPLATE, USER, StoredTemplate

_MINE = TEMPLATE.c.user_id == given("user")
_ADD = Prepared(insert(TEMPLATE))
_LIST = Prepared(select(TEMPLATE).where(_MINE))
_ONE_AT_A_TIME = Prepared(select(USER.c.id).where(USER.c.id == given("user")).with_for_update(key_share=True))
_DELETE = Prepared(delete_from(TEMPLATE).where(_MINE, TEMPLATE.c.name == given("which")))


def save(s: Session, *, name: str, body: str, subject: str = "", user_id: str = OWNER) -> StoredTemplate:
    """Replaces one of the same name."""
    s.column(_ONE_AT_A_TIME, user=user_id)  # the table itself takes names that differ in case for two
    delete(s, name, user_id=user_id)
    template = StoredTemplate(user_id=user_id, name=name, subject=subject, body=body)
    s.insert(_ADD, template.model_dump())
    return template


def list(s: Session, *, user_id: str = OWNER) -> tuple[StoredTemplate, ...]:
    """By name."""
    mine = s.every(StoredTemplate, _LIST, user=user_id)
    return tuple(sorted(mine, key=lambda template: template.name.casefold()))


def get(s: Session, name: str, *, user_id: str = OWNER) -> StoredTemplate | None:
    # Compared here, since SQLite folds the case of ASCII letters only.
    return next((template for template in list(s, user_id=user_id) if template.name.casefold() == name.casefold()), None)


def delete(s: Session, name: str, *, user_id: str = OWNER) -> bool:
    """Whether there was one."""
    found = get(s, name, user_id=user_id)
    if found is None:
        return False
    return s.changed(_DELETE, user=user_id, which=found.name) == 1
