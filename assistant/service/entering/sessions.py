"""Browsers that are signed in."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from fastapi import Request, Response

from assistant.service.entering import secrets
from storage import sessions
from storage.database import Database
from storage.session import Session
from storage.tables import StoredSession

LASTS = timedelta(days=30)
"""After the last use."""
COOKIE_LASTS = timedelta(days=400)
"""Browsers take no more; when a session ends is decided here."""
LONGEST_AGENT = 200


def cookie(*, secure: bool, port: int | None = None) -> str:
    """Its name; under TLS one that only this host can have set. `port` of the address in the browser, None for the usual one: a
    cookie goes to all ports of a host, where other services may set theirs."""
    name = "__Host-assistant_session" if secure else "assistant_session"
    return f"{name}_{port}" if port else name


@dataclass(frozen=True)
class Sessions:
    """`secure`: the service is reached over TLS alone. `public_url` is the address that people use, empty for none."""

    database: Database
    clock: Callable[[], datetime]
    secure: bool = False
    public_url: str = ""

    def presented(self, request: Request) -> str:
        return request.cookies.get(self._cookie(request), "")

    def _cookie(self, request: Request) -> str:
        return cookie(secure=self.is_secure(request), port=request.url.port)

    def is_secure(self, request: Request) -> bool:
        """Whether the browser speaks TLS, perhaps with a proxy."""
        public = urlsplit(self.public_url)
        by_proxy = public.scheme == "https" and request.url.hostname == public.hostname
        return self.secure or request.url.scheme == "https" or by_proxy

    async def begin(self, user: str, agent: str = "", *, instead_of: str = "") -> str:
        """What the cookie is to hold. `instead_of` is what it held: that session ends."""
        now, secret = self.clock(), secrets.fresh()

        def work(s: Session) -> None:
            sessions.remove_expired(s, now)
            before = sessions.get(s, secrets.digest(instead_of)) if instead_of else None
            if before:
                sessions.remove(s, before.id, user_id=before.user_id)
            sessions.add(
                s,
                secrets.public_id(),
                digest=secrets.digest(secret),
                user_id=user,
                at=now,
                expires=now + LASTS,
                agent=agent[:LONGEST_AGENT],
            )

        await self.database.write(work)
        return secret

    async def sign_in(self, user: str, request: Request, response: Response) -> str:
        """Always under a new secret, whatever the browser came with; that secret."""
        secret = await self.begin(user, request.headers.get("user-agent", ""), instead_of=self.presented(request))
        response.set_cookie(
            self._cookie(request),
            secret,
            max_age=int(COOKIE_LASTS.total_seconds()),
            path="/",
            secure=self.is_secure(request),
            httponly=True,
            samesite="lax",
        )
        return secret

    def forget(self, request: Request, response: Response) -> None:
        secure = self.is_secure(request)
        response.delete_cookie(self._cookie(request), path="/", secure=secure, httponly=True, samesite="lax")

    async def list(self, user: str) -> tuple[StoredSession, ...]:
        now = self.clock()
        return tuple(one for one in await self.database.read(lambda s: sessions.list(s, user)) if one.expires > now)

    async def end(self, user: str, session: str) -> bool:
        return await self.database.write(lambda s: sessions.remove(s, session, user_id=user))

    async def end_all(self, user: str, *, but: str = "") -> None:
        await self.database.write(lambda s: sessions.remove_all(s, user, but=but))
