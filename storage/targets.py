"""Where results can be sent: addresses that hold a secret, sealed. Their names are unique for a user without regard to case."""

from sqlalchemy import delete, insert, select
from sqlmodel import SQLModel

from storage.session import Prepared, Session, given
from storage.tables import OWNER, SCHEDULE, TARGET, USER, StoredTarget

_MINE = TARGET.c.user_id == given("user")
_ADD = Prepared(insert(TARGET))
_LIST = Prepared(select(TARGET).where(_MINE))
_ONE_AT_A_TIME = Prepared(select(USER.c.id).where(USER.c.id == given("user")).with_for_update(key_share=True))
_REMOVE = Prepared(delete(TARGET).where(_MINE, TARGET.c.name == given("which")))
_USES = Prepared(select(SCHEDULE.c.name, SCHEDULE.c.targets).where(SCHEDULE.c.user_id == given("user")).order_by(SCHEDULE.c.name))


class _Use(SQLModel, frozen=True):
    """A schedule by name, and where its results go."""

    name: str
    targets: list[str]


def add(s: Session, target: StoredTarget) -> bool:
    """False where there is one of that name."""
    s.column(_ONE_AT_A_TIME, user=target.user_id)  # the table itself takes names that differ in case for two
    if get(s, target.name, user_id=target.user_id) is not None:
        return False
    s.insert(_ADD, target.model_dump())
    return True


def get(s: Session, name: str, *, user_id: str = OWNER) -> StoredTarget | None:
    return next((target for target in all_of(s, user_id=user_id) if target.name.casefold() == name.casefold()), None)


def all_of(s: Session, *, user_id: str = OWNER) -> tuple[StoredTarget, ...]:
    """By name."""
    return tuple(sorted(s.every(StoredTarget, _LIST, user=user_id), key=lambda target: target.name.casefold()))


def remove(s: Session, name: str, *, user_id: str = OWNER) -> bool:
    """Whether there was one."""
    found = get(s, name, user_id=user_id)
    return found is not None and s.changed(_REMOVE, user=user_id, which=found.name) == 1


def used_by(s: Session, name: str, *, user_id: str = OWNER) -> tuple[str, ...]:
    """The names of the schedules whose results go there."""
    uses = s.every(_Use, _USES, user=user_id)
    return tuple(use.name for use in uses if name.casefold() in (target.casefold() for target in use.targets))
