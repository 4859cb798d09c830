"""The token that requests are signed with, renewed in time and saved at once."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from integrations.common.remote import Ended
from integrations.errors import AuthExpired, Unavailable
from integrations.registry import Secrets, reconnect

log = logging.getLogger(__name__)
PATIENCE = 0.0, 0.2, 1.0
"""Seconds to wait for what another process stores, again and again."""
Stored = Mapping[str, Any]
"""What an account signs in with, as it is stored: an object of the provider's own."""


class Grant(Protocol):
    """One state of what is stored."""

    @property
    def token(self) -> str:
        """Empty where there is none."""

    @property
    def expired(self) -> bool: ...

    @property
    def refresh_token(self) -> str:
        """Empty where there is none."""

    async def renewed(self) -> Stored:
        """With a new token. Raises IntegrationError, Ended where this refresh token gives none any more."""

    def ended(self) -> Stored:
        """Without what signs in."""


class Provider(NamedTuple):
    """`kind` as of the registry; `name` for sentences."""

    kind: str
    name: str


class Tokens:
    """Those of one account. However many requests need a new one, it is asked for once."""

    def __init__(self, account: str, secrets: Secrets, provider: Provider, grant_of: Callable[[Stored], Grant]) -> None:
        self._account, self._secrets, self._provider, self._grant_of = account, secrets, provider, grant_of
        self._stored: Stored = {}
        self._grant: Grant | None = None
        self._renewal: asyncio.Task[None] | None = None
        self._unsaved = False

    async def current(self) -> str:
        """Raises AuthExpired where the account must be connected again, Unavailable where that can't be told just now."""
        if self._grant is None:
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
        return self._grant.token if self._grant else ""

    @property
    def _expired(self) -> bool:
        return self._grant is None or self._grant.expired

    async def _renew(self) -> None:
        before = self._token
        if not self._unsaved:
            self._use(await self._load())
        if self._token != before and not self._expired:
            return  # another process has renewed it, or the account was connected again
        assert self._grant is not None
        try:
            self._use(await self._grant.renewed())
        except Ended:
            if not await self._renewed_elsewhere(self._grant.refresh_token):
                await self._forget(self._grant)
                raise
            return
        await self._keep()

    async def _renewed_elsewhere(self, refused: str) -> bool:
        """Where another process was faster, and has ended this refresh token by that, it stores the new one in a moment."""
        for pause in PATIENCE:
            await asyncio.sleep(pause)
            stored = await self._load()
            if self._grant_of(stored).refresh_token != refused:
                self._use(stored)
                return True
        return False

    async def _forget(self, ended: Grant) -> None:
        """What signs in no more. The next call looks whether the account was connected again meanwhile."""
        self._grant = None
        self._stored = ended.ended()
        await self._save()
        self._unsaved = False

    async def _keep(self) -> None:
        """Stores what was given, even where another process, refused for it, has just stored that nothing signs in any more."""
        await self._save()
        with suppress(Unavailable):
            stored = await self._read()
            if stored and not self._grant_of(stored).refresh_token:
                await self._save()

    async def _save(self) -> None:
        """What can't be stored just now is good all the same: it is tried again at the next call."""
        try:
            await self._secrets.save(self._account, json.dumps(self._stored))
            self._unsaved = False
        except Exception as refused:
            log.warning("The sign-in of the account %s can't be stored just now (%s).", self._account, type(refused).__name__)
            self._unsaved = True

    async def _load(self) -> Stored:
        stored = await self._read()
        grant = self._grant_of(stored)
        if not (grant.refresh_token or grant.token):
            again = reconnect(self._provider.kind, self._account)
            raise AuthExpired(f"The account {self._account} is not signed in at {self._provider.name}; {again}", self._account)
        return stored

    async def _read(self) -> Stored:
        """Empty where there is nothing that can be read; Unavailable where that can't be told just now."""
        try:
            secret = await self._secrets.load(self._account)
        except Exception as unread:
            raise Unavailable(f"The sign-in of the account {self._account} can't be read just now.", self._account) from unread
        try:
            stored = json.loads(secret or "")
        except ValueError:
            return {}
        return stored if isinstance(stored, dict) else {}

    def _use(self, stored: Stored) -> None:
        self._stored, self._grant = stored, self._grant_of(stored)


def _noticed(renewal: asyncio.Task[None]) -> None:
    """Nobody need be waiting any more for what went wrong."""
    if not renewal.cancelled():
        renewal.exception()
