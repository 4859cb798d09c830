"""The token that requests to Google are signed with."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from google.auth.transport import Request
from google.oauth2.credentials import Credentials

from integrations.common import tokens
from integrations.common.tokens import Provider, Stored
from integrations.google.errors import unrefreshed
from integrations.google.transport import Transport
from integrations.registry import Secrets

GOOGLE = Provider("google", "Google")
SIGNS_IN = ("token", "refresh_token", "expiry")
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


class Tokens(tokens.Tokens):
    """Those of one account at Google."""

    def __init__(self, account: str, secrets: Secrets, transport: Transport, in_thread: InThread) -> None:
        super().__init__(account, secrets, GOOGLE, lambda stored: _Grant(stored, account, transport, in_thread))


class _Grant:
    """What is stored is google-auth's own JSON."""

    def __init__(self, stored: Stored, account: str, transport: Transport, in_thread: InThread) -> None:
        self._stored, self._account = stored, account
        self._transport, self._in_thread = transport, in_thread
        # Not by from_authorized_user_info, which takes no other token_uri than Google's; and without scopes, for then a refresh
        # gives all that was granted instead of failing over a box left unticked.
        self._credentials = Credentials(  # type: ignore[no-untyped-call]
            stored.get("token"),
            refresh_token=stored.get("refresh_token"),
            token_uri=stored.get("token_uri"),
            client_id=stored.get("client_id"),
            client_secret=stored.get("client_secret"),
            expiry=_expiry(stored.get("expiry")),
        )

    @property
    def token(self) -> str:
        return str(self._credentials.token or "")

    @property
    def expired(self) -> bool:
        return not self._credentials.valid

    @property
    def refresh_token(self) -> str:
        return str(self._stored.get("refresh_token") or "")

    async def renewed(self) -> Stored:
        try:
            await self._in_thread(partial(self._credentials.refresh, _Refreshing(self._transport)))
        except Exception as error:
            raise unrefreshed(error, self._account) from error
        return {**self._stored, **_told(self._credentials)}

    def ended(self) -> Stored:
        return {key: value for key, value in self._stored.items() if key not in SIGNS_IN}


def _told(credentials: Credentials) -> dict[str, Any]:
    expiry = credentials.expiry.isoformat() + "Z" if credentials.expiry else None
    return {"token": credentials.token, "refresh_token": credentials.refresh_token, "expiry": expiry}


def _expiry(text: str | None) -> datetime | None:
    """google-auth takes naive times in UTC."""
    return datetime.fromisoformat(text.removesuffix("Z")) if text else None
