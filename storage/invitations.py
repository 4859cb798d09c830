"""Links that let a user in for the first time, or again after a forgotten password. Each works once."""

from datetime import datetime

from sqlalchemy import delete, insert, select

from storage.session import Prepared, Session, given
from storage.tables import INVITATION, StoredInvitation

_THIS = INVITATION.c.digest == given("presented")
_ADD = Prepared(insert(INVITATION))
_GET = Prepared(select(INVITATION).where(_THIS, INVITATION.c.expires > given("now")))
_TAKE = Prepared(delete(INVITATION).where(_THIS))
_REMOVE_EVERY = Prepared(delete(INVITATION))
_REMOVE_ALL = Prepared(delete(INVITATION).where(INVITATION.c.user_id == given("user")))


def add(s: Session, digest: str, *, user_id: str, expires: datetime) -> StoredInvitation:
    """In the place of any earlier one of this user."""
    remove_all(s, user_id)
    invitation = StoredInvitation(digest=digest, user_id=user_id, expires=expires)
    s.insert(_ADD, invitation.model_dump())
    return invitation


def get(s: Session, digest: str, now: datetime) -> StoredInvitation | None:
    """One that can be used; it is left as it is."""
    return s.first(StoredInvitation, _GET, presented=digest, now=now)


def take(s: Session, digest: str, now: datetime) -> StoredInvitation | None:
    """One that could be used, and can't be any more. Of several who try at once only one gets it."""
    found = get(s, digest, now)
    return found if found is not None and s.changed(_TAKE, presented=digest) else None


def remove_all(s: Session, user_id: str) -> int:
    return s.changed(_REMOVE_ALL, user=user_id)


def remove_every(s: Session) -> int:
    """Of all users."""
    return s.changed(_REMOVE_EVERY)
