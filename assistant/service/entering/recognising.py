"""Authentication: who calls, by the session's cookie or a bearer token."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from fastapi import Request

from assistant.service.callers import SCOPES, Caller, Scope
from assistant.service.entering import secrets
from assistant.service.entering.sessions import LASTS, Sessions
from assistant.service.hosts import SAFE
from assistant.service.problems import Problem
from storage import sessions, tokens, users
from storage.database import Database
from storage.session import Session
from storage.tables import StoredSession, StoredToken, StoredUser

NOTED = timedelta(minutes=1)
"""How precisely it is kept when a session or token was last used."""
CSRF_HEADER = "x-csrf-token"
Found = TypeVar("Found", StoredSession, StoredToken)


@dataclass(frozen=True)
class Recognising:
    database: Database
    clock: Callable[[], datetime]
    sessions: Sessions

    async def __call__(self, request: Request) -> Caller | None:
        """Raises Problem for a session whose request does not show that it is from a page of ours."""
        authorization = request.headers.get("authorization")
        if authorization is not None:  # then never by cookie: hosts asks such a request for no origin
            kind, _, token = authorization.partition(" ")
            return await self.by_token(token.strip()) if kind.lower() == "bearer" else None
        secret = self.sessions.presented(request)
        caller = await self.by_session(secret) if secret else None
        if caller and request.method not in SAFE and not self._vouched(request, secret):
            raise Problem(403, "This page is out of date; load it again.")
        return caller

    async def by_token(self, secret: str) -> Caller | None:
        now, digest = self.clock(), secrets.digest(secret)
        found, user = await self.database.read(lambda s: _with_user(s, tokens.get(s, digest)))
        if found is None or user is None or not secrets.same(found.digest, digest) or _expired(found.expires, now):
            return None
        token = found.id
        if found.used is None or now - found.used >= NOTED:
            await self.database.write(lambda s: tokens.touch(s, token, now))
        granted = found.scopes.split()
        return _caller(user, frozenset(scope for scope in SCOPES if scope in granted), token=token)

    async def by_session(self, secret: str) -> Caller | None:
        now, digest = self.clock(), secrets.digest(secret)
        found, user = await self.database.read(lambda s: _with_user(s, sessions.get(s, digest)))
        if found is None or user is None or not secrets.same(found.digest, digest) or _expired(found.expires, now):
            return None
        session = found.id
        if now - found.seen >= NOTED:
            await self.database.write(lambda s: sessions.touch(s, session, now, now + LASTS))
        return _caller(user, frozenset(SCOPES), session=session)

    def _vouched(self, request: Request, secret: str) -> bool:
        return secrets.same(request.headers.get(CSRF_HEADER, ""), secrets.csrf(secret))


def _with_user(s: Session, found: Found | None) -> tuple[Found | None, StoredUser | None]:
    user = users.get(s, found.user_id) if found else None
    return found, None if user is None or user.disabled else user


def _caller(user: StoredUser, scopes: frozenset[Scope], *, session: str = "", token: str = "") -> Caller:
    return Caller(user=user.id, name=user.name, scopes=scopes, session=session, token=token, owner=user.role == "owner")


def _expired(expires: datetime | None, now: datetime) -> bool:
    return expires is not None and expires <= now
