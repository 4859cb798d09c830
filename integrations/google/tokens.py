"""The token that requests are signed with, renewed in time and saved at once."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from google.auth.transport import Request
from google.oauth2.credentials import Credentials

from integrations.errors import AuthExpired, Unavailable
from integrations.google.errors import Ended, reconnect, unrefreshed
from integrations.google.transport import Transport
from integrations.registry import Secrets

log = logging.getLogger(__name__)
PATIENCE = 0.0, 0.2, 1.0
"""Seconds to wait for what another process stores, again and again."""
InThread = Callable[[Callable[[], None]], Awaitable[None]]


class _Answer(NamedTuple):
    status: int
    headers: Any
    data: bytes


class _Refreshing(Request):
    """google-auth's way of sending a request."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __call__(
        self, url: str, method: str = "GET", body: Any = None, headers: Any = None, timeout: Any = None, **_: Any
    ) -> _Answer:
        response, content = self._transport.request(url, method, body, headers)
        return _Answer(response.status, response, content)


class Tokens:
    """Those of one account. However many requests need a new one, it is asked for once."""

    def __init__(self, account: str, secrets: Secrets, transport: Transport, in_thread: InThread) -> None:
        self._account, self._secrets = account, secrets
        self._transport, self._in_thread = transport, in_thread
        self._info: dict[str, Any] = {}
        self._credentials: Credentials | None = None
        self._renewal: asyncio.Task[None] | None = None
        self._unsaved = False

    async def current(self) -> str:
        """Raises AuthExpired where the account must be connected again, Unavailable where that can't be told just now."""
        if self._credentials is None:
            self._use(await self._load())
        if self._unsaved:
            await self._save()
        return await self.other_than("") if self._expired else self._token

    async def other_than(self, refused: str) -> str:
        """A token that was given after `refused`."""
        if self._token == refused or self._expired:
            if self._renewal is None or self._renewal.done():
                self._renewal = asyncio.create_task(self._renew())
                self._renewal.add_done_callback(_noticed)
            # Whoever waits may be interrupted; a token that has been given must still be saved.
            await asyncio.shield(self._renewal)
        return self._token

    async def close(self) -> None:
        """Waits for a token that is on its way."""
        if self._renewal is not None:
            await asyncio.wait({self._renewal})

    @property
    def _token(self) -> str:
        return str(self._credentials.token or "") if self._credentials else ""

    @property
    def _expired(self) -> bool:
        return self._credentials is None or not self._credentials.valid

    async def _renew(self) -> None:
        before = self._token
        if not self._unsaved:
            self._use(await self._load())
        if self._token != before and not self._expired:
            return  # another process has renewed it, or the account was connected again
        credentials = self._credentials
        assert credentials is not None
        try:
            await self._in_thread(partial(credentials.refresh, _Refreshing(self._transport)))
        except Exception as error:
            trouble = unrefreshed(error, self._account)
            if not isinstance(trouble, Ended):
                raise trouble from error
            if not await self._renewed_elsewhere():
                await self._forget()
                raise trouble from error
            return
        self._info |= _told(credentials)
        await self._keep()

    async def _renewed_elsewhere(self) -> bool:
        """Where another process was faster, and has ended this refresh token by that, it stores the new one in a moment."""
        refused = self._info.get("refresh_token")
        for pause in PATIENCE:
            await asyncio.sleep(pause)
            info = await self._load()
            if info.get("refresh_token") != refused:
                self._use(info)
                return True
        return False

    async def _forget(self) -> None:
        """What signs in no more. The next call looks whether the account was connected again meanwhile."""
        self._credentials = None
        self._info = {key: value for key, value in self._info.items() if key not in ("token", "refresh_token", "expiry")}
        await self._save()
        self._unsaved = False

    async def _keep(self) -> None:
        """Stores what was given, even where another process, refused for it, has just stored that nothing signs in any more."""
        await self._save()
        with suppress(Unavailable):
            stored = await self._stored()
            if stored and not stored.get("refresh_token"):
                await self._save()

    async def _save(self) -> None:
        """What can't be stored just now is good all the same: it is tried again at the next call."""
        try:
            await self._secrets.save(self._account, json.dumps(self._info))
            self._unsaved = False
        except Exception as refused:
            log.warning("The sign-in of the account %s can't be stored just now (%s).", self._account, type(refused).__name__)
            self._unsaved = True

    async def _load(self) -> dict[str, Any]:
        info = await self._stored()
        if not (info.get("refresh_token") or info.get("token")):
            raise AuthExpired(f"The account {self._account} is not signed in at Google; {reconnect(self._account)}", self._account)
        return info

    async def _stored(self) -> dict[str, Any]:
        """Empty where there is nothing that can be read; Unavailable where that can't be told just now."""
        try:
            secret = await self._secrets.load(self._account)
        except Exception as unread:
            raise Unavailable(f"The sign-in of the account {self._account} can't be read just now.", self._account) from unread
        try:
            info = json.loads(secret or "")
        except ValueError:
            return {}
        return info if isinstance(info, dict) else {}

    def _use(self, info: dict[str, Any]) -> None:
        self._info = info
        # Not by from_authorized_user_info, which takes no other token_uri than Google's; and without scopes, for then a refresh
        # gives all that was granted instead of failing over a box left unticked.
        self._credentials = Credentials(  # type: ignore[no-untyped-call]
            info.get("token"),
            refresh_token=info.get("refresh_token"),
            token_uri=info.get("token_uri"),
            client_id=info.get("client_id"),
            client_secret=info.get("client_secret"),
            expiry=_expiry(info.get("expiry")),
        )


def _noticed(renewal: asyncio.Task[None]) -> None:
    """Nobody need be waiting any more for what went wrong."""
    if not renewal.cancelled():
        renewal.exception()


def _told(credentials: Credentials) -> dict[str, Any]:
    expiry = credentials.expiry.isoformat() + "Z" if credentials.expiry else None
    return {"token": credentials.token, "refresh_token": credentials.refresh_token, "expiry": expiry}


def _expiry(text: str | None) -> datetime | None:
    """google-auth takes naive times in UTC."""
    return datetime.fromisoformat(text.removesuffix("Z")) if text else None
