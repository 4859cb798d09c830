"""The token that requests to Microsoft are signed with."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from integrations.common import tokens
from integrations.common.tokens import Provider, Stored
from integrations.errors import AuthExpired
from integrations.microsoft.registration import client_of
from integrations.microsoft.scopes import SCOPES, short
from integrations.registry import Secrets

MICROSOFT = Provider("microsoft", "Microsoft")
IN_TIME = 300.0
"""Seconds before its end at which a token is renewed."""
InThread = Callable[[Callable[[], Stored]], Awaitable[Stored]]


class Tokens(tokens.Tokens):
    """Those of one account at Microsoft. MSAL blocks, and is imported, in `in_thread`."""

    def __init__(self, account: str, secrets: Secrets, in_thread: InThread) -> None:
        super().__init__(account, secrets, MICROSOFT, lambda stored: _Grant(stored, account, in_thread))

    @property
    def granted(self) -> frozenset[str]:
        """Scopes of the current token, such as mail.send; empty where they are not known."""
        return self._grant.granted if isinstance(self._grant, _Grant) else frozenset()


class _Grant:
    """What is stored is the registration, and MSAL's cache as it serialises it: whose schema is the same in all its languages."""

    def __init__(self, stored: Stored, account: str, in_thread: InThread) -> None:
        self._stored, self._account, self._in_thread = stored, account, in_thread
        cache = read(stored.get("cache"))
        self._access = _newest(cache, "AccessToken", "cached_at")
        self._refresh = _newest(cache, "RefreshToken", "last_modification_time")

    @property
    def token(self) -> str:
        return str(self._access.get("secret") or "")

    @property
    def expired(self) -> bool:
        return not self.token or _number(self._access.get("expires_on")) < time.time() + IN_TIME

    @property
    def refresh_token(self) -> str:
        return str(self._refresh.get("secret") or "")

    @property
    def granted(self) -> frozenset[str]:
        return short(str(self._access.get("target") or "").split())

    async def renewed(self) -> Stored:
        return await self._in_thread(lambda: renewed(self._stored, self._account))

    def ended(self) -> Stored:
        return {**self._stored, "cache": ""}


def renewed(stored: Stored, account: str) -> Stored:
    """Blocks."""
    from integrations.microsoft.msal_apps import application, cache_of
    from integrations.microsoft.refusals import translated, unrefreshed

    try:
        client, cache = client_of(stored), cache_of(stored["cache"])
    except (KeyError, TypeError, ValueError) as error:
        raise AuthExpired(str(unrefreshed(None, account)), account) from error
    try:
        with application(client, cache) as app:
            known = app.get_accounts()
            told = app.acquire_token_silent_with_error(list(SCOPES), known[0], force_refresh=True) if known else None
    except Exception as error:
        raise translated(error, account) from error
    if not told or "access_token" not in told:
        raise unrefreshed(told, account)
    return {**stored, "cache": cache.serialize()}


def read(serialised: Any) -> Mapping[str, Any]:
    """A secret, or the cache in it; empty where it is none."""
    try:
        found = json.loads(serialised or "")
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def entries(cache: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """What MSAL keeps of a kind."""
    held = cache.get(kind)
    return [entry for entry in held.values() if isinstance(entry, dict)] if isinstance(held, dict) else []


def _newest(cache: Mapping[str, Any], kind: str, dated: str) -> Mapping[str, Any]:
    return max(entries(cache, kind), key=lambda entry: _number(entry.get(dated)), default={})


def _number(text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        return 0.0
