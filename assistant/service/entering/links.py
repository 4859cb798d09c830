"""Links that let a user in once: the owner at first, whoever is invited, and whoever has lost their password."""

from datetime import datetime, timedelta

from assistant.service.entering import secrets
from storage import invitations, passkeys, sessions, users
from storage.database import Database
from storage.session import Session
from storage.tables import OWNER, StoredPasskey, StoredUser

LASTS = timedelta(days=2)


async def make(database: Database, user: str, now: datetime, lasts: timedelta = LASTS) -> str:
    """What the link holds; an earlier one of this user is good no more."""
    secret = secrets.fresh()
    await database.write(lambda s: invitations.add(s, secrets.digest(secret), user_id=user, expires=now + lasts))
    return secret


def link(url: str, secret: str) -> str:
    """What stands behind the # is not sent to any server, so it stands in no log."""
    return f"{url.rstrip('/')}/#/enter?token={secret}"


async def is_first_run(database: Database) -> bool:
    """Whether the owner has no way yet to sign in."""
    return await database.read(lambda s: not _can_enter(s, OWNER))


def _can_enter(s: Session, user_id: str) -> bool:
    user = users.get(s, user_id)
    return bool(user and user.password) or bool(passkeys.list(s, user_id))


def invited(s: Session, digest: str, now: datetime) -> StoredUser | None:
    """Whose link it is, if it is good still."""
    invitation = invitations.get(s, digest, now)
    return enabled(s, invitation.user_id) if invitation else None


def use(s: Session, digest: str, now: datetime, *, name: str, password: str) -> StoredUser | None:
    """None for a link that is good no more. `name` and `password`, a hash, stay as they are where empty. Whoever was signed in as
    this user is so no longer. Raises Duplicate where somebody else has the name; then nothing has happened."""
    invitation = invitations.take(s, digest, now)
    user = enabled(s, invitation.user_id) if invitation else None
    if user is None:
        return None
    if name:
        users.rename(s, name, user_id=user.id)
    if password:
        users.set_password(s, password, user_id=user.id)
    sessions.remove_all(s, user.id)
    return users.get(s, user.id)


def holder(s: Session, passkey: str) -> tuple[StoredPasskey | None, StoredUser | None]:
    """The passkey of that id, and whose it is; neither where that one may not enter."""
    found = passkeys.get(s, passkey)
    user = enabled(s, found.user_id) if found else None
    return (found, user) if user else (None, None)


def enabled(s: Session, user_id: str) -> StoredUser | None:
    user = users.get(s, user_id)
    return user if user and not user.disabled else None
